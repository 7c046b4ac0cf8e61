/**
 * Money that a processor returned, ordered by the shop or at the processor: counted once, with the traffic that it had bought. A refund of our own is
 * recognised; its money left the books when it was ordered.
 */
import type { Selectable, Transaction } from 'kysely'
import type { DB } from '#db'
import { house } from '#ledger'
import { Refusal } from '#lib/refusal'
import type { FoundRefund, Price } from '#payments'
import { noteMadeRefundFailed, noteReturned, noteRefundSent } from '#receipts'
import { earnShare, undoShare } from '#referral'
import { returnTraffic, takeTraffic } from '#traffic'
import { needDocument } from './documents.due.ts'
import { noteFee } from './fees.ts'
import { type Invoice, lockInvoice } from './invoice.ts'
import { gatherOwn } from './lots/own.taking.ts'
import { countedMicros } from './payment.effect.ts'
import { findRefund, tellRefund } from './refund.sending.ts'
import { isOwn, returnOf } from './returned.effect.ts'

type Row = Selectable<DB['processor_refund']>

export interface ReturnDeps {
  /** Unused traffic is taken back; otherwise what was returned is noted as a loss alone. */
  takesBack: boolean
  /** What a dispute of the invoice has withheld until now. */
  releasedBytes?: bigint
}

/**
 * Applies what the processor tells of refunds to its locked invoice, in any order and any number of times. Returns how many were counted or
 * reversed.
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
    // What it is worth is not guessed: an operator says it.
    if (isNew && refund.cause !== 'dispute')
      await keep(tx, invoice, { ...toKeep(refund), state: 'unclear' }, now)
    return false
  }
  // What is over stays: an older answer may arrive after a newer one.
  if (known?.state === 'failed' || known?.state === 'reversed') return false
  if (refund.feeMicros !== null && refund.state === 'sent')
    await noteFee(tx, invoice, { kind: 'refund', subject: refund.refundId, micros: refund.feeMicros }, now)
  const own = rows.filter(({ state, refund_id: id }) => state === 'own' && id !== refund.refundId)
  const ownMicros = own.reduce((sum, row) => sum + row.amount_micros, 0n)
  const sent = await findRefund(tx, invoiceId)
  if (
    known?.state === 'own' ||
    (known?.state !== 'counted' && isOwn(invoice.number, sent, refund, ownMicros))
  ) {
    await noteOwn(tx, invoice, refund, now)
    return false
  }
  if (refund.state === 'failed') {
    if (known?.state === 'counted') {
      await reverseRefund(tx, invoice, known, now)
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

type Returned = FoundRefund & { cause?: 'refund' | 'dispute' }

/** A refund, or a dispute that was lost, as it is kept. */
interface ToKeep {
  refundId: string
  cause: 'refund' | 'dispute'
  price: Price
  madeAt: Date
}

const toKeep = ({ refundId, cause = 'refund', price, madeAt }: Returned): ToKeep => ({
  refundId,
  cause,
  price,
  madeAt,
})

const rowsOf = (tx: Transaction<DB>, invoiceId: bigint): Promise<Row[]> =>
  tx.selectFrom('processor_refund').selectAll().where('invoice_id', '=', invoiceId).execute()

/** The refund is in the books of another invoice: what it is named after was changed at the processor. */
async function isOfAnother(tx: Transaction<DB>, { id, method }: Invoice, refundId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('processor_refund')
    .select('invoice_id')
    .where('method', '=', method)
    .where('refund_id', '=', refundId)
    .executeTakeFirst()
  return row !== undefined && row.invoice_id !== id
}

interface Counted {
  state: 'waiting' | 'counted' | 'own' | 'failed' | 'unclear'
  usd_micros?: bigint
  taken_back_bytes?: bigint
  lost_bytes?: bigint
  state_before?: string
  counted_at?: Date
}

async function keep(
  tx: Transaction<DB>,
  { id, method }: Invoice,
  { refundId, cause, price, madeAt, ...counted }: ToKeep & Counted,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('processor_refund')
    .values({
      method,
      refund_id: refundId,
      invoice_id: id,
      cause,
      currency: price.currency,
      amount_micros: price.micros,
      made_at: madeAt,
      changed_at: now,
      ...counted,
    })
    .onConflict((conflict) =>
      conflict.columns(['method', 'refund_id']).doUpdateSet({
        ...counted,
        // Until it is sent, a claim may change; of an unclear one an operator says the amount.
        currency: price.currency,
        amount_micros: price.micros,
        changed_at: now,
      }),
    )
    .execute()
}

