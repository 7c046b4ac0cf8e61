import { useMutation, useQuery } from '@tanstack/react-query'
import Sparkle from 'lucide-react/icons/wand-sparkles'
import { type FormEvent, useRef, useState } from 'react'
import { CallError } from '#contract/client'
import { call, query, queryClient } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import type { Session } from '../../app/session.ts'
import { toast } from '../../app/toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classes } from '../../ui/classes.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { nameOf } from '../profile.ts'
import { faultOf, makePassword } from './password.ts'
import styles from './password-form.module.css'

/** A new account password. The old one is asked for only where there is one. */
export function PasswordForm({ user }: { user: Session }) {
  const { t } = useTranslation('userPanel')
  const exists = useQuery(query('is_password_exists', {}))
  // The profile knows it too, in case the question goes unanswered.
  const hasPassword = exists.data ?? user.password !== null
  const [old, setOld] = useState('')
  const [fresh, setFresh] = useState('')
  const [made, setMade] = useState<string | null>(null)
  const [errors, setErrors] = useState<{ old?: string; fresh?: string }>({})
  const oldBox = useRef<HTMLInputElement>(null)
  const freshBox = useRef<HTMLInputElement>(null)

  const change = useMutation({
    mutationFn: () =>
      call('change_account_password', { old_password: hasPassword ? old : null, new_password: fresh }),
    onSuccess() {
      setOld('')
      setFresh('')
      setMade(null)
      void queryClient.invalidateQueries({ queryKey: ['is_password_exists'] })
      toast.success(t('security.changed'))
    },
    onError(error) {
      if (error instanceof CallError && error.status === 401) return
      if (error instanceof CallError && error.status === 403) {
        setErrors({ old: t('security.wrongPassword') })
        toast.error(t('security.wrongPassword'))
        oldBox.current?.focus()
      } else {
        // What only the server can say: how long to wait, or that it could not be reached.
        const isItsOwn = error instanceof CallError && (error.status === 0 || error.status === 429)
        toast.error(isItsOwn ? error.message : t('security.changeFailed'))
      }
    },
  })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const fault = faultOf({ old, fresh, hasPassword })
    if (fault === null) {
      setErrors({})
      change.mutate()
      return
    }
    const text = t(`security.${fault}`)
    const isOld = fault === 'fillFields' && hasPassword && old === ''
    const isFresh = fault === 'shortPassword' || fresh.trim() === ''
    setErrors({ ...(isOld ? { old: text } : {}), ...(isFresh ? { fresh: text } : {}) })
    toast.error(text)
    const wrong = isOld ? oldBox : freshBox
    wrong.current?.focus()
  }
  const generate = () => {
    const password = makePassword()
    setFresh(password)
    setMade(password)
    setErrors({})
  }
  const words = { showText: t('secret.show'), hideText: t('secret.hide') }

  return (
    <section aria-labelledby="account-password">
      <h2 id="account-password" className={styles.heading}>
        {t('security.accountTitle')}
      </h2>
      <Card className={styles.card}>
        <form className={styles.form} onSubmit={submit} noValidate>
          {/* Tells a password manager whose password this is. */}
          <input type="text" autoComplete="username" value={nameOf(user)} readOnly hidden />
          <div className={classes(!hasPassword && styles.dimmed)}>
            <PasswordField
              ref={oldBox}
              label={t('security.old')}
              autoComplete="current-password"
              value={old}
              disabled={!hasPassword}
              error={errors.old}
              hint={hasPassword ? undefined : t('security.noPassword')}
              onChange={(event) => setOld(event.target.value)}
              {...words}
            />
          </div>
          <PasswordField
            ref={freshBox}
            label={t('security.fresh')}
            autoComplete="new-password"
            value={fresh}
            error={errors.fresh}
            hint={t('security.rule')}
            onChange={(event) => {
              setFresh(event.target.value)
              setMade(null)
            }}
            {...words}
          />
          <Generator made={made} onGenerate={generate} />
          <div>
            <Button type="submit" variant="paint" pending={change.isPending}>
              {t('security.change')}
            </Button>
          </div>
        </form>
        <aside className={styles.aside}>
          <p>{t('security.sessions')}</p>
        </aside>
      </Card>
    </section>
  )
}

/** A good password for those who have none at hand, to be taken along before it is used. */
function Generator({ made, onGenerate }: { made: string | null; onGenerate: () => void }) {
  const { t } = useTranslation('userPanel')
  return (
    <div className={styles.generator}>
      {made === null ? (
        <p className={styles.hint}>{t('security.generatorHint')}</p>
      ) : (
        <p className={styles.made} role="status">
          <code className={styles.text}>{made}</code>
          <CopyButton
            iconOnly
            text={made}
            label={t('copy.act')}
            copiedLabel={t('copy.done')}
            failedLabel={t('copy.failed')}
          />
        </p>
      )}
      <Button size="small" icon={<Sparkle size={16} aria-hidden="true" />} onClick={onGenerate}>
        {t(made === null ? 'security.generate' : 'security.another')}
      </Button>
    </div>
  )
}
