/**
 * Money that a processor reports as returned, ordered by the shop or at the processor. Each refund is counted
 * once, with the traffic that the money had bought. A refund of our own is recognised: its money left the
 * books when it was ordered.
 */
import type { Transaction } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import type { FoundRefund } from '#payments'
import { noteRefundSent, noteReturned } from '#receipts'
import { callBoughtBack, returnSpent } from './balance.spent.ts'
import { needDocument } from './invoices/documents.due.ts'
import { noteFee } from './invoices/fees.ts'
import { findInvoice, type Invoice, isTopUp, lockInvoice } from './invoices/invoice.ts'
import { bookReturn, reverseReturn, tellRefund } from './refund.booking.ts'
import {
  isOfAnother,
  keep,
  madeOf,
  type Returned,
  type Row,
  rowsOf,
  toKeep,
  type ToKeep,
} from './invoices/reported.rows.ts'
import { valueOf } from './rules/payment.ts'
import { type Asked, ownOf, returnOf } from './rules/refund.ts'

export interface ReturnDeps {
  /** Unused traffic is taken back; otherwise the refund is only recorded as a loss. */
  takesBack: boolean
  /** What a dispute of the invoice has withheld until now. */
  releasedBytes?: bigint
}

/**
 * Applies the processor's reports of refunds to its locked invoice, in any order and any number of times.
 * Returns how many were counted or reversed.
 */
export async function applyRefunds(
  tx: Transaction<DB>,
  invoiceId: bigint,
  refunds: readonly FoundRefund[],
  deps: ReturnDeps,
  now: Date,
): Promise<number> {
  let changed = 0
  const inOrder = refunds.toSorted(
    (a, b) => a.madeAt.getTime() - b.madeAt.getTime() || (a.refundId < b.refundId ? -1 : 1),
  )
  for (const refund of inOrder) if (await applyRefund(tx, invoiceId, refund, deps, now)) changed++
  return changed
}

/** Applies a refund, or a dispute that returned the money as one does. True: it was counted or reversed. */
export async function applyRefund(
  tx: Transaction<DB>,
  invoiceId: bigint,
  refund: Returned,
  deps: ReturnDeps,
  now: Date,
): Promise<boolean> {
  const invoice = await lockInvoice(tx, invoiceId)
  if (refund.price.micros <= 0n) return false
  const rows = await rowsOf(tx, invoiceId)
  const known = rows.find(({ refund_id: id }) => id === refund.refundId)
  if (known === undefined && (await isOfAnother(tx, invoice, refund.refundId))) return false
  if (refund.price.currency !== invoice.price.currency) {
    const isNew = refund.state === 'sent' && (known === undefined || known.state === 'waiting')
    // The worth is unknown, so an operator has to state it.
    if (isNew && refund.cause !== 'dispute')
      await keep(tx, invoice, { ...toKeep(refund), state: 'unclear' }, now)
    return false
  }
  // Final states never change: an older answer may arrive after a newer one.
  if (known?.state === 'failed' || known?.state === 'reversed') return false
  if (refund.feeMicros !== null && refund.state === 'sent')
    await noteFee(tx, invoice, { kind: 'refund', subject: refund.refundId, micros: refund.feeMicros }, now)
  if (known?.state !== 'counted' && refund.cause !== 'dispute') {
    const asked = await askedOf(tx, invoice, rows, refund.refundId)
    const own = asked.find(({ id }) => id === known?.own_refund) ?? ownOf(invoice.number, asked, refund)
    if (own !== null) return noteOwn(tx, invoice, { own, refund }, deps, now)
  }
  if (refund.state === 'failed') {
    if (known?.state === 'counted') {
      await reverseCounted(tx, invoice, known, now)
      await countRests(tx, invoiceId, deps, now)
      return true
    }
    await keep(tx, invoice, { ...toKeep(refund), state: 'failed' }, now)
    return false
  }
  if (known?.state === 'counted') return false
  if (refund.state === 'waiting') {
    await keep(tx, invoice, { ...toKeep(refund), state: 'waiting' }, now)
    return false
  }
  await countReturn(tx, invoice, toKeep(refund), deps, now)
  return true
}

