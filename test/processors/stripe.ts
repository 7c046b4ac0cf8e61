/**
 * Stripe's Checkout sessions, refunds and idempotency as https://docs.stripe.com/api describes them:
 * - currencies#minimum-and-maximum-charge-amounts: $0.50 of USD; less is `amount_too_small`.
 * - checkout/sessions/create: `expires_at` "can be anywhere from 30 minutes to 24 hours after Checkout Session
 *   creation".
 * - idempotent_requests: "If incoming parameters fail validation … no idempotent result is saved".
 * - charges/object: `created`, "Time at which the object was created. Measured in seconds since the Unix epoch."
 */
import { type FakeAnswer, FakeProcessor, type FakeRequest } from './fake.ts'
import { id, metadataOf, StripeMethods } from './stripe.saved.ts'

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
  /** Whether the payer agrees that the method is saved. */
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
  status: 'pending' | 'succeeded' | 'failed' | 'canceled'
  amount: number
  currency: string
  payment_intent: string
  metadata: Record<string, string>
  /** Epoch seconds. */
  created: number
  balance_transaction: StripeBalance | null
}

/** Sums are in the account's currency; an amount that Stripe took is negative. */
export interface StripeBalance {
  id: string
  object: 'balance_transaction'
  amount: number
  fee: number
  currency: string
}

export interface StripeDispute {
  id: string
  object: 'dispute'
  payment_intent: string
  status: string
  amount: number
  currency: string
  /** Epoch seconds. */
  created: number
  /** One transaction when the money is withdrawn, another when it is given back. */
  balance_transactions: StripeBalance[]
  /** Epoch seconds; null once no evidence is taken. */
  evidence_details: { due_by: number | null; has_evidence: boolean }
}

const balance = (amount: number, fee: number, currency: string): StripeBalance => ({
  id: id('txn'),
  object: 'balance_transaction',
  amount,
  fee,
  currency,
})

const invalid = (error: { code?: string; param?: string; message: string }): FakeAnswer => ({
  status: 400,
  body: { error: { type: 'invalid_request_error', ...error } },
})

const missing: FakeAnswer = {
  status: 404,
  body: {
    error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such checkout session' },
  },
}

/** 2.9 % and 30 cents. */
const feeOf = (cents: number) => Math.round(cents * 0.029) + 30

