/** What disputes of an invoice withhold, as rows: traffic of a purchase, or money of a top-up. */
import type { Transaction } from 'kysely'
import type { DB } from '#db'
import { least } from '#lib/bigint'
import type { Invoice } from './invoice.ts'

/** The column of what is withheld: bytes of traffic, or micro-USD of the balance. */
type Withheld = 'frozen_bytes' | 'frozen_micros'

/**
 * What releases withheld traffic or money: the end of the dispute that withholds it, or a refund, which returns the
 * money and releases at most this much of any dispute (null: all).
 */
export type ReleasedBy = { dispute: string } | { refund: string; most: bigint | null }

interface Release {
  column: Withheld
  by: ReleasedBy
  /** Gives back a part, under a reference of the ledger. */
  give: (part: { amount: bigint; reference: string }) => Promise<void>
}

/** Releases what disputes of an invoice withhold, the oldest first, and returns how much. */
export async function releaseWithheld(
  tx: Transaction<DB>,
  { id, method }: Pick<Invoice, 'id' | 'method'>,
  { column, by, give }: Release,
  now: Date,
): Promise<bigint> {
  const withheldRows = tx
    .selectFrom('payment_dispute')
    .select(['dispute_id', `${column} as withheld`])
    .where('invoice_id', '=', id)
    .where('released_at', 'is', null)
    .where(column, '>', 0n)
    .orderBy('opened_at')
  // A payment may have several disputes: the end of one releases nothing that another withholds.
  const rows = await (
    'dispute' in by ? withheldRows.where('dispute_id', '=', by.dispute) : withheldRows
  ).execute()
  const [most, suffix] = 'dispute' in by ? [null, ''] : [by.most, `:${by.refund}`]
  let released = 0n
  for (const { dispute_id: disputeId, withheld } of rows) {
    const amount = most === null ? withheld : least(withheld, most - released)
    if (amount <= 0n) break
    await tx
      .updateTable('payment_dispute')
      .set(amount === withheld ? { released_at: now } : { [column]: withheld - amount })
      .where('method', '=', method)
      .where('dispute_id', '=', disputeId)
      .execute()
    await give({ amount, reference: `${method}:${disputeId}${suffix}` })
    released += amount
  }
  return released
}

interface Again {
  column: Withheld
  /** How much was released and is available again. */
  amount: bigint
  /** The refund whose reversal restored it; a part of the reference. */
  reference: string
  /** How much a dispute withholds at most, of its disputed amount. */
  mostOf: (disputedMicros: bigint) => bigint
  /** Withholds at most this much, and returns how much. */
  take: (part: { amount: bigint; reference: string }) => Promise<bigint>
}

/** Makes open disputes withhold again what a refund had released and its reversal has restored. */
export async function withholdReleased(
  tx: Transaction<DB>,
  { id }: Pick<Invoice, 'id'>,
  { column, amount, reference, mostOf, take }: Again,
): Promise<void> {
  const rows = await tx
    .selectFrom('payment_dispute')
    .select(['method', 'dispute_id', 'released_at', 'amount_micros', `${column} as withheld`])
    .where('invoice_id', '=', id)
    .where('state', 'not in', ['won', 'lost'])
    .where(column, '>', 0n)
    .orderBy('opened_at')
    .execute()
  let left = amount
  for (const { method, dispute_id: disputeId, ...row } of rows) {
    const held = row.released_at === null ? row.withheld : 0n
    const taken = await take({
      amount: least(left, mostOf(row.amount_micros) - held),
      reference: `${method}:${disputeId}:${reference}`,
    })
    if (taken === 0n) continue
    left -= taken
    await tx
      .updateTable('payment_dispute')
      .set({ [column]: held + taken, released_at: null })
      .where('method', '=', method)
      .where('dispute_id', '=', disputeId)
      .execute()
  }
}
