/**
 * Buying traffic: a quote becomes an invoice, a payment becomes traffic. One transaction each; README.md has
 * the rules.
 */
import type { Transaction } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { type PaymentMethod, priceFor, ProcessorFault, refusedWishes, refuseWithdrawn } from '#payments'
import { needsReceiptEmail, prepareReceipt } from '#receipts'
import {
  asOneOperation,
  type Invoice,
  newInvoiceNumber,
  ownInvoice,
  reserveOpenInvoice,
  soldOf,
  writeInvoice,
} from './invoices/invoice.ts'
import { type Order, quoteOrder, type TopUpOrder } from './invoices/order.ts'
import type { PurchaseDeps } from './settlement.ts'
import { makePaymentPage, toPayOf } from './to.pay.ts'

export { expireInvoices } from './invoices/expiry.ts'
export {
  findInvoice,
  hasPurchased,
  type Invoice,
  invoiceNamed,
  listInvoices,
  lockInvoice,
} from './invoices/invoice.ts'
export {
  cancelAutomatic,
  chargeRequest,
  type ChargeToMake,
  chargeToMake,
  openPage,
  orderOfCharge,
  writeAutomatic,
} from './automatic.ts'
export {
  type Holding,
  holdingsChanged,
  type LotMoney,
  paidForLots,
  paidPerGb,
  type PurchaseLot,
  purchaseLots,
} from './lots/purchase.lots.ts'
export type { Order, TopUpOrder } from './invoices/order.ts'
export { moneyOf, type Money } from './balance/money.ts'
export { payFromBalance } from './balance.payment.ts'
export { giveBalance, takeOffBalance } from './balance/staff.ts'
export { verifyMoney } from './balance/verify.ts'
export { eraseInvoices, erasureObstacles, type Obstacle, purchaseParts } from './export.and.erase.ts'
export { payFromReferral } from './referral.payment.ts'
export {
  countRefunds,
  hasSold,
  lastRefundedAt,
  type InvoiceFilter,
  type ListedRefund,
  listRefunds,
  type MadeRefund,
  needyInvoices,
  type OrderOf,
  ordersByReference,
  paymentsOf,
  refundsOf,
  type ReturnedMoney,
  returnedOf,
  searchInvoices,
  soldByHour,
  sumInvoices,
} from './invoice.search.ts'
export { disputesOf, listDisputes, openBusiness, type OpenBusiness } from './disputes.ts'
export { disputedGifts, type DisputedGift } from './lots/gifts.ts'
export { claimDue, countDue, dueInvoices, isDue, makeDocumentTask } from './invoices/documents.due.ts'
export { feesOf, type FeeTerms, listFeeTerms, setFeeTerms } from './invoices/fees.ts'
export { refundableMicros, refundInvoice, refundWay, type Refund } from './refund.ts'
export { refundPreview, unusedMicros } from './refund.preview.ts'
export { returnedPrice } from './invoices/returned.price.ts'
export { dropRefund, type PlannedRefund, planRefund, sendPlanned } from './refund.by.hand.ts'
export { askForRefunds, sendRefunds } from './refund.sending.ts'
export { settleReturn } from './reported.refunds.ts'
export type { RefundOf } from './rules/refund.ts'
export { askForFees, watchReturns } from './processor.lists.ts'
export { readReturned, reconcileInvoice, reconcileInvoices } from './reconcile.ts'
export { findLostSales, type LostSale, type LostSales, recoverSale } from './recover.ts'
export type { InvoiceState } from './rules/payment.ts'
export { receiveWebhook, replayWebhook, type WebhookVerdict } from './webhook.ts'
export { type NoteVerdict, type PurchaseDeps, type Sale, settle, type Verdict } from './settlement.ts'

/**
 * The payer agrees that the processor saves the payment method: called in the transaction that writes the
 * invoice, to keep the consent.
 */
export type Saving = (tx: Transaction<DB>, invoice: Invoice) => Promise<void>

/** An order that a processor collects. */
export type OrderToPay = (Order | TopUpOrder) & Paying

