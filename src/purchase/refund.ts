/** Refunds of purchases. */
import type { Transaction } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import { house } from '#ledger'
import { usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'
import type { PaymentMethods } from '#payments'
import { undoShare, unspendShares } from '#referral'
import { callLeasesBack, takeTraffic } from '#traffic'
import { noteReturned } from '#receipts'
import { releaseFrozen } from './disputes.effect.ts'
import { needDocument } from './documents.due.ts'
import { findInvoice, type Invoice, priceOf } from './invoice.ts'
import { queueRefund } from './refund.sending.ts'
import { countedMicros, refundOf } from './payment.effect.ts'

/** The result of a refund. */
export interface Refund {
  /** Money that belongs to the customer again: on the referral balance, or to be returned by the processor. */
  refundedMicros: bigint
  /** Traffic that was taken back; the rest was used, or was on lease to a gateway. */
  takenBackBytes: bigint
  creditedBytes: bigint
}

/**
 * Refunds a paid or underpaid invoice. Gateways are asked first to give back what they hold of its traffic, which may take two
 * seconds. Then, in one transaction: what is left of its traffic is taken back, the inviter's
 * and the money leaves the books: all of it, all but the cost of the used traffic, or an amount, for which the traffic that it bought is taken back. The money of an invoice paid from
 * the referral balance returns to that balance. With `methods`, a processor that supports refunds receives one from
 * `sendRefunds`; for all others the operator returns the money. Refuses with `invoice_not_found`,
 * `invoice_not_refundable` and `invalid_refund_amount`.
 */
export async function refundInvoice(
  database: Database,
  { number, what, methods, note, isInvented = false }: RefundOrder,
  now: Date,
): Promise<Refund> {
  const known = refundable(await findInvoice(database.db, number))
  refuseMoreThanReceived(known, what)
  await callLeasesBack(database.db, known)
  return transaction(database.db, async (tx) => {
    const invoice = refundable(await findInvoice(tx, number, 'lock'))
    refuseMoreThanReceived(invoice, what)
    const { id: invoiceId, accountId, pool, method, receivedMicros, creditedBytes } = invoice
    await releaseFrozen(tx, invoice, now)
    let refundedMicros = 0n
    const takenBackBytes = await takeTraffic(tx, bytesFor(invoice, what), {
      accountId,
      pool,
      kind: invoice.isTest ? 'test_refund' : 'refund',
      reference: number,
      postedAt: isInvented ? now : undefined,
      postings: async (takenBytes) => {
        refundedMicros = typeof what === 'bigint' ? what : refundOf(invoice, { takenBytes, what })
        if (method === 'referral') return unspendShares(tx, accountId, refundedMicros)
        const paidMicros = countedMicros(invoice, receivedMicros)
        const keptMicros = countedMicros(invoice, receivedMicros - refundedMicros)
        return [
          { account: house.cash(method), amount: -refundedMicros },
          { account: house.sales(), amount: refundedMicros },
          ...(await undoShare(tx, { invoiceId, refundedMicros: paidMicros - keptMicros, paidMicros })),
        ]
      },
    })
    await tx
      .updateTable('invoice')
      .set({
        state: 'refunded',
        refunded_at: now,
        refunded_micros: refundedMicros,
        taken_back_bytes: takenBackBytes,
      })
      .where('id', '=', invoice.id)
      .execute()
    const returned = priceOf(invoice, refundedMicros)
    const byProcessor = methods !== undefined && (await queueRefund(tx, methods, invoice, returned))
    const isWhole = refundedMicros === receivedMicros
    if (!isInvented) {
      await noteReturned(tx, { invoiceNumber: number, returned, isWhole, byProcessor }, now)
      await needDocument(tx, { id: invoiceId, state: 'refunded' }, now)
    }
    const refund = { refundedMicros, takenBackBytes, creditedBytes }
    await note?.(tx, invoice, refund)
    return refund
  })
}

/** What is given back: all the money, all but what the used traffic cost, or an amount in micro-USD. */
export type RefundOf = 'all' | 'unused' | bigint

export interface RefundOrder {
  number: string
  what: RefundOf
  methods?: PaymentMethods
  /** As in `PurchaseDeps`. */
  isInvented?: boolean
  /** Runs in the transaction of the refund. */
  note?: (tx: Transaction<DB>, invoice: Invoice, refund: Refund) => Promise<void>
}

function refuseMoreThanReceived({ receivedMicros }: Invoice, what: RefundOf): void {
  if (typeof what !== 'bigint') return
  if (what > receivedMicros || what % 10_000n !== 0n)
    throw new Refusal('invalid_refund_amount', { most: usdToWire(receivedMicros) })
}

/** The traffic to take back: all of it, or the part that an amount bought. */
const bytesFor = ({ creditedBytes, receivedMicros }: Invoice, what: RefundOf): bigint =>
  typeof what === 'bigint' ? (creditedBytes * what) / receivedMicros : creditedBytes

function refundable<T extends { state: string }>(invoice: T | null): T {
  if (invoice === null) throw new Refusal('invoice_not_found')
  if (invoice.state !== 'paid' && invoice.state !== 'underpaid')
    throw new Refusal('invoice_not_refundable', { state: invoice.state })
  return invoice
}
