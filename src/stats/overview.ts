/** The overview of a customer's last day: usage, remaining time and refusals. */
import type { Kysely } from 'kysely'
import { type Pool, pools } from '#contract/wire'
import type { DB } from '#db'
import { type LastDay, lastDayOf } from '#requests'
import { trafficIn, usageAndBalances } from '#traffic'

const hourMs = 3_600_000
const hoursInDay = 24

export interface Overview {
  pools: { pool: Pool; usedBytes: bigint; hoursLeft: number | null }[]
  /** Every hour, the oldest first. */
  hours: { hour: string; usedBytes: bigint; requests: bigint }[]
  day: LastDay
}

/**
 * The last 24 UTC hours of a customer, the present one included. `hoursLeft`: how long the balance of a pool
 * lasts at their rate; null: none was used.
 */
export async function overviewOf(
  db: Kysely<DB>,
  { accountId, now }: { accountId: bigint; now: Date },
): Promise<Overview> {
  const to = new Date((Math.floor(now.getTime() / hourMs) + 1) * hourMs)
  const from = new Date(to.getTime() - hoursInDay * hourMs)
  const { used, balances: held } = await usageAndBalances(db, { accountId, from, to })
  const day = await lastDayOf(db, { accountId, now })
  const balances = trafficIn(held)
  const usedIn = (pool: Pool) =>
    used.reduce((sum, each) => (each.pool === pool ? sum + each.chargedBytes : sum), 0n)
  const byHour = Map.groupBy(used, ({ hour }) => hour)
  const hours = Array.from({ length: hoursInDay }, (_, index) => {
    const hour = `${new Date(from.getTime() + index * hourMs).toISOString().slice(0, 19)}Z`
    const inHour = byHour.get(hour) ?? []
    return {
      hour,
      usedBytes: inHour.reduce((sum, { chargedBytes }) => sum + chargedBytes, 0n),
      requests: inHour.reduce((sum, { requests }) => sum + requests, 0n),
    }
  })
  return {
    pools: pools.map((pool) => {
      const usedBytes = usedIn(pool)
      return { pool, usedBytes, hoursLeft: hoursLeft(balances.get(pool)?.total ?? 0n, usedBytes) }
    }),
    hours,
    day,
  }
}

/** Whole hours, rounded down. */
export function hoursLeft(balance: bigint, usedInDay: bigint): number | null {
  if (usedInDay <= 0n) return null
  return balance <= 0n ? 0 : Number((balance * BigInt(hoursInDay)) / usedInDay)
}
