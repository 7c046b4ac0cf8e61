/**
 * Books refunds, whoever made them: `bookReturn` takes the money, the share and the traffic of an invoice out
 * of the books, `reverseReturn` puts them back when the money does not arrive.
 */
import type { Transaction } from 'kysely'
import { personOf } from '#accounts'
import type { DB } from '#db'
import { house, post } from '#ledger'
import { sendMail } from '#mail'
import type { Price } from '#payments'
import { noteReturnUndone } from '#receipts'
import { earnShare, undoShare, unspendShares } from '#referral'
import { returnTraffic, takeTraffic } from '#traffic'
import { creditMoney, takeMoney } from './balance/money.ts'
import { withholdMoneyAgain } from './balance/withheld.ts'
import { type ReleasedBy, releaseWithheld, withholdReleased } from './invoices/withheld.rows.ts'
import { needDocument } from './invoices/documents.due.ts'
import { type Invoice, isTopUp, lockInvoice } from './invoices/invoice.ts'
import { gatherOwn } from './lots/own.taking.ts'
import type { Own } from './lots/own.ts'
import { countedMicros, type InvoiceState, leftOf, settledState } from './rules/payment.ts'
import { returnOf } from './rules/refund.ts'

export interface Booking {
  /** The reference in the ledger, unique for ever. */
  reference: string
  wantedBytes: bigint
  /** What a dispute of the invoice has withheld until now. */
  releasedBytes: bigint
  /** The money to return, given the bytes that could be taken back; may throw a refusal. */
  moneyFor: (takenBytes: bigint) => bigint
  /** When the processor returned it; absent: now. */
  valueAt?: Date | undefined
}

export interface Booked {
  usdMicros: bigint
  takenBytes: bigint
  own: Own
  /** The new state of the invoice. */
  state: InvoiceState
}

const kindOf = (invoice: Invoice) =>
  `${invoice.isTest ? 'test_' : ''}${isTopUp(invoice) ? 'top_up_' : ''}refund`

/**
 * Takes returned money of a locked invoice out of the books, with the inviter's share of it and the traffic
 * as far as it is left.
 */
export async function bookReturn(
  tx: Transaction<DB>,
  invoice: Invoice,
  { reference, wantedBytes, releasedBytes, moneyFor, valueAt }: Booking,
  now: Date,
): Promise<Booked> {
  const { id, accountId, pool, method } = invoice
  const own = await gatherOwn(tx, invoice, wantedBytes, { releasedBytes, now })
  let usdMicros = 0n
  const takenBytes = await takeTraffic(tx, own.bytes, {
    accountId,
    pool,
    kind: kindOf(invoice),
    reference,
    valueAt,
    postings: async (taken) => {
      usdMicros = moneyFor(taken)
      if (method === 'referral') return unspendShares(tx, accountId, usdMicros)
      if (method === 'balance') return creditMoney(tx, { accountId, micros: usdMicros, from: house.sales() })
      const paidMicros = countedMicros(invoice, leftOf(invoice))
      const refundedMicros = paidMicros - countedMicros(invoice, leftOf(invoice) - usdMicros)
      return [
        ...(isTopUp(invoice)
          ? await takeMoney(tx, { accountId, micros: usdMicros, to: house.cash(method) })
          : [
              { account: house.cash(method), amount: -usdMicros },
              { account: house.sales(), amount: usdMicros },
            ]),
        ...(refundedMicros === 0n
          ? []
          : await undoShare(tx, { invoiceId: id, refundedMicros, paidMicros }, now)),
      ]
    },
  })
  const refundedMicros = invoice.refundedMicros + usdMicros
  // An invoice that cost nothing counts as refunded once its traffic was taken back.
  const state = refundedMicros === 0n ? 'refunded' : settledState({ ...invoice, refundedMicros })
  await tx
    .updateTable('invoice')
    .set({
      state,
      // The time of the first refund is kept.
      refunded_at: invoice.refundedAt ?? valueAt ?? now,
      refunded_micros: refundedMicros,
      taken_back_bytes: invoice.takenBackBytes + takenBytes,
    })
    .where('id', '=', id)
    .execute()
  return { usdMicros, takenBytes, own, state }
}

/** A booked refund that did not arrive. */
export interface Reversal {
  /** The ledger reference of the booking. */
  reference: string
  /** The key of the refund's receipt. */
  receiptOf: string
  /** In the currency of the price. */
  returned: Price
  usdMicros: bigint
  bytes: bigint
  /** The customer was told of the refund. */
  isTold: boolean
}

/**
 * Reverses a booked refund whose money stayed with the processor: restores the sale with its money, the
 * inviter's share, the traffic and the receipt, and queues a document of the sale. An open dispute withholds
 * again what it had withheld before the refund.
 */
