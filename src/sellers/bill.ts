/** What the seller says was used, beside what gateways counted through the exits of the account, by UTC day. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { addDays } from '#lib/zone'
import { connectionSums } from '#requests'
import { usageByExitHour } from '#traffic'
import type { SellerAccount } from './accounts.ts'
import { findSeller } from './adapters/adapters.ts'

export interface BillDay {
  /** YYYY-MM-DD, UTC. */
  day: string
  theirBytes: bigint
  /** In the seller's counting: both directions by the books, one of them by the records of connections. */
  ourBytes: bigint
  /** The day is over, and they differ by more than 2 % of ours. */
  differs: boolean
}

/** Whether the seller's bytes of a day differ from ours by more than 2 % of ours, and by more than it rounds. */
export function billDiffers(
  { theirBytes, ourBytes }: Pick<BillDay, 'theirBytes' | 'ourBytes'>,
  roundsToBytes: bigint,
): boolean {
  const away = theirBytes > ourBytes ? theirBytes - ourBytes : ourBytes - theirBytes
  return away > roundsToBytes && away * 50n > ourBytes
}

const dayMs = 86_400_000

type Billed = Pick<SellerAccount, 'id' | 'seller' | 'counts' | 'exits'>

/** The days that the seller has told of from `from` until `to` (both included), the newest first. */
export async function sellerBill(
  db: Kysely<DB>,
  account: Billed,
  { from, to }: { from: string; to: string },
  now: Date,
): Promise<BillDay[]> {
  const told = await db
    .selectFrom('seller_usage')
    .select([sql<string>`day::text`.as('day'), 'bytes'])
    .where('account_id', '=', account.id)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .orderBy('day', 'desc')
    .execute()
  if (told.length === 0) return []
  const ours = await ourBytesBy(db, account, { from, to })
  const today = now.toISOString().slice(0, 10)
  const rounds = findSeller(account.seller)?.roundsToBytes ?? 0n
  return told.map(({ day, bytes: theirBytes }) => {
    const ourBytes = ours.get(day) ?? 0n
    return {
      day,
      theirBytes,
      ourBytes,
      differs: day < today && billDiffers({ theirBytes, ourBytes }, rounds),
    }
  })
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
    const days = (await sellerBill(db, account, watched, now)).filter(({ differs }) => differs)
    if (days.length > 0) found.push({ account, days: days.map(({ day }) => day) })
  }
  return found
}
