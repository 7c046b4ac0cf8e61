/**
 * Stripe Checkout with the official client, https://docs.stripe.com/payments/checkout: cards in USD. Requests
 * that create or refund carry idempotency keys, and Stripe's client retries them under the same key when
 * there is no response. The client's own verification of signatures accepts times in the future, so
 * signatures are verified here.
 */
import { microsPerCent } from '#contract/price'
import type Stripe from 'stripe'
import * as z from 'zod'
import { jsonOf } from '#lib/fetch-text'
import { portOf } from '#lib/url'
import { ProcessorFault } from '../ask.ts'
import type {
  Finding,
  InvoiceToPay,
  ListedPayment,
  PaymentMethod,
  RawWebhook,
  Reading,
  RefundAccepted,
  RefundState,
  RefundToSend,
} from '../method.ts'
import { orderFields, orderIn } from '../order.record.ts'
import { forged, headerOf, isSignedWith, isTimely } from '../signature.ts'
import { keyWithout } from '../wishes.ts'
import { asked, isOfStripe } from './stripe.asked.ts'
import { changes, chargedAt, chargeOf, moneyOf, refundState } from './stripe.money.ts'
import {
  chargeSaved,
  closeCharge,
  findCharge,
  findingOfIntent,
  forgetMethod,
  intentOf,
  listCharges,
  readSaved,
  savingFields,
} from './stripe.saved.ts'

export interface StripeOptions {
  secretKey: string
  webhookSecret: string
  apiBase: URL
  publicUrl: URL
  timeoutMs: number
  /**
   * Stripe makes an invoice of its own for the payer:
   * https://docs.stripe.com/payments/checkout/receipts#paid-invoices.
   */
  makesInvoices?: boolean
}

const maxAgeMs = 5 * 60_000

/** Checkout session events contain the session; refunds and disputes name the payment they belong to. */
const eventShape = z.object({
  type: z.string(),
  data: z.object({
    object: z.object({ id: z.string(), object: z.string(), payment_intent: z.string().nullish() }),
  }),
})

export function stripeMethod(options: StripeOptions): PaymentMethod {
  let client: Promise<Stripe> | undefined
  // Loaded on first use: the module is large, and most processes never take a payment.
  const stripe = () => (client ??= connect(options))
  return {
    name: 'card',
    description: {
      ru: '<p>Банковской картой, Apple Pay или Google Pay, в долларах США.</p>',
      en: '<p>By bank card, Apple Pay or Google Pay, in US dollars.</p>',
    },
    currency: 'USD',
    // https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts: $0.50 of the US dollar.
    leastMicros: 500_000n,
    wishes: ['save_method', ...(options.makesInvoices === true ? (['invoice'] as const) : [])],
    reportsFees: true,
    create: async (invoice) => create(await stripe(), options, invoice),
    prove: (webhook, now) => prove(options, webhook, now),
    read,
    check: async () => {
      const sessions = (await stripe()).checkout.sessions
      await asked('a test call', sessions.list({ limit: 1 }, { maxNetworkRetries: 0 }))
    },
    look: async (externalId) => look(await stripe(), options, externalId),
    list: async (since) => list(await stripe(), options, since),
    changes: async (since) => changes(await stripe(), since),
    refund: async (refund) => sendBack(await stripe(), refund),
    findRefund: async (reference) => findRefund(await stripe(), reference),
    saved: {
      read: async (externalId) => readSaved(await stripe(), externalId),
      charge: async (order) => chargeSaved(await stripe(), options.secretKey, order),
      find: async (number, since) => findCharge(await stripe(), options.secretKey, { number, since }),
      close: async (externalId) => closeCharge(await stripe(), options.secretKey, externalId),
      forget: async ({ id }) => forgetMethod(await stripe(), id),
    },
  }
}

async function connect({ apiBase, timeoutMs, secretKey }: StripeOptions): Promise<Stripe> {
  const { default: Client } = await import('stripe')
  return new Client(secretKey, {
    host: apiBase.hostname,
    port: portOf(apiBase),
    protocol: apiBase.protocol === 'https:' ? 'https' : 'http',
    telemetry: false,
    maxNetworkRetries: 2,
    timeout: timeoutMs,
  })
}

/**
 * Stripe requires a session to stay open for at least 30 minutes and at most a day; one minute more allows
 * for clock differences.
 */
const leastOpenMs = 31 * 60_000
const slotMs = 30 * 60_000

