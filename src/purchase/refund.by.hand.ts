/**
 * Refunds that staff send by hand, because the processor cannot: they are planned first; money and traffic
 * are taken when they are sent.
 */
import type { Kysely, Transaction } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import { least } from '#lib/bigint'
import { Refusal } from '#lib/refusal'
import type { Price } from '#payments'
import { lockMoney } from './balance/money.ts'
import { findInvoice, type Invoice, isTopUp } from './invoices/invoice.ts'
import { callOwnBack, findOwn } from './lots/own.taking.ts'
import { leftOf } from './rules/payment.ts'
import {
  give,
  nameOf,
  noteGiven,
  priceToReturn,
  refundable,
  type Refund,
  type RefundOrder,
  refuseAmount,
  roomFor,
  shownRefund,
  withheldOf,
} from './refund.ts'
import { bytesFor, moneyFor } from './rules/refund.ts'

/**
 * Records a refund that staff will send by hand. Its amount is fixed and reserved; money and traffic are
 * taken only by `sendPlanned`. Refuses as `refundInvoice`.
 */
export async function planRefund(
  database: Database,
  { number, what, key, note }: Pick<RefundOrder, 'number' | 'what' | 'key'> & { note?: NotePlanned },
  now: Date,
): Promise<PlannedRefund> {
  return transaction(database.db, async (tx) => {
    const locked = await findInvoice(tx, number, 'lock')
    const name = nameOf(number, key)
    const before = await plannedBefore(tx, name)
    if (before !== null) return before
    const invoice = await refundable(tx, locked)
    if (isTopUp(invoice)) await lockMoney(tx, invoice.accountId)
    const { room, asked } = await roomFor(tx, invoice, { what, isWholeOnly: false })
    const { bytes } = await findOwn(tx, invoice, bytesFor(invoice, asked))
    const frozenBytes = asked === 'unused' ? await withheldOf(tx, invoice.id) : 0n
    const usdMicros = least(room, moneyFor(invoice, asked, bytes + frozenBytes))
    if (usdMicros === 0n) throw new Refusal('nothing_unused')
    const price = await priceToReturn(tx, invoice, usdMicros)
    const planned = { name, usdMicros, price }
    await tx
      .insertInto('refund')
      .values({
        name,
        invoice_id: invoice.id,
        method: invoice.method,
        way: 'hand',
        state: 'planned',
        currency: price.currency,
        amount_micros: price.micros,
        usd_micros: usdMicros,
        is_unused: asked === 'unused',
        created_at: now,
      })
      .execute()
    await note?.(tx, invoice, planned)
    return planned
  })
}

export interface PlannedRefund {
  name: string
  usdMicros: bigint
  /** What staff send, in the currency of the invoice's price. */
  price: Price
}

export type NotePlanned = (
  tx: Transaction<DB>,
  invoice: Invoice,
  planned: Pick<PlannedRefund, 'name' | 'usdMicros'>,
) => Promise<void>

/**
 * Records that staff have sent a planned refund, and takes its money and traffic. `reference` is the note of
 * staff. Refuses with `refund_not_planned`, and as `refundInvoice`.
 */
export async function sendPlanned(
  database: Database,
  { name, reference, note }: { name: string; reference: string | null; note?: RefundOrder['note'] },
  now: Date,
): Promise<Refund> {
  const number = await invoiceOf(database.db, name)
  const known = await refundable(database.db, await findInvoice(database.db, number))
  await callOwnBack(database.db, known)
  return transaction(database.db, async (tx) => {
    const invoice = await refundable(tx, await findInvoice(tx, number, 'lock'))
    const row = await lockPlanned(tx, name)
    // What the processor has returned by itself meanwhile may have left less.
    if (row.usd_micros > leftOf(invoice)) refuseAmount(leftOf(invoice))
    const what = row.usd_micros
    const booked = await give(tx, invoice, { name, what, room: what, isWholeOnly: false, isSent: true }, now)
    await tx
      .updateTable('refund')
      .set({
        state: 'done',
        reference,
        taken_back_bytes: booked.takenBytes,
        booked_at: now,
        sent_at: now,
        ended_at: now,
      })
      .where('id', '=', row.id)
      .execute()
    const price = { currency: row.currency, micros: row.amount_micros }
    await noteGiven(tx, invoice, { name, price, way: 'hand', booked }, now)
    const refund = shownRefund(invoice, { name, way: 'hand', booked })
    await note?.(tx, invoice, refund)
    return refund
  })
}

/** Ends a planned refund that will not be sent. Refuses with `refund_not_planned`. */
export async function dropRefund(
  database: Database,
  { name, note }: { name: string; note?: NotePlanned },
  now: Date,
): Promise<void> {
  const number = await invoiceOf(database.db, name)
  await transaction(database.db, async (tx) => {
    const invoice = await findInvoice(tx, number, 'lock')
    if (invoice === null) throw new Refusal('invoice_not_found')
    const { id, usd_micros: usdMicros } = await lockPlanned(tx, name)
    await tx.updateTable('refund').set({ state: 'dropped', ended_at: now }).where('id', '=', id).execute()
    await note?.(tx, invoice, { name, usdMicros })
  })
}

/** The refund that an earlier request under this name has planned; null: none has. */
async function plannedBefore(db: Kysely<DB>, name: string): Promise<PlannedRefund | null> {
  const row = await db.selectFrom('refund').selectAll().where('name', '=', name).executeTakeFirst()
  if (row === undefined) return null
  return { name, usdMicros: row.usd_micros, price: { currency: row.currency, micros: row.amount_micros } }
}

async function invoiceOf(db: Kysely<DB>, name: string): Promise<string> {
  const row = await db
    .selectFrom('refund')
    .innerJoin('invoice', 'invoice.id', 'refund.invoice_id')
    .select('invoice.number')
    .where('refund.name', '=', name)
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('refund_not_planned')
  return row.number
}

async function lockPlanned(tx: Transaction<DB>, name: string) {
  const row = await tx
    .selectFrom('refund')
    .selectAll()
    .where('name', '=', name)
    .where('state', '=', 'planned')
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('refund_not_planned')
  return row
}
