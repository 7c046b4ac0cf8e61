/**
 * YooKassa's payments and refunds as https://yookassa.ru/developers describes them:
 * - «Чтобы использовать автоплатежи, … согласовать подключение с менеджером ЮKassa»
 *   (payment-acceptance/scenario-extensions/recurring-payments/basics): without it a payment with
 *   `save_payment_method` or `payment_method_id` is refused as a whole, with 403 `forbidden`: "This store can't
 *   make recurring payments. Contact the YooMoney manager to learn more".
 * - `captured_at`: «Время подтверждения платежа. Указывается по UTC», only of a payment that succeeded
 *   (api#payment_object); with it the registry of payments and the receipt go.
 * - «Лимиты: минимальный размер платежа — 1 рубль»
 *   (payment-acceptance/integration-scenarios/manual-integration/other/sbp, and the same of cards).
 * - `receipt.customer.email`: an address that mail can be sent to; here in ASCII alone.
 * - 403 `forbidden`: «Секретный ключ или OAuth-токен верный, но не хватает прав для совершения операции»
 *   (using-api/response-handling/http-codes).
 */
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
  recipient: { account_id: string; gateway_id: string }
  test: boolean
  refundable: boolean
  created_at: string
  captured_at?: string
  refunded_amount?: Amount
  income_amount?: Amount
  confirmation?: { type: string; confirmation_url: string }
  receipt_registration?: 'pending' | 'succeeded' | 'canceled'
  payment_method?: YookassaMethod
  cancellation_details?: { party: string; reason: string }
}

export interface YookassaMethod {
  id: string
  type: 'bank_card'
  saved: boolean
  title: string
  card: { last4: string; card_type: string; expiry_month: string; expiry_year: string }
}

export interface YookassaRefund {
  id: string
  status: 'pending' | 'succeeded' | 'canceled'
  payment_id: string
  amount: Amount
  created_at: string
  description?: string
  receipt_registration?: 'pending' | 'succeeded' | 'canceled'
}

interface ReceiptItem {
  description: string
  quantity: number
  amount: Amount
  vat_code: number
  payment_subject?: string
  payment_mode?: string
  measure?: string
}

interface ReceiptData {
  customer?: { email?: string }
  items?: ReceiptItem[]
}

export interface YookassaReceipt extends ReceiptData {
  id: string
  type: 'payment' | 'refund'
  payment_id?: string
  refund_id?: string
  status: 'pending' | 'succeeded' | 'canceled'
  settlements: { type: string; amount: Amount }[]
  fiscal_document_number?: string
  fiscal_storage_number?: string
  fiscal_attribute?: string
  fiscal_provider_id?: string
  registered_at?: string
}

class BadRequest extends Error {
  readonly parameter: string
  constructor(message: string, parameter = 'receipt') {
    super(message)
    this.parameter = parameter
  }
}
class Forbidden extends Error {}

/** An error as the processor answers it (using-api/response-handling/response-format#error). */
const mistake = (code: string, details: { parameter?: string; description?: string } = {}) => ({
  type: 'error',
  id: randomUUID(),
  code,
  ...details,
})

export class FakeYookassa extends FakeProcessor {
  readonly shopId = '424242'
  readonly secretKey = 'live_fakeSecretKeyOfYookassa'
  readonly payments = new Map<string, YookassaPayment>()
  readonly refunds = new Map<string, YookassaRefund>()
  /** The status of refunds that are asked for. No event reports one that is `canceled`. */
  refundStatus: YookassaRefund['status'] = 'succeeded'
  readonly receipts = new Map<string, YookassaReceipt>()
  /** The saved methods. */
  readonly methods = new Map<string, YookassaMethod>()
  /**
   * Why the next charges of saved methods are declined, in order (`approve`: they are not); then all are
   * approved.
   */
  readonly bank: string[] = []
  /** The shop's payers who agreed that the method is saved, by payment. */
  readonly #saving = new Set<string>()
  /** The manager at YooKassa has allowed recurring payments to the shop. */
  isRecurring = true
  /** The shop has receipts on: a payment without a valid one is refused. */
  fiscalises = false
  /** The shop has no till at YooKassa: a payment with a receipt is refused. */
  hasNoTill = false
  /** Most payments of one page. */
  pageSize = 100
  /** The receipts that came with payments. */
  readonly #given = new Map<string, ReceiptData>()
  #documents = 0
  readonly #byKey = new Map<string, { body: string; answer: unknown }>()

