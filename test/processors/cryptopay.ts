/**
 * Crypto Pay as https://help.crypt.bot/crypto-pay-api describes it:
 * - Invoice: `paid_at`, "Optional. Date the invoice was paid at in ISO 8601 format."
 */
import { createHash, createHmac } from 'node:crypto'
import { type FakeAnswer, FakeProcessor, type FakeRequest } from './fake.ts'

export interface CryptoInvoice {
  invoice_id: number
  hash: string
  status: 'active' | 'paid' | 'expired'
  currency_type: string
  fiat: string
  amount: string
  payload: string
  description: string
  expires_in: number
  bot_invoice_url: string
  created_at: string
  paid_asset?: string
  paid_amount?: string
  paid_at?: string
  fee_asset?: string
  fee_amount?: string
}

export class FakeCryptoPay extends FakeProcessor {
  readonly token = '12345:AAfakeTokenOfCryptoPay0123456789'
  readonly invoices = new Map<string, CryptoInvoice>()

  protected answer({ path, headers, body }: FakeRequest): FakeAnswer {
    if (headers['crypto-pay-api-token'] !== this.token)
      return { status: 401, body: { ok: false, error: { code: 401, name: 'UNAUTHORIZED' } } }
    const given = JSON.parse(body) as Record<string, unknown>
    if (path === '/api/createInvoice') return { body: { ok: true, result: this.#create(given) } }
    if (path === '/api/getInvoices') return { body: { ok: true, result: { items: this.#list(given) } } }
    return { status: 404, body: { ok: false, error: { code: 404, name: 'METHOD_NOT_FOUND' } } }
  }

  #create(given: Record<string, unknown>): CryptoInvoice {
    if (Buffer.byteLength(String(given['payload'])) > 4096)
      throw new Error('the payload is too large for Crypto Pay')
    const id = 100_001 + this.invoices.size
    const invoice = {
      ...(given as Pick<
        CryptoInvoice,
        'currency_type' | 'fiat' | 'amount' | 'payload' | 'description' | 'expires_in'
      >),
      invoice_id: id,
      hash: `IV${id}`,
      status: 'active' as const,
      bot_invoice_url: `https://t.me/CryptoBot?start=IV${id}`,
      created_at: new Date().toISOString(),
    }
    this.invoices.set(String(id), invoice)
    return invoice
  }

  #list(filter: { invoice_ids?: string; status?: string; offset?: number; count?: number }): CryptoInvoice[] {
    const { invoice_ids: ids, status, offset = 0, count = 100 } = filter
    const wanted = ids?.split(',')
    return [...this.invoices.values()]
      .reverse()
      .filter((invoice) => wanted === undefined || wanted.includes(String(invoice.invoice_id)))
      .filter((invoice) => status === undefined || invoice.status === status)
      .slice(offset, offset + count)
  }

  pay(id: string, at = new Date()): void {
    const invoice = this.invoices.get(id)
    if (invoice === undefined) throw new Error(`no invoice ${id}`)
    Object.assign(invoice, {
      status: 'paid',
      paid_asset: 'USDT',
      paid_amount: invoice.amount,
      // 3 %.
      fee_asset: 'USDT',
      fee_amount: String(Number(invoice.amount) * 0.03),
      paid_at: at.toISOString(),
    })
  }

  sign(body: string): string {
    return createHmac('sha256', createHash('sha256').update(this.token).digest()).update(body).digest('hex')
  }
}
