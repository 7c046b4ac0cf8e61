/** Requests to a store of BTCPay Server, and the answers that several of them share. */
import * as z from 'zod'
import { ask, type Question } from '../ask.ts'

export interface BtcpayOptions {
  url: URL
  apiKey: string
  storeId: string
  webhookSecret: string
  publicUrl: URL
  timeoutMs: number
}

export const invoiceShape = z.object({
  id: z.string(),
  amount: z.string(),
  paidAmount: z.string().optional(),
  currency: z.string(),
  checkoutLink: z.url(),
  status: z.enum(['New', 'Processing', 'Settled', 'Expired', 'Invalid']),
  additionalStatus: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  createdTime: z.int(),
})
export type BtcpayInvoice = z.infer<typeof invoiceShape>

/**
 * `amount` is the total of the invoice in the method's currency, `totalPaid` the sum of its payments by all
 * methods, `due` what is left of it. Without a `destination` the method is not activated.
 */
const methodsShape = z.array(
  z.object({
    paymentMethodId: z.string(),
    currency: z.string().nullish(),
    amount: z.string().optional(),
    totalPaid: z.string().optional(),
    due: z.string().optional(),
    destination: z.string().nullish(),
    paymentLink: z.string().nullish(),
    payments: z.array(z.object({ status: z.string(), receivedDate: z.int().optional() })),
  }),
)

export const pullPaymentShape = z.object({
  id: z.string(),
  name: z.string().nullish(),
  currency: z.string(),
  amount: z.string(),
  archived: z.boolean().optional(),
  viewLink: z.url(),
})
export type PullPayment = z.infer<typeof pullPaymentShape>

const question = (
  { url, apiKey, timeoutMs }: BtcpayOptions,
  method: Question['method'],
  path: string,
  body?: unknown,
): Question => ({
  method,
  url: new URL(`/api/v1/${path}`, url),
  headers: { authorization: `token ${apiKey}` },
  timeoutMs,
  ...(body === undefined ? {} : { body }),
})

/** A request about the store. */
export const to = (options: BtcpayOptions, method: Question['method'], path: string, body?: unknown) =>
  question(options, method, `stores/${options.storeId}/${path}`, body)

/** A request about a pull payment. Its page is public, so the path contains no store id. */
export const toPullPayment = (options: BtcpayOptions, id: string, path: string) =>
  question(options, 'GET', `pull-payments/${encodeURIComponent(id)}/${path}`)

export const invoicePath = (id: string) => `invoices/${encodeURIComponent(id)}`

/** One invoice of the store; null: the store has no invoice with this id. */
export const invoiceOf = (options: BtcpayOptions, id: string): Promise<BtcpayInvoice | null> =>
  ask(to(options, 'GET', invoicePath(id)), invoiceShape, 'null')

/** The ways in which an invoice can be paid, with what was paid. */
export const methodsOf = (options: BtcpayOptions, id: string) =>
  ask(to(options, 'GET', `${invoicePath(id)}/payment-methods`), methodsShape)

/** The invoice with our number; null: there is none. */
export async function search(options: BtcpayOptions, number: string): Promise<BtcpayInvoice | null> {
  const path = `invoices?orderId=${encodeURIComponent(number)}`
  const found = await ask(to(options, 'GET', path), z.array(invoiceShape))
  return found.find(({ metadata }) => metadata['orderId'] === number) ?? null
}

/**
 * A list that BTCPay does not paginate (its only parameters are `includeArchived` and `includeCancelled`):
 * one response contains all of it.
 */
export const wholeList = <T>(options: BtcpayOptions, path: string, shape: z.ZodType<T>): Promise<T[]> =>
  ask({ ...to(options, 'GET', path), maxBytes: 64_000_000 }, z.array(shape))

/** All pull payments of the store. */
export const pullPayments = (options: BtcpayOptions): Promise<PullPayment[]> =>
  wholeList(options, 'pull-payments?includeArchived=true', pullPaymentShape)
