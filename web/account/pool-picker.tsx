/**
 * The choice of a pool at the top of several tabs. It is stored in the address; empty pools cannot be chosen.
 */
import type { Pool } from '#contract/wire'
import { useTranslation } from '../state/i18n.ts'
import type { Session } from '../state/session.ts'
import { poolIn, useSearchParameter } from '../state/search-parameter.ts'
import { useFormat } from '../state/use-format.ts'
import { PoolChoice } from '../ui/fields/pool-choice.tsx'
import { balanceOf, disabledPools, usablePool, usablePools, useShownPools } from './profile.ts'

/** A record with a value for each pool. */
export function recordByPool<T>(valueOf: (pool: Pool) => T): Record<Pool, T> {
  return {
    residential: valueOf('residential'),
    residential_premium: valueOf('residential_premium'),
    datacenter: valueOf('datacenter'),
    mobile: valueOf('mobile'),
  }
}

/** The pool of `?pool=mobile` if it is among these (the usable ones), else the first usable one. */
export function usePoolInAddress(
  user: Session,
  choosable?: Pool[],
): { pool: Pool; choose: (pool: Pool) => void } {
  const [search, setParameter] = useSearchParameter()
  const requested = poolIn(search) ?? 'residential'
  const choose = (pool: Pool) => setParameter('pool', pool)
  return { pool: usablePool(user, requested, choosable), choose }
}

interface PoolPickerProps {
  user: Session
  value: Pool
  /** The pools that can be chosen; the usable ones unless given. */
  choosable?: Pool[]
  onChange: (pool: Pool) => void
}

export function PoolPicker({ user, value, choosable, onChange }: PoolPickerProps) {
  const { t } = useTranslation(['userPanel', 'header'])
  const { traffic } = useFormat()
  // Without any traffic every pool can be chosen, so that earlier data stays visible.
  const disabled = usablePools(user).length === 0 ? {} : disabledPools(user, t('pool.closed'), choosable)
  return (
    <PoolChoice
      label={t('pool.label')}
      offered={useShownPools(user)}
      value={value}
      names={recordByPool((each) => t(`header:pools.${each}`))}
      figures={recordByPool((each) => traffic(balanceOf(user, each)))}
      disabled={disabled}
      onChange={onChange}
    />
  )
}