/** Our own refund: its row gets what the processor says of it. */
async function noteOwn(tx: Transaction<DB>, invoice: Invoice, refund: Returned, now: Date): Promise<void> {
  const { id: invoiceId, number } = invoice
  await keep(tx, invoice, { ...toKeep(refund), state: refund.state === 'failed' ? 'failed' : 'own' }, now)
  const row = await tx
    .selectFrom('payment_refund')
    .selectAll()
    .where('invoice_id', '=', invoiceId)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return
  if (refund.state === 'failed') {
    if (row.state !== 'sent' || row.reference !== refund.refundId) return
    const fault = 'the processor took it back after it was sent'
    await tx
      .updateTable('payment_refund')
      .set({ state: 'failed', sent_at: null, fault })
      .where('invoice_id', '=', invoiceId)
      .execute()
    return noteRefundSent(tx, number, { fault }, now)
  }
  // Its answer was lost, or the operator has sent by hand what the processor had refused.
  if (row.state === 'sent') return
  await tx
    .updateTable('payment_refund')
    .set({ state: 'sent', reference: refund.refundId, sent_at: now, fault: null })
    .where('invoice_id', '=', invoiceId)
    .execute()
  await noteRefundSent(tx, number, { reference: refund.refundId }, now)
}

const kindOf = ({ isTest }: Invoice) => (isTest ? 'test_refund' : 'refund')

/** What others have returned, in the currency of this one. */
async function returnedBefore(
  tx: Transaction<DB>,
  invoiceId: bigint,
  { refundId, price }: ToKeep,
): Promise<bigint> {
  return (await rowsOf(tx, invoiceId))
    .filter(({ state, refund_id: id }) => (state === 'counted' || state === 'own') && id !== refundId)
    .filter(({ currency }) => currency === price.currency)
    .reduce((sum, row) => sum + row.amount_micros, 0n)
}

/** Counts money that was returned: in the books, with the inviter's share, the traffic, the receipt and the credit note. */
async function countReturn(
  tx: Transaction<DB>,
  invoice: Invoice,
  made: ToKeep,
  { takesBack, releasedBytes = 0n }: ReturnDeps,
  now: Date,
  counted: Row | null = null,
): Promise<void> {
  const { id: invoiceId, accountId, pool, method, number, receivedMicros, refundedMicros } = invoice
  const before = await returnedBefore(tx, invoiceId, made)
  const countedUsd = counted?.usd_micros ?? 0n
  const { usdMicros, boughtBytes, isAll } = returnOf(invoice, made.price.micros, before, countedUsd)
  if (counted !== null && usdMicros === 0n) return
  let takenBytes = 0n
  if (usdMicros > 0n) {
    const paidMicros = countedMicros(invoice, receivedMicros - refundedMicros)
    const keptMicros = countedMicros(invoice, receivedMicros - refundedMicros - usdMicros)
    const own = await gatherOwn(tx, invoice, takesBack ? boughtBytes : 0n, { releasedBytes, now })
    takenBytes = await takeTraffic(tx, own.bytes, {
      accountId,
      pool,
      kind: kindOf(invoice),
      reference: `${method}:${made.refundId}${counted === null ? '' : `:rest:${countedUsd}`}`,
      postings: async () => [
        { account: house.cash(method), amount: -usdMicros },
        { account: house.sales(), amount: usdMicros },
        ...(paidMicros === keptMicros
          ? []
          : await undoShare(tx, { invoiceId, refundedMicros: paidMicros - keptMicros, paidMicros }, now)),
      ],
    })
    await tx
      .updateTable('invoice')
      .set({
        state: 'refunded',
        // That of the first refund stays.
        refunded_at: invoice.refundedAt ?? now,
        refunded_micros: refundedMicros + usdMicros,
        taken_back_bytes: invoice.takenBackBytes + takenBytes,
      })
      .where('id', '=', invoiceId)
      .execute()
    const receipt = {
      invoiceNumber: number,
      returned: made.price,
      isWhole: true,
      byProcessor: true,
      madeId: made.refundId,
    }
    if (countedUsd === 0n) await noteReturned(tx, receipt, now)
    await needDocument(tx, { id: invoiceId, state: 'refunded' }, now)
    const told = { refundedMicros: usdMicros, takenBackBytes: takenBytes }
    if (made.cause === 'refund') await tellRefund(tx, invoice, told)
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
      state_before: counted?.state_before ?? invoice.state,
      counted_at: counted?.counted_at ?? now,
    },
    now,
  )
  if (isAll) await endFailed(tx, invoice, made.refundId, now)
}

