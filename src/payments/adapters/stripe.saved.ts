/**
 * Saved payment methods at Stripe: https://docs.stripe.com/payments/save-during-payment and
 * https://docs.stripe.com/payments/without-card-authentication. Checkout makes a customer and attaches the
 * method to it; a later PaymentIntent is confirmed at once and off session.
 */
import { microsPerCent } from '#contract/price'
import type Stripe from 'stripe'
import { ProcessorFault } from '../ask.ts'
import type { Charge, ChargeOrder, DeclineReason, Finding, FoundMethod, ListedPayment } from '../method.ts'
import { orderFields, orderIn } from '../order.record.ts'
import { asked, isOfStripe } from './stripe.asked.ts'
import { chargedAt } from './stripe.money.ts'

/** Marks the payments that are made without Checkout: no session leads to them. */
const automatic = 'automatic'

/** The fields of a Checkout session whose payer has agreed that the method is saved. */
export const savingFields = {
  customer_creation: 'always',
  payment_intent_data: { setup_future_usage: 'off_session' },
} as const

export const isAutomatic = ({ metadata }: Stripe.PaymentIntent): boolean => metadata[automatic] === '1'

/** The method that was saved with the payment of a session; null: none was. */
export async function readSaved(client: Stripe, sessionId: string): Promise<FoundMethod | null> {
  const session = await asked(
    'asking for a saved method',
    client.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent.payment_method'] }),
    'null',
  )
  const intent = session?.payment_intent
  const method = typeof intent === 'object' ? intent?.payment_method : null
  const customer = typeof session?.customer === 'string' ? session.customer : session?.customer?.id
  if (typeof method !== 'object' || method === null || customer === undefined) return null
  const { id, card, type } = method
  return {
    id,
    customer,
    brand: brandOf(card?.brand ?? type),
    last4: card?.last4 ?? null,
    // The same for the same card, whichever customer it is attached to.
    fingerprint: card?.fingerprint ?? null,
    expires: card === undefined ? null : `${card.exp_year}-${String(card.exp_month).padStart(2, '0')}`,
  }
}

const brands: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  unionpay: 'UnionPay',
  jcb: 'JCB',
  link: 'Link',
}
const brandOf = (name: string) => (brands[name] ?? name).slice(0, 40)

const reasons: Readonly<Record<string, DeclineReason>> = {
  insufficient_funds: 'insufficient_funds',
  expired_card: 'card_expired',
  restricted_card: 'restricted',
  card_not_supported: 'restricted',
  transaction_not_allowed: 'restricted',
  currency_not_supported: 'restricted',
  fraudulent: 'fraud_suspected',
  stolen_card: 'fraud_suspected',
  lost_card: 'fraud_suspected',
  pickup_card: 'fraud_suspected',
  revocation_of_authorization: 'permission_revoked',
  revocation_of_all_authorizations: 'permission_revoked',
  // Stripe no longer has the method or its customer.
  resource_missing: 'permission_revoked',
}

/** https://docs.stripe.com/declines/codes */
const reasonOf = ({ code, decline_code: declined }: { code?: string; decline_code?: string }) =>
  reasons[declined ?? ''] ?? reasons[code ?? ''] ?? 'declined'

export async function chargeSaved(
  client: Stripe,
  secretKey: string,
  { invoice, saved }: ChargeOrder,
): Promise<Charge> {
  const { number, price, description, order } = invoice
  try {
    const intent = await client.paymentIntents.create(
      {
        amount: Number(price.micros / microsPerCent),
        currency: price.currency.toLowerCase(),
        ...(saved.customer === null ? {} : { customer: saved.customer }),
        payment_method: saved.id,
        confirm: true,
        off_session: true,
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        description,
        metadata: { invoice: number, [automatic]: '1', ...orderFields(order) },
      },
      { idempotencyKey: `charge-${number}` },
    )
    return chargeOf(secretKey, intent)
  } catch (error) {
    return chargeOfError(error)
  }
}

/** Converts an error of Stripe that declines the charge to a `Charge`; throws others as `ProcessorFault`. */
function chargeOfError(error: unknown): Promise<Charge> | Charge {
  if (!isOfStripe(error)) throw error
  const { type, code, statusCode = 500, payment_intent: intent } = error
  if (type === 'StripeCardError') {
    const externalId = intent?.id ?? null
    if (code === 'authentication_required' && externalId !== null)
      return { state: 'authentication', externalId }
    return { state: 'declined', externalId, reason: reasonOf(error as { code?: string }) }
  }
  // The key was used with another request, so the outcome of this one is unknown.
  if (type === 'StripeIdempotencyError') throw new ProcessorFault('unknown', `charging: ${error.message}`)
  if (code === 'resource_missing')
    return { state: 'declined', externalId: null, reason: 'permission_revoked' }
  if (statusCode === 401 || statusCode === 403)
    throw new ProcessorFault('refused', `charging: ${error.message.slice(0, 300)}`, statusCode)
  if (statusCode < 500 && statusCode !== 409 && statusCode !== 429)
    return { state: 'declined', externalId: null, reason: 'processor_refused' }
  throw new ProcessorFault('unknown', `charging: ${error.message.slice(0, 300)}`)
}

