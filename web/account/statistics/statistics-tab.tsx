import { Suspense } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { useSearchParameter } from '../../state/search-parameter.ts'
import type { Session } from '../../state/session.ts'
import { PoolPicker, usePoolInAddress } from '../pool-picker.tsx'
import { balanceOf, knownPools } from '../profile.ts'
import { PeriodSection } from './period-section.tsx'
import styles from './statistics-tab.module.css'
import { openSectionsIn } from './usage.ts'
import { useExact } from './use-traffic-figure.ts'

/** Fetched with their texts after the figures of the last days. */
const UsageReport = lazyPart(
  async () => (await import('./usage-report.tsx')).UsageReport,
  'usage',
  'requests',
  'gatewayRefusals',
)

const ActivityCard = lazyPart(async () => (await import('./activity-card.tsx')).ActivityCard, 'usage')

/**
 * The usage of a pool in the last week and month, and in any time. The pool and what is open are stored in
 * the address.
 */
export function StatisticsTab({ user }: { user: Session }) {
  const { t } = useTranslation(['userPanel', 'usage'])
  // A pool whose traffic is used up still has past usage.
  const choosable = knownPools(user)
  const { pool, choose } = usePoolInAddress(user, choosable)
  const [search, setParameter] = useSearchParameter()
  const [isExact, setExact] = useExact()
  const openSections = openSectionsIn(search.get('open'))
  const toggle = (period: string) => {
    const next = new Set(openSections)
    if (!next.delete(period)) next.add(period)
    setParameter('open', [...next].join(','))
  }
  return (
    <div className={styles.statistics}>
      <PoolPicker user={user} value={pool} choosable={choosable} onChange={choose} />
      <label className={styles.exact}>
        <input type="checkbox" checked={isExact} onChange={(event) => setExact(event.target.checked)} />
        <span>{t('usage:statistics.exact')}</span>
      </label>
      {(['week', 'month'] as const).map((period) => (
        <PeriodSection
          key={period}
          period={period}
          pool={pool}
          open={openSections.has(period)}
          canGenerate={balanceOf(user, pool) > 0n}
          onToggle={() => toggle(period)}
        />
      ))}
      <p className={styles.utc}>{t('usage:statistics.utc')}</p>
      <Suspense fallback={null}>
        <ActivityCard pool={pool} />
      </Suspense>
      <Suspense fallback={null}>
        <UsageReport pool={pool} />
      </Suspense>
    </div>
  )
}
