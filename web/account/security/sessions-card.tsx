import { useMutation, useQuery } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { countryName } from '#contract/countries'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { callProved, needsProof } from '../proof/proof.ts'
import { toastFailure } from '../toast-failure.ts'
import styles from './protection.module.css'
import { Row, Waiting } from './two-factor.tsx'

type Session = Output<'my_sessions'>[number]

/** The sessions of the account, and the setting for letters about new devices. */
export function SessionsCard() {
  const { t } = useTranslation('security')
  const sessions = useQuery(query('my_sessions', {}))
  const isView = useView() !== null
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (id: string | null) => call('end_sessions', { id }),
    onSuccess: ({ ended }) => {
      void queryClient.invalidateQueries({ queryKey: ['my_sessions'] })
      toast.success(t('sessions.ended', { count: ended }))
    },
    onError: (error) => toastFailure(error, t('failed')),
  })
  const rows = sessions.data ?? []
  return (
    <section aria-labelledby="my-sessions">
      <h2 id="my-sessions" className={styles.heading}>
        {t('sessions.title')}
      </h2>
      <p className={styles.lead}>{t('sessions.text')}</p>
      <Card>
        {sessions.data === undefined ? (
          <Waiting isError={sessions.isError} onRetry={() => void sessions.refetch()} />
        ) : (
          <ul className={styles.rows}>
            {rows.map((each) => (
              <SessionRow key={each.id} session={each}>
                {!each.current && !isView && (
                  <Button
                    size="small"
                    pending={isPending && variables === each.id}
                    onClick={() => mutate(each.id)}
                  >
                    {t('sessions.end')}
                  </Button>
                )}
              </SessionRow>
            ))}
            {rows.filter(({ current }) => !current).length > 1 && !isView && (
              <li className={styles.row}>
                <Button size="small" pending={isPending && variables === null} onClick={() => mutate(null)}>
                  {t('sessions.endOthers')}
                </Button>
              </li>
            )}
            <LettersSwitch />
          </ul>
        )}
      </Card>
    </section>
  )
}

function SessionRow({ session, children }: { session: Session; children: React.ReactNode }) {
  const { t } = useTranslation('security')
  const language = useLanguage()
  const { device, ip, country, current, created_at: created, used_at: used } = session
  const place = [ip, country === null ? null : countryName(country, language)].filter((part) => part !== null)
  const times = t('sessions.times', {
    since: formatDateTime(created, language),
    used: formatDateTime(used, language),
  })
  return (
    <Row
      name={device ?? t('sessions.unknown')}
      badge={current ? t('sessions.current') : null}
      about={[place.join(', '), times].filter((part) => part !== '').join('. ')}
    >
      {children}
    </Row>
  )
}

function LettersSwitch() {
  const { t } = useTranslation('security')
  const state = useQuery(query('security', {}))
  const isView = useView() !== null
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (on: boolean) => callProved('set_sign_in_letters', { on }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['security'] }),
    onError: (error) => {
      if (!needsProof(error)) toastFailure(error, t('failed'))
    },
  })
  if (state.data === undefined && state.isError)
    return <Waiting isError onRetry={() => void state.refetch()} />
  const isOn = isPending ? variables : state.data?.sign_in_letters === true
  return (
    <li className={styles.row}>
      <label className={styles.switch}>
        <input
          type="checkbox"
          checked={isOn}
          disabled={isView || state.data === undefined || isPending}
          onChange={(event) => mutate(event.target.checked)}
        />
        <span>{t('sessions.letters')}</span>
      </label>
    </li>
  )
}
