/**
 * BTCPay Server, Greenfield API, https://docs.btcpayserver.org/API/Greenfield/v1: the operator's own server,
 * invoices in USD paid on chain or by Lightning, in any number of payments. Notifications are signed over the
 * raw body and carry no sums. There are no idempotency keys: an invoice that may already exist is searched by
 * our number, the order id.
 */
import * as z from 'zod'
import { jsonOf } from '#lib/fetch-text'
import { usdText } from '#lib/money'
import { microsOf } from '../amount.ts'
import { ask, ProcessorFault } from '../ask.ts'
import type {
  Finding,
  InvoiceToPay,
  ListedPayment,
  PaymentMethod,
  PayTo,
  RawWebhook,
  Reading,
  RefundAccepted,
  RefundToSend,
} from '../method.ts'
import { orderFields, orderIn } from '../order.record.ts'
import { forged, headerOf, isSignedWith, isTimely } from '../signature.ts'
import {
  type BtcpayInvoice,
  type BtcpayOptions,
  invoiceOf,
  invoicePath,
  invoiceShape,
  methodsOf,
  pullPayments,
  pullPaymentShape,
  search,
  to,
} from './btcpay.ask.ts'
import {
  changes,
  findPullPayment,
  hintOf,
  lookAtPayout,
  payoutIn,
  refundName,
  refundsAmong,
  refundsOf,
  refuseSecond,
} from './btcpay.returns.ts'

/** BTCPay signs each delivery attempt anew; its eight attempts take less than a day. */
const maxAgeMs = 24 * 60 * 60_000

const eventBase = { type: z.string(), timestamp: z.int().positive(), storeId: z.string() }
const eventId = z.string().regex(/^[\w-]{1,64}$/)
/**
 * A payout without a pull payment belongs to no invoice. Some versions of BTCPay put a wrong `type` into a
 * payout's event, so the fields are matched instead.
 */
const eventShape = z.union([
  z.object({ ...eventBase, invoiceId: eventId }),
  z.object({ ...eventBase, payoutId: eventId, pullPaymentId: z.string() }),
])

export function btcpayMethod(options: BtcpayOptions): PaymentMethod {
  return {
    name: 'crypto',
    description: {
      ru: '<p>Биткойном напрямую нам, в сети или через Lightning, без посредников.</p>',
      en: '<p>Bitcoin straight to us, on chain or by Lightning, without an intermediary.</p>',
    },
    currency: 'USD',
    // A smaller on-chain output may be dust (546 satoshi), for which BTCPay shows no address.
    leastMicros: 1_000_000n,
    wishes: ['language'],
    takesRest: true,
    create: (invoice) => create(options, invoice),
    prove: (webhook) => prove(options, webhook),
    read: (webhook, now) => read(options, webhook, now),
    check: async () => {
      // No invoice has this number.
      await ask(to(options, 'GET', 'invoices?orderId=connection-test'), z.array(z.unknown()))
    },
    look: (externalId) => look(options, externalId),
    payTo: (externalId) => payTo(options, externalId),
    list: (since) => list(options, since),
    changes: (since) => changes(options, since),
    refund: (refund) => sendBack(options, refund),
    findRefund: (reference) => findPullPayment(options, reference),
  }
}

async function create(options: BtcpayOptions, invoice: InvoiceToPay) {
  const { number, price, description, language, lifeSeconds, order, isRepeat, without } = invoice
  const body = {
    // Always with an amount: an invoice without one is paid by any sum.
    amount: usdText(price.micros, 2),
    currency: price.currency,
    metadata: { orderId: number, itemDesc: description, ...orderFields(order) },
    checkout: {
      expirationMinutes: Math.floor(lifeSeconds / 60),
      monitoringMinutes: 1440,
      paymentTolerance: 0,
      redirectURL: new URL(`/account?invoice=${number}`, options.publicUrl).href,
      redirectAutomatically: true,
      // A language that the server does not know is a 4xx.
      ...(without.includes('language') ? {} : { defaultLanguage: language === 'ru' ? 'ru-RU' : 'en' }),
    },
  }
  const known = isRepeat ? await search(options, number) : null
  if (known !== null) return pageOf(known)
  try {
    return pageOf(await ask(to(options, 'POST', 'invoices', body), invoiceShape))
  } catch (error) {
    if (!(error instanceof ProcessorFault) || error.outcome === 'refused') throw error
    const made = await search(options, number)
    if (made === null) throw error
    return pageOf(made)
  }
}

