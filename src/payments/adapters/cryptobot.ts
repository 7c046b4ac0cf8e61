/**
 * Crypto Pay (@CryptoBot), https://help.crypt.bot/crypto-pay-api: invoices in USD, paid in any coin that the
 * bot supports. Its notification is signed over the raw body with SHA-256(token) as the key. There are no
 * idempotency keys, so after a lost answer the open invoices are searched for our number, with which their
 * payload begins. No minimum amount of an invoice is documented: the limits in the API's documentation are
 * those of transfers. Lists are read page by page, at most 1000 invoices each.
 */
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { jsonOf } from '#lib/fetch-text'
import { usdText } from '#lib/money'
import { microsOf, shareOf } from '../amount.ts'
import { ask, ProcessorFault } from '../ask.ts'
import type { Finding, InvoiceToPay, ListedPayment, PaymentMethod, RawWebhook, Reading } from '../method.ts'
import { forged, headerOf, isSignedWith, isTimely } from '../signature.ts'

export interface CryptobotOptions {
  token: string
  apiBase: URL
  publicUrl: URL
  timeoutMs: number
}

/** The processor's own retries may take hours; a notification older than a day is not a retry. */
const maxAgeMs = 24 * 60 * 60_000

const invoiceShape = z.object({
  invoice_id: z.int().positive(),
  status: z.enum(['active', 'paid', 'expired']),
  currency_type: z.string(),
  fiat: z.string().optional(),
  amount: z.string(),
  payload: z.string().optional(),
  bot_invoice_url: z.url(),
  created_at: z.iso.datetime({ offset: true }).optional(),
  paid_at: z.iso.datetime({ offset: true }).optional(),
  paid_asset: z.string().optional(),
  paid_amount: z.string().optional(),
  fee_asset: z.string().optional(),
  fee_amount: z.union([z.string(), z.number()]).optional(),
})
type CryptoInvoice = z.infer<typeof invoiceShape>

const updateShape = z.object({
  update_type: z.string(),
  request_date: z.iso.datetime({ offset: true }),
  payload: z.object({ invoice_id: z.int().positive() }),
})

export function cryptobotMethod(options: CryptobotOptions): PaymentMethod {
  return {
    name: 'cryptobot',
    description: {
      ru: '<p>Криптовалютой через @CryptoBot в Telegram: USDT, TON, BTC и другие.</p>',
      en: '<p>Cryptocurrency by @CryptoBot in Telegram: USDT, TON, BTC and more.</p>',
    },
    currency: 'USD',
    looksPerMinute: 120,
    reportsFees: true,
    create: (invoice) => create(options, invoice),
    prove: (webhook, now) => prove(options, webhook, now),
    read,
    check: async () => {
      await call(options, 'getInvoices', { count: 1 }, z.object({ items: z.array(z.unknown()) }))
    },
    look: async (externalId) => {
      const found = await list(options, { invoice_ids: externalId })
      const invoice = found.find(({ invoice_id: id }) => String(id) === externalId)
      return invoice === undefined ? null : findingOf(invoice)
    },
    list: async (since) =>
      (await pages(options, 'paid'))
        .map((invoice) => ({
          ...findingOf(invoice),
          order: ourData(invoice).order,
          // Crypto Pay returns no money: the operator transfers it.
          refundedMicros: 0n,
          createdAt: new Date(invoice.created_at ?? 0),
        }))
        .filter(({ createdAt }: ListedPayment) => createdAt >= since),
  }
}

async function call<T>(
  { token, apiBase, timeoutMs }: CryptobotOptions,
  name: string,
  body: Record<string, unknown>,
  result: z.ZodType<T>,
): Promise<T> {
  const answer = await ask(
    {
      method: 'POST',
      url: new URL(`/api/${name}`, apiBase),
      headers: { 'crypto-pay-api-token': token },
      body,
      timeoutMs,
    },
    z.union([
      z.object({ ok: z.literal(true), result }),
      z.object({ ok: z.literal(false), error: z.unknown() }),
    ]),
  )
  if (answer.ok) return answer.result
  throw new ProcessorFault('refused', `${name}: ${JSON.stringify(answer.error).slice(0, 300)}`)
}

const list = async (options: CryptobotOptions, filter: Record<string, unknown>) =>
  (await call(options, 'getInvoices', filter, z.object({ items: z.array(invoiceShape) }))).items

