/** The balances and the name of the signed-in user. */
import { bytesFromWire } from '#contract/traffic'
import { type Pool, pools } from '#contract/wire'
import type { Profile, Session } from '../state/session.ts'

type Balances = Pick<Profile, Pool>

/** The balance of a pool in bytes. */
export function balanceOf(user: Balances, pool: Pool): bigint {
  return bytesFromWire(user[pool].balance)
}

/** The pools with a balance above 0. */
export function usablePools(user: Balances): Pool[] {
  return pools.filter((pool) => balanceOf(user, pool) > 0n)
}

/** The requested pool if it is usable, else the first usable one; without any, the requested pool. */
export function usablePool(user: Balances, requested: Pool): Pool {
  const usable = usablePools(user)
  return usable.includes(requested) ? requested : (usable[0] ?? requested)
}

/** For each pool that is not usable, the reason. */
export function disabledPools(user: Balances, reason: string): Partial<Record<Pool, string>> {
  const usable = usablePools(user)
  const unusable = pools.filter((pool) => !usable.includes(pool))
  return Object.fromEntries(unusable.map((pool) => [pool, reason]))
}

/** The username, or the number of the account where it has no username. */
export function nameOf(user: Session): string {
  return user.username ?? String(user.user_id)
}
