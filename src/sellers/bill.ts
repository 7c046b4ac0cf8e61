/**
 * Usage reported by the seller next to usage counted by gateways through the account's exits, by UTC day.
 */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { addDays } from '#lib/zone'
import { connectionSums } from '#requests'
import { usageByExitHour } from '#traffic'
import type { SellerAccount } from './accounts.ts'
import { findSeller } from './adapters/adapters.ts'
import { type MeteredDay, meteredDays } from './meter.ts'

export interface BillDay {
  /** YYYY-MM-DD, UTC. */
  day: string
  /** Null: the seller has not reported the day. */
  theirBytes: bigint | null
  /**
   * Our count, as the seller counts: both directions from the books, or one direction from the records of
   * connections.
   */
  ourBytes: bigint
  /** The day had ended at the seller's last report; an incomplete day is not compared. */
  isComplete: boolean
  /** The day is complete, and they differ by more than 2 % of ours. */
  differs: boolean
  /** The seller's bytes are differences of its balance or all-time usage: less exact. */
  isByBalance: boolean
  /** Why a day by balance is not compared: the balance rose, or readings are missing. */
  unclear: MeteredDay['unclear']
}

/**
 * Whether the seller's bytes of a day differ from ours by more than 2 % of ours, and by more than the
 * seller's rounding.
 */
export function billDiffers(
  { theirBytes, ourBytes }: { theirBytes: bigint; ourBytes: bigint },
  roundsToBytes: bigint,
): boolean {
  const away = theirBytes > ourBytes ? theirBytes - ourBytes : ourBytes - theirBytes
  return away > roundsToBytes && away * 50n > ourBytes
}

const dayMs = 86_400_000

type Billed = Pick<SellerAccount, 'id' | 'seller' | 'counts' | 'exits' | 'createdAt'>

/**
 * The days from `from` until `to` (both included) on which either side counted something, the newest first,
 * from the day on which the account was added; days that the seller has not reported are included. For a
 * seller without daily usage they are differences of its balance; a seller that reports neither has no bill.
 */
export async function sellerBill(
  db: Kysely<DB>,
  account: Billed,
  { from, to }: { from: string; to: string },
): Promise<BillDay[]> {
  const seller = findSeller(account.seller)
  if (seller === undefined || (seller.usage === null && seller.meter === undefined)) return []
  const rows = await db
    .selectFrom('seller_usage')
    .select([sql<string>`day::text`.as('day'), 'bytes', 'told_at'])
    .where('account_id', '=', account.id)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .execute()
  const told = new Map(rows.map((row) => [row.day, row]))
  const metered =
    seller.meter === undefined
      ? new Map<string, MeteredDay>()
      : await meteredDays(db, account.id, { from, to })
  const ours = await ourBytesBy(db, account, { from, to })
  const known = account.createdAt.toISOString().slice(0, 10)
  const days = new Set([...told.keys(), ...metered.keys(), ...[...ours.keys()].filter((day) => day >= known)])
  return [...days]
    .toSorted((one, other) => other.localeCompare(one))
    .map((day): BillDay => {
      const { bytes: toldBytes = null, told_at: toldAt = null } = told.get(day) ?? {}
      const ourBytes = ours.get(day) ?? 0n
      const byBalance = metered.get(day)
      // A daily figure of the seller is more exact than a difference of balances.
      const isByBalance = byBalance !== undefined && (byBalance.isComplete || toldBytes === null)
      const theirBytes = isByBalance ? byBalance.usedBytes : toldBytes
      const isComplete = isByBalance
        ? byBalance.isComplete
        : toldAt !== null && toldAt.getTime() >= Date.parse(day) + dayMs
      const differs =
        isComplete && theirBytes !== null && billDiffers({ theirBytes, ourBytes }, seller.roundsToBytes)
      return {
        day,
        theirBytes,
        ourBytes,
        isComplete,
        differs,
        isByBalance,
        unclear: byBalance?.unclear ?? null,
      }
    })
    .filter(({ theirBytes, ourBytes }) => ourBytes > 0n || (theirBytes ?? 0n) > 0n)
}

async function ourBytesBy(
  db: Kysely<DB>,
  { counts, exits }: Billed,
  { from, to }: { from: string; to: string },
): Promise<Map<string, bigint>> {
  const period = { from: new Date(from), to: new Date(Date.parse(to) + dayMs) }
  const days = new Map<string, bigint>()
  const add = (day: string, bytes: bigint) => days.set(day, (days.get(day) ?? 0n) + bytes)
  if (counts === 'both') {
    const ids = new Set(exits.map(({ id }) => id))
    for (const { hour, exitId, relayedBytes } of await usageByExitHour(db, period))
      if (ids.has(exitId)) add(hour.toISOString().slice(0, 10), relayedBytes)
    return days
  }
  for (const { id } of exits)
    for (const { key, upBytes, downBytes } of await connectionSums(db, { by: 'day', ...period, exit: id }))
      add(key.slice(0, 10), counts === 'up' ? upBytes : downBytes)
  return days
}

const watchedDays = 7

/** The accounts whose bill of one of the last seven whole days differs from ours, with those days. */
export async function differingBills(
  db: Kysely<DB>,
  accounts: readonly SellerAccount[],
  now: Date,
): Promise<{ account: SellerAccount; days: string[] }[]> {
  const today = now.toISOString().slice(0, 10)
  const watched = { from: addDays(today, -watchedDays), to: addDays(today, -1) }
  const found = []
  for (const account of accounts) {
    const days = (await sellerBill(db, account, watched)).filter(({ differs }) => differs)
    if (days.length > 0) found.push({ account, days: days.map(({ day }) => day) })
  }
  return found
}
