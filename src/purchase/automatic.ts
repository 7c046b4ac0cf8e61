/**
 * Invoices of automatic top-up: written before a saved payment method is charged, and settled as any other.
 * The charging itself is the business of `topup`.
 */
import type { Kysely, Transaction } from 'kysely'
import type { Database, DB } from '#db'
import { type InvoiceToPay, type PaymentMethod, priceFor, type Priced } from '#payments'
import { prepareReceipt } from '#receipts'
import { type Invoice, newInvoiceNumber, soldOf, writeInvoice } from './invoices/invoice.ts'
import { type Order, quoteOrder } from './invoices/order.ts'
import type { PurchaseDeps } from './settlement.ts'
import { makePaymentPage, orderTextOf, toPayOf } from './to.pay.ts'

/**
 * How long the payment page stays open on which the customer pays after their bank refused the automatic
 * charge. Stripe's maximum is a day.
 */
const lifeMs = 23 * 60 * 60_000

/** What a charge would cost: the cost in micro-USD, and what the processor would collect. */
export interface ChargeToMake extends Priced {
  costMicros: bigint
}

/** The price of a charge, at present. Refuses as `quoteOrder`, and with `payment_method_unavailable`. */
export async function chargeToMake(
  tx: Transaction<DB>,
  method: PaymentMethod,
  order: Omit<Order, 'promocode' | 'number'>,
  now: Date,
): Promise<ChargeToMake> {
  const hold = { invoice: '', until: now }
  const { quote } = await quoteOrder(tx, { ...order, promocode: null }, hold, now)
  return { costMicros: quote.costMicros, ...(await priceFor(tx, method, quote.costMicros, now)) }
}

/**
 * Writes the invoice of a charge with its receipt prepared, in the transaction that records the charge.
 * Refuses as `quoteOrder`, and with `payment_method_unavailable` and `receipt_email_required`.
 */
export async function writeAutomatic(
  tx: Transaction<DB>,
  { receipts }: Pick<PurchaseDeps, 'receipts'>,
  { method, ...order }: Omit<Order, 'promocode' | 'number'> & { method: PaymentMethod },
  now: Date,
): Promise<Invoice> {
  const number = newInvoiceNumber()
  const hold = { invoice: number, until: now }
  const { quote } = await quoteOrder(tx, { ...order, promocode: null }, hold, now)
  const priced = await priceFor(tx, method, quote.costMicros, now)
  const { accountId, language } = order
  const expiresAt = new Date(now.getTime() + lifeMs)
  const invoice = { number, accountId, method: method.name, language, quote, promo: null, priced, expiresAt }
  const written = await writeInvoice(tx, { ...invoice, isAutomatic: true }, now)
  await prepareReceipt(tx, receipts, { ...soldOf(written), receiptEmail: null }, now)
  return written
}

/** The signed order of an invoice, kept with its charge so that the request stays the same. */
export const orderOfCharge = orderTextOf

/** The request that charges an invoice. */
export const chargeRequest = (
  db: Kysely<DB>,
  deps: Pick<PurchaseDeps, 'secrets'>,
  invoice: Invoice,
  orderText: string,
): Promise<InvoiceToPay> => toPayOf(db, deps, invoice, { isRepeat: true, orderText })

/**
 * Makes the page on which the customer pays the invoice in person; a repeated call returns the same page.
 * Throws `ProcessorFault`.
 */
export async function openPage(
  { db }: Database,
  deps: Pick<PurchaseDeps, 'secrets'>,
  { method, invoice, orderText }: { method: PaymentMethod; invoice: Invoice; orderText: string },
  now: Date,
): Promise<string> {
  if (invoice.paymentUrl !== null) return invoice.paymentUrl
  const toPay = await toPayOf(db, deps, invoice, { isRepeat: true, orderText })
  return makePaymentPage({ db }, { method, invoice, toPay }, now)
}

/** Closes the invoice of a charge that failed; one that has received money stays. */
export async function cancelAutomatic(tx: Transaction<DB>, invoiceId: bigint): Promise<void> {
  await tx
    .updateTable('invoice')
    .set({ state: 'cancelled' })
    .where('id', '=', invoiceId)
    .where('state', 'in', ['pending', 'expired'])
    .execute()
}
