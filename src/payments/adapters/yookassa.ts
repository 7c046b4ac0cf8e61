/**
 * YooKassa, https://yookassa.ru/developers: cards and SBP in RUB. Its notifications are not signed: they are
 * accepted only from its own networks, and only as a hint: the payment is then read from the API, and only
 * that answer counts. Creating and refunding carry an Idempotence-Key, so a request without an answer is
 * repeated under the same key.
 */
import * as z from 'zod'
import { jsonOf } from '#lib/fetch-text'
import { isWithin } from '#lib/ip'
import { usdText } from '#lib/money'
import { microsOf } from '../amount.ts'
import { ask, ProcessorFault } from '../ask.ts'
import type {
  Charge,
  ChargeOrder,
  Finding,
  InvoiceToPay,
  ListedPayment,
  PaymentMethod,
  RawWebhook,
  Reading,
  RefundAccepted,
  RefundState,
  RefundToSend,
  SavedMethods,
} from '../method.ts'
import { orderFields, orderIn } from '../order.record.ts'
import { forged } from '../signature.ts'
import { keyWithout } from '../wishes.ts'
import { post, to, type YookassaOptions } from './yookassa.ask.ts'
import { fiscalOf } from './yookassa.receipts.ts'
import { cancellationShape, chargeIn, savedIn, savedMethodShape } from './yookassa.saved.ts'

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
  captured_at: z.iso.datetime({ offset: true }).optional(),
  refunded_amount: amountShape.optional(),
  income_amount: amountShape.optional(),
  payment_method: savedMethodShape.optional(),
  cancellation_details: cancellationShape.optional(),
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
    // «Лимиты: минимальный размер платежа — 1 рубль», by card and by SBP alike:
    // https://yookassa.ru/developers/payment-acceptance/integration-scenarios/manual-integration/other/sbp
    leastMicros: 1_000_000n,
    wishes: ['save_method', 'receipt'],
    reportsFees: true,
    create: (invoice) => create(options, invoice),
    prove: (webhook) => prove(options, webhook),
    read,
    check: async () => {
      const { timeoutMs } = options
      await ask(
        { method: 'GET', timeoutMs, ...to(options, 'payments?limit=1') },
        z.object({ items: z.array(z.unknown()) }),
      )
    },
    look: async (externalId) => {
      const payment = await lookUp(options, externalId)
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
    findRefund: (reference) => findRefund(options, reference),
    fiscal: fiscalOf(options),
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

/** YooKassa's API cannot delete a saved method, so the shop deletes only its own copy of the id. */
function savedOf(options: YookassaOptions): SavedMethods {
  const chargeOf = (payment: z.infer<typeof paymentShape>) =>
    chargeIn(payment, (paid) => findingOf(options, paid))
  return {
    read: async (externalId) => savedIn((await lookUp(options, externalId))?.payment_method),
    charge: async (order) => charge(options, order, chargeOf),
    find: async (number, since) => {
      for (const payment of await paymentsOf(options, { 'created_at.gte': since.toISOString() }))
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
    if (!(error instanceof ProcessorFault) || !error.isOfRequest) throw error
    return { state: 'declined', externalId: null, reason: 'processor_refused' }
  }
}

async function create(options: YookassaOptions, invoice: InvoiceToPay) {
  const { number, price, description, language, order, receipt, savesMethod } = invoice
  const payment = await post(
    options,
    {
      path: 'payments',
      key: keyWithout(number, invoice),
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
    ...(isPaid ? { feeMicros: feeOf(payment, priceMicros), paidAt: capturedAt(payment) } : {}),
  }
}

/** The time of the payment in YooKassa's registry and on the receipt. */
const capturedAt = ({ captured_at: at }: z.infer<typeof paymentShape>) =>
  at === undefined ? null : new Date(at)

/**
 * The fee: `amount` less `income_amount`, which is the amount without the commission and the VAT on it. Null:
 * YooKassa has not reported it yet.
 */
function feeOf({ amount, income_amount: income }: z.infer<typeof paymentShape>, priceMicros: bigint) {
  if (income === undefined || income.currency !== amount.currency) return null
  const incomeMicros = microsOf(income.value)
  return incomeMicros === null || incomeMicros > priceMicros ? null : priceMicros - incomeMicros
}

const refundState = { pending: 'waiting', succeeded: 'sent', canceled: 'failed' } as const

/**
 * A payment with its refunds, where there are any. YooKassa has no call about disputes. It charges nothing
 * for a refund, but does not return its commission on the payment.
 * https://yookassa.ru/developers/payment-acceptance/after-the-payment/refunds
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
      name: refund.description ?? null,
      price: { currency: refund.amount.currency, micros: microsOf(refund.amount.value) ?? 0n },
      state: refundState[refund.status],
      madeAt: new Date(refund.created_at),
      feeMicros: null,
    })),
  }
}

/** Objects, page by page: https://yookassa.ru/developers/api#get_payments_list and #get_refunds_list. */
async function pagesOf<T>(
  options: YookassaOptions,
  path: string,
  shape: z.ZodType<{ items: T[]; next_cursor?: string | undefined }>,
) {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const { url, headers } = to(options, path)
    url.searchParams.set('limit', '100')
    if (cursor !== undefined) url.searchParams.set('cursor', cursor)
    const page = await ask({ method: 'GET', url, headers, timeoutMs: options.timeoutMs }, shape)
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return items
}
const paymentsOf = (options: YookassaOptions, filter: Record<string, string>) =>
  pagesOf(options, `payments?${String(new URLSearchParams(filter))}`, pageShape)
const listRefunds = (options: YookassaOptions, filter: Record<string, string>) =>
  pagesOf(options, `refunds?${String(new URLSearchParams(filter))}`, refundPageShape)

async function list(options: YookassaOptions, since: Date): Promise<ListedPayment[]> {
  const listed: ListedPayment[] = []
  const filter = { 'created_at.gte': since.toISOString(), status: 'succeeded' }
  for (const payment of await paymentsOf(options, filter))
    listed.push({
      ...findingOf(options, payment),
      order: orderIn(payment.metadata ?? {}),
      refundedMicros: microsOf(payment.refunded_amount?.value ?? '0') ?? 0n,
      createdAt: new Date(payment.created_at),
    })
  return listed
}

async function sendBack(
  options: YookassaOptions,
  { name, externalId, price, receipt }: RefundToSend,
): Promise<RefundAccepted> {
  // YooKassa discards keys after a day; refunds remain.
  const made = await listRefunds(options, { payment_id: externalId })
  const refund =
    made.find(({ description }) => description === name) ??
    (await post(
      options,
      {
        path: 'refunds',
        key: name,
        body: {
          payment_id: externalId,
          amount: { value: usdText(price.micros, 2), currency: price.currency },
          description: name,
          ...(receipt === null ? {} : { receipt }),
        },
      },
      refundShape,
    ))
  const state = refundState[refund.status]
  if (state === 'failed') throw new ProcessorFault('refused', 'POST refunds: YooKassa cancelled it')
  return { reference: refund.id, claimUrl: null, state }
}

/** https://yookassa.ru/developers/api#get_refund */
async function findRefund(options: YookassaOptions, reference: string): Promise<RefundState | null> {
  if (!idPattern.test(reference)) return null
  const question = {
    method: 'GET',
    timeoutMs: options.timeoutMs,
    ...to(options, `refunds/${reference}`),
  } as const
  const refund = await ask(question, refundShape, 'null')
  return refund === null ? null : refundState[refund.status]
}
