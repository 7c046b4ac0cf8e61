/** Invoices as customers see them. */
import type { Output } from '#contract/contract'
import { listedInvoices } from '#contract/invoices'
import { trafficToWire } from '#contract/traffic'
import { callerOf, type Handlers } from '#db/call'
import { usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'
import { findInvoice, type Invoice, listInvoices } from './invoice.ts'

/** An invoice as its owner sees it. The payment page is set only while it can be used. */
function shown(invoice: Invoice): Output<'invoice'> {
  return {
    number: invoice.number,
    pool: invoice.pool,
    gb: Number(invoice.gb),
    method: invoice.method,
    state: invoice.state,
    cost_usd: usdToWire(invoice.dueMicros),
    received_usd: usdToWire(invoice.receivedMicros),
    refunded_usd: usdToWire(invoice.refundedMicros),
    promo_lost: invoice.promoLostAt !== null,
    credited: trafficToWire(invoice.creditedBytes - invoice.takenBackBytes),
    created_at: invoice.createdAt.toISOString(),
    expires_at: invoice.expiresAt.toISOString(),
    settled_at: invoice.settledAt?.toISOString() ?? null,
    payment_url: invoice.state === 'pending' ? invoice.paymentUrl : null,
  }
}

/**
 * The calls `invoices` and `invoice`. Another customer's invoice is refused like one that does not exist:
 * `invoice_not_found`.
 */
export const historyCalls = {
  invoices: async (_input, context) => {
    const accountId = callerOf(context).id
    return (await listInvoices(context.database.db, { accountId, limit: listedInvoices })).map(shown)
  },
  invoice: async ({ number }, context) => {
    const invoice = await findInvoice(context.database.db, number)
    if (invoice === null || invoice.accountId !== callerOf(context).id) throw new Refusal('invoice_not_found')
    return shown(invoice)
  },
} satisfies Partial<Handlers>