export async function reverseReturn(
  tx: Transaction<DB>,
  invoice: Invoice,
  { reference, receiptOf, returned, usdMicros, bytes, isTold }: Reversal,
  now: Date,
): Promise<void> {
  const { id, accountId, pool, method, number } = invoice
  const refundedMicros = invoice.refundedMicros - usdMicros
  const keptMicros = countedMicros(invoice, leftOf({ ...invoice, refundedMicros }))
  const cash = house.cash(method)
  const money = isTopUp(invoice)
    ? await creditMoney(tx, { accountId, micros: usdMicros, from: cash })
    : [
        { account: cash, amount: usdMicros },
        { account: house.sales(), amount: -usdMicros },
      ]
  const buyer = await personOf(tx, accountId)
  const share = await earnShare(tx, { invoiceId: id, buyer, paidMicros: keptMicros }, now)
  const occasion = {
    kind: kindOf(invoice),
    reference: `${reference}:reversed`,
    postings: [...money, ...share],
  }
  if (isTopUp(invoice)) await post(tx, occasion)
  else await returnTraffic(tx, bytes, { accountId, pool, ...occasion })
  const state = settledState({ ...invoice, refundedMicros })
  await tx
    .updateTable('invoice')
    .set({
      state,
      refunded_at: refundedMicros === 0n ? null : invoice.refundedAt,
      refunded_micros: refundedMicros,
      taken_back_bytes: invoice.takenBackBytes - bytes,
    })
    .where('id', '=', id)
    .execute()
  await noteReturnUndone(tx, { invoiceNumber: number, of: receiptOf, returned }, now)
  await needDocument(tx, { id, state }, now)
  if (isTold) await tellFailed(tx, invoice, { usdMicros, bytes })
  const after = await lockInvoice(tx, id)
  if (isTopUp(after)) await withholdMoneyAgain(tx, after, { micros: usdMicros, reference })
  else await withholdAgain(tx, after, { bytes, reference }, now)
}

/** Withholds at most this much of the unused traffic of an invoice for a dispute, and returns how much. */
export async function withhold(
  tx: Transaction<DB>,
  invoice: Invoice,
  { bytes, reference }: { bytes: bigint; reference: string },
  now: Date,
): Promise<bigint> {
  if (bytes <= 0n) return 0n
  const { accountId, pool } = invoice
  const own = await gatherOwn(tx, invoice, bytes, { releasedBytes: 0n, now })
  const postings = () => Promise.resolve([])
  return takeTraffic(tx, own.bytes, { accountId, pool, kind: 'dispute_freeze', reference, postings })
}

/**
 * Makes the open disputes of an invoice withhold again the traffic that a refund had released and its
 * reversal has restored.
 */
async function withholdAgain(
  tx: Transaction<DB>,
  invoice: Invoice,
  { bytes, reference }: { bytes: bigint; reference: string },
  now: Date,
): Promise<void> {
  await withholdReleased(tx, invoice, {
    column: 'frozen_bytes',
    amount: bytes,
    reference,
    mostOf: (disputed) => returnOf(invoice, disputed, 0n).boughtBytes,
    take: (part) => withhold(tx, invoice, { bytes: part.amount, reference: part.reference }, now),
  })
}

/** Releases the traffic that disputes of an invoice withhold, and returns how much. */
export async function releaseFrozen(
  tx: Transaction<DB>,
  { id, accountId, pool, method }: Invoice,
  by: ReleasedBy,
  now: Date,
): Promise<bigint> {
  return releaseWithheld(
    tx,
    { id, method },
    {
      column: 'frozen_bytes',
      by,
      give: async ({ amount, reference }) => {
        await returnTraffic(tx, amount, { accountId, pool, kind: 'dispute_release', reference })
      },
    },
    now,
  )
}

/**
 * Queues the letter about a refund, which carries the credit note, in the transaction of the refund; without
 * an address there is none.
 */
export async function tellRefund(
  tx: Transaction<DB>,
  { accountId, number, shortNumber, pool, method, language }: Invoice,
  { usdMicros, takenBytes }: Pick<Booked, 'usdMicros' | 'takenBytes'>,
): Promise<void> {
  const { email } = await personOf(tx, accountId)
  if (email === null || usdMicros === 0n) return
  await sendMail(tx, {
    template: 'payment_refunded',
    to: email,
    language,
    data: {
      invoice: number,
      short_number: shortNumber,
      pool,
      refunded_micros: String(usdMicros),
      taken_back_bytes: String(takenBytes),
      to_balance: method === 'referral' || method === 'balance',
      ...(method === 'balance' ? { to_money: true } : {}),
    },
  })
}

/** Queues the letter saying that a refund, which the customer was told of, did not arrive. */
async function tellFailed(
  tx: Transaction<DB>,
  { accountId, number, shortNumber, pool, language }: Invoice,
  { usdMicros, bytes }: Pick<Reversal, 'usdMicros' | 'bytes'>,
): Promise<void> {
  const { email } = await personOf(tx, accountId)
  if (email === null || usdMicros === 0n) return
  const data = {
    invoice: number,
    short_number: shortNumber,
    pool,
    refunded_micros: String(usdMicros),
    returned_bytes: String(bytes),
  }
  await sendMail(tx, { template: 'refund_failed', to: email, language, data })
}
