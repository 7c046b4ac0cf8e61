/** The signed-in user's balances and name. */
import { bytesFromWire } from '#contract/traffic'
import { type Pool, pools } from '#contract/wire'
import type { Profile, Session } from '../app/session.ts'

type Balances = Pick<Profile, Pool>

/** Bytes left in a pool. */
export function balanceOf(user: Balances, pool: Pool): bigint {
  return bytesFromWire(user[pool].balance)
}

/** The pools that can be used: those with a balance above 0. */
export function usablePools(user: Balances): Pool[] {
  return pools.filter((pool) => balanceOf(user, pool) > 0n)
}

/** The wanted pool where it can be used, else the first that can; the wanted one again where none can. */
export function poolInUse(user: Balances, wanted: Pool): Pool {
  const usable = usablePools(user)
  return usable.includes(wanted) ? wanted : (usable[0] ?? wanted)
}

/** The reason, for each pool that cannot be used. */
export function closedPools(user: Balances, reason: string): Partial<Record<Pool, string>> {
  const usable = usablePools(user)
  const closed = pools.filter((pool) => !usable.includes(pool))
  return Object.fromEntries(closed.map((pool) => [pool, reason]))
}

/** What the account is called: its username, or its number where it has none. */
export function nameOf(user: Session): string {
  return user.username ?? String(user.user_id)
}
