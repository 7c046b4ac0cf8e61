import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Card } from '../../ui/card.tsx'
import { formatRecentTime } from '../../ui/format-time.ts'
import { ReadFailedCard } from '../read-failed.tsx'
import { Outcome } from '../requests/outcome.tsx'
import { requestHref, tabHref } from '#contract/account-tabs'
import styles from './refusals-card.module.css'

const shown = 5
const intervalMs = 30_000

/** The latest requests; all of them are a place of their own. */
export function LastRequests() {
  const { t } = useTranslation('requests')
  const language = useLanguage()
  const read = useQuery({ ...query('get_requests', {}), staleTime: 0, refetchInterval: intervalMs })
  const { data } = read
  if (data === undefined)
    return read.isError ? <ReadFailedCard what={t('overview.last')} read={read} /> : null
  if (data.requests.length === 0) return null
  return (
    <Card as="section" aria-labelledby="last-requests">
      <div className={styles.head}>
        <h2 id="last-requests" className={styles.title}>
          {t('overview.last')}
        </h2>
        <Link to={tabHref('requests')}>{t('overview.allRequests')}</Link>
      </div>
      <ul className={styles.list}>
        {data.requests.slice(0, shown).map((one) => (
          <li key={one.id}>
            <Link to={requestHref(one.id)} className={styles.request}>
              <span className={styles.target}>{one.target ?? t('noHost')}</span>
              <span className={styles.note}>{formatRecentTime(one.ended_at, language)}</span>
              <Outcome outcome={one.outcome} code={one.code} />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
