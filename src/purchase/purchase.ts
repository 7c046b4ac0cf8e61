/** Buying traffic: a quote becomes an invoice, a payment becomes traffic. One transaction each; README.md has the rules. */
import { type Database, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { describe, type InvoiceToPay, type PaymentMethod, priceFor, ProcessorFault } from '#payments'
import {
  asOneOperation,
  type Invoice,
  newInvoiceNumber,
  notePaymentPage,
  ownInvoice,
  reserveOpenInvoice,
  writeInvoice,
} from './invoice.ts'
import { type Order, quoteOrder } from './order.ts'
import type { PurchaseDeps } from './settlement.ts'

export { expireInvoices, findInvoice, type Invoice, listInvoices } from './invoice.ts'
export type { Order } from './order.ts'
export { payFromReferral } from './referral.payment.ts'
export { type InvoiceFilter, needyInvoices, paymentsOf, searchInvoices, soldByHour } from './desk.ts'
export { refundInvoice, type Refund, type RefundOf } from './refund.ts'
export { findRefund, type SentRefund, sendRefunds } from './refund.sending.ts'
export { reconcileInvoice, reconcileInvoices } from './reconcile.ts'
export type { InvoiceState } from './settle.ts'
export { receiveWebhook, replayWebhook, type WebhookVerdict } from './webhook.ts'
export { type PurchaseDeps, settle, settleFinding, type Verdict } from './settlement.ts'

/** The timeout of one request to a processor. */
const lifeMs = 60 * 60_000
const lifeSeconds = lifeMs / 1000

/**
 * The time for which a promo code is held after the invoice closes: a payment made in the last minute may take that
 * long to be confirmed.
 */
const promoGraceMs = 60 * 60_000

/**
 * Makes an invoice at the chosen processor and returns its number and payment page. Refuses with
 * `invalid_payment_method`, `payment_method_unavailable`, `invalid_pool`, `promocode_invalid`, `amount_too_small`,
 * `amount_too_large`, `too_many_open_invoices`, `payment_failed`. The invoice is written before the request to the
 * processor, so that a payment for it is recognised even when our own answer was lost. A repetition of an order under
 * its number continues where the first attempt ended.
 */
export function createInvoice(
  database: Database,
  deps: PurchaseDeps,
  order: Order & { method: string },
  now: Date,
): Promise<{ number: string; paymentUrl: string }> {
  return asOneOperation(database.db, order, () => makeInvoice(database, deps, order, now))
}

async function makeInvoice(
  database: Database,
  deps: PurchaseDeps,
  order: Order & { method: string },
  now: Date,
): Promise<{ number: string; paymentUrl: string }> {
  const method = deps.methods.get(order.method)
  const { number = newInvoiceNumber() } = order
  const known = order.number === undefined ? null : await ownInvoice(database.db, order.accountId, number)
  if (known !== null && known.paymentUrl !== null) return { number, paymentUrl: known.paymentUrl }
  const { id, toPay } =
    known === null
      ? await write(database, method, { ...order, number }, now)
      : { id: known.id, toPay: askedAgain(known) }
  const made = await method.create(toPay).catch((error: unknown) => {
    if (!(error instanceof ProcessorFault)) throw error
    deps.noteFault?.(method.name, error)
    throw new Refusal('payment_failed')
  })
  return { number, paymentUrl: await notePaymentPage(database.db, id, made) }
}

function write(
  { db }: Database,
  method: PaymentMethod,
  order: Order & { number: string },
  now: Date,
): Promise<{ id: bigint; toPay: InvoiceToPay }> {
  const expiresAt = new Date(now.getTime() + lifeMs)
  return transaction(db, async (tx) => {
    await reserveOpenInvoice(tx, order.accountId, now)
    const until = new Date(expiresAt.getTime() + promoGraceMs)
    const { accountId, language, gb, pool, number } = order
    const { quote, promo } = await quoteOrder(tx, order, { invoice: number, until }, now)
    const { costMicros } = quote
    const { price, rate } = await priceFor(tx, method, costMicros)
    const priced = { price, rate }
    const invoice = { number, accountId, method: method.name, language, quote, promo, priced, expiresAt }
    const description = describe({ gb, pool, costMicros, language }, rate)
    const toPay = { number, price, description, language, expiresAt, lifeSeconds, isRepeat: false }
    return { id: await writeInvoice(tx, invoice, now), toPay }
  })
}

/** The same request as before, byte for byte: processors compare repetitions under an idempotency key. */
function askedAgain(invoice: Invoice): InvoiceToPay {
  const { number, price, rate, language, expiresAt } = invoice
  return {
    number,
    price,
    description: describe(invoice, rate),
    language,
    expiresAt,
    lifeSeconds,
    isRepeat: true,
  }
}