  protected answer(request: FakeRequest): FakeAnswer {
    const { method, path, query, headers } = request
    const basic = `Basic ${Buffer.from(`${this.shopId}:${this.secretKey}`).toString('base64')}`
    if (headers.authorization !== basic) return { status: 401, body: mistake('invalid_credentials') }
    const [, , kind, id] = path.split('/')
    if (method === 'POST')
      return this.#once(request, () =>
        kind === 'refunds'
          ? this.#refund(request)
          : kind === 'receipts'
            ? this.#close(request)
            : this.#create(request),
      )
    if (kind === 'receipts') {
      const items = [...this.receipts.values()].filter(
        (one) =>
          one.payment_id === (query.get('payment_id') ?? undefined) &&
          one.refund_id === (query.get('refund_id') ?? undefined),
      )
      return { body: { type: 'list', items } }
    }
    // https://yookassa.ru/developers/api#get_refund
    if (kind === 'refunds' && id !== undefined) {
      const refund = this.refunds.get(id)
      return refund === undefined ? { status: 404, body: mistake('not_found') } : { body: refund }
    }
    if (kind === 'refunds')
      return {
        body: this.#page(
          [...this.refunds.values()].filter(
            (one) => (query.get('payment_id') ?? one.payment_id) === one.payment_id,
          ),
          query,
        ),
      }
    if (id === undefined) return { body: this.#list(query) }
    const payment = this.payments.get(id)
    return payment === undefined ? { status: 404, body: mistake('not_found') } : { body: payment }
  }

  /** The newest first; the cursor of the next page is the id of its first payment. */
  #list(query: URLSearchParams) {
    return this.#page([...this.payments.values()], query)
  }

  #page(all: readonly (YookassaPayment | YookassaRefund)[], query: URLSearchParams) {
    const found = all
      .toReversed()
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
    if (key === '') return { status: 400, body: mistake('invalid_request', { parameter: 'Idempotence-Key' }) }
    const known = this.#byKey.get(key)
    if (known !== undefined && known.body !== body)
      return {
        status: 400,
        body: mistake('invalid_request', { description: 'Idempotence key duplicated' }),
      }
    try {
      const answer = known?.answer ?? work()
      this.#byKey.set(key, { body, answer })
      return { body: answer }
    } catch (error) {
      if (error instanceof Forbidden)
        return { status: 403, body: mistake('forbidden', { description: error.message }) }
      if (!(error instanceof BadRequest)) throw error
      const { parameter, message } = error
      const description = parameter === 'receipt' ? 'Receipt is missing or illegal' : message
      return { status: 400, body: mistake('invalid_request', { parameter, description }) }
    }
  }

  #create({ body }: FakeRequest): YookassaPayment {
    const given = JSON.parse(body) as YookassaPayment & {
      receipt?: ReceiptData
      save_payment_method?: boolean
      payment_method_id?: string
    }
    const { amount, description, metadata, receipt, payment_method_id: methodId } = given
    const method = methodId === undefined ? undefined : this.methods.get(methodId)
    if (methodId !== undefined && method === undefined)
      throw new BadRequest('no such saved method', 'payment_method_id')
    if (kopecks(amount) < 100n) throw new BadRequest('the amount is less than a rouble', 'amount.value')
    if (!this.isRecurring && (methodId !== undefined || given.save_payment_method === true))
      throw new Forbidden(
        "This store can't make recurring payments. Contact the YooMoney manager to learn more",
      )
    if (this.hasNoTill && receipt !== undefined) throw new BadRequest('the shop registers no receipts')
    if (this.fiscalises) checkReceipt(receipt, amount)
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
      recipient: { account_id: this.shopId, gateway_id: '1' },
      test: false,
      refundable: false,
      created_at: new Date().toISOString(),
      confirmation: {
        type: 'redirect',
        confirmation_url: `https://yoomoney.ru/checkout/payments/v2/contract?orderId=${id}`,
      },
    }
    this.payments.set(id, payment)
    if (receipt !== undefined) this.#given.set(id, receipt)
    if (given.save_payment_method === true) this.#saving.add(id)
    if (method !== undefined) this.#charge(payment, method)
    return { ...payment }
  }

  /** Charges a saved method without the payer: there is no payment page. */
  #charge(payment: YookassaPayment, method: YookassaMethod): void {
    delete payment.confirmation
    payment.payment_method = method
    const reason = this.bank.shift() ?? 'approve'
    if (reason === 'approve') return this.pay(payment.id)
    payment.status = 'canceled'
    payment.cancellation_details = { party: 'payment_network', reason }
  }

  /** Saves a card; its id. */
  save(last4 = '4444'): YookassaMethod {
    const card = { last4, card_type: 'Mir', expiry_month: '12', expiry_year: '2030' }
    const method = { id: randomUUID(), type: 'bank_card', saved: true, title: 'Bank card', card } as const
    this.methods.set(method.id, method)
    return method
  }

  #refund({ body }: FakeRequest): YookassaRefund {
    const { receipt, ...given } = JSON.parse(body) as Omit<YookassaRefund, 'id' | 'status' | 'created_at'> & {
      receipt?: ReceiptData
    }
    const payment = this.payments.get(given.payment_id)
    if (kopecks(given.amount) > this.leftOf(given.payment_id))
      throw new BadRequest('more than is left', 'amount.value')
    const isWhole = payment?.amount.value === given.amount.value
    if (this.fiscalises && !isWhole) checkReceipt(receipt, given.amount)
    if (isWhole && receipt !== undefined) throw new BadRequest('a whole refund has no receipt of its own')
    const refund = this.#add({ status: this.refundStatus, ...given })
    const data = receipt ?? this.#given.get(given.payment_id)
    if (this.fiscalises && data !== undefined)
      this.#issue({ type: 'refund', refund_id: refund.id, ...data }, given.amount, 'cashless')
    return refund
  }

  #add(given: Omit<YookassaRefund, 'id' | 'created_at'>): YookassaRefund {
    const refund = { id: randomUUID(), created_at: new Date().toISOString(), ...given }
    this.refunds.set(refund.id, refund)
    this.#addUp(given.payment_id)
    return refund
  }

  /** Kopecks of a payment that were not returned. */
  leftOf(paymentId: string): bigint {
    const payment = this.payments.get(paymentId)
    if (payment === undefined) return 0n
    return [...this.refunds.values()]
      .filter(({ payment_id: of, status }) => of === paymentId && status !== 'canceled')
      .reduce((left, { amount }) => left - kopecks(amount), kopecks(payment.amount))
  }

  /** A payment reports the sum of its refunds. */
  #addUp(paymentId: string): void {
    const payment = this.payments.get(paymentId)
    if (payment === undefined) return
    const sent = [...this.refunds.values()].filter(
      ({ payment_id: of, status }) => of === paymentId && status === 'succeeded',
    )
    const sum = sent.reduce((total, { amount }) => total + kopecks(amount), 0n)
    if (sum === 0n) delete payment.refunded_amount
    else
      payment.refunded_amount = {
        value: `${sum / 100n}.${String(sum % 100n).padStart(2, '0')}`,
        currency: 'RUB',
      }
  }

  /** A member of staff returns money in YooKassa's cabinet, in full without an amount. */
  refundInCabinet(
    paymentId: string,
    { value, status = 'succeeded' }: { value?: string; status?: YookassaRefund['status'] } = {},
  ): YookassaRefund {
    const payment = this.payments.get(paymentId)
    if (payment === undefined || !payment.paid) throw new Error(`nothing was paid for ${paymentId}`)
    const amount = value === undefined ? payment.amount : { value, currency: 'RUB' }
    return this.#add({ status, payment_id: paymentId, amount })
  }

  /** The outcome of a pending refund. */
  endRefund(refund: YookassaRefund, status: 'succeeded' | 'canceled'): void {
    refund.status = status
    this.#addUp(refund.payment_id)
  }

  #close({ body }: FakeRequest): YookassaReceipt {
    const given = JSON.parse(body) as Omit<YookassaReceipt, 'id' | 'status'>
    const [settlement] = given.settlements
    if (settlement?.type !== 'prepayment' || this.payments.get(given.payment_id ?? '')?.paid !== true)
      throw new BadRequest('nothing to close')
    checkReceipt(given, settlement.amount)
    if (given.items?.some(({ payment_mode: mode }) => mode !== 'full_payment'))
      throw new BadRequest('a closing receipt is of a full payment')
    return this.#issue(given, settlement.amount, 'prepayment')
  }

  #issue(
    given: Pick<YookassaReceipt, 'type' | 'payment_id' | 'refund_id'> & ReceiptData,
    amount: Amount,
    settlement: string,
  ): YookassaReceipt {
    const receipt: YookassaReceipt = {
      ...given,
      id: `rt-${randomUUID()}`,
      status: 'pending',
      settlements: [{ type: settlement, amount }],
    }
    this.receipts.set(receipt.id, receipt)
    return receipt
  }

  /** The tax service answers about all receipts that wait: they get their numbers, or are cancelled. */
  settleReceipts(status: 'succeeded' | 'canceled' = 'succeeded'): void {
    for (const receipt of this.receipts.values()) {
      if (receipt.status !== 'pending') continue
      receipt.status = status
      if (status === 'canceled') continue
      Object.assign(receipt, {
        fiscal_document_number: String(3986 + this.#documents++),
        fiscal_storage_number: '9288000100115785',
        fiscal_attribute: '2617603921',
        fiscal_provider_id: randomUUID(),
        registered_at: new Date().toISOString(),
      })
    }
  }

  override forgetKeys(): void {
    this.#byKey.clear()
  }

  pay(id: string, at = new Date()): void {
    const payment = this.payments.get(id)
    if (payment === undefined) throw new Error(`no payment ${id}`)
    Object.assign(payment, {
      status: 'succeeded',
      paid: true,
      refundable: true,
      captured_at: at.toISOString(),
    })
    delete payment.confirmation
    // A commission of 2.8 %, and 22 % of VAT on it.
    const fee = (kopecks(payment.amount) * 28n * 122n) / 100_000n
    const income = kopecks(payment.amount) - fee
    payment.income_amount = {
      value: `${income / 100n}.${String(income % 100n).padStart(2, '0')}`,
      currency: 'RUB',
    }
    if (this.#saving.delete(id)) payment.payment_method = this.save()
    const given = this.#given.get(id)
    if (given === undefined) return
    payment.receipt_registration = 'pending'
    this.#issue({ type: 'payment', payment_id: id, ...given }, payment.amount, 'cashless')
  }
}

const thousandths = (quantity: number): bigint => {
  const [whole = '', fraction = ''] = String(quantity).split('.')
  if (!/^\d{1,5}$/.test(whole) || !/^\d{0,3}$/.test(fraction)) throw new BadRequest('a quantity')
  return BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0'))
}

const kopecks = ({ value, currency }: Amount): bigint => {
  if (!/^\d+\.\d\d$/.test(value) || currency !== 'RUB') throw new BadRequest('an amount')
  return BigInt(value.replace('.', ''))
}

/**
 * The rules of Чеки от ЮKassa:
 * https://yookassa.ru/developers/payment-acceptance/receipts/54fz/yoomoney/basics.
 */
function checkReceipt(receipt: ReceiptData | undefined, total: Amount): void {
  const { customer, items = [] } = receipt ?? {}
  if (!/^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(customer?.email ?? ''))
    throw new BadRequest('no e-mail')
  if (items.length === 0 || items.length > 80) throw new BadRequest('the number of items')
  let sum = 0n
  for (const item of items) {
    const { description, quantity, amount, vat_code: vatCode } = item
    if (description.length === 0 || description.length > 128) throw new BadRequest('a description')
    if (!Number.isInteger(vatCode) || vatCode < 1 || vatCode > 12) throw new BadRequest('a VAT code')
    if (!['full_prepayment', 'full_payment'].includes(item.payment_mode ?? '')) throw new BadRequest('a mode')
    if (!['gigabyte', 'piece', 'another'].includes(item.measure ?? '')) throw new BadRequest('a measure')
    if (item.payment_subject === undefined) throw new BadRequest('a subject')
    const exact = kopecks(amount) * thousandths(quantity)
    if (exact % 1000n !== 0n) throw new BadRequest('a sum with parts of a kopeck')
    sum += exact / 1000n
  }
  if (sum !== kopecks(total)) throw new BadRequest('the items do not add up')
}