const pageOf = (invoice: BtcpayInvoice) => ({ externalId: invoice.id, paymentUrl: invoice.checkoutLink })

function prove({ webhookSecret }: BtcpayOptions, webhook: RawWebhook): void {
  const signature = /^sha256=(.*)$/.exec(headerOf(webhook, 'btcpay-sig'))?.[1] ?? ''
  if (!isSignedWith(webhookSecret, [webhook.body], signature)) throw forged()
}

function read({ storeId }: BtcpayOptions, webhook: RawWebhook, now: Date): Reading {
  const event = eventShape.safeParse(jsonOf(webhook.body.toString('utf8')))
  if (!event.success) return { kind: 'nothing', verdict: 'ignored' }
  const { timestamp, storeId: theirs } = event.data
  // Not refused: BTCPay treats a 401 as final. The poller asks about the invoice in any case.
  if (!isTimely(new Date(timestamp * 1000), now, maxAgeMs)) return { kind: 'nothing', verdict: 'stale' }
  if (theirs !== storeId) return { kind: 'nothing', verdict: 'another_shop' }
  return {
    kind: 'hint',
    externalId: 'payoutId' in event.data ? hintOf(event.data.payoutId) : event.data.invoiceId,
  }
}

async function look(options: BtcpayOptions, externalId: string): Promise<Finding | null> {
  const payoutId = payoutIn(externalId)
  if (payoutId !== null) {
    const found = await lookAtPayout(options, payoutId)
    if (found === null) return null
    const { invoice, pulls, payout } = found
    const finding = await findingOf(options, invoice)
    const paidMicros = finding.receivedMicros
    return { ...finding, refunds: await refundsOf(options, { invoice, paidMicros, pulls, also: payout }) }
  }
  const invoice = await invoiceOf(options, externalId)
  if (invoice === null) return null
  const finding = await findingOf(options, invoice)
  return finding.status === 'received' ? withRefunds(options, invoice, finding) : finding
}

async function payTo(options: BtcpayOptions, externalId: string): Promise<PayTo[]> {
  const methods = await methodsOf(options, externalId)
  return methods.flatMap(({ paymentMethodId, currency, destination, due, amount, paymentLink }) => {
    const left = due ?? amount
    if (currency == null || destination == null || destination === '' || left === undefined) return []
    return [
      { network: paymentMethodId, currency, address: destination, amount: left, link: paymentLink ?? null },
    ]
  })
}

/**
 * Adds the refunds to a finding. When refunds cannot be read, because the key lacks the permission or the
 * response is too long, the finding goes without them, so that received money is counted all the same.
 * `changes` reads refunds too, and reports this fault to the operator.
 */
async function withRefunds(
  options: BtcpayOptions,
  invoice: BtcpayInvoice,
  finding: Finding,
): Promise<Finding> {
  try {
    const pulls = await pullPayments(options)
    const paidMicros = finding.receivedMicros
    return { ...finding, refunds: await refundsOf(options, { invoice, paidMicros, pulls }) }
  } catch (error) {
    if (!(error instanceof ProcessorFault)) throw error
    return finding
  }
}

