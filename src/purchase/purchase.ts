/** Buying traffic: a quote becomes an invoice, a payment becomes traffic. One transaction each; README.md has the rules. */
import { type Database, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { describe, priceFor, ProcessorFault } from '#payments'
import { newInvoiceNumber, notePaymentPage, writeInvoice } from './invoice.ts'
import { type Order, quoteOrder } from './order.ts'
import type { PurchaseDeps } from './settlement.ts'

export { expireInvoices, findInvoice, type Invoice, listInvoices } from './invoice.ts'
export type { Order } from './order.ts'
export { payFromReferral } from './referral.payment.ts'
export { refundInvoice, type Refund } from './refund.ts'
export { findRefund, type SentRefund, sendRefunds } from './refund.sending.ts'
export { reconcileInvoice, reconcileInvoices } from './reconcile.ts'
export type { InvoiceState } from './settle.ts'
export { receiveWebhook, replayWebhook, type WebhookVerdict } from './webhook.ts'
export { type PurchaseDeps, settle, settleFinding, type Verdict } from './settlement.ts'

/** How long a processor has for its answer. */
const lifeMs = 60 * 60_000

/** How much longer a promo code is held: a payment made in the last minute may take that long to be confirmed. */
const promoGraceMs = 60 * 60_000

/**
 * Makes an invoice at the chosen processor and returns its number and payment page.
 * Refuses with `invalid_payment_method`, `payment_method_unavailable`, `invalid_pool`, `promocode_invalid`,
 * `amount_too_small`, `amount_too_large`, `payment_failed`. The invoice is written before the processor is asked, so
 * that a payment for it is recognised even when our own answer was lost.
 */
export async function createInvoice(
  database: Database,
  deps: PurchaseDeps,
  order: Order & { method: string },
  now: Date,
): Promise<{ number: string; paymentUrl: string }> {
  const method = deps.methods.get(order.method)
  const number = newInvoiceNumber()
  const expiresAt = new Date(now.getTime() + lifeMs)
  const { id, toPay } = await transaction(database.db, async (tx) => {
    const until = new Date(expiresAt.getTime() + promoGraceMs)
    const { quote, promo } = await quoteOrder(tx, order, { invoice: number, until }, now)
    const { accountId, language, gb, pool } = order
    const { costMicros } = quote
    const priced = await priceFor(tx, method, costMicros)
    const invoice = { number, accountId, method: method.name, language, quote, promo, priced, expiresAt }
    const description = describe({ gb, pool, costMicros, language }, priced.rate)
    const toPay = { number, price: priced.price, description, language, lifeSeconds: lifeMs / 1000 }
    return { id: await writeInvoice(tx, invoice, now), toPay }
  })
  const made = await method.create(toPay).catch((error: unknown) => {
    if (!(error instanceof ProcessorFault)) throw error
    deps.noteFault?.(method.name, error)
    throw new Refusal('payment_failed')
  })
  await notePaymentPage(database.db, id, made)
  return { number, paymentUrl: made.paymentUrl }
}
