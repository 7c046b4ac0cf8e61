/** Invoices as customers see them. */
import type { Kysely } from 'kysely'
import type { Output } from '#contract/contract'
import { listedInvoices } from '#contract/invoices'
import { payloadOf, trafficToWire } from '#contract/traffic'
import type { historyWire } from '#contract/purchase/calls'
import type { DB } from '#db'
import { callerOf, type Context, type HandlersOf, type JsonAnswers } from '#db/call'
import { convert, digitsOf, printRate } from '#contract/rates/rates'
import { usdText, usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'
import { type ListedReceipt, receiptsOf, registrationOf } from '#receipts'
import { type PaymentMethods, ProcessorFault } from '#payments'
import type { Rate } from '#rates'
import { findInvoice, type Invoice, listInvoices, priceOf } from './invoice.ts'

/** An invoice as its owner sees it. The payment page is set only while it can be used. */
function shown(
  methods: PaymentMethods,
  invoice: Invoice,
  receipts: readonly ListedReceipt[],
  now: Date,
): Output<'invoice'> {
  return {
    number: invoice.number,
    short_number: invoice.shortNumber,
    pool: invoice.pool,
    gb: Number(invoice.gb),
    payload_gb: payloadOf(Number(invoice.gb)),
    method: invoice.method,
    automatic: invoice.isAutomatic,
    state: invoice.state,
    cost_usd: usdToWire(invoice.dueMicros),
    charged: chargedFor(invoice),
    shown: shownFor(invoice),
    received_usd: usdToWire(invoice.receivedMicros),
    refunded_usd: usdToWire(invoice.refundedMicros),
    promo_lost: invoice.promoLostAt !== null,
    credited: trafficToWire(invoice.creditedBytes - invoice.takenBackBytes),
    created_at: invoice.createdAt.toISOString(),
    expires_at: invoice.expiresAt.toISOString(),
    settled_at: invoice.paidAt?.toISOString() ?? null,
    payment_url: isPayable(methods, invoice, now) ? invoice.paymentUrl : null,
    receipts: receipts.filter(({ state }) => state !== 'void').map(shownReceipt),
  }
}

function inCurrency(micros: bigint, { currency, perUsdMicros, setAt }: Rate) {
  const digits = digitsOf(currency)
  const on = setAt.toISOString().slice(0, 10)
  return { currency, amount: usdText(micros, digits), digits, per_usd: printRate(perUsdMicros), on }
}

/** What is due in the currency that the processor collects, at the frozen rate. */
const chargedFor = (invoice: Invoice) =>
  invoice.rate === null ? null : inCurrency(priceOf(invoice, invoice.dueMicros).micros, invoice.rate)

/** The amount due in the currency shown to the customer; once the promo code is lost, the full cost. */
function shownFor({ shown, costMicros, dueMicros }: Invoice) {
  if (shown === null) return null
  const { rate, micros } = shown
  const due =
    dueMicros === costMicros ? micros : convert(dueMicros, rate.perUsdMicros, digitsOf(rate.currency))
  return inCurrency(due, rate)
}

function isPayable(methods: PaymentMethods, { state, method, expiresAt }: Invoice, now: Date): boolean {
  if (state === 'underpaid') return methods.find(method)?.takesRest === true && expiresAt > now
  return state === 'pending'
}

/** The customer sees every unregistered receipt as pending, even when the operator has to act on it. */
const shownReceipt = (receipt: ListedReceipt): Output<'invoice'>['receipts'][number] => ({
  kind: receipt.kind,
  state: receipt.state === 'registered' ? 'registered' : 'pending',
  ...registrationOf(receipt),
  registered_at: receipt.registeredAt?.toISOString() ?? null,
})

/** Another customer's invoice is refused like one that does not exist. */
async function own(db: Kysely<DB>, accountId: bigint, number: string): Promise<Invoice> {
  const invoice = await findInvoice(db, number)
  if (invoice === null || invoice.accountId !== accountId) throw new Refusal('invoice_not_found')
  return invoice
}

/** An open invoice and where to pay it. Its page remains when the processor cannot be asked. */
export async function shownToPay(
  methods: PaymentMethods,
  context: Context,
  number: string,
): Promise<Output<'create_balance_invoice'>> {
  const { db } = context.database
  const invoice = await own(db, callerOf(context).id, number)
  const { externalId, method } = invoice
  const payTo = externalId === null ? undefined : methods.find(method)?.payTo?.(externalId)
  const known = await payTo?.catch((fault: unknown) => {
    if (fault instanceof ProcessorFault) return []
    throw fault
  })
  const receipts = await receiptsOf(db, [number], context.now())
  return { ...shown(methods, invoice, receipts, context.now()), pay_to: known ?? [] }
}

/** The JSON answer of `create_invoice_web`. */
export const purchaseJsonAnswers = (methods: PaymentMethods): Pick<JsonAnswers, 'create_invoice_web'> => ({
  create_invoice_web: (_url, context, { 'x-invoice-id': number = '' }) =>
    shownToPay(methods, context, number),
})

/** The calls `invoices` and `invoice`. */
export const historyCalls = (methods: PaymentMethods) =>
  ({
    invoices: async ({ before }, context) => {
      const accountId = callerOf(context).id
      const { db } = context.database
      const last = before === undefined ? {} : { before: await own(db, accountId, before) }
      const invoices = await listInvoices(db, { accountId, limit: listedInvoices, ...last })
      const numbers = invoices.map(({ number }) => number)
      const receipts = Map.groupBy(
        await receiptsOf(db, numbers, context.now()),
        ({ invoiceNumber }) => invoiceNumber,
      )
      return invoices.map((invoice) =>
        shown(methods, invoice, receipts.get(invoice.number) ?? [], context.now()),
      )
    },
    invoice: async ({ number }, context) => {
      const { db } = context.database
      const invoice = await own(db, callerOf(context).id, number)
      return shown(methods, invoice, await receiptsOf(db, [number], context.now()), context.now())
    },
  }) satisfies HandlersOf<typeof historyWire>
