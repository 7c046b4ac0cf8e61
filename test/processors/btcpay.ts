/**
 * BTCPay Server's Greenfield API as its swagger and its server describe it: invoices, their payments, pull
 * payments, payouts.
 * - swagger.template.invoices.json, Payment: `receivedDate`, "The date the payment was recorded", unix timestamp.
 * greenfield.ts has the schemas that requests and answers must fit.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type * as z from 'zod'
import type { PaymentMethod } from '#payments'
import { btcpayMethod } from '../../src/payments/adapters/btcpay.ts'
import { type FakeAnswer, FakeProcessor, type FakeRequest } from './fake.ts'
import { checkAnswer, greenfieldRequests } from './greenfield.ts'

export interface BtcpayInvoice {
  id: string
  storeId: string
  amount: string
  paidAmount: string
  currency: string
  checkoutLink: string
  status: 'New' | 'Processing' | 'Settled' | 'Expired' | 'Invalid'
  additionalStatus: 'None' | 'PaidPartial' | 'PaidOver' | 'PaidLate' | 'Marked' | 'Invalid'
  metadata: Record<string, unknown>
  /** Epoch seconds. */
  createdTime: number
  /** The payments received; not part of the answer. */
  payments: { status: 'Processing' | 'Settled' | 'Invalid'; value: string; receivedDate: number }[]
}

export interface PullPayment {
  id: string
  name: string
  amount: string
  currency: string
  viewLink: string
  archived?: boolean
}

export type PayoutState = 'AwaitingApproval' | 'AwaitingPayment' | 'InProgress' | 'Completed' | 'Cancelled'

export interface Payout {
  id: string
  revision: number
  pullPaymentId: string | null
  /** Epoch seconds. */
  date: number
  destination: string
  originalCurrency: string
  originalAmount: string
  payoutCurrency: string
  payoutAmount: string | null
  payoutMethodId: string
  state: PayoutState
  paymentProof: null
  metadata: Record<string, unknown>
}

/** The price of one bitcoin in USD. */
const rate = 70_000
const coins = (usd: number) => usd.toFixed(8).replace(/\.?0+$/, '')

interface Claim {
  amount: string
  state: PayoutState
}

export class FakeBtcpay extends FakeProcessor {
  readonly apiKey = 'fakeApiKeyOfBtcpay0123456789abcdef'
  readonly storeId = '9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776'
  readonly webhookSecret = 'fakeWebhookSecretOfBtcpay'
  readonly invoices = new Map<string, BtcpayInvoice>()
  readonly pullPayments: PullPayment[] = []
  readonly payouts: Payout[] = []
  /** The key may do nothing with pull payments and payouts. */
  isLimited = false

  /** The payment method of a shop that uses this server. */
  method(): PaymentMethod {
    const { apiKey, storeId, webhookSecret, url } = this
    const publicUrl = new URL('http://localhost:3000')
    return btcpayMethod({ url, apiKey, storeId, webhookSecret, publicUrl, timeoutMs: 5000 })
  }

  protected answer(request: FakeRequest): FakeAnswer {
    const answer = this.#answer(request)
    if ((answer.status ?? 200) === 200) checkAnswer(request.method, request.path, answer.body)
    return answer
  }

  #answer({ method, path, query, headers, body }: FakeRequest): FakeAnswer {
    if (headers.authorization !== `token ${this.apiKey}`)
      return { status: 401, body: { code: 'unauthenticated', message: 'Authentication is required' } }
    const isOpenToAll = /^\/api\/v1\/pull-payments\/([^/]+)\/payouts$/.exec(path)
    if (isOpenToAll !== null) return { body: this.#payoutsOf(query, isOpenToAll[1]) }
    const [, , , , storeId, kind, id, part] = path.split('/')
    const none: FakeAnswer = {
      status: 404,
      body: { code: 'invoice-not-found', message: 'The invoice was not found' },
    }
    if (storeId !== this.storeId) return none
    if (this.isLimited && kind !== 'invoices')
      return { status: 403, body: { code: 'missing-permission', message: 'Insufficient API Permissions' } }
    if (kind === 'pull-payments') return { body: this.pullPayments }
    if (kind === 'payouts' && id === undefined) return { body: this.#payoutsOf(query) }
    if (kind === 'payouts') {
      const payout = this.payouts.find((one) => one.id === id)
      return payout === undefined ? { ...none, body: { code: 'payout-not-found' } } : { body: payout }
    }
    if (id === undefined && method === 'POST') {
      const given = greenfieldRequests.createInvoice.safeParse(JSON.parse(body))
      return given.success ? { body: shown(this.#create(given.data as BtcpayInvoice)) } : invalid(given.error)
    }
    if (id === undefined) {
      return { body: this.#list(query).map(shown) }
    }
    const invoice = this.invoices.get(id)
    if (invoice === undefined) return none
    if (part === 'payment-methods') {
      const { payments, amount, paidAmount } = invoice
      const sums = {
        currency: 'BTC',
        rate: String(rate),
        amount: coins(Number(amount) / rate),
        totalPaid: coins(Number(paidAmount) / rate),
        due: coins((Number(amount) - Number(paidAmount)) / rate),
      }
      const address = `bc1q${id.toLowerCase()}`
      return {
        body: [
          {
            paymentMethodId: 'BTC-CHAIN',
            ...sums,
            destination: address,
            paymentLink: `bitcoin:${address}?amount=${sums.due}`,
            payments: [],
          },
          { paymentMethodId: 'BTC-LNURL', ...sums, payments },
        ],
      }
    }
    if (part === 'refund') {
      const given = greenfieldRequests.refund.safeParse(JSON.parse(body))
      return given.success ? { body: this.#refund(id, given.data) } : invalid(given.error)
    }
    return { body: shown(invoice) }
  }

  /** The newest first; without `orderId` those of all orders. */
  #list(query: URLSearchParams): BtcpayInvoice[] {
    const orders = query.getAll('orderId')
    const skip = Number(query.get('skip') ?? 0)
    return [...this.invoices.values()]
      .reverse()
      .filter(({ metadata }) => orders.length === 0 || orders.includes(String(metadata['orderId'])))
      .filter(({ createdTime }) => createdTime >= Number(query.get('startDate') ?? 0))
      .slice(skip, skip + Number(query.get('take') ?? 50))
  }

  #create(given: Pick<BtcpayInvoice, 'amount' | 'currency' | 'metadata'>): BtcpayInvoice {
    const id = randomBytes(16).toString('base64url').replaceAll(/[-_]/g, 'x')
    const invoice: BtcpayInvoice = {
      id,
      storeId: this.storeId,
      amount: given.amount,
      paidAmount: '0',
      currency: given.currency,
      checkoutLink: `https://btcpay.example.net/i/${id}`,
      status: 'New',
      additionalStatus: 'None',
      metadata: given.metadata,
      createdTime: Math.floor(Date.now() / 1000),
      payments: [],
    }
    this.invoices.set(id, invoice)
    return invoice
  }

  #refund(invoiceId: string, given: z.infer<typeof greenfieldRequests.refund>): PullPayment {
    return this.#pull({
      name: given.name ?? `Refund ${invoiceId}`,
      amount: given.customAmount ?? '',
      currency: given.customCurrency ?? '',
    })
  }

