import { useId } from 'react'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { formatDay } from '../../ui/format-time.ts'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import { StateName } from './state-name.tsx'
import type { Status } from './status-query.ts'
import styles from './status.module.css'

type Pool = Status['pools'][number]

/** A pool: its state now, its success over all days, and a bar for each day. */
export function PoolBars({ of: { pool, state, success, days } }: { of: Pool }) {
  const { t } = useTranslation(['status', 'header'])
  const language = useLanguage()
  const { share } = useFormat()
  const id = useId()
  const title = ({ day, state: then, success: part }: Pool['days'][number]) =>
    [formatDay(day, language), ...(part === null ? [] : [share(part)]), t(`service.${then}`)].join(', ')
  const bad = days.filter(({ state: then }) => then === 'degraded' || then === 'outage')
  const summary =
    success === null
      ? t('barsUnknown')
      : t('bars', { share: share(success), count: bad.length, days: days.length })
  return (
    <article className={styles.pool} aria-labelledby={id}>
      <header className={styles.poolHead}>
        <PoolIcon pool={pool} size={24} className={styles.icon} />
        <h3 id={id}>{t(`header:pools.${pool}`)}</h3>
        <StateName state={state} scope="one" />
      </header>
      <div className={styles.bars} role="img" aria-label={summary}>
        {days.map((day) => (
          <span key={day.day} data-state={day.state} title={title(day)} />
        ))}
      </div>
      <p className={styles.under}>
        <span>{t('daysAgo', { count: days.length })}</span>
        <span translate="no" className="mono">
          {success === null ? '—' : share(success)}
        </span>
        <span>{t('today')}</span>
      </p>
    </article>
  )
}
