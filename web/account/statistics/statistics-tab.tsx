import { useSearchParams } from 'react-router'
import { useTranslation } from '../../app/i18n.ts'
import type { Session } from '../../app/session.ts'
import { PoolPicker, usePoolInAddress } from '../pool-in-use.tsx'
import { balanceOf } from '../profile.ts'
import { PeriodSection } from './period-section.tsx'
import styles from './statistics-tab.module.css'
import { openedFromAddress } from './usage.ts'

/** What was used: a pool, its week, its month. Pool and opened sections live in the address. */
export function StatisticsTab({ user }: { user: Session }) {
  const { t } = useTranslation('userPanel')
  const { pool, choose } = usePoolInAddress(user)
  const [search, setSearch] = useSearchParams()
  const opened = openedFromAddress(search.get('open'))
  const toggle = (period: string) => {
    const next = new Set(opened)
    if (!next.delete(period)) next.add(period)
    setSearch(
      (now) => {
        now.set('open', [...next].join(','))
        return now
      },
      { replace: true, preventScrollReset: true },
    )
  }
  return (
    <div className={styles.statistics}>
      <PoolPicker user={user} value={pool} onChange={choose} />
      {(['week', 'month'] as const).map((period) => (
        <PeriodSection
          key={period}
          period={period}
          pool={pool}
          open={opened.has(period)}
          canGenerate={balanceOf(user, pool) > 0n}
          onToggle={() => toggle(period)}
        />
      ))}
      <p className={styles.utc}>{t('statistics.utc')}</p>
    </div>
  )
}
