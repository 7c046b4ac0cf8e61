/** Stripe's Checkout sessions, refunds and idempotency as https://docs.stripe.com/api describes them. */
import { randomBytes } from 'node:crypto'
import { type FakeAnswer, FakeProcessor, type FakeRequest } from './fake.ts'

export interface StripeSession {
  id: string
  object: 'checkout.session'
  livemode: boolean
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid' | 'no_payment_required'
  amount_total: number
  currency: string
  client_reference_id: string
  metadata: Record<string, string>
  payment_intent: string | null
  url: string | null
  locale: string
  name: string
}

export interface StripeRefund {
  id: string
  object: 'refund'
  status: 'succeeded' | 'failed'
  amount: number
  payment_intent: string
  metadata: Record<string, string>
}

const id = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`
const missing: FakeAnswer = {
  status: 404,
  body: {
    error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such checkout session' },
  },
}

export class FakeStripe extends FakeProcessor {
  readonly secretKey = 'sk_live_fakeSecretKeyOfStripe'
  readonly webhookSecret = 'whsec_fakeWebhookSecretOfStripe'
  readonly sessions = new Map<string, StripeSession>()
  readonly refunds: StripeRefund[] = []
  /** Payment intents with a disputed charge. */
  readonly disputed = new Set<string>()
  readonly #byKey = new Map<string, { body: string; answer: unknown }>()

  protected answer(request: FakeRequest): FakeAnswer {
    const { method, path, query, headers } = request
    if (headers.authorization !== `Bearer ${this.secretKey}`)
      return {
        status: 401,
        body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } },
      }
    if (path === '/v1/checkout/sessions' && method === 'POST')
      return this.#once(request, (form) => this.#create(form))
    if (path === '/v1/refunds' && method === 'POST') return this.#once(request, (form) => this.#refund(form))
    if (path === '/v1/checkout/sessions') {
      const data = [...this.sessions.values()].filter(
        (one) => one.payment_intent === query.get('payment_intent'),
      )
      return { body: { object: 'list', data, has_more: false } }
    }
    if (path === '/v1/refunds') {
      const data = this.refunds.filter((one) => one.payment_intent === query.get('payment_intent'))
      return { body: { object: 'list', data, has_more: false } }
    }
    const session = this.sessions.get(path.split('/').at(-1) ?? '')
    if (session === undefined) return missing
    return { body: query.has('expand[0]') ? this.#expanded(session) : session }
  }

  #expanded(session: StripeSession) {
    const { payment_intent: paymentId } = session
    if (paymentId === null) return session
    const charge = { id: `ch_${paymentId}`, object: 'charge', disputed: this.disputed.has(paymentId) }
    return { ...session, payment_intent: { id: paymentId, object: 'payment_intent', latest_charge: charge } }
  }

  #once({ headers, body }: FakeRequest, work: (form: URLSearchParams) => unknown): FakeAnswer {
    const key = String(headers['idempotency-key'] ?? '')
    const known = this.#byKey.get(key)
    if (known !== undefined && known.body !== body)
      return {
        status: 400,
        body: { error: { type: 'idempotency_error', message: 'Keys for idempotent requests' } },
      }
    const answer = known?.answer ?? work(new URLSearchParams(body))
    this.#byKey.set(key, { body, answer })
    return { body: answer }
  }

  #create(form: URLSearchParams): StripeSession {
    const text = (name: string) => form.get(name) ?? ''
    const sessionId = id('cs_live')
    const session: StripeSession = {
      id: sessionId,
      object: 'checkout.session',
      livemode: true,
      status: 'open',
      payment_status: 'unpaid',
      amount_total: Number(text('line_items[0][price_data][unit_amount]')),
      currency: text('line_items[0][price_data][currency]'),
      client_reference_id: text('client_reference_id'),
      metadata: { invoice: text('metadata[invoice]') },
      payment_intent: null,
      url: `https://checkout.stripe.com/c/pay/${sessionId}`,
      locale: text('locale'),
      name: text('line_items[0][price_data][product_data][name]'),
    }
    this.sessions.set(sessionId, session)
    return session
  }

  #refund(form: URLSearchParams): StripeRefund {
    const refund: StripeRefund = {
      id: id('re'),
      object: 'refund',
      status: 'succeeded',
      amount: Number(form.get('amount')),
      payment_intent: form.get('payment_intent') ?? '',
      metadata: { invoice: form.get('metadata[invoice]') ?? '' },
    }
    this.refunds.push(refund)
    return refund
  }

  override forgetKeys(): void {
    this.#byKey.clear()
  }

  pay(sessionId: string): void {
    const session = this.sessions.get(sessionId)
    if (session === undefined) throw new Error(`no session ${sessionId}`)
    Object.assign(session, { status: 'complete', payment_status: 'paid', payment_intent: id('pi') })
  }
}
