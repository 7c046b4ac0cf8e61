/** The balances and the name of the signed-in user. */
import { bytesFromWire } from '#contract/traffic'
import { type Pool, pools } from '#contract/wire'
import type { Profile, Session } from '../state/session.ts'
import { useSitePools } from '../state/places/sold-pools.ts'

type Balances = Pick<Profile, Pool>

/** The balance of a pool in bytes. */
export function balanceOf(user: Balances, pool: Pool): bigint {
  return bytesFromWire(user[pool].balance)
}

/** The pools with a balance above 0. */
export function usablePools(user: Balances): Pool[] {
  return pools.filter((pool) => balanceOf(user, pool) > 0n)
}

/** The pools with a balance, and those that had one: they have a proxy password, and past usage. */
export function knownPools(user: Balances): Pool[] {
  return pools.filter((pool) => balanceOf(user, pool) > 0n || user[pool].password !== null)
}

/** The pools that an account shows: those on sale, and those that the customer has or had traffic in. */
export function useShownPools(user: Balances): Pool[] {
  const { sold } = useSitePools()
  const known = knownPools(user)
  const shown = pools.filter((pool) => sold.includes(pool) || known.includes(pool))
  return shown.length === 0 ? [...pools] : shown
}

/**
 * The requested pool if it is among these (the usable ones), else the first usable one, else the first of
 * these, else the requested pool.
 */
export function usablePool(user: Balances, requested: Pool, choosable = usablePools(user)): Pool {
  if (choosable.includes(requested)) return requested
  return usablePools(user)[0] ?? choosable[0] ?? requested
}

/** For each pool that is not among these (the usable ones), the reason. */
export function disabledPools(
  user: Balances,
  reason: string,
  choosable = usablePools(user),
): Partial<Record<Pool, string>> {
  const others = pools.filter((pool) => !choosable.includes(pool))
  return Object.fromEntries(others.map((pool) => [pool, reason]))
}

/** The username, or the number of the account where it has no username. */
export function nameOf(user: Session): string {
  return user.username ?? String(user.user_id)
}