type Own = Asked & { state: string }

/** The refunds that the shop has requested and that have not failed, with the sums reported for each. */
async function askedOf(
  tx: Transaction<DB>,
  { id }: Invoice,
  reports: readonly Row[],
  exceptId: string,
): Promise<Own[]> {
  const rows = await tx
    .selectFrom('refund')
    .selectAll()
    .where('invoice_id', '=', id)
    .where('way', '=', 'processor')
    .where('state', '<>', 'failed')
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    reference: row.reference,
    state: row.state,
    price: { currency: row.currency, micros: row.amount_micros },
    reportedMicros: reports
      .filter((one) => one.own_refund === row.id && one.state === 'own' && one.refund_id !== exceptId)
      .reduce((sum, one) => sum + one.amount_micros, 0n),
  }))
}

/** Records a report of our own refund, or of a part. True: the report says that the refund has failed. */
async function noteOwn(
  tx: Transaction<DB>,
  invoice: Invoice,
  { own, refund }: { own: Own; refund: Returned },
  deps: ReturnDeps,
  now: Date,
): Promise<boolean> {
  const isSent = refund.state === 'sent'
  const state = refund.state === 'failed' ? 'failed' : 'own'
  await keep(tx, invoice, { ...toKeep(refund), state, own_refund: own.id, is_sent: isSent }, now)
  if (refund.state === 'failed') {
    // This is only a claim of a refund that the customer claims: a cancelled claim can be made again.
    if (own.reference !== refund.refundId) return false
    const fault = 'the processor took it back after it was sent'
    return failRefund(tx, invoice.id, { id: own.id, from: ['sent', 'done'], fault }, deps, now)
  }
  // A refund in the state `due` needs nothing here: it is sent again under its name, and its processor
  // answers with its id.
  if (own.state === 'refused') {
    // The refund was given up after attempts without an answer, but the processor has made it.
    const reference = refund.refundId
    await tx
      .updateTable('refund')
      .set({ state: 'sent', reference, sent_at: now, fault: null })
      .where('id', '=', own.id)
      .execute()
    await noteRefundSent(tx, { invoiceNumber: invoice.number, of: own.name, reference }, now)
  }
  const sentMicros = (await rowsOf(tx, invoice.id))
    .filter((row) => row.own_refund === own.id && row.state === 'own' && row.is_sent)
    .reduce((sum, row) => sum + row.amount_micros, 0n)
  if (isSent && (own.reference === refund.refundId || sentMicros >= own.price.micros))
    await endRefund(tx, invoice.id, own.id, now)
  return false
}

