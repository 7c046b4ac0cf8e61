/** How long the traffic at sellers lasts, and whether it covers what customers hold. */
import type { Kysely } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { heldByPool, usageByExitHour } from '#traffic'
import type { SellerAccount } from './accounts.ts'

export interface SellerStock {
  account: SellerAccount
  leftBytes: bigint
  /** The traffic of the account's exits in the last 24 hours. */
  dayBytes: bigint
  /** Null: nothing was used, so it does not run out. 0: nothing is left. */
  daysLeft: number | null
  isLow: boolean
  /**
   * The pools whose customers hold more than is left at all accounts that serve the pool, with what they
   * hold.
   */
  short: { pool: Pool; heldBytes: bigint; leftBytes: bigint }[]
}

/** A stock that lasts fewer days is low. */
const lowDays = 3
const dayMs = 86_400_000

/** How many days these bytes last at a daily usage; null: there is no usage. */
export function daysLeftOf(leftBytes: bigint, dayBytes: bigint): number | null {
  if (leftBytes <= 0n) return 0
  return dayBytes === 0n ? null : Number((leftBytes * 1000n) / dayBytes) / 1000
}

/** The stocks of accounts whose seller reports the balance. */
export async function sellerStocks(
  db: Kysely<DB>,
  accounts: readonly SellerAccount[],
  now: Date,
): Promise<SellerStock[]> {
  const telling = accounts.flatMap((account) =>
    account.leftBytes === null ? [] : [{ account, leftBytes: account.leftBytes }],
  )
  if (telling.length === 0) return []
  const used = await usageByExitHour(db, { from: new Date(now.getTime() - dayMs), to: now })
  const held = new Map(
    (await heldByPool(db)).map(({ pool, paidBytes, bonusBytes }) => [pool, paidBytes + bonusBytes]),
  )
  const serving = (pool: Pool) =>
    telling.filter(({ account }) => account.exits.some((exit) => exit.pool === pool))
  return telling.map(({ account, leftBytes }) => {
    const ids = new Set(account.exits.map(({ id }) => id))
    const dayBytes = used.reduce(
      (sum, { exitId, relayedBytes }) => (ids.has(exitId) ? sum + relayedBytes : sum),
      0n,
    )
    const daysLeft = daysLeftOf(leftBytes, dayBytes)
    const pools = [...new Set(account.exits.map(({ pool }) => pool))]
    const short = pools.flatMap((pool) => {
      const heldBytes = held.get(pool) ?? 0n
      const left = serving(pool).reduce((sum, one) => sum + one.leftBytes, 0n)
      return left < heldBytes ? [{ pool, heldBytes, leftBytes: left }] : []
    })
    return { account, leftBytes, dayBytes, daysLeft, isLow: daysLeft !== null && daysLeft < lowDays, short }
  })
}
