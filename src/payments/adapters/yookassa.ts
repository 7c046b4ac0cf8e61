/**
 * YooKassa, https://yookassa.ru/developers: cards and SBP in RUB. Its notifications are not signed: they are accepted
 * only from its own networks, and only as a hint: the payment is then read from the API, and only that answer counts.
 * Creating and refunding carry an Idempotence-Key, so a request without an answer is repeated under the same key.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { type Cidr, isWithin } from '#lib/ip'
import { usdText } from '#lib/money'
import { microsOf } from '../amount.ts'
import { ask, jsonOf, ProcessorFault } from '../ask.ts'
import type {
  Charge,
  ChargeOrder,
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
  SavedMethods,
} from '../method.ts'
import { orderFields, orderIn } from '../order.record.ts'
import { forged } from '../signature.ts'
import { cancellationShape, chargeIn, savedIn, savedMethodShape } from './yookassa.saved.ts'

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
  payment_method: savedMethodShape.optional(),
  cancellation_details: cancellationShape.optional(),
})
const pageShape = z.object({ items: z.array(paymentShape), next_cursor: z.string().optional() })
const refundShape = z.object({
  id: z.string(),
  status: z.enum(['pending', 'succeeded', 'canceled']),
  description: z.string().optional(),
})
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
    create: (invoice) => create(options, invoice),
    prove: (webhook) => prove(options, webhook),
    read,
    look: async (externalId) => {
      const payment = await lookUp(options, externalId)
      return payment === null ? null : findingOf(options, payment)
    },
    list: (since) => list(options, since),
    refund: (refund) => sendBack(options, refund),
    fiscal: {
      list: (of) => listReceipts(options, of),
      close: (closing) => closeReceipt(options, closing),
    },
    saved: savedOf(options),
  }
}

async function lookUp(
  options: YookassaOptions,
  externalId: string,
): Promise<z.infer<typeof paymentShape> | null> {
  if (!idPattern.test(externalId)) return null
  return ask(
    { method: 'GET', timeoutMs: options.timeoutMs, ...to(options, `payments/${externalId}`) },
    paymentShape,
    'null',
  )
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

/** Its API forgets no saved method: the shop forgets the id. */
function savedOf(options: YookassaOptions): SavedMethods {
  const chargeOf = (payment: z.infer<typeof paymentShape>) =>
    chargeIn(payment, (paid) => findingOf(options, paid))
  return {
    read: async (externalId) => savedIn((await lookUp(options, externalId))?.payment_method),
    charge: async (order) => charge(options, order, chargeOf),
    find: async (number, since) => {
      for await (const payment of pagesOf(options, { 'created_at.gte': since.toISOString() }))
        if (payment.metadata?.['invoice'] === number && payment.metadata['automatic'] === '1')
          return chargeOf(payment)
      return null
    },
    close: async (externalId) => {
      const payment = await lookUp(options, externalId)
      if (payment === null) throw new ProcessorFault('unknown', 'GET payments: the charge is not there')
      return chargeOf(payment)
    },
    forget: () => Promise.resolve(),
  }
}

async function charge(
  options: YookassaOptions,
  { invoice, saved }: ChargeOrder,
  chargeOf: (payment: z.infer<typeof paymentShape>) => Charge,
): Promise<Charge> {
  const { number, price, description, order, receipt } = invoice
  const body = {
    amount: { value: usdText(price.micros, 2), currency: price.currency },
    capture: true,
    payment_method_id: saved.id,
    description: description.slice(0, 128),
    metadata: { invoice: number, automatic: '1', ...orderFields(order) },
    ...(receipt === null ? {} : { receipt }),
  }
  try {
    return chargeOf(await post(options, { path: 'payments', key: `charge-${number}`, body }, paymentShape))
  } catch (error) {
    if (!(error instanceof ProcessorFault) || error.outcome === 'unknown') throw error
    return { state: 'declined', externalId: null, reason: 'processor_refused' }
  }
}

async function create(options: YookassaOptions, invoice: InvoiceToPay) {
  const { number, price, description, language, order, receipt, savesMethod } = invoice
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
        ...(savesMethod ? { save_payment_method: true } : {}),
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
  }
}

/** Payments, page by page: https://yookassa.ru/developers/api#get_payments_list. */
async function* pagesOf(options: YookassaOptions, filter: Record<string, string>) {
  let cursor: string | undefined
  do {
    const { url, headers } = to(options, 'payments')
    const page = { limit: '100', ...(cursor === undefined ? {} : { cursor }) }
    url.search = new URLSearchParams({ ...filter, ...page }).toString()
    const answer = await ask({ method: 'GET', url, headers, timeoutMs: options.timeoutMs }, pageShape)
    yield* answer.items
    cursor = answer.next_cursor
  } while (cursor !== undefined)
}

async function list(options: YookassaOptions, since: Date): Promise<ListedPayment[]> {
  const listed: ListedPayment[] = []
  const filter = { 'created_at.gte': since.toISOString(), status: 'succeeded' }
  for await (const payment of pagesOf(options, filter))
    listed.push({
      ...findingOf(options, payment),
      order: orderIn(payment.metadata ?? {}),
      refundedMicros: microsOf(payment.refunded_amount?.value ?? '0') ?? 0n,
      createdAt: new Date(payment.created_at),
    })
  return listed
}

async function sendBack(options: YookassaOptions, { number, externalId, price, receipt }: RefundToSend) {
  // YooKassa discards keys after a day; refunds remain.
  const made = await ask(
    {
      method: 'GET',
      timeoutMs: options.timeoutMs,
      ...to(options, `refunds?payment_id=${encodeURIComponent(externalId)}`),
    },
    z.object({ items: z.array(refundShape) }),
  )
  const refund =
    made.items.find(({ description, status }) => description === number && status !== 'canceled') ??
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
