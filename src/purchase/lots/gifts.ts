/**
 * Gifts made from a disputed purchase: recorded for staff, and withheld when the shop's signals show that the
 * receiver's account belongs to the same person.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { sharesDevice } from '#accounts'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { least } from '#lib/bigint'
import { bigintArray } from '#lib/pg-array'
import { lockTraffic, returnTraffic, takeTraffic } from '#traffic'
import { giftsOf, leftOfLots, lotKey } from './own.ts'
import { holdingsOf, type OwnInvoice, releaseNeeded } from './own.taking.ts'

/**
 * How long after a payment banks accept disputes of it: https://docs.stripe.com/disputes/how-disputes-work.
 */
const windowMs = 120 * 24 * 60 * 60_000

/** Why two accounts count as one person's: both used one browser, or both saved one card. */
export type Signal = 'device' | 'payer'

interface Disputed {
  invoice: OwnInvoice
  method: string
  disputeId: string
  openedAt: Date
  /** Bytes that the disputed money had bought and that the giver no longer has. */
  bytes: bigint
  /** Whether the shop takes back traffic at all. */
  takes: boolean
}

/**
 * Records the gifts of a disputed purchase, and withholds what is left of those received by the same person.
 */
export async function withholdGifts(
  tx: Transaction<DB>,
  { invoice, method, disputeId, openedAt, bytes, takes }: Disputed,
  now: Date,
): Promise<void> {
  const gifts = giftsOf((await holdingsOf(tx, invoice)).parts, { invoiceId: invoice.id, moveId: null })
  if (gifts.size === 0) return
  const { rows } = await sql<{ id: bigint; accountId: bigint; pool: Pool }>`
    select id, to_account as "accountId", to_pool as pool from traffic_move
    where id = any(${bigintArray([...gifts.keys()])}::bigint[])
      and made_at > ${new Date(openedAt.getTime() - windowMs)} order by to_account, id`.execute(tx)
  const signals = await signalsOf(tx, invoice.accountId, [...new Set(rows.map((row) => row.accountId))])
  let left = bytes
  for (const { id, accountId, pool } of rows) {
    const given = gifts.get(id) ?? 0n
    const signal = signals.get(accountId) ?? null
    const wanted = takes && signal !== null ? least(left, given) : 0n
    const reference = `${method}:${disputeId}:gift:${id}`
    const taken = await withholdMove(tx, { moveId: id, accountId, pool, bytes: wanted, reference })
    left -= taken
    await tx
      .insertInto('dispute_gift')
      .values({
        method,
        dispute_id: disputeId,
        move_id: id,
        account_id: accountId,
        pool,
        bytes: given,
        signal,
        frozen_bytes: taken,
        noted_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Withholds at most this many of the bytes that the receiver of a gift has left of it. */
async function withholdMove(
  tx: Transaction<DB>,
  { moveId, accountId, pool, bytes, reference }: Withheld,
): Promise<bigint> {
  if (bytes <= 0n) return 0n
  await sql`select from account where id = ${accountId} for no key update`.execute(tx)
  await lockTraffic(tx, accountId)
  const holdings = await holdingsOf(tx, { ...noInvoice, accountId, pool })
  const left = leftOfLots(holdings).get(lotKey({ invoiceId: null, moveId })) ?? 0n
  const taken = least(bytes, left)
  // What the receiver has reserved for proxy users is unused too.
  await releaseNeeded(tx, accountId, new Map([[pool, taken]]))
  const postings = () => Promise.resolve([])
  return takeTraffic(tx, taken, { accountId, pool, kind: 'dispute_freeze', reference, postings })
}

interface Withheld {
  moveId: bigint
  accountId: bigint
  pool: Pool
  bytes: bigint
  reference: string
}

const noInvoice = { id: 0n, isTest: false, creditedBytes: 0n, takenBackBytes: 0n }

/** Which of these accounts belong to the same person, and by which signal. */
async function signalsOf(
  db: Kysely<DB>,
  accountId: bigint,
  others: readonly bigint[],
): Promise<Map<bigint, Signal>> {
  const { rows } = await sql<{ id: bigint }>`
    select distinct o.account_id as id from saved_method s
      join saved_method o on o.method = s.method and o.identity = s.identity
    where s.account_id = ${accountId} and o.account_id = any(${bigintArray(others)}::bigint[])`.execute(db)
  const signals = new Map<bigint, Signal>(rows.map(({ id }) => [id, 'payer']))
  for (const id of await sharesDevice(db, accountId, others)) signals.set(id, 'device')
  return signals
}

/** Releases the gifts that a dispute had withheld, after the dispute was won. */
export async function releaseGifts(
  tx: Transaction<DB>,
  { method, disputeId }: { method: string; disputeId: string },
  now: Date,
): Promise<void> {
  const rows = await tx
    .updateTable('dispute_gift')
    .set({ released_at: now })
    .where('method', '=', method)
    .where('dispute_id', '=', disputeId)
    .where('released_at', 'is', null)
    .where('frozen_bytes', '>', 0n)
    .returning(['move_id', 'account_id', 'pool', 'frozen_bytes'])
    .execute()
  for (const row of rows)
    await returnTraffic(tx, row.frozen_bytes, {
      accountId: row.account_id,
      pool: row.pool,
      kind: 'dispute_release',
      reference: `${method}:${disputeId}:gift:${row.move_id}`,
    })
}

/** A gift of a disputed purchase, for staff. */
export interface DisputedGift {
  disputeId: string
  accountId: bigint
  pool: string
  bytes: bigint
  signal: Signal | null
  /** What is withheld of it now. */
  frozenBytes: bigint
}

/** The gifts from the disputed purchase of an invoice, the oldest first. */
export async function disputedGifts(db: Kysely<DB>, invoiceId: bigint): Promise<DisputedGift[]> {
  const { rows } = await sql<DisputedGift>`
    select g.dispute_id as "disputeId", g.account_id as "accountId", g.pool, g.bytes, g.signal,
      case when g.released_at is null then g.frozen_bytes else 0 end as "frozenBytes"
    from dispute_gift g join payment_dispute d using (method, dispute_id)
    where d.invoice_id = ${invoiceId} order by g.move_id`.execute(db)
  return rows
}