async function findingOf(options: BtcpayOptions, invoice: BtcpayInvoice): Promise<Finding> {
  const paidMicros = microsOf(invoice.paidAmount ?? '0') ?? 0n
  const isOver = invoice.status === 'Settled' || invoice.status === 'Expired'
  // While an invoice is partly paid or late, more money may be under way; when it is settled, BTCPay has
  // confirmed the payment.
  const payments =
    isOver && paidMicros > 0n
      ? (await methodsOf(options, invoice.id)).flatMap((method) => method.payments)
      : []
  const isFinal = isOver && paidMicros > 0n && (invoice.status === 'Settled' || isConfirmed(payments))
  const orderId = invoice.metadata['orderId']
  return {
    externalId: invoice.id,
    invoiceNumber: typeof orderId === 'string' ? orderId : null,
    // An invoice settled by hand without money is `waiting` too: only received money is credited.
    status: isFinal ? 'received' : invoice.status === 'Invalid' ? 'closed' : 'waiting',
    price: { currency: invoice.currency, micros: microsOf(invoice.amount) ?? 0n },
    receivedMicros: isFinal ? paidMicros : 0n,
    ...(isFinal ? { paidAt: paidAt(payments) } : {}),
    isTest: false,
    isDisputed: false,
  }
}

type Payments = Awaited<ReturnType<typeof methodsOf>>[number]['payments']

const isConfirmed = (payments: Payments): boolean =>
  payments.length > 0 && payments.every(({ status }) => status === 'Settled')

/** When the last payment was seen by the server. */
function paidAt(payments: Payments): Date | null {
  const times = payments.flatMap(({ receivedDate }) => (receivedDate === undefined ? [] : [receivedDate]))
  return times.length === 0 ? null : new Date(Math.max(...times) * 1000)
}

const pageSize = 100

/** The store's invoices with money, page by page: one that expired may have been paid in part, or late. */
async function list(options: BtcpayOptions, since: Date): Promise<ListedPayment[]> {
  const pulls = await pullPayments(options)
  const listed: ListedPayment[] = []
  for (let skip = 0; ; skip += pageSize) {
    const query = `startDate=${Math.floor(since.getTime() / 1000)}&skip=${skip}&take=${pageSize}`
    const page = await ask(to(options, 'GET', `invoices?${query}`), z.array(invoiceShape))
    for (const invoice of page) {
      const finding = await findingOf(options, invoice)
      if (finding.status !== 'received') continue
      listed.push({
        ...finding,
        order: orderIn(invoice.metadata),
        // The worth of a refund in another currency is not known; it counts as the whole payment.
        refundedMicros: refundsAmong(pulls, invoice).reduce(
          (sum, { amount, currency }) =>
            sum + (currency === invoice.currency ? (microsOf(amount) ?? 0n) : finding.receivedMicros),
          0n,
        ),
        createdAt: new Date(invoice.createdTime * 1000),
      })
    }
    if (page.length < pageSize) return listed
  }
}

/** A refund is a pull payment: a page on which the customer names the destination of the money. */
async function sendBack(
  options: BtcpayOptions,
  { name: own, externalId, price }: RefundToSend,
): Promise<RefundAccepted> {
  const name = refundName(own)
  const all = await pullPayments(options)
  let made = all.find((one) => one.name === name)
  if (made === undefined) {
    await refuseSecond(options, all, externalId, price)
    made = await makePullPayment(options, { externalId, price, name })
  }
  return { reference: made.id, claimUrl: made.viewLink, state: 'waiting' }
}

async function makePullPayment(
  options: BtcpayOptions,
  { externalId, price, name }: Pick<RefundToSend, 'externalId' | 'price'> & { name: string },
) {
  const path = invoicePath(externalId)
  const methods = await methodsOf(options, externalId)
  const paidBy = methods.find(({ payments }) => payments.length > 0)?.paymentMethodId
  if (paidBy === undefined) throw new ProcessorFault('refused', `GET ${path}: nothing was paid there`)
  const body = {
    name,
    // LNURL is a payment method for invoices; payouts use Lightning.
    payoutMethodId: paidBy.replace(/-LNURL$/, '-LN'),
    refundVariant: 'Custom',
    customAmount: usdText(price.micros, 2),
    customCurrency: price.currency,
  }
  return ask(to(options, 'POST', `${path}/refund`, body), pullPaymentShape)
}
