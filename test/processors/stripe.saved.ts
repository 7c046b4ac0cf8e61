/**
 * Stripe's saved payment methods and payments without Checkout, as
 * https://docs.stripe.com/api/payment_intents describes them.
 */
import { randomBytes } from 'node:crypto'
import type { FakeAnswer, FakeRequest } from './fake.ts'

export interface StripeIntent {
  id: string
  object: 'payment_intent'
  livemode: boolean
  status: 'succeeded' | 'requires_payment_method' | 'requires_action' | 'processing' | 'canceled'
  amount: number
  amount_received: number
  currency: string
  customer: string | null
  payment_method: string | null
  metadata: Record<string, string>
  last_payment_error: { code: string; decline_code?: string } | null
  /** Epoch seconds. */
  created: number
}

/** Makes an id in Stripe's format. */
export const id = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/** The bank's answer to a charge. */
export type StripeBank =
  | 'approve'
  | 'insufficient_funds'
  | 'expired_card'
  | 'generic_decline'
  | 'authentication_required'

export class StripeMethods {
  readonly #chargeOf: (intent: StripeIntent) => unknown
  /** Attached methods with their customers. */
  readonly methods = new Map<string, { customer: string; last4: string; fingerprint: string }>()
  /** The card that the next payers use; another card may have the same last digits. */
  card = { last4: '4242', fingerprint: 'Xt5EWLLDS7FJjR1c' }
  readonly intents = new Map<string, StripeIntent>()
  /** The bank's answers to the next charges, in order; then it approves. */
  readonly bank: StripeBank[] = []
  readonly detached: string[] = []

  constructor(chargeOf: (intent: StripeIntent) => unknown) {
    this.#chargeOf = chargeOf
  }

  /** A method, as Checkout saves it; its id and its customer. */
  save(): { method: string; customer: string } {
    const [method, customer] = [id('pm'), id('cus')]
    this.methods.set(method, { customer, ...this.card })
    return { method, customer }
  }

  shown(method: string) {
    const { last4 = '0000', fingerprint = '' } = this.methods.get(method) ?? {}
    const card = { brand: 'visa', last4, fingerprint, exp_month: 12, exp_year: 2030 }
    return { id: method, object: 'payment_method', type: 'card', card }
  }

  /** Answers a request about saved methods or payments without Checkout; null: it is about something else. */
  answer({ method, path, query }: FakeRequest): FakeAnswer | null {
    const [, , kind, one, act] = path.split('/')
    if (kind === 'payment_methods' && act === 'detach') {
      if (!this.methods.delete(one ?? '')) return missing('payment_method')
      this.detached.push(one ?? '')
      return { body: { id: one, object: 'payment_method' } }
    }
    if (kind !== 'payment_intents') return null
    if (one === undefined) return method === 'GET' ? { body: this.#list(query) } : null
    const intent = this.intents.get(one)
    if (intent === undefined) return missing('payment_intent')
    if (act === 'cancel') {
      if (intent.status === 'succeeded') return refused('payment_intent_unexpected_state', intent)
      intent.status = 'canceled'
    }
    const isExpanded = query.get('expand[0]')?.startsWith('latest_charge') === true
    return { body: isExpanded ? this.#withCharge(intent) : { ...intent } }
  }

  #withCharge(intent: StripeIntent) {
    return { ...intent, latest_charge: intent.status === 'succeeded' ? this.#chargeOf(intent) : null }
  }

  /** Charges a method off session, as a POST of a payment intent with `confirm` does. */
  charge(form: URLSearchParams): FakeAnswer {
    const text = (name: string) => form.get(name)
    const isUsual = text('confirm') === 'true' && text('off_session') === 'true'
    const method = this.methods.get(text('payment_method') ?? '')
    if (!isUsual) throw new Error('a charge that is not confirmed, or on session')
    if (method === undefined || method.customer !== text('customer')) return missing('payment_method')
    const says = this.bank.shift() ?? 'approve'
    const amount = Number(text('amount'))
    const intent: StripeIntent = {
      id: id('pi'),
      object: 'payment_intent',
      livemode: true,
      status: says === 'approve' ? 'succeeded' : 'requires_payment_method',
      amount,
      amount_received: says === 'approve' ? amount : 0,
      currency: text('currency') ?? '',
      customer: text('customer'),
      payment_method: text('payment_method'),
      metadata: metadataOf(form),
      last_payment_error: says === 'approve' ? null : errorOf(says),
      created: Math.floor(Date.now() / 1000),
    }
    this.intents.set(intent.id, intent)
    if (says === 'approve') return { body: { ...intent } }
    const { code, ...more } = errorOf(says)
    const error = { type: 'card_error', code, ...more, message: says, payment_intent: { ...intent } }
    return { status: 402, body: { error } }
  }

  /** The newest first. */
  #list(query: URLSearchParams) {
    const found = [...this.intents.values()]
      .reverse()
      .filter(({ created }) => created >= Number(query.get('created[gte]') ?? 0))
    const start = found.findIndex(({ id: one }) => one === query.get('starting_after')) + 1
    const limit = Number(query.get('limit') ?? 10)
    const isExpanded = query.get('expand[0]') === 'data.latest_charge'
    const data = found
      .slice(start, start + limit)
      .map((one) => (isExpanded ? this.#withCharge(one) : { ...one }))
    return { object: 'list', data, has_more: start + limit < found.length }
  }
}

const errorOf = (says: StripeBank) =>
  says === 'authentication_required' || says === 'expired_card'
    ? { code: says }
    : { code: 'card_declined', decline_code: says }

/** Refuses what Stripe refuses: at most 50 fields with names of 40 characters and values of 500. */
export function metadataOf(form: URLSearchParams): Record<string, string> {
  const fields = [...form].flatMap(([name, value]) => {
    const key = /^metadata\[(.*)\]$/.exec(name)?.[1]
    return key === undefined ? [] : [[key, value] as const]
  })
  if (fields.length > 50 || fields.some(([key, value]) => key.length > 40 || value.length > 500))
    throw new Error('the metadata is too large for Stripe')
  return Object.fromEntries(fields)
}

const missing = (param: string): FakeAnswer => ({
  status: 404,
  body: {
    error: { type: 'invalid_request_error', code: 'resource_missing', param, message: `No such ${param}` },
  },
})

const refused = (code: string, intent: StripeIntent): FakeAnswer => ({
  status: 400,
  body: { error: { type: 'invalid_request_error', code, message: code, payment_intent: intent } },
})
