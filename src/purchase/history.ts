/** Invoices as customers see them. */
import type { Output } from '#contract/contract'
import { listedInvoices, methodsThatTakeTheRest } from '#contract/invoices'
import { trafficToWire } from '#contract/traffic'
import { callerOf, type Handlers } from '#db/call'
import { usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'
import { type ListedReceipt, receiptsOf, registrationOf } from '#receipts'
import { findInvoice, type Invoice, listInvoices } from './invoice.ts'

/** An invoice as its owner sees it. The payment page is set only while it can be used. */
function shown(invoice: Invoice, receipts: readonly ListedReceipt[], now: Date): Output<'invoice'> {
  return {
    number: invoice.number,
    pool: invoice.pool,
    gb: Number(invoice.gb),
    method: invoice.method,
    automatic: invoice.isAutomatic,
    state: invoice.state,
    cost_usd: usdToWire(invoice.dueMicros),
    received_usd: usdToWire(invoice.receivedMicros),
    refunded_usd: usdToWire(invoice.refundedMicros),
    promo_lost: invoice.promoLostAt !== null,
    credited: trafficToWire(invoice.creditedBytes - invoice.takenBackBytes),
    created_at: invoice.createdAt.toISOString(),
    expires_at: invoice.expiresAt.toISOString(),
    settled_at: invoice.settledAt?.toISOString() ?? null,
    payment_url: isPayable(invoice, now) ? invoice.paymentUrl : null,
    receipts: receipts.filter(({ state }) => state !== 'void').map(shownReceipt),
  }
}

function isPayable({ state, method, expiresAt }: Invoice, now: Date): boolean {
  if (state === 'underpaid') return methodsThatTakeTheRest.includes(method) && expiresAt > now
  return state === 'pending'
}

/** A receipt that is not registered is on its way for the customer, whatever the operator has to do for it. */
const shownReceipt = (receipt: ListedReceipt): Output<'invoice'>['receipts'][number] => ({
  kind: receipt.kind,
  state: receipt.state === 'registered' ? 'registered' : 'pending',
  ...registrationOf(receipt),
  registered_at: receipt.registeredAt?.toISOString() ?? null,
})

/**
 * The calls `invoices` and `invoice`. Another customer's invoice is refused like one that does not exist:
 * `invoice_not_found`.
 */
export const historyCalls = {
  invoices: async (_input, context) => {
    const accountId = callerOf(context).id
    const { db } = context.database
    const invoices = await listInvoices(db, { accountId, limit: listedInvoices })
    const numbers = invoices.map(({ number }) => number)
    const receipts = Map.groupBy(await receiptsOf(db, numbers), ({ invoiceNumber }) => invoiceNumber)
    return invoices.map((invoice) => shown(invoice, receipts.get(invoice.number) ?? [], context.now()))
  },
  invoice: async ({ number }, context) => {
    const { db } = context.database
    const invoice = await findInvoice(db, number)
    if (invoice === null || invoice.accountId !== callerOf(context).id) throw new Refusal('invoice_not_found')
    return shown(invoice, await receiptsOf(db, [number]), context.now())
  },
} satisfies Partial<Handlers>
