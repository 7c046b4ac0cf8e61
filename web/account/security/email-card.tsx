import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { callProved } from '../proof/proof.ts'
import { toastFailure } from '../toast-failure.ts'
import styles from './protection.module.css'
import { Row, Waiting } from './two-factor.tsx'
import { useEmailForm } from './use-email-form.ts'

const refresh = () => void queryClient.invalidateQueries({ queryKey: ['security'] })

/** The e-mail address, and another one that waits for its confirmation. */
export function EmailCard() {
  const { t } = useTranslation('security')
  const language = useLanguage()
  const state = useQuery(query('security', {}))
  const isView = useView() !== null
  const cancel = useMutation({
    mutationFn: () => call('cancel_email_change', {}),
    onError: (error) => toastFailure(error, t('failed')),
    // Also after a refusal: the address may be changed by then.
    onSettled: refresh,
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
  const { email, error, type, submit, isPending } = useEmailForm({
    send: (address) => callProved('change_email', { email: address }),
    onSent: () => {
      refresh()
      toast.success(t('email.asked'))
    },
    invalid: t('email.invalid'),
    failed: t('failed'),
  })
  return (
    <form className={styles.inline} onSubmit={submit} noValidate>
      <TextField
        label={t('email.fresh')}
        type="email"
        autoComplete="email"
        value={email}
        error={error}
        onChange={(event) => type(event.target.value)}
      />
      <Button type="submit" pending={isPending}>
        {t('email.change')}
      </Button>
    </form>
  )
}