/** https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-expires_at */
const isTooLate = (error: unknown) => isOfStripe(error) && error.param === 'expires_at'

/**
 * Makes the session of an invoice. When an order is repeated in the last half hour of its invoice and Stripe
 * has no session yet, the session has to stay open longer than the invoice; a late payment is counted too.
 * Repetitions within the same half hour share one key, so they make one session.
 */
async function create(client: Stripe, options: StripeOptions, invoice: InvoiceToPay) {
  const key = keyWithout(`invoice-${invoice.number}`, invoice)
  const session = await asked(
    'making a session',
    makeSession(client, options, invoice, { expiresAt: invoice.expiresAt, key }).catch((error: unknown) => {
      if (!isTooLate(error)) throw error
      const slots = Math.ceil((Date.now() + leastOpenMs - invoice.expiresAt.getTime()) / slotMs)
      const expiresAt = new Date(invoice.expiresAt.getTime() + slots * slotMs)
      return makeSession(client, options, invoice, { expiresAt, key: `${key}-${slots}` })
    }),
  )
  if (session.url === null) throw new ProcessorFault('refused', 'making a session: no page to pay on')
  return { externalId: session.id, paymentUrl: session.url }
}

function makeSession(
  client: Stripe,
  options: StripeOptions,
  invoice: InvoiceToPay,
  { expiresAt, key }: { expiresAt: Date; key: string },
) {
  const { publicUrl } = options
  const makesInvoices = options.makesInvoices === true && !invoice.without.includes('invoice')
  const { number, price, description, language, order, savesMethod } = invoice
  const backUrl = new URL(`/account?invoice=${number}`, publicUrl).href
  return client.checkout.sessions.create(
    {
      mode: 'payment',
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: price.currency.toLowerCase(),
            unit_amount: Number(price.micros / microsPerCent),
            product_data: { name: description },
          },
        },
      ],
      success_url: backUrl,
      cancel_url: backUrl,
      client_reference_id: number,
      metadata: { invoice: number, ...orderFields(order) },
      // An invoice of Stripe needs a customer as well.
      ...(savesMethod || makesInvoices ? { customer_creation: savingFields.customer_creation } : {}),
      payment_intent_data: {
        ...(savesMethod ? savingFields.payment_intent_data : {}),
        metadata: { invoice: number },
      },
      locale: language,
      expires_at: Math.floor(expiresAt.getTime() / 1000),
      // The buyer pays in the currency of the invoice, without conversion by Stripe.
      adaptive_pricing: { enabled: false },
      ...(makesInvoices
        ? {
            invoice_creation: {
              enabled: true,
              invoice_data: { description, metadata: { invoice: number } },
            },
          }
        : {}),
    },
    { idempotencyKey: key },
  )
}

function prove({ webhookSecret }: StripeOptions, webhook: RawWebhook, now: Date): void {
  const parts = headerOf(webhook, 'stripe-signature')
    .split(',')
    .map((part) => part.trim())
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  if (!/^\d{1,12}$/.test(time)) throw forged()
  // While the operator rotates the secret at Stripe, the header contains several signatures; one of them has
  // to match.
  const isGenuine = parts
    .filter((part) => part.startsWith('v1='))
    .some((part) => isSignedWith(webhookSecret, [`${time}.`, webhook.body], part.slice(3)))
  if (!isGenuine || !isTimely(new Date(Number(time) * 1000), now, maxAgeMs)) throw forged()
}

function read(webhook: RawWebhook): Reading {
  const event = eventShape.safeParse(jsonOf(webhook.body.toString('utf8')))
  if (!event.success) return { kind: 'nothing', verdict: 'ignored' }
  const { id, object, payment_intent: payment } = event.data.data.object
  if (object === 'checkout.session') return { kind: 'hint', externalId: id }
  // This reports payments without Checkout; payments with Checkout are reported by their session.
  if (event.data.type === 'payment_intent.succeeded') return { kind: 'hint', externalId: id }
  if (['dispute', 'charge', 'refund'].includes(object) && typeof payment === 'string')
    return { kind: 'hint', externalId: payment }
  return { kind: 'nothing', verdict: 'ignored' }
}

