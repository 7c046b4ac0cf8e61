/** Undoing a purchase. */
import { type Database, transaction } from '#db'
import { house } from '#ledger'
import { Refusal } from '#lib/refusal'
import type { PaymentMethods } from '#payments'
import { undoShare, unspendShares } from '#referral'
import { callLeasesBack, takeTraffic } from '#traffic'
import { findInvoice } from './invoice.ts'
import { queueRefund } from './refund.sending.ts'
import { countedMicros, refundOf } from './settle.ts'

/** What a refund did. */
export interface Refund {
  /** Money that is the customer's again: on the referral balance, or to be sent back at the processor. */
  refundedMicros: bigint
  /** Traffic that was taken back; the rest had been used, or was on lease to a gateway. */
  takenBackBytes: bigint
  creditedBytes: bigint
}

/**
 * Refunds a paid or underpaid invoice. Gateways are asked first to give back what they hold of its traffic, which may take two
 * seconds. Then, in one transaction: what is left of its traffic is taken back, the inviter's
 * share too, and the money leaves the books: all of it, or all but what the used traffic cost. An invoice paid from
 * the referral balance goes back there. Given `methods`, a processor that can is told to send the money back, by
 * `sendRefunds`; for all others the operator does.
 * Refuses with `invoice_not_found` and `invoice_not_refundable`.
 */
export async function refundInvoice(
  database: Database,
  { number, what, methods }: { number: string; what: 'all' | 'unused'; methods?: PaymentMethods },
  now: Date,
): Promise<Refund> {
  await callLeasesBack(database.db, refundable(await findInvoice(database.db, number)))
  return transaction(database.db, async (tx) => {
    const invoice = refundable(await findInvoice(tx, number, 'lock'))
    const { id: invoiceId, accountId, pool, method, receivedMicros, creditedBytes } = invoice
    let refundedMicros = 0n
    const takenBackBytes = await takeTraffic(tx, creditedBytes, {
      accountId,
      pool,
      kind: 'refund',
      reference: number,
      postings: async (takenBytes) => {
        refundedMicros = refundOf(invoice, { takenBytes, what })
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
    if (methods !== undefined) await queueRefund(tx, methods, invoice, refundedMicros)
    return { refundedMicros, takenBackBytes, creditedBytes }
  })
}

function refundable<T extends { state: string }>(invoice: T | null): T {
  if (invoice === null) throw new Refusal('invoice_not_found')
  if (invoice.state !== 'paid' && invoice.state !== 'underpaid')
    throw new Refusal('invoice_not_refundable', { state: invoice.state })
  return invoice
}