  #pull(given: Pick<PullPayment, 'name' | 'amount' | 'currency'>): PullPayment {
    const id = randomBytes(20).toString('hex')
    const viewLink = `https://btcpay.example.net/pull-payments/${id}`
    const made: PullPayment = { id, ...given, viewLink, archived: false }
    this.pullPayments.push(made)
    return made
  }

  /** Those of an archived pull payment are in no list, as in `PullPaymentHostedService.GetPayouts`. */
  #payoutsOf(query: URLSearchParams, pullPaymentId?: string): Payout[] {
    return this.payouts
      .filter((one) => pullPaymentId === undefined || one.pullPaymentId === pullPaymentId)
      .filter(({ state }) => state !== 'Cancelled' || query.get('includeCancelled') === 'true')
      .filter((one) => this.pullPayments.find(({ id }) => id === one.pullPaymentId)?.archived !== true)
  }

  /**
   * "Issue Refund" on the page of an invoice: all of it in its currency, in the coin at the rate of the
   * invoice, or an amount.
   */
  refundInServer(
    invoiceId: string,
    { amount, currency = 'USD', name = `Refund ${invoiceId}` }: Partial<PullPayment> = {},
  ): PullPayment {
    const paid = this.invoices.get(invoiceId)?.paidAmount ?? ''
    const whole = currency === 'BTC' ? coins(Number(paid) / rate) : paid
    return this.#pull({ name, amount: amount ?? whole, currency })
  }

  /** The customer claims a pull payment, or a part of it. */
  claim(
    pull: PullPayment,
    { amount = pull.amount, state = 'AwaitingApproval' }: Partial<Claim> = {},
  ): Payout {
    const payout: Payout = {
      id: randomBytes(20).toString('hex'),
      revision: 0,
      pullPaymentId: pull.id,
      date: Math.floor(Date.now() / 1000),
      destination: 'bcrt1qfake',
      originalCurrency: pull.currency,
      originalAmount: amount,
      payoutCurrency: 'BTC',
      payoutAmount: null,
      payoutMethodId: 'BTC-LN',
      state,
      paymentProof: null,
      metadata: {},
    }
    this.payouts.push(payout)
    return payout
  }

  /** Sets an invoice to a state, with this total paid. */
  become(
    id: string,
    status: BtcpayInvoice['status'],
    {
      additional = 'None',
      paid,
      payment = 'Settled',
      at = new Date(),
    }: {
      additional?: BtcpayInvoice['additionalStatus']
      paid: string
      payment?: 'Processing' | 'Settled'
      at?: Date
    },
  ): void {
    const invoice = this.invoices.get(id)
    if (invoice === undefined) throw new Error(`no invoice ${id}`)
    const payments =
      paid === '0'
        ? []
        : [{ status: payment, value: '0.0005', receivedDate: Math.floor(at.getTime() / 1000) }]
    Object.assign(invoice, { status, additionalStatus: additional, paidAmount: paid, payments })
  }

  pay(id: string, at = new Date()): void {
    this.become(id, 'Settled', { paid: this.invoices.get(id)?.amount ?? '', at })
  }

  sign(body: string, secret = this.webhookSecret): string {
    return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  }
}

/** ValidationProblemDetails: the answer to unknown or invalid fields. */
const invalid = ({ issues }: z.ZodError): FakeAnswer => ({
  status: 422,
  body: issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
})

const shown = (invoice: BtcpayInvoice) => ({ ...invoice, payments: undefined })
