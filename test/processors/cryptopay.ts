/**
 * Crypto Pay as https://help.crypt.bot/crypto-pay-api describes it:
 * - «Authorizing your app»: the header Crypto-Pay-API-Token; every answer is `{ok, result}` or `{ok, error}`.
 * - createInvoice: `currency_type` "crypto" or "fiat"; `fiat` where it is "fiat"; `amount`, a float in a string;
 *   `description` up to 1024 characters; `paid_btn_url` is required with `paid_btn_name`; `payload` up to 4 kB;
 *   `expires_in` between 1 and 2678400 seconds. There are no idempotency keys.
 * - getInvoices: `invoice_ids` separated by comma, `status` "active" or "paid", `offset`, `count` 1 to 1000,
 *   100 by default.
 * - Invoice: `paid_at`, "Optional. Date the invoice was paid at in ISO 8601 format."
 */
import { createHash, createHmac } from 'node:crypto'
import * as z from 'zod'
import { type FakeAnswer, FakeProcessor, type FakeRequest } from './fake.ts'

const createInvoice = z
  .strictObject({
    currency_type: z.literal('fiat'),
    fiat: z.enum(
      'USD EUR RUB BYN UAH GBP CNY KZT UZS GEL TRY AMD THB INR BRL IDR AZN AED PLN ILS'.split(' '),
    ),
    accepted_assets: z.string().optional(),
    amount: z.string().regex(/^\d+(\.\d+)?$/),
    description: z.string().max(1024).default(''),
    hidden_message: z.string().max(2048).optional(),
    paid_btn_name: z.enum(['viewItem', 'openChannel', 'openBot', 'callback']).optional(),
    paid_btn_url: z.url({ protocol: /^https?$/ }).optional(),
    payload: z
      .string()
      .refine((text) => Buffer.byteLength(text) <= 4096)
      .default(''),
    allow_comments: z.boolean().optional(),
    allow_anonymous: z.boolean().optional(),
    expires_in: z.int().min(1).max(2_678_400).optional(),
  })
  .refine(({ paid_btn_name: name, paid_btn_url: url }) => name === undefined || url !== undefined)

const getInvoices = z.strictObject({
  asset: z.string().optional(),
  fiat: z.string().optional(),
  invoice_ids: z.string().optional(),
  status: z.enum(['active', 'paid']).optional(),
  offset: z.int().min(0).optional(),
  count: z.int().min(1).max(1000).optional(),
})

export interface CryptoInvoice {
  invoice_id: number
  hash: string
  status: 'active' | 'paid' | 'expired'
  currency_type: string
  fiat: string
  amount: string
  payload: string
  description: string
  expires_in?: number | undefined
  bot_invoice_url: string
  created_at: string
  paid_asset?: string
  paid_amount?: string
  paid_at?: string
  fee_asset?: string
  fee_amount?: string
}

/** The result for parameters that fit the document, or the error for others. */
function answerTo<T>(parameters: z.ZodType<T>, given: unknown, work: (asked: T) => unknown): FakeAnswer {
  const { success, data, error } = parameters.safeParse(given)
  if (success) return { body: { ok: true, result: work(data) } }
  const name = `${String(error.issues[0]?.path[0] ?? 'PARAMETERS').toUpperCase()}_INVALID`
  return { status: 400, body: { ok: false, error: { code: 400, name } } }
}

export class FakeCryptoPay extends FakeProcessor {
  readonly token = '12345:AAfakeTokenOfCryptoPay0123456789'
  readonly invoices = new Map<string, CryptoInvoice>()

  protected answer({ path, headers, body }: FakeRequest): FakeAnswer {
    if (headers['crypto-pay-api-token'] !== this.token)
      return { status: 401, body: { ok: false, error: { code: 401, name: 'UNAUTHORIZED' } } }
    const given: unknown = JSON.parse(body)
    if (path === '/api/createInvoice') return answerTo(createInvoice, given, (asked) => this.#create(asked))
    if (path === '/api/getInvoices')
      return answerTo(getInvoices, given, (asked) => ({ items: this.#list(asked) }))
    return { status: 404, body: { ok: false, error: { code: 404, name: 'METHOD_NOT_FOUND' } } }
  }

  #create(given: z.infer<typeof createInvoice>): CryptoInvoice {
    const id = 100_001 + this.invoices.size
    const invoice = {
      ...given,
      invoice_id: id,
      hash: `IV${id}`,
      status: 'active' as const,
      bot_invoice_url: `https://t.me/CryptoBot?start=IV${id}`,
      created_at: new Date().toISOString(),
    }
    this.invoices.set(String(id), invoice)
    return invoice
  }

  #list(filter: z.infer<typeof getInvoices>): CryptoInvoice[] {
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