async function create(options: CryptobotOptions, invoice: InvoiceToPay) {
  const { number, price, description, lifeSeconds, order, isRepeat } = invoice
  const known = isRepeat ? await search(options, number) : null
  if (known !== null) return pageOf(known)
  try {
    const made = await call(
      options,
      'createInvoice',
      {
        currency_type: 'fiat',
        fiat: price.currency,
        amount: usdText(price.micros, 2),
        description: description.slice(0, 1024),
        payload: `${number} ${order}`,
        paid_btn_name: 'callback',
        paid_btn_url: new URL(`/account?invoice=${number}`, options.publicUrl).href,
        allow_comments: false,
        expires_in: lifeSeconds,
      },
      invoiceShape,
    )
    return pageOf(made)
  } catch (error) {
    if (!(error instanceof ProcessorFault) || error.outcome === 'refused') throw error
    const made = await search(options, number)
    if (made === null) throw error
    return pageOf(made)
  }
}

const pageOf = (invoice: CryptoInvoice) => ({
  externalId: String(invoice.invoice_id),
  paymentUrl: invoice.bot_invoice_url,
})

/** Our number and the signed order. Earlier releases put only the number into the payload. */
function ourData({ payload = '' }: CryptoInvoice): { number: string | null; order: string | null } {
  const [, number = null, order = null] = /^(\S+)(?: (.*))?$/.exec(payload) ?? []
  return { number, order }
}

const pageSize = 1000
/** A hundred thousand invoices. */
const mostPages = 100

/** All invoices in this state: the API filters neither by payload nor by time. */
async function pages(options: CryptobotOptions, status: 'active' | 'paid'): Promise<CryptoInvoice[]> {
  const all: CryptoInvoice[] = []
  for (let offset = 0; offset < mostPages * pageSize; offset += pageSize) {
    const page = await list(options, { status, offset, count: pageSize })
    all.push(...page)
    if (page.length < pageSize) return all
  }
  throw new ProcessorFault('refused', `getInvoices: more than ${mostPages * pageSize} are ${status}`)
}

/** The open invoice with our number. */
const search = async (options: CryptobotOptions, number: string) =>
  (await pages(options, 'active')).find((invoice) => ourData(invoice).number === number) ?? null

const updateOf = ({ body }: RawWebhook) => updateShape.safeParse(jsonOf(body.toString('utf8')))

function prove({ token }: CryptobotOptions, webhook: RawWebhook, now: Date): void {
  const key = createHash('sha256').update(token).digest()
  if (!isSignedWith(key, [webhook.body], headerOf(webhook, 'crypto-pay-api-signature'))) throw forged()
  const { data: update } = updateOf(webhook)
  // The signature covers no time in a header: an old notification may be a replay.
  if (
    update !== undefined &&
    isAboutPayment(update) &&
    !isTimely(new Date(update.request_date), now, maxAgeMs)
  )
    throw forged()
}

const isAboutPayment = ({ update_type: type }: z.infer<typeof updateShape>) => type === 'invoice_paid'

function read(webhook: RawWebhook): Reading {
  const { data: update } = updateOf(webhook)
  if (update === undefined || !isAboutPayment(update)) return { kind: 'nothing', verdict: 'ignored' }
  return { kind: 'hint', externalId: String(update.payload.invoice_id) }
}

function findingOf(invoice: CryptoInvoice): Finding {
  // The fiat amount is the amount requested and, once paid, the amount received: the processor accepts
  // neither more nor less.
  const priceMicros = microsOf(invoice.amount) ?? 0n
  const isPaid = invoice.status === 'paid'
  return {
    externalId: String(invoice.invoice_id),
    invoiceNumber: ourData(invoice).number,
    status: isPaid ? 'received' : 'waiting',
    price: {
      currency: invoice.currency_type === 'fiat' ? (invoice.fiat ?? '') : invoice.currency_type,
      micros: priceMicros,
    },
    receivedMicros: isPaid ? priceMicros : 0n,
    isTest: false,
    isDisputed: false,
    ...(isPaid
      ? {
          feeMicros: feeOf(invoice, priceMicros),
          paidAt: invoice.paid_at === undefined ? null : new Date(invoice.paid_at),
        }
      : {}),
  }
}

/**
 * The fee in the currency of the price: the fee's share of the paid amount, which is in the same asset,
 * applied to the price.
 */
function feeOf(
  { paid_asset: paidIn, paid_amount: paid, fee_asset: feeIn, fee_amount: fee }: CryptoInvoice,
  priceMicros: bigint,
): bigint | null {
  if (paidIn === undefined || paidIn !== feeIn || paid === undefined || fee === undefined) return null
  return shareOf(priceMicros, String(fee), paid)
}