async function look(client: Stripe, options: StripeOptions, id: string): Promise<Finding | null> {
  const sessionId = id.startsWith('pi_') ? await sessionOf(client, id) : id
  if (sessionId === null) {
    const intent = await intentOf(client, id)
    if (intent === null) return null
    const finding = findingOfIntent(options.secretKey, intent)
    const { latest_charge: charge } = intent
    return typeof charge === 'object' && charge !== null ? moneyOf(client, finding, charge, true) : finding
  }
  const session = await asked(
    'asking for a session',
    client.checkout.sessions.retrieve(sessionId, {
      expand: ['payment_intent.latest_charge.balance_transaction'],
    }),
    'null',
  )
  if (session === null) return null
  const finding = findingOf(options, session)
  const charge = chargeOf(session)
  return charge === null ? finding : moneyOf(client, finding, charge, id.startsWith('pi_'))
}

function findingOf({ secretKey }: StripeOptions, session: Stripe.Checkout.Session): Finding {
  const amountMicros = BigInt(session.amount_total ?? 0) * microsPerCent
  const isPaid = session.payment_status === 'paid'
  return {
    externalId: session.id,
    invoiceNumber: session.metadata?.['invoice'] ?? null,
    status: isPaid ? 'received' : 'waiting',
    price: { currency: (session.currency ?? '').toUpperCase(), micros: amountMicros },
    receivedMicros: isPaid ? amountMicros : 0n,
    isTest: !session.livemode && !/^[sr]k_test_/.test(secretKey),
    isDisputed: chargeOf(session)?.disputed ?? false,
    paidAt: chargedAt(chargeOf(session)),
  }
}

/** Stripe's client paginates by itself, 100 sessions a page. */
async function list(client: Stripe, options: StripeOptions, since: Date): Promise<ListedPayment[]> {
  const all = async () => {
    const sessions = client.checkout.sessions.list({
      created: { gte: Math.floor(since.getTime() / 1000) },
      status: 'complete',
      limit: 100,
      expand: ['data.payment_intent.latest_charge'],
    })
    const listed: ListedPayment[] = []
    for await (const session of sessions) {
      if (session.payment_status !== 'paid') continue
      listed.push({
        ...findingOf(options, session),
        order: orderIn(session.metadata ?? {}),
        refundedMicros: BigInt(chargeOf(session)?.amount_refunded ?? 0) * microsPerCent,
        createdAt: new Date(session.created * 1000),
      })
    }
    return listed
  }
  const sessions = await asked('asking for all sessions', all())
  return [...sessions, ...(await listCharges(client, options.secretKey, since))]
}

async function sessionOf(client: Stripe, paymentIntent: string): Promise<string | null> {
  const sessions = await asked(
    'asking for the session of a payment',
    client.checkout.sessions.list({ payment_intent: paymentIntent, limit: 1 }),
  )
  return sessions.data[0]?.id ?? null
}

async function paymentOf(client: Stripe, sessionId: string): Promise<string | undefined> {
  const session = await asked('asking for a session', client.checkout.sessions.retrieve(sessionId))
  const payment = session.payment_intent
  return typeof payment === 'string' ? payment : payment?.id
}

async function sendBack(
  client: Stripe,
  { name, number, externalId, price }: RefundToSend,
): Promise<RefundAccepted> {
  const paymentId = externalId.startsWith('pi_') ? externalId : await paymentOf(client, externalId)
  if (paymentId === undefined) throw new ProcessorFault('refused', 'refunding: nothing was paid there')
  // Stripe discards keys after a day; refunds remain.
  const made = await asked(
    'asking for refunds',
    client.refunds.list({ payment_intent: paymentId, limit: 100 }),
  )
  const refund =
    made.data.find(({ metadata }) => metadata?.['refund'] === name) ??
    (await asked(
      'refunding',
      client.refunds.create(
        {
          payment_intent: paymentId,
          amount: Number(price.micros / microsPerCent),
          metadata: { invoice: number, refund: name },
        },
        { idempotencyKey: name },
      ),
    ))
  const state = refundState(refund.status)
  if (state === 'failed')
    throw new ProcessorFault('refused', `refunding: ${refund.failure_reason ?? 'Stripe did not send it'}`)
  return { reference: refund.id, claimUrl: null, state }
}

/** https://docs.stripe.com/api/refunds/retrieve */
async function findRefund(client: Stripe, reference: string): Promise<RefundState | null> {
  if (!/^\w{1,64}$/.test(reference)) return null
  const refund = await asked('asking for a refund', client.refunds.retrieve(reference), 'null')
  return refund === null ? null : refundState(refund.status)
}
