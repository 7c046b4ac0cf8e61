/** Stripe's Checkout sessions, refunds and idempotency as https://docs.stripe.com/api describes them. */
import { randomBytes } from 'node:crypto'
import { type FakeAnswer, FakeProcessor, type FakeRequest } from './fake.ts'
import { StripeMethods } from './stripe.saved.ts'

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
  /** Its payer agrees that the method is saved. */
  saves: boolean
  customer: string | null
  url: string | null
  locale: string
  name: string
  /** Epoch seconds. */
  created: number
}

export interface StripeRefund {
  id: string
  object: 'refund'
  status: 'succeeded' | 'failed'
  amount: number
  payment_intent: string
  metadata: Record<string, string>
}

export interface StripeDispute {
  id: string
  object: 'dispute'
  payment_intent: string
  status: string
  /** Epoch seconds; null once no evidence is taken. */
  evidence_details: { due_by: number | null; has_evidence: boolean }
}

const id = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/** Refuses what Stripe refuses: at most 50 fields with names of 40 characters and values of 500. */
function metadataOf(form: URLSearchParams): Record<string, string> {
  const fields = [...form].flatMap(([name, value]) => {
    const key = /^metadata\[(.*)\]$/.exec(name)?.[1]
    return key === undefined ? [] : [[key, value] as const]
  })
  if (fields.length > 50 || fields.some(([key, value]) => key.length > 40 || value.length > 500))
    throw new Error('the metadata is too large for Stripe')
  return Object.fromEntries(fields)
}

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
  /** The disputes of payments; those that are only in `disputed` have none in the list. */
  readonly disputes: StripeDispute[] = []
  /** Saved methods, and payments without Checkout. */
  readonly saved = new StripeMethods()
  /** By payment intent of a session: the method that was saved with it. */
  readonly #savedBy = new Map<string, string>()
  /** Most sessions of one page. */
  pageSize = 100
  readonly #byKey = new Map<string, { body: string; answer: FakeAnswer }>()

  protected answer(request: FakeRequest): FakeAnswer {
    const { method, path, query, headers } = request
    if (headers.authorization !== `Bearer ${this.secretKey}`)
      return {
        status: 401,
        body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } },
      }
    if (path === '/v1/checkout/sessions' && method === 'POST')
      return this.#once(request, (form) => ({ body: this.#create(form) }))
    if (path === '/v1/refunds' && method === 'POST')
      return this.#once(request, (form) => ({ body: this.#refund(form) }))
    if (path === '/v1/payment_intents' && method === 'POST')
      return this.#once(request, (form) => this.saved.charge(form))
    const ofSaved = this.saved.answer(request)
    if (ofSaved !== null) return ofSaved
    if (path === '/v1/checkout/sessions') return { body: this.#list(query) }
    if (path === '/v1/refunds') {
      const data = this.refunds.filter((one) => one.payment_intent === query.get('payment_intent'))
      return { body: { object: 'list', data, has_more: false } }
    }
    if (path === '/v1/disputes') {
      const data = this.disputes.filter((one) => one.payment_intent === query.get('payment_intent'))
      return { body: { object: 'list', data, has_more: false } }
    }
    const session = this.sessions.get(path.split('/').at(-1) ?? '')
    if (session === undefined) return missing
    if (query.get('expand[0]') === 'payment_intent.payment_method') return { body: this.#withMethod(session) }
    return { body: query.has('expand[0]') ? this.#expanded(session) : session }
  }

  /** The newest first, from behind `starting_after`. */
  #list(query: URLSearchParams) {
    const found = [...this.sessions.values()]
      .reverse()
      .filter(({ payment_intent: id }) => (query.get('payment_intent') ?? id) === id)
      .filter(({ status }) => (query.get('status') ?? status) === status)
      .filter(({ created }) => created >= Number(query.get('created[gte]') ?? 0))
    const start = found.findIndex(({ id: one }) => one === query.get('starting_after')) + 1
    const limit = Math.min(Number(query.get('limit') ?? 10), this.pageSize)
    const page = found.slice(start, start + limit)
    const isExpanded = query.get('expand[0]') === 'data.payment_intent.latest_charge'
    return {
      object: 'list',
      data: isExpanded ? page.map((session) => this.#expanded(session)) : page,
      has_more: start + limit < found.length,
    }
  }

  #expanded(session: StripeSession) {
    const { payment_intent: paymentId } = session
    if (paymentId === null) return session
    const charge = {
      id: `ch_${paymentId}`,
      object: 'charge',
      disputed: this.disputed.has(paymentId),
      amount_refunded: this.refunds
        .filter((refund) => refund.payment_intent === paymentId)
        .reduce((sum, { amount }) => sum + amount, 0),
    }
    return { ...session, payment_intent: { id: paymentId, object: 'payment_intent', latest_charge: charge } }
  }

  #withMethod(session: StripeSession) {
    const { payment_intent: intent } = session
    if (intent === null) return session
    const method = this.#savedBy.get(intent)
    const shown = method === undefined ? null : this.saved.shown(method)
    return { ...session, payment_intent: { id: intent, object: 'payment_intent', payment_method: shown } }
  }

  #once({ headers, body }: FakeRequest, work: (form: URLSearchParams) => FakeAnswer): FakeAnswer {
    const key = String(headers['idempotency-key'] ?? '')
    const known = this.#byKey.get(key)
    if (known !== undefined && known.body !== body)
      return {
        status: 400,
        body: { error: { type: 'idempotency_error', message: 'Keys for idempotent requests' } },
      }
    const answer = known?.answer ?? work(new URLSearchParams(body))
    this.#byKey.set(key, { body, answer })
    return answer
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
      metadata: metadataOf(form),
      payment_intent: null,
      saves: text('payment_intent_data[setup_future_usage]') === 'off_session',
      customer: null,
      url: `https://checkout.stripe.com/c/pay/${sessionId}`,
      locale: text('locale'),
      name: text('line_items[0][price_data][product_data][name]'),
      created: Math.floor(Date.now() / 1000),
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
    const payment = { status: 'complete', payment_status: 'paid', payment_intent: id('pi') } as const
    Object.assign(session, payment)
    if (!session.saves) return
    const { method, customer } = this.saved.save()
    session.customer = customer
    this.#savedBy.set(payment.payment_intent, method)
  }
}