/** The state of a payment that was made without Checkout. */
export function chargeOf(secretKey: string, intent: Stripe.PaymentIntent): Charge {
  const { id: externalId, status, last_payment_error: fault } = intent
  if (status === 'succeeded')
    return { state: 'received', externalId, finding: findingOfIntent(secretKey, intent) }
  if (status === 'processing') return { state: 'pending', externalId }
  if (status === 'requires_action' || fault?.code === 'authentication_required')
    return { state: 'authentication', externalId }
  return { state: 'declined', externalId, reason: reasonOf((fault ?? {}) as { code?: string }) }
}

export function findingOfIntent(secretKey: string, intent: Stripe.PaymentIntent): Finding {
  const {
    status,
    amount,
    amount_received: received,
    currency,
    livemode,
    metadata,
    latest_charge: charge,
  } = intent
  const isPaid = status === 'succeeded'
  return {
    externalId: intent.id,
    invoiceNumber: metadata['invoice'] ?? null,
    status: isPaid ? 'received' : 'waiting',
    price: { currency: currency.toUpperCase(), micros: BigInt(amount) * microsPerCent },
    receivedMicros: isPaid ? BigInt(received) * microsPerCent : 0n,
    isTest: !livemode && !/^[sr]k_test_/.test(secretKey),
    isDisputed: typeof charge === 'object' && (charge?.disputed ?? false),
    // Such a payment is charged when it is created.
    paidAt:
      typeof charge === 'object' && charge !== null ? chargedAt(charge) : new Date(intent.created * 1000),
  }
}

/** A payment without Checkout by its id; null: there is none, or it has a session. */
export async function intentOf(client: Stripe, id: string): Promise<Stripe.PaymentIntent | null> {
  const intent = await asked(
    'asking for a payment',
    client.paymentIntents.retrieve(id, { expand: ['latest_charge.balance_transaction'] }),
    'null',
  )
  return intent !== null && isAutomatic(intent) ? intent : null
}

export async function findCharge(
  client: Stripe,
  secretKey: string,
  { number, since }: { number: string; since: Date },
): Promise<Charge | null> {
  const look = async () => {
    const listed = client.paymentIntents.list({
      created: { gte: Math.floor(since.getTime() / 1000) },
      limit: 100,
    })
    for await (const intent of listed)
      if (isAutomatic(intent) && intent.metadata['invoice'] === number) return chargeOf(secretKey, intent)
    return null
  }
  return asked('asking for the payment of an invoice', look())
}

/** Cancels a payment that waits for its payer; a payment that was completed meanwhile stays. */
export async function closeCharge(client: Stripe, secretKey: string, id: string): Promise<Charge> {
  const before = await asked('asking for a payment', client.paymentIntents.retrieve(id))
  if (['succeeded', 'canceled', 'processing'].includes(before.status)) return chargeOf(secretKey, before)
  const after = await asked('cancelling a payment', client.paymentIntents.cancel(id))
  return chargeOf(secretKey, after)
}

export async function forgetMethod(client: Stripe, id: string): Promise<void> {
  await asked('detaching a method', client.paymentMethods.detach(id), 'null')
}

/** The payments made without Checkout since then that brought money. */
export async function listCharges(client: Stripe, secretKey: string, since: Date): Promise<ListedPayment[]> {
  const all = async () => {
    const intents = client.paymentIntents.list({
      created: { gte: Math.floor(since.getTime() / 1000) },
      limit: 100,
      expand: ['data.latest_charge'],
    })
    const listed: ListedPayment[] = []
    for await (const intent of intents) {
      if (!isAutomatic(intent) || intent.status !== 'succeeded') continue
      const charge = intent.latest_charge
      listed.push({
        ...findingOfIntent(secretKey, intent),
        order: orderIn(intent.metadata),
        refundedMicros:
          BigInt(typeof charge === 'object' ? (charge?.amount_refunded ?? 0) : 0) * microsPerCent,
        createdAt: new Date(intent.created * 1000),
      })
    }
    return listed
  }
  return asked('asking for all payments', all())
}