/** The processor has sent a refund that it had accepted. False: that was known. */
export async function endRefund(
  tx: Transaction<DB>,
  invoiceId: bigint,
  id: bigint,
  now: Date,
): Promise<boolean> {
  await lockInvoice(tx, invoiceId)
  const { numUpdatedRows } = await tx
    .updateTable('refund')
    .set({ state: 'done', ended_at: now, fault: null })
    .where('id', '=', id)
    .where('state', '=', 'sent')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * A refund of ours has failed: everything that was taken for it is given back, and the money can be refunded
 * again. Parts of it that its processor has sent are counted as returned. False: the refund is in none of the
 * states `from`.
 */
export async function failRefund(
  tx: Transaction<DB>,
  invoiceId: bigint,
  { id, from, fault }: { id: bigint; from: readonly string[]; fault?: string },
  deps: ReturnDeps,
  now: Date,
): Promise<boolean> {
  const invoice = await lockInvoice(tx, invoiceId)
  const row = await tx
    .updateTable('refund')
    .set({ state: 'failed', ended_at: now, ...(fault === undefined ? {} : { fault }) })
    .where('id', '=', id)
    .where('state', 'in', from)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return false
  const { name, reference, usd_micros: usdMicros, taken_back_bytes: bytes } = row
  const returned = { currency: row.currency, micros: row.amount_micros }
  const booked = { reference: name, receiptOf: name, returned, usdMicros, bytes, isTold: true }
  await reverseReturn(tx, invoice, booked, now)
  if (reference !== null) {
    const madeAt = row.sent_at ?? now
    const made = { refundId: reference, cause: 'refund', price: returned, madeAt } as const
    await keep(tx, invoice, { ...made, state: 'failed', own_refund: id }, now)
  }
  for (const part of await rowsOf(tx, invoiceId)) {
    if (part.own_refund !== id || part.state !== 'own') continue
    const made = madeOf(part)
    if (part.is_sent) await countReturn(tx, await lockInvoice(tx, invoiceId), made, deps, now)
    else await keep(tx, invoice, { ...made, state: 'waiting' }, now)
  }
  await countRests(tx, invoiceId, deps, now)
  return true
}

/** The sum of the invoice's other refunds in the currency of this one. */
async function returnedBefore(
  tx: Transaction<DB>,
  invoiceId: bigint,
  { refundId, price }: ToKeep,
): Promise<bigint> {
  const booked = await tx
    .selectFrom('refund')
    .select(['currency', 'amount_micros'])
    .where('invoice_id', '=', invoiceId)
    .where('state', 'in', ['due', 'sent', 'done', 'refused'])
    .execute()
  return [
    ...booked,
    ...(await rowsOf(tx, invoiceId)).filter(
      ({ state, refund_id: id }) => state === 'counted' && id !== refundId,
    ),
  ]
    .filter(({ currency }) => currency === price.currency)
    .reduce((sum, row) => sum + row.amount_micros, 0n)
}

/** Counts a refund in the books, with the share, the traffic, the receipt and the credit note. */
async function countReturn(
  tx: Transaction<DB>,
  invoice: Invoice,
  made: ToKeep,
  { takesBack, releasedBytes = 0n }: ReturnDeps,
  now: Date,
  counted: Row | null = null,
): Promise<void> {
  const { id: invoiceId, method, number: invoiceNumber } = invoice
  const before = await returnedBefore(tx, invoiceId, made)
  const countedUsd = counted?.usd_micros ?? 0n
  const { usdMicros, boughtBytes } = returnOf(invoice, made.price.micros, before, countedUsd)
  if (counted !== null && usdMicros === 0n) return
  let takenBytes = 0n
  if (usdMicros > 0n) {
    if (takesBack && isTopUp(invoice)) await returnSpent(tx, invoice, usdMicros, now)
    const booked = await bookReturn(
      tx,
      invoice,
      {
        reference: `${method}:${made.refundId}${counted === null ? '' : `:rest:${countedUsd}`}`,
        wantedBytes: takesBack ? boughtBytes : 0n,
        releasedBytes,
        moneyFor: () => usdMicros,
        // A disputed payment returns to the cash and leaves it when it is decided, not when it was opened.
        valueAt: made.cause === 'refund' ? valueOf(made.madeAt, now) : undefined,
      },
      now,
    )
    takenBytes = booked.takenBytes
    const receipt = {
      invoiceNumber,
      returned: made.price,
      isWhole: true,
      by: 'made',
      of: made.refundId,
    } as const
    if (countedUsd === 0n) await noteReturned(tx, receipt, now)
    await needDocument(tx, { id: invoiceId, state: booked.state }, now)
    if (made.cause === 'refund') await tellRefund(tx, invoice, booked)
  }
  await keep(
    tx,
    invoice,
    {
      ...made,
      state: 'counted',
      usd_micros: countedUsd + usdMicros,
      taken_back_bytes: (counted?.taken_back_bytes ?? 0n) + takenBytes,
      lost_bytes: (counted?.lost_bytes ?? 0n) + boughtBytes - takenBytes,
      counted_at: counted?.counted_at ?? now,
    },
    now,
  )
}

/**
 * Called after a refund came back. Other refunds were counted only up to the money the invoice had at that
 * time; now their remaining worth is counted.
 */
async function countRests(
  tx: Transaction<DB>,
  invoiceId: bigint,
  deps: ReturnDeps,
  now: Date,
): Promise<void> {
  const { price } = await lockInvoice(tx, invoiceId)
  const rows = (await rowsOf(tx, invoiceId))
    // One in another currency was counted as nothing.
    .filter(({ state, currency }) => state === 'counted' && currency === price.currency)
    .toSorted((a, b) => Number(a.counted_at) - Number(b.counted_at))
  for (const row of rows) await countReturn(tx, await lockInvoice(tx, invoiceId), madeOf(row), deps, now, row)
}

/** The money of a counted refund came back to the processor's balance: the sale stands again. */
async function reverseCounted(tx: Transaction<DB>, invoice: Invoice, row: Row, now: Date): Promise<void> {
  const { method } = invoice
  const { usd_micros: usdMicros, taken_back_bytes: bytes, refund_id: refundId } = row
  await tx
    .updateTable('processor_refund')
    .set({ state: 'reversed', changed_at: now })
    .where('method', '=', method)
    .where('refund_id', '=', refundId)
    .execute()
  if (usdMicros === 0n) return
  const returned = { currency: row.currency, micros: row.amount_micros }
  // No letter was sent about a dispute.
  const told = { receiptOf: refundId, isTold: row.cause === 'refund' }
  await reverseReturn(
    tx,
    invoice,
    { reference: `${method}:${refundId}`, ...told, returned, usdMicros, bytes },
    now,
  )
}

/**
 * Counts a refund whose worth in the invoice's currency the processor does not report, as this amount; 0: it
 * returned nothing of the invoice. Refuses with `invoice_not_found` and `return_not_found`.
 */
export async function settleReturn(
  database: Database,
  { number, refundId, micros, takesBack, note }: ReturnOrder,
  now: Date,
): Promise<Invoice> {
  const known = await findInvoice(database.db, number)
  if (known === null) throw new Refusal('invoice_not_found')
  if (takesBack) await callBoughtBack(database.db, known)
  return transaction(database.db, async (tx) => {
    const invoice = await lockInvoice(tx, known.id)
    await settleUnclear(tx, invoice, { refundId, micros }, { takesBack }, now)
    const after = await lockInvoice(tx, known.id)
    await note(tx, after)
    return after
  })
}

export interface ReturnOrder extends ReturnDeps {
  number: string
  /** The processor's id of the refund. */
  refundId: string
  /** Millionths of the currency of the invoice. */
  micros: bigint
  /** Runs in its transaction. */
  note: (tx: Transaction<DB>, invoice: Invoice) => Promise<void>
}

/**
 * Counts an unclear refund as the amount in the invoice's currency that an operator states. 0: it returned
 * nothing of the invoice. Refuses with `return_not_found` when the invoice has no such refund.
 */
async function settleUnclear(
  tx: Transaction<DB>,
  invoice: Invoice,
  { refundId, micros }: { refundId: string; micros: bigint },
  deps: ReturnDeps,
  now: Date,
): Promise<void> {
  const row = (await rowsOf(tx, invoice.id)).find((one) => one.refund_id === refundId)
  if (row?.state !== 'unclear') throw new Refusal('return_not_found')
  const made = { refundId, cause: 'refund', madeAt: row.made_at } as const
  if (micros > 0n) {
    const price = { currency: invoice.price.currency, micros }
    const sent = { ...made, name: null, price, state: 'sent', feeMicros: null } as const
    await applyRefund(tx, invoice.id, sent, deps, now)
    return
  }
  const price = { currency: row.currency, micros: row.amount_micros }
  const counted = { state: 'counted', counted_at: now } as const
  await keep(tx, invoice, { ...made, price, ...counted }, now)
}