export class FakeStripe extends FakeProcessor {
  readonly secretKey = 'sk_live_fakeSecretKeyOfStripe'
  readonly webhookSecret = 'whsec_fakeWebhookSecretOfStripe'
  readonly sessions = new Map<string, StripeSession>()
  readonly refunds: StripeRefund[] = []
  /** The status of refunds that are asked for: https://docs.stripe.com/refunds#refund-statuses. */
  refundStatus: StripeRefund['status'] = 'succeeded'
  /** Payment intents with a disputed charge. */
  readonly disputed = new Set<string>()
  /** The disputes of payments; those that are only in `disputed` have none in the list. */
  readonly disputes: StripeDispute[] = []
  /** Cents that Stripe keeps of a charge, by its payment; null: it has not booked the charge. */
  readonly fees = new Map<string, number | null>()
  /** Its clock; tests that move the shop's clock move it too. */
  now = () => Date.now()
  /** When a payment was charged, in epoch seconds. */
  readonly chargedAt = new Map<string, number>()
  /** Saved methods, and payments without Checkout. */
  readonly saved: StripeMethods = new StripeMethods((intent) => this.#chargeOf(intent.id, intent))
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
      return this.#once(request, (form) => {
        // https://docs.stripe.com/payments/checkout/receipts#paid-invoices
        const isWithout = form.get('customer') === null && form.get('customer_creation') !== 'always'
        if (form.get('invoice_creation[enabled]') === 'true' && isWithout)
          return invalid({ message: 'No customer' })
        const cents = Number(form.get('line_items[0][price_data][unit_amount]'))
        if (form.get('line_items[0][price_data][currency]') === 'usd' && cents < 50)
          return invalid({ code: 'amount_too_small', message: 'The total must be at least $0.50 usd' })
        const openMs = Number(form.get('expires_at')) * 1000 - this.now()
        if (openMs < 30 * 60_000 || openMs > 24 * 3_600_000)
          return invalid({
            param: 'expires_at',
            message: 'The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from now',
          })
        return { body: this.#create(form) }
      })
    if (path === '/v1/refunds' && method === 'POST') return this.#refundOnce(request)
    if (path === '/v1/payment_intents' && method === 'POST')
      return this.#once(request, (form) => {
        const answer = this.saved.charge(form)
        for (const { id: one, amount } of this.saved.intents.values())
          if (!this.fees.has(one)) this.fees.set(one, feeOf(amount))
        return answer
      })
    const ofSaved = this.saved.answer(request)
    if (ofSaved !== null) return ofSaved
    if (path === '/v1/checkout/sessions') return { body: this.#list(query) }
    if (path === '/v1/refunds') return { body: this.#listed(this.refunds, query) }
    // https://docs.stripe.com/api/refunds/retrieve
    const asked = /^\/v1\/refunds\/(\w+)$/.exec(path)?.[1]
    if (asked !== undefined) {
      const refund = this.refunds.find(({ id: one }) => one === asked)
      return refund === undefined ? missing : { body: refund }
    }
    if (path === '/v1/disputes') return { body: this.#listed(this.disputes, query) }
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

  /** Refunds or disputes, of one payment or since a time, the newest first. */
  #listed(all: readonly (StripeRefund | StripeDispute)[], query: URLSearchParams) {
    const found = all
      .toReversed()
      .filter((one) => (query.get('payment_intent') ?? one.payment_intent) === one.payment_intent)
      .filter(({ created }) => created >= Number(query.get('created[gte]') ?? 0))
    const start = found.findIndex(({ id: one }) => one === query.get('starting_after')) + 1
    const limit = Math.min(Number(query.get('limit') ?? 10), this.pageSize)
    const isExpanded = query.get('expand[0]') === 'data.balance_transaction'
    const data = found
      .slice(start, start + limit)
      .map((one) =>
        'balance_transaction' in one && !isExpanded
          ? { ...one, balance_transaction: one.balance_transaction?.id ?? null }
          : one,
      )
    return { object: 'list', data, has_more: start + limit < found.length }
  }

  #expanded(session: StripeSession) {
    const { payment_intent: paymentId } = session
    if (paymentId === null) return session
    const { amount_total: amount, currency } = session
    const charge = this.#chargeOf(paymentId, { amount, currency })
    return { ...session, payment_intent: { id: paymentId, object: 'payment_intent', latest_charge: charge } }
  }

  #chargeOf(paymentId: string, { amount, currency }: { amount: number; currency: string }) {
    const fee = this.fees.get(paymentId) ?? null
    return {
      id: `ch_${paymentId}`,
      object: 'charge',
      created: this.chargedAt.get(paymentId) ?? this.saved.intents.get(paymentId)?.created ?? 0,
      payment_intent: paymentId,
      disputed: this.disputed.has(paymentId),
      amount_refunded: this.refunds
        .filter(
          ({ payment_intent: of, status }) =>
            of === paymentId && status !== 'failed' && status !== 'canceled',
        )
        .reduce((sum, { amount }) => sum + amount, 0),
      balance_transaction: fee === null ? null : balance(amount, fee, currency),
    }
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
    if (answer.status !== 400) this.#byKey.set(key, { body, answer })
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

  /** Stripe refuses more than is left of a payment, and any refund of one that is disputed. */
  #refundOnce(request: FakeRequest): FakeAnswer {
    const form = new URLSearchParams(request.body)
    const payment = form.get('payment_intent') ?? ''
    const isKnown = this.#byKey.has(String(request.headers['idempotency-key'] ?? ''))
    const isDisputed = this.disputes.some(({ payment_intent: of }) => of === payment)
    if (!isKnown && (isDisputed || Number(form.get('amount')) > this.leftOf(payment)))
      return {
        status: 400,
        body: {
          error: {
            type: 'invalid_request_error',
            code: isDisputed ? 'charge_disputed' : 'charge_already_refunded',
            message: 'The refund is refused',
          },
        },
      }
    return this.#once(request, (one) => ({ body: this.#refund(one) }))
  }

  /** Cents of a payment that were not returned. */
  leftOf(payment: string): number {
    const session = [...this.sessions.values()].find(({ payment_intent: of }) => of === payment)
    return this.refunds
      .filter(
        ({ payment_intent: of, status }) => of === payment && status !== 'failed' && status !== 'canceled',
      )
      .reduce(
        (sum, { amount }) => sum - amount,
        session?.amount_total ?? this.saved.intents.get(payment)?.amount_received ?? 0,
      )
  }

  #refund(form: URLSearchParams): StripeRefund {
    const refund: StripeRefund = {
      id: id('re'),
      object: 'refund',
      status: this.refundStatus,
      amount: Number(form.get('amount')),
      currency: 'usd',
      payment_intent: form.get('payment_intent') ?? '',
      metadata: {
        invoice: form.get('metadata[invoice]') ?? '',
        refund: form.get('metadata[refund]') ?? '',
      },
      created: Math.floor(Date.now() / 1000),
      balance_transaction: balance(-Number(form.get('amount')), 0, 'usd'),
    }
    this.refunds.push(refund)
    return refund
  }

  /** A member of staff returns money in Stripe's dashboard, in full without an amount. */
  refundInDashboard(
    sessionId: string,
    { amount, status = 'succeeded' }: { amount?: number; status?: StripeRefund['status'] } = {},
  ): StripeRefund {
    const session = this.#paid(sessionId)
    const cents = amount ?? session.amount_total
    const refund: StripeRefund = {
      id: id('re'),
      object: 'refund',
      status,
      amount: cents,
      currency: session.currency,
      payment_intent: session.payment_intent ?? '',
      metadata: {},
      created: Math.floor(Date.now() / 1000),
      balance_transaction: balance(-cents, 0, session.currency),
    }
    this.refunds.push(refund)
    return refund
  }

  /** The payer disputes a payment; Stripe withdraws the money and a fee of 15 at once. */
  dispute(sessionId: string, { dueBy = 0, amount }: { dueBy?: number; amount?: number } = {}): StripeDispute {
    const session = this.#paid(sessionId)
    const cents = amount ?? session.amount_total
    const created = Math.floor(Date.now() / 1000)
    const dispute: StripeDispute = {
      id: id('dp'),
      object: 'dispute',
      payment_intent: session.payment_intent ?? '',
      status: 'needs_response',
      amount: cents,
      currency: session.currency,
      created,
      balance_transactions: [balance(-cents, 1500, session.currency)],
      evidence_details: { due_by: dueBy === 0 ? created + 7 * 86_400 : dueBy, has_evidence: false },
    }
    this.disputed.add(dispute.payment_intent)
    this.disputes.push(dispute)
    return dispute
  }

  /** The bank decides; a dispute that is won gives the money and the fee back. */
  closeDispute(dispute: StripeDispute, status: 'won' | 'lost'): void {
    dispute.status = status
    dispute.evidence_details.due_by = null
    if (status === 'won') dispute.balance_transactions.push(balance(dispute.amount, -1500, dispute.currency))
  }

  /** A payment by Checkout, or without it by the id of the payment itself. */
  #paid(sessionId: string): Pick<StripeSession, 'payment_intent' | 'amount_total' | 'currency'> {
    const intent = this.saved.intents.get(sessionId)
    if (intent?.status === 'succeeded')
      return { payment_intent: intent.id, amount_total: intent.amount_received, currency: intent.currency }
    const session = this.sessions.get(sessionId)
    if (session?.payment_intent === null || session === undefined)
      throw new Error(`nothing was paid in ${sessionId}`)
    return session
  }

  override forgetKeys(): void {
    this.#byKey.clear()
  }

  pay(sessionId: string, at = new Date()): void {
    const session = this.sessions.get(sessionId)
    if (session === undefined) throw new Error(`no session ${sessionId}`)
    const payment = { status: 'complete', payment_status: 'paid', payment_intent: id('pi') } as const
    Object.assign(session, payment)
    this.fees.set(payment.payment_intent, feeOf(session.amount_total))
    this.chargedAt.set(payment.payment_intent, Math.floor(at.getTime() / 1000))
    if (!session.saves) return
    const { method, customer } = this.saved.save()
    session.customer = customer
    this.#savedBy.set(payment.payment_intent, method)
  }
}