/**
 * After a refund came back: others were counted up to what the invoice had kept at that time, some with less than their worth. Now the
 * rest of them is counted.
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
  for (const row of rows) {
    const { refund_id: refundId, cause, currency, amount_micros: micros, made_at: madeAt } = row
    const made = { refundId, cause: cause as ToKeep['cause'], price: { currency, micros }, madeAt }
    await countReturn(tx, await lockInvoice(tx, invoiceId), made, deps, now, row)
  }
}

/** The processor had refused a refund of ours since it had returned a part: now all is returned, and nothing is left to send by hand. */
async function endFailed(
  tx: Transaction<DB>,
  { id, number }: Invoice,
  reference: string,
  now: Date,
): Promise<void> {
  const ended = await tx
    .updateTable('payment_refund')
    .set({ state: 'sent', reference, sent_at: now, fault: null })
    .where('invoice_id', '=', id)
    .where('state', '=', 'failed')
    .executeTakeFirst()
  if (ended.numUpdatedRows > 0n) await noteRefundSent(tx, number, { reference }, now)
}

/** The money of a counted refund came back to the processor's balance: the sale stands again. */
async function reverseRefund(tx: Transaction<DB>, invoice: Invoice, row: Row, now: Date): Promise<void> {
  const { id: invoiceId, accountId, pool, method, receivedMicros, dueMicros } = invoice
  const { usd_micros: usdMicros, taken_back_bytes: bytes, refund_id: refundId } = row
  await tx
    .updateTable('processor_refund')
    .set({ state: 'reversed', changed_at: now })
    .where('method', '=', method)
    .where('refund_id', '=', refundId)
    .execute()
  if (usdMicros === 0n) return
  const refundedMicros = invoice.refundedMicros - usdMicros
  const keptMicros = countedMicros(invoice, receivedMicros - refundedMicros)
  const share = await earnShare(tx, { invoiceId, buyerId: accountId, paidMicros: keptMicros }, now)
  await returnTraffic(tx, bytes, {
    accountId,
    pool,
    kind: kindOf(invoice),
    reference: `${method}:${refundId}:reversed`,
    postings: [
      { account: house.cash(method), amount: usdMicros },
      { account: house.sales(), amount: -usdMicros },
      ...share,
    ],
  })
  const first = (await rowsOf(tx, invoiceId))
    .filter(({ counted_at: at }) => at !== null)
    .toSorted((a, b) => Number(a.counted_at) - Number(b.counted_at))[0]
  const stands = refundedMicros === 0n && first?.state_before !== 'refunded'
  const state = stands ? (receivedMicros >= dueMicros ? 'paid' : 'underpaid') : 'refunded'
  await tx
    .updateTable('invoice')
    .set({
      state,
      refunded_at: stands ? null : invoice.refundedAt,
      refunded_micros: refundedMicros,
      taken_back_bytes: invoice.takenBackBytes - bytes,
    })
    .where('id', '=', invoiceId)
    .execute()
  await noteMadeRefundFailed(tx, { invoiceNumber: invoice.number, madeId: refundId })
  await needDocument(tx, { id: invoiceId, state }, now)
}

/**
 * Counts an unclear refund as the amount of the invoice's currency that an operator says. 0: it has returned nothing of the invoice. Refuses
 * with `return_not_found` when the invoice has no such refund.
 */
export async function settleUnclear(
  tx: Transaction<DB>,
  invoice: Invoice,
  { refundId, micros }: { refundId: string; micros: bigint },
  deps: ReturnDeps,
  now: Date,
): Promise<void> {
  const row = (await rowsOf(tx, invoice.id)).find((one) => one.refund_id === refundId)
  if (row?.state !== 'unclear') throw new Refusal('return_not_found')
  const { currency } = invoice.price
  const made = { refundId, cause: 'refund', madeAt: row.made_at } as const
  if (micros > 0n) {
    const price = { currency, micros }
    await applyRefund(
      tx,
      invoice.id,
      { ...made, number: null, price, state: 'sent', feeMicros: null },
      deps,
      now,
    )
    return
  }
  const price = { currency: row.currency, micros: row.amount_micros }
  const counted = { state: 'counted', state_before: invoice.state, counted_at: now } as const
  await keep(tx, invoice, { ...made, price, ...counted }, now)
}
