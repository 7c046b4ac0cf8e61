/**
 * YooKassa, https://yookassa.ru/developers: cards and SBP in RUB. Its notifications are not signed: they are accepted
 * only from its own networks, and only as a hint: the payment is then read from the API, and only that answer counts.
 * Creating and refunding carry an Idempotence-Key, so a request without an answer is repeated under the same key.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { jsonOf } from '#lib/fetch-text'
import { type Cidr, isWithin } from '#lib/ip'
import { usdText } from '#lib/money'
import { microsOf } from '../amount.ts'
import { ask, ProcessorFault } from '../ask.ts'
import type {
  ClosingReceipt,
  Finding,
  FiscalMethod,
  FoundReceipt,
  InvoiceToPay,
  ListedPayment,
  PaymentMethod,
  RawWebhook,
  Reading,
  RefundToSend,
} from '../method.ts'
import { orderFields, orderIn } from '../order.record.ts'
import { forged } from '../signature.ts'

export interface YookassaOptions {
  shopId: string
  secretKey: string
  apiBase: URL
  /** The networks that notifications come from. */
  networks: Cidr[]
  publicUrl: URL
  timeoutMs: number
}

const amountShape = z.object({ value: z.string(), currency: z.string() })
const paymentShape = z.object({
  id: z.string(),
  status: z.enum(['pending', 'waiting_for_capture', 'succeeded', 'canceled']),
  paid: z.boolean(),
  amount: amountShape,
  test: z.boolean(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  confirmation: z.object({ confirmation_url: z.url().optional() }).optional(),
  created_at: z.iso.datetime({ offset: true }),
  refunded_amount: amountShape.optional(),
  income_amount: amountShape.optional(),
})
const pageShape = z.object({ items: z.array(paymentShape), next_cursor: z.string().optional() })
const refundShape = z.object({
  id: z.string(),
  payment_id: z.string(),
  status: z.enum(['pending', 'succeeded', 'canceled']),
  amount: amountShape,
  created_at: z.iso.datetime({ offset: true }),
  description: z.string().optional(),
})
const refundPageShape = z.object({ items: z.array(refundShape), next_cursor: z.string().optional() })
const receiptShape = z.object({
  id: z.string(),
  type: z.enum(['payment', 'refund']),
  status: z.enum(['pending', 'succeeded', 'canceled']),
  fiscal_document_number: z.string().nullish(),
  fiscal_storage_number: z.string().nullish(),
  fiscal_attribute: z.string().nullish(),
  fiscal_provider_id: z.string().nullish(),
  registered_at: z.iso.datetime({ offset: true }).nullish(),
  settlements: z.array(z.object({ type: z.string() })).nullish(),
})
const receiptPageShape = z.object({ items: z.array(receiptShape) })
const eventShape = z.object({
  type: z.literal('notification'),
  event: z.string(),
  object: z.object({ id: z.string(), payment_id: z.string().optional() }),
})

const idPattern = /^[\w-]{1,64}$/

export function yookassaMethod(options: YookassaOptions): PaymentMethod {
  return {
    name: 'yookassa',
    description: {
      ru: '<p>Картой российского банка или через СБП, в рублях.</p>',
      en: '<p>By a card of a Russian bank or by SBP, in roubles.</p>',
    },
    currency: 'RUB',
    reportsFees: true,
    create: (invoice) => create(options, invoice),
    prove: (webhook) => prove(options, webhook),
    read,
    look: async (externalId) => {
      if (!idPattern.test(externalId)) return null
      const payment = await ask(
        { method: 'GET', timeoutMs: options.timeoutMs, ...to(options, `payments/${externalId}`) },
        paymentShape,
        'null',
      )
      return payment === null ? null : withRefunds(options, payment)
    },
    list: (since) => list(options, since),
    changes: async (since) =>
      (await listRefunds(options, { 'created_at.gte': since.toISOString() })).map((refund) => ({
        id: refund.id,
        lookAt: refund.payment_id,
        state: refundState[refund.status],
      })),
    refund: (refund) => sendBack(options, refund),
    fiscal: {
      list: (of) => listReceipts(options, of),
      close: (closing) => closeReceipt(options, closing),
    },
  }
}

const to = ({ shopId, secretKey, apiBase }: YookassaOptions, path: string) => ({
  url: new URL(`/v3/${path}`, apiBase),
  headers: { authorization: `Basic ${Buffer.from(`${shopId}:${secretKey}`).toString('base64')}` },
})

/** Posts under one key until the outcome is known: repetitions under the same key have no further effect. */
async function post<T>(
  options: YookassaOptions,
  { path, key, body }: { path: string; key: string; body: unknown },
  shape: z.ZodType<T>,
): Promise<T> {
  const { url, headers } = to(options, path)
  const { timeoutMs } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(
        { method: 'POST', url, headers: { ...headers, 'idempotence-key': key }, body, timeoutMs },
        shape,
      )
    } catch (error) {
      if (!(error instanceof ProcessorFault) || error.outcome === 'refused' || attempt === 3) throw error
      await sleep(250 * attempt)
    }
  }
}

