/** The choice of a pool that several tabs begin with: it lives in the address, and dry pools cannot be chosen. */
import { useSearchParams } from 'react-router'
import { type Pool, pools } from '#contract/wire'
import { useTranslation } from '../app/i18n.ts'
import type { Session } from '../app/session.ts'
import { useFormat } from '../app/use-format.ts'
import { PoolChoice } from '../ui/pool-choice.tsx'
import { balanceOf, closedPools, poolInUse, usablePools } from './profile.ts'

/** Something for each pool. */
export function eachPool<T>(of: (pool: Pool) => T): Record<Pool, T> {
  return {
    residential: of('residential'),
    residential_premium: of('residential_premium'),
    datacenter: of('datacenter'),
    mobile: of('mobile'),
  }
}

/** The pool of `?pool=mobile`; the first usable one where that, or nothing, cannot be used. */
export function usePoolInAddress(user: Session): { pool: Pool; choose: (pool: Pool) => void } {
  const [search, setSearch] = useSearchParams()
  const asked = pools.find((each) => each === search.get('pool')) ?? 'residential'
  const choose = (pool: Pool) =>
    setSearch(
      (now) => {
        now.set('pool', pool)
        return now
      },
      { replace: true, preventScrollReset: true },
    )
  return { pool: poolInUse(user, asked), choose }
}

interface PoolPickerProps {
  user: Session
  value: Pool
  onChange: (pool: Pool) => void
}

export function PoolPicker({ user, value, onChange }: PoolPickerProps) {
  const { t } = useTranslation(['userPanel', 'header'])
  const { traffic } = useFormat()
  // With no traffic anywhere, what was set up before can still be looked at, in any pool.
  const closed = usablePools(user).length === 0 ? {} : closedPools(user, t('pool.closed'))
  return (
    <PoolChoice
      label={t('pool.label')}
      value={value}
      names={eachPool((each) => t(`header:pools.${each}`))}
      figures={eachPool((each) => traffic(balanceOf(user, each)))}
      closed={closed}
      onChange={onChange}
    />
  )
}
