import { useMutation, useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { isEmail } from '#contract/account-rules'
import { CallError } from '#contract/client'
import { call, isSignedOut } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { callProved, needsProof } from '../proof/proof.ts'
import { toastFailure } from '../toast-failure.ts'
import styles from './protection.module.css'
import { Row, Waiting } from './two-factor.tsx'

const refresh = () => void queryClient.invalidateQueries({ queryKey: ['security'] })

/** The e-mail address, and another one that waits for its confirmation. */
export function EmailCard() {
  const { t } = useTranslation('security')
  const language = useLanguage()
  const state = useQuery(query('security', {}))
  const isView = useView() !== null
  const cancel = useMutation({
    mutationFn: () => call('cancel_email_change', {}),
    onSuccess: refresh,
    onError: (error) => toastFailure(error, t('failed')),
  })
  const pending = state.data?.pending_email ?? null
  return (
    <section aria-labelledby="account-email">
      <h2 id="account-email" className={styles.heading}>
        {t('email.title')}
      </h2>
      <p className={styles.lead}>{t('email.text')}</p>
      <Card>
        {state.data === undefined ? (
          <Waiting isError={state.isError} onRetry={() => void state.refetch()} />
        ) : (
          <ul className={styles.rows}>
            <Row name={state.data.email ?? t('email.none')} about={t('email.present')} />
            {pending !== null && (
              <Row
                name={pending.email}
                about={t(waitText(pending.waits_for), { date: formatDateTime(pending.expires_at, language) })}
              >
                {!isView && (
                  <Button size="small" pending={cancel.isPending} onClick={() => cancel.mutate()}>
                    {t('cancel')}
                  </Button>
                )}
              </Row>
            )}
            {pending === null && !isView && (
              <li className={styles.row}>
                <NewEmail />
              </li>
            )}
          </ul>
        )}
      </Card>
    </section>
  )
}

const waitText = (waitsFor: readonly ('new' | 'old')[]) =>
  waitsFor.length === 2 ? 'email.waitsBoth' : waitsFor[0] === 'old' ? 'email.waitsOld' : 'email.waits'

function NewEmail() {
  const { t } = useTranslation('security')
  const [email, setEmail] = useState('')
  const [error, setError] = useState<string>()
  const { mutate, isPending } = useMutation({
    mutationFn: () => callProved('change_email', { email: email.trim() }),
    onSuccess: () => {
      refresh()
      toast.success(t('email.asked'))
    },
    onError: (fault) => {
      if (isSignedOut(fault) || needsProof(fault)) return
      setError(fault instanceof CallError ? fault.message : t('failed'))
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isPending) return
    if (isEmail(email.trim())) mutate()
    else setError(t('email.invalid'))
  }
  return (
    <form className={styles.inline} onSubmit={submit} noValidate>
      <TextField
        label={t('email.fresh')}
        type="email"
        autoComplete="email"
        value={email}
        error={error}
        onChange={(event) => {
          setEmail(event.target.value)
          setError(undefined)
        }}
      />
      <Button type="submit" pending={isPending}>
        {t('email.change')}
      </Button>
    </form>
  )
}
