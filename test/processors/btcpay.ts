/** BTCPay Server's Greenfield API as its swagger describes it: invoices, their payments, pull payments. */
import { createHmac, randomBytes } from 'node:crypto'
import type { PaymentMethod } from '#payments'
import { btcpayMethod } from '../../src/payments/adapters/btcpay.ts'
import { type FakeAnswer, FakeProcessor, type FakeRequest } from './fake.ts'

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
  payments: { status: 'Processing' | 'Settled' | 'Invalid'; value: string }[]
}

export interface PullPayment {
  id: string
  name: string
  amount: string
  currency: string
  payoutMethods: string[]
  viewLink: string
}

export class FakeBtcpay extends FakeProcessor {
  readonly apiKey = 'fakeApiKeyOfBtcpay0123456789abcdef'
  readonly storeId = '9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776'
  readonly webhookSecret = 'fakeWebhookSecretOfBtcpay'
  readonly invoices = new Map<string, BtcpayInvoice>()
  readonly pullPayments: PullPayment[] = []

  /** The payment method of a shop that uses this server. */
  method(): PaymentMethod {
    const { apiKey, storeId, webhookSecret, url } = this
    const publicUrl = new URL('http://localhost:3000')
    return btcpayMethod({ url, apiKey, storeId, webhookSecret, publicUrl, timeoutMs: 5000 })
  }

  protected answer({ method, path, query, headers, body }: FakeRequest): FakeAnswer {
    if (headers.authorization !== `token ${this.apiKey}`)
      return { status: 401, body: { code: 'unauthenticated', message: 'Authentication is required' } }
    const [, , , , storeId, kind, id, part] = path.split('/')
    const none: FakeAnswer = {
      status: 404,
      body: { code: 'invoice-not-found', message: 'The invoice was not found' },
    }
    if (storeId !== this.storeId) return none
    if (kind === 'pull-payments') return { body: this.pullPayments }
    if (id === undefined && method === 'POST')
      return { body: shown(this.#create(JSON.parse(body) as BtcpayInvoice)) }
    if (id === undefined) {
      return { body: this.#list(query).map(shown) }
    }
    const invoice = this.invoices.get(id)
    if (invoice === undefined) return none
    if (part === 'payment-methods') {
      const { payments } = invoice
      return {
        body: [
          { paymentMethodId: 'BTC-CHAIN', currency: 'BTC', payments: [] },
          { paymentMethodId: 'BTC-LNURL', currency: 'BTC', payments },
        ],
      }
    }
    if (part === 'refund') return { body: this.#refund(JSON.parse(body) as Record<string, string>) }
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

  #refund(given: Record<string, string>): PullPayment {
    const id = randomBytes(10).toString('hex')
    const pullPayment = {
      id,
      name: given['name'] ?? '',
      amount: given['customAmount'] ?? '',
      currency: given['customCurrency'] ?? '',
      payoutMethods: [given['payoutMethodId'] ?? ''],
      viewLink: `https://btcpay.example.net/pull-payments/${id}`,
    }
    this.pullPayments.push(pullPayment)
    return pullPayment
  }

  /** Sets an invoice to a state, with this total paid. */
  become(
    id: string,
    status: BtcpayInvoice['status'],
    {
      additional = 'None',
      paid,
      payment = 'Settled',
    }: { additional?: BtcpayInvoice['additionalStatus']; paid: string; payment?: 'Processing' | 'Settled' },
  ): void {
    const invoice = this.invoices.get(id)
    if (invoice === undefined) throw new Error(`no invoice ${id}`)
    const payments = paid === '0' ? [] : [{ status: payment, value: '0.0005' }]
    Object.assign(invoice, { status, additionalStatus: additional, paidAmount: paid, payments })
  }

  pay(id: string): void {
    this.become(id, 'Settled', { paid: this.invoices.get(id)?.amount ?? '' })
  }

  sign(body: string, secret = this.webhookSecret): string {
    return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  }
}

const shown = (invoice: BtcpayInvoice) => ({ ...invoice, payments: undefined })
