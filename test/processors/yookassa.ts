/** YooKassa's payments and refunds as https://yookassa.ru/developers describes them. */
import { randomUUID } from 'node:crypto'
import { type FakeAnswer, FakeProcessor, type FakeRequest } from './fake.ts'

interface Amount {
  value: string
  currency: string
}

export interface YookassaPayment {
  id: string
  status: 'pending' | 'succeeded' | 'canceled'
  paid: boolean
  amount: Amount
  description: string
  metadata: Record<string, string>
  test: boolean
  refundable: boolean
  created_at: string
  refunded_amount?: Amount
  confirmation?: { type: string; confirmation_url: string }
}

export interface YookassaRefund {
  id: string
  status: 'succeeded' | 'canceled'
  payment_id: string
  amount: Amount
  description?: string
}

export class FakeYookassa extends FakeProcessor {
  readonly shopId = '424242'
  readonly secretKey = 'live_fakeSecretKeyOfYookassa'
  readonly payments = new Map<string, YookassaPayment>()
  readonly refunds = new Map<string, YookassaRefund>()
  /** Most payments of one page. */
  pageSize = 100
  readonly #byKey = new Map<string, { body: string; answer: unknown }>()

  protected answer(request: FakeRequest): FakeAnswer {
    const { method, path, query, headers } = request
    const basic = `Basic ${Buffer.from(`${this.shopId}:${this.secretKey}`).toString('base64')}`
    if (headers.authorization !== basic)
      return { status: 401, body: { type: 'error', code: 'invalid_credentials' } }
    const [, , kind, id] = path.split('/')
    if (method === 'POST')
      return this.#once(request, () => (kind === 'refunds' ? this.#refund(request) : this.#create(request)))
    if (kind === 'refunds') {
      const items = [...this.refunds.values()].filter((one) => one.payment_id === query.get('payment_id'))
      return { body: { type: 'list', items } }
    }
    if (id === undefined) return { body: this.#list(query) }
    const payment = this.payments.get(id)
    return payment === undefined
      ? { status: 404, body: { type: 'error', code: 'not_found' } }
      : { body: payment }
  }

  /** The newest first; the cursor of the next page is the id of its first payment. */
  #list(query: URLSearchParams) {
    const found = [...this.payments.values()]
      .reverse()
      .filter(({ status }) => (query.get('status') ?? status) === status)
      .filter(({ created_at: at }) => at >= (query.get('created_at.gte') ?? ''))
    const cursor = query.get('cursor')
    const start = cursor === null ? 0 : found.findIndex(({ id }) => id === cursor)
    const limit = Math.min(Number(query.get('limit') ?? 10), this.pageSize)
    const next = found[start + limit]
    return {
      type: 'list',
      items: found.slice(start, start + limit),
      ...(next === undefined ? {} : { next_cursor: next.id }),
    }
  }

  /** One operation per Idempotence-Key; the key with another body is an error. */
  #once({ headers, body }: FakeRequest, work: () => unknown): FakeAnswer {
    const key = String(headers['idempotence-key'] ?? '')
    if (key === '')
      return { status: 400, body: { type: 'error', code: 'invalid_request', parameter: 'Idempotence-Key' } }
    const known = this.#byKey.get(key)
    if (known !== undefined && known.body !== body)
      return {
        status: 400,
        body: { type: 'error', code: 'invalid_request', description: 'Idempotence key duplicated' },
      }
    const answer = known?.answer ?? work()
    this.#byKey.set(key, { body, answer })
    return { body: answer }
  }

  #create({ body }: FakeRequest): YookassaPayment {
    const { amount, description, metadata } = JSON.parse(body) as YookassaPayment
    const fields = Object.entries(metadata)
    if (fields.length > 16 || fields.some(([key, value]) => key.length > 32 || value.length > 512))
      throw new Error('the metadata is too large for YooKassa')
    const id = randomUUID()
    const payment: YookassaPayment = {
      id,
      status: 'pending',
      paid: false,
      amount,
      description,
      metadata,
      test: false,
      refundable: false,
      created_at: new Date().toISOString(),
      confirmation: {
        type: 'redirect',
        confirmation_url: `https://yoomoney.ru/checkout/payments/v2/contract?orderId=${id}`,
      },
    }
    this.payments.set(id, payment)
    return payment
  }

  #refund({ body }: FakeRequest): YookassaRefund {
    const given = JSON.parse(body) as Omit<YookassaRefund, 'id' | 'status'>
    const refund: YookassaRefund = { id: randomUUID(), status: 'succeeded', ...given }
    this.refunds.set(refund.id, refund)
    const payment = this.payments.get(refund.payment_id)
    if (payment !== undefined) payment.refunded_amount = refund.amount
    return refund
  }

  override forgetKeys(): void {
    this.#byKey.clear()
  }

  pay(id: string): void {
    const payment = this.payments.get(id)
    if (payment === undefined) throw new Error(`no payment ${id}`)
    Object.assign(payment, { status: 'succeeded', paid: true, refundable: true })
    delete payment.confirmation
  }
}