async function create(options: YookassaOptions, invoice: InvoiceToPay) {
  const { number, price, description, language, order, receipt } = invoice
  const payment = await post(
    options,
    {
      path: 'payments',
      key: number,
      body: {
        amount: { value: usdText(price.micros, 2), currency: price.currency },
        capture: true,
        confirmation: {
          type: 'redirect',
          return_url: new URL(`/account?invoice=${number}`, options.publicUrl).href,
          locale: language === 'ru' ? 'ru_RU' : 'en_US',
        },
        description: description.slice(0, 128),
        metadata: { invoice: number, ...orderFields(order) },
        ...(receipt === null ? {} : { receipt }),
      },
    },
    paymentShape,
  )
  const paymentUrl = payment.confirmation?.confirmation_url
  if (paymentUrl === undefined) throw new ProcessorFault('refused', 'POST payments: no page to pay on')
  return { externalId: payment.id, paymentUrl }
}

function prove({ networks }: YookassaOptions, webhook: RawWebhook): void {
  if (!isWithin(networks, webhook.ip)) throw forged()
}

function read(webhook: RawWebhook): Reading {
  const event = eventShape.safeParse(jsonOf(webhook.body.toString('utf8')))
  if (!event.success) return { kind: 'nothing', verdict: 'ignored' }
  const [subject] = event.data.event.split('.')
  const { id, payment_id: paymentId } = event.data.object
  const externalId = subject === 'payment' ? id : subject === 'refund' ? paymentId : undefined
  if (externalId === undefined) return { kind: 'nothing', verdict: 'ignored' }
  return { kind: 'hint', externalId }
}

function findingOf({ secretKey }: YookassaOptions, payment: z.infer<typeof paymentShape>): Finding {
  const { id, status, metadata, amount } = payment
  const invoiceNumber = metadata?.['invoice']
  const priceMicros = microsOf(amount.value) ?? 0n
  const isPaid = status === 'succeeded' && payment.paid
  return {
    externalId: id,
    invoiceNumber: typeof invoiceNumber === 'string' ? invoiceNumber : null,
    status: isPaid ? 'received' : status === 'canceled' ? 'closed' : 'waiting',
    price: { currency: amount.currency, micros: priceMicros },
    receivedMicros: isPaid ? priceMicros : 0n,
    // A test shop has test keys; with any other key a test payment is not real money.
    isTest: payment.test && !secretKey.startsWith('test_'),
    isDisputed: false,
    ...(isPaid ? { feeMicros: feeOf(payment, priceMicros) } : {}),
  }
}

/** `income_amount` is what the shop gets: the amount without the commission and the VAT on it. Null: not told yet. */
function feeOf({ amount, income_amount: income }: z.infer<typeof paymentShape>, priceMicros: bigint) {
  if (income === undefined || income.currency !== amount.currency) return null
  const incomeMicros = microsOf(income.value)
  return incomeMicros === null || incomeMicros > priceMicros ? null : priceMicros - incomeMicros
}

const refundState = { pending: 'waiting', succeeded: 'sent', canceled: 'failed' } as const

/**
 * A payment with its refunds, where there are any. YooKassa has no call about disputes, and keeps nothing for a refund: its commission
 * stays with it. https://yookassa.ru/developers/payment-acceptance/after-the-payment/refunds
 */
async function withRefunds(
  options: YookassaOptions,
  payment: z.infer<typeof paymentShape>,
): Promise<Finding> {
  const finding = findingOf(options, payment)
  if ((microsOf(payment.refunded_amount?.value ?? '0') ?? 0n) === 0n) return finding
  const refunds = await listRefunds(options, { payment_id: payment.id })
  return {
    ...finding,
    refunds: refunds.map((refund) => ({
      refundId: refund.id,
      number: refund.description ?? null,
      price: { currency: refund.amount.currency, micros: microsOf(refund.amount.value) ?? 0n },
      state: refundState[refund.status],
      madeAt: new Date(refund.created_at),
      feeMicros: null,
    })),
  }
}

