import { useMutation } from '@tanstack/react-query'
import Sparkle from 'lucide-react/icons/wand-sparkles'
import { type FormEvent, useRef, useState } from 'react'
import { CallError } from '#contract/client'
import { isSignedOut } from '../../state/api.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { toast } from '../../state/toast.ts'
import { apiTokenQuery } from '../../state/token/api-token.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { nameOf } from '../profile.ts'
import { callProved, needsProof } from '../proof/proof.ts'
import { errorOf, generatePassword } from './password.ts'
import styles from './password-form.module.css'

/** The form for a new account password. The current one is required where there is one. */
export function PasswordForm({ user }: { user: Session }) {
  const { t } = useTranslation(['userPanel', 'userBtns'])
  const exists = useOptionalRead(query('is_password_exists', {}))
  // The profile has the same information, in case this call fails.
  const hasPassword = exists ?? user.password !== null
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [generated, setGenerated] = useState<string | null>(null)
  const [endsPrograms, setEndsPrograms] = useState(false)
  const [errors, setErrors] = useState<{ current?: string; next?: string }>({})
  const currentInput = useRef<HTMLInputElement>(null)
  const nextInput = useRef<HTMLInputElement>(null)

  const change = useMutation({
    mutationFn: () =>
      callProved('change_account_password', {
        old_password: hasPassword ? current : null,
        new_password: next,
        end_programs: endsPrograms,
      }),
    onSuccess() {
      setCurrent('')
      setNext('')
      setGenerated(null)
      setEndsPrograms(false)
      void queryClient.invalidateQueries({ queryKey: ['is_password_exists'] })
      if (endsPrograms) {
        queryClient.setQueryData(apiTokenQuery.queryKey, null)
        void queryClient.invalidateQueries({ queryKey: ['security'] })
        void queryClient.invalidateQueries({ queryKey: ['get_presets'] })
      }
      toast.success(t('security.changed'))
    },
    onError(error) {
      if (isSignedOut(error) || needsProof(error)) return
      if (error instanceof CallError && error.code === 'wrong_password') {
        setErrors({ current: t('security.wrongPassword') })
        toast.error(t('security.wrongPassword'))
        currentInput.current?.focus()
      } else {
        // These messages say how long to wait, that the server cannot be reached, or what to do first.
        const hasMessage =
          error instanceof CallError &&
          (error.status === 0 || error.status === 429 || error.code === 'sign_in_again')
        toast.error(hasMessage ? error.message : t('security.changeFailed'))
      }
    },
  })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const error = errorOf({ current, next, hasPassword })
    if (error === null) {
      setErrors({})
      change.mutate()
      return
    }
    const text = t(`security.${error}`)
    const isCurrent = error === 'fillFields' && hasPassword && current === ''
    const isNext = error === 'shortPassword' || next.trim() === ''
    setErrors({ ...(isCurrent ? { current: text } : {}), ...(isNext ? { next: text } : {}) })
    toast.error(text)
    const invalid = isCurrent ? currentInput : nextInput
    invalid.current?.focus()
  }
  const generate = () => {
    const password = generatePassword()
    setNext(password)
    setGenerated(password)
    setErrors({})
  }
  const toggle = { showText: t('userBtns:secret.show'), hideText: t('userBtns:secret.hide') }

  return (
    <section aria-labelledby="account-password">
      <h2 id="account-password" className={styles.heading}>
        {t('security.accountTitle')}
      </h2>
      <Card className={styles.card}>
        <form className={styles.form} onSubmit={submit} noValidate>
          {/* For password managers: the account that the password belongs to. */}
          <input type="text" autoComplete="username" value={nameOf(user)} readOnly hidden />
          <div className={classNames(!hasPassword && styles.dimmed)}>
            <PasswordField
              ref={currentInput}
              label={t('security.old')}
              autoComplete="current-password"
              value={current}
              disabled={!hasPassword}
              error={errors.current}
              hint={hasPassword ? undefined : t('security.noPassword')}
              onChange={(event) => setCurrent(event.target.value)}
              {...toggle}
            />
          </div>
          <PasswordField
            ref={nextInput}
            label={t('security.fresh')}
            autoComplete="new-password"
            value={next}
            error={errors.next}
            hint={t('security.rule')}
            onChange={(event) => {
              setNext(event.target.value)
              setGenerated(null)
            }}
            {...toggle}
          />
          <PasswordGenerator generated={generated} onGenerate={generate} />
          <EndPrograms checked={endsPrograms} onChange={setEndsPrograms} />
          <div>
            <Button type="submit" variant="primary" pending={change.isPending}>
              {t('security.change')}
            </Button>
          </div>
        </form>
        <aside className={styles.aside}>
          <p>{t('security.sessions')}</p>
          <p>{t('security.stays')}</p>
        </aside>
      </Card>
    </section>
  )
}

/** Whether the API token and secret links end with the old password. */
function EndPrograms({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  const { t } = useTranslation('userPanel')
  return (
    <label className={styles.programs}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>
        <span>{t('security.endPrograms')}</span>
        <span className={styles.hint}>{t('security.endProgramsHint')}</span>
      </span>
    </label>
  )
}

/** Generates a strong password, which can be copied before it is used. */
function PasswordGenerator({ generated, onGenerate }: { generated: string | null; onGenerate: () => void }) {
  const { t } = useTranslation(['userPanel', 'userBtns'])
  return (
    <div className={styles.generator}>
      {generated === null ? (
        <p className={styles.hint}>{t('security.generatorHint')}</p>
      ) : (
        <p className={styles.generated} role="status">
          <code translate="no" className={styles.text}>
            {generated}
          </code>
          <CopyButton
            iconOnly
            text={generated}
            label={t('userBtns:copy.act')}
            copiedLabel={t('userBtns:copy.done')}
            failedLabel={t('userBtns:copy.failed')}
          />
        </p>
      )}
      <Button size="small" icon={<Sparkle size={16} aria-hidden="true" />} onClick={onGenerate}>
        {t(generated === null ? 'security.generate' : 'security.another')}
      </Button>
    </div>
  )
}
