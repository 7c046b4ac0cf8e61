import { Link } from 'react-router'
import type { Output } from '#contract/contract'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Card } from '../../ui/card.tsx'
import { formatRecentTime } from '../../ui/format-time.ts'
import { RepairButton, useAdvice } from '../requests/advice.tsx'
import { useOutcomeName } from '../requests/outcome.tsx'
import { requestHref, tabHref } from '#contract/account-tabs'
import styles from './refusals-card.module.css'

/** The latest refusals of the last day, and what to do about each. */
export function RefusalsCard({ day }: { day: Output<'get_overview'> }) {
  const { t } = useTranslation('requests')
  const language = useLanguage()
  const adviceOf = useAdvice()
  const nameOf = useOutcomeName()
  return (
    <Card as="section" aria-labelledby="refusals">
      <div className={styles.head}>
        <h2 id="refusals" className={styles.title}>
          {t('overview.refusals')}
        </h2>
        {day.refusals.length > 0 && (
          <Link to={`${tabHref('requests')}&outcome=refused`}>{t('overview.allRefusals')}</Link>
        )}
      </div>
      {day.refusals.length === 0 ? (
        <p className={styles.none}>{t('overview.noRefusals')}</p>
      ) : (
        <ul className={styles.list}>
          {day.refusals.map((one) => (
            <li key={one.code} className={styles.item}>
              <p>
                <strong>{`${nameOf(one.code)}.`}</strong>{' '}
                <span>{adviceOf({ outcome: 'refused', code: one.code })}</span>
              </p>
              <p className={styles.note}>
                {`${t('overview.times', { count: one.requests })}, ${formatRecentTime(one.last_at, language)}${one.target !== null ? `, ${one.target}` : ''}`}
              </p>
              <p className={styles.ways}>
                <RepairButton outcome="refused" code={one.code} pool={one.pool} size="small" />
                <Link to={requestHref(one.last_id)} aria-label={`${t('overview.see')}: ${nameOf(one.code)}`}>
                  {t('overview.see')}
                </Link>
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