/** Refunds, page by page: https://yookassa.ru/developers/api#get_refunds_list. */
async function listRefunds(options: YookassaOptions, filter: Record<string, string>) {
  const listed: z.infer<typeof refundShape>[] = []
  let cursor: string | undefined
  do {
    const { url, headers } = to(options, 'refunds')
    url.search = new URLSearchParams({
      ...filter,
      limit: '100',
      ...(cursor === undefined ? {} : { cursor }),
    }).toString()
    const page = await ask({ method: 'GET', url, headers, timeoutMs: options.timeoutMs }, refundPageShape)
    listed.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return listed
}

/** The succeeded payments, page by page: https://yookassa.ru/developers/api#get_payments_list. */
async function list(options: YookassaOptions, since: Date): Promise<ListedPayment[]> {
  const listed: ListedPayment[] = []
  let cursor: string | undefined
  do {
    const query = new URLSearchParams({
      'created_at.gte': since.toISOString(),
      status: 'succeeded',
      limit: '100',
      ...(cursor === undefined ? {} : { cursor }),
    })
    const { url, headers } = to(options, 'payments')
    url.search = query.toString()
    const page = await ask({ method: 'GET', url, headers, timeoutMs: options.timeoutMs }, pageShape)
    for (const payment of page.items) {
      listed.push({
        ...findingOf(options, payment),
        order: orderIn(payment.metadata ?? {}),
        refundedMicros: microsOf(payment.refunded_amount?.value ?? '0') ?? 0n,
        createdAt: new Date(payment.created_at),
      })
    }
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return listed
}

async function sendBack(options: YookassaOptions, { number, externalId, price, receipt }: RefundToSend) {
  // YooKassa discards keys after a day; refunds remain.
  const made = await listRefunds(options, { payment_id: externalId })
  const refund =
    made.find(({ description, status }) => description === number && status !== 'canceled') ??
    (await post(
      options,
      {
        path: 'refunds',
        key: `refund-${number}`,
        body: {
          payment_id: externalId,
          amount: { value: usdText(price.micros, 2), currency: price.currency },
          description: number,
          ...(receipt === null ? {} : { receipt }),
        },
      },
      refundShape,
    ))
  if (refund.status === 'canceled') throw new ProcessorFault('refused', 'POST refunds: YooKassa cancelled it')
  return { reference: refund.id, claimUrl: null }
}

function foundOf(receipt: z.infer<typeof receiptShape>): FoundReceipt {
  const settles = receipt.settlements?.some(({ type }) => type === 'prepayment') ?? false
  const { registered_at: registeredAt } = receipt
  return {
    receiptId: receipt.id,
    kind: receipt.type === 'refund' ? 'refund' : settles ? 'closing' : 'payment',
    status: receipt.status,
    documentNumber: receipt.fiscal_document_number ?? null,
    storageNumber: receipt.fiscal_storage_number ?? null,
    attribute: receipt.fiscal_attribute ?? null,
    providerId: receipt.fiscal_provider_id ?? null,
    registeredAt: registeredAt === null || registeredAt === undefined ? null : new Date(registeredAt),
  }
}

/** All receipts of a payment or a refund, at most 30: https://yookassa.ru/developers/api#get_receipts_list. */
async function listReceipts(
  options: YookassaOptions,
  of: Parameters<FiscalMethod['list']>[0],
): Promise<FoundReceipt[]> {
  const { url, headers } = to(options, 'receipts')
  const subject = 'payment' in of ? { payment_id: of.payment } : { refund_id: of.refund }
  url.search = new URLSearchParams({ ...subject, limit: '100' }).toString()
  const { items } = await ask({ method: 'GET', url, headers, timeoutMs: options.timeoutMs }, receiptPageShape)
  return items.map(foundOf)
}

/** YooKassa discards keys after a day; receipts remain. */
async function closeReceipt(
  options: YookassaOptions,
  { number, externalId, price, receipt }: ClosingReceipt,
): Promise<FoundReceipt> {
  const made = (await listReceipts(options, { payment: externalId })).find(({ kind }) => kind === 'closing')
  if (made !== undefined) return made
  const amount = { value: usdText(price.micros, 2), currency: price.currency }
  const answer = await post(
    options,
    {
      path: 'receipts',
      key: `closing-${number}`,
      body: {
        type: 'payment',
        payment_id: externalId,
        ...receipt,
        settlements: [{ type: 'prepayment', amount }],
        send: true,
      },
    },
    receiptShape,
  )
  return foundOf(answer)
}