interface Paying {
  method: string
  /** An order of staff, which may also be paid by a method that customers are not offered. */
  isForTest?: true
  saving?: Saving
  /** Runs in the transaction that writes the invoice: who has ordered it. */
  note?: (tx: Transaction<DB>, invoice: Invoice) => Promise<void>
}

type OrderDeps = Pick<PurchaseDeps, 'methods' | 'secrets' | 'receipts' | 'noteSale' | 'noteFault'>

/** The timeout of one request to a processor. */
const lifeMs = 60 * 60_000

/**
 * The time for which a promo code is held after the invoice closes: a payment made in the last minute may
 * take that long to be confirmed.
 */
const promoGraceMs = 60 * 60_000

/**
 * Makes an invoice at the chosen processor and returns its number and payment page. Refuses with
 * `invalid_payment_method`, `payment_method_unavailable`, `payment_method_not_offered`, `invalid_pool`,
 * `promocode_…`, `amount_too_small`, `amount_below_method`, `amount_too_large`, `too_many_open_invoices`, `payment_failed`, `receipt_email_required`,
 * `invalid_receipt_email`. The invoice is written before the request to the processor, so that a payment for
 * it is recognised even when our own answer was lost. A repetition of an order under its number continues
 * where the first attempt ended.
 */
export function createInvoice(
  database: Database,
  deps: OrderDeps,
  order: OrderToPay,
  now: Date,
): Promise<{ number: string; paymentUrl: string }> {
  return asOneOperation(database.db, order, () => makeInvoice(database, deps, order, now))
}

async function makeInvoice(
  database: Database,
  deps: OrderDeps,
  order: OrderToPay,
  now: Date,
): Promise<{ number: string; paymentUrl: string }> {
  const method = deps.methods.get(order.method)
  const { number = newInvoiceNumber() } = order
  const known = order.number === undefined ? null : await ownInvoice(database.db, order.accountId, number)
  if (known !== null && known.paymentUrl !== null) return { number, paymentUrl: known.paymentUrl }
  const invoice = known ?? (await write(database, deps, { method, order: { ...order, number } }, now))
  const { pool, costMicros } = invoice
  if (known === null && !invoice.isTest)
    deps.noteSale({ event: 'created', method: method.name, pool, micros: costMicros })
  const isRepeat = known !== null
  const hasReceipt = isRepeat || needsReceiptEmail(deps.receipts, method.name)
  const toPay = await toPayOf(database.db, deps, invoice, { isRepeat, hasReceipt })
  const paymentUrl = await makePaymentPage(database, { method, invoice, toPay }, now).catch(
    (error: unknown) => {
      if (!(error instanceof ProcessorFault)) throw error
      deps.noteFault(method.name, error)
      throw new Refusal('payment_failed')
    },
  )
  return { number, paymentUrl }
}

function write(
  { db }: Database,
  { receipts }: Pick<PurchaseDeps, 'receipts'>,
  { method, order }: { method: PaymentMethod; order: OrderToPay & { number: string } },
  now: Date,
): Promise<Invoice> {
  const expiresAt = new Date(now.getTime() + lifeMs)
  return transaction(db, async (tx) => {
    if (order.isForTest !== true) await refuseWithdrawn(tx, method.name)
    await reserveOpenInvoice(tx, order.accountId, now)
    const until = new Date(expiresAt.getTime() + promoGraceMs)
    const { accountId, language, number } = order
    const { quote, promo } = await quoteOrder(tx, order, { invoice: number, until }, now)
    const priced = await priceFor(tx, method, quote.costMicros, now)
    const { saving } = order
    // A receipt is requested each time: without it the operator has to register one by hand.
    const { wishes = [] } = method
    const refused = wishes.length === 0 ? [] : await refusedWishes(tx, method.name, now)
    const without = refused.filter((wish) => wish !== 'receipt')
    const savesMethod = saving !== undefined && !without.includes('save_method')
    const invoice = { number, accountId, method: method.name, language, quote, promo, priced, expiresAt }
    const written = await writeInvoice(tx, { ...invoice, savesMethod, without }, now)
    const { receiptEmail = null } = order
    await prepareReceipt(tx, receipts, { ...soldOf(written), receiptEmail }, now)
    await order.note?.(tx, written)
    if (savesMethod) await saving?.(tx, written)
    return written
  })
}
