/**
 * The subset of BTCPay's Greenfield API that this shop uses, written from its public OpenAPI description
 * (btcpayserver/btcpayserver, BTCPayServer/wwwroot/swagger/v1/): the fake refuses requests that do not fit,
 * and fails when an answer of its own does not. Objects of the description that are
 * `additionalProperties: false` are strict here.
 * - swagger.template.invoices.json: CreateInvoiceRequest, CheckoutOptions, the body of Invoices_Refund,
 *   InvoiceData, InvoicePaymentMethodDataModel, Payment and their enumerations.
 * - swagger.template.pull-payments.json: PullPaymentData, PayoutData, PayoutState. PullPayments_GetPullPayments,
 *   PullPayments_GetPayouts and PullPayments_GetStorePayouts have no parameters for pages.
 */
import * as z from 'zod'

/** `format: decimal`: a number in a text. */
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/)
/** UnixTimestamp: seconds. */
const unix = z.int().nonnegative()
const metadata = z.record(z.string(), z.unknown())

const checkoutOptions = z.strictObject({
  speedPolicy: z.enum(['HighSpeed', 'MediumSpeed', 'LowMediumSpeed', 'LowSpeed']).nullish(),
  paymentMethods: z.array(z.string()).nullish(),
  defaultPaymentMethod: z.string().nullish(),
  lazyPaymentMethods: z.boolean().nullish(),
  expirationMinutes: z.number().nullish(),
  monitoringMinutes: z.number().nullish(),
  paymentTolerance: z.number().min(0).max(100).nullish(),
  redirectURL: z.string().nullish(),
  redirectAutomatically: z.boolean().nullish(),
  defaultLanguage: z.string().nullish(),
})

/** The bodies of requests. */
export const greenfieldRequests = {
  createInvoice: z.strictObject({
    metadata: metadata.optional(),
    checkout: checkoutOptions.nullish(),
    receipt: z.record(z.string(), z.unknown()).nullish(),
    amount: decimal.nullish(),
    currency: z.string().nullish(),
    additionalSearchTerms: z.array(z.string()).nullish(),
  }),
  refund: z.strictObject({
    name: z.string().nullish(),
    description: z.string().optional(),
    payoutMethodId: z.string(),
    refundVariant: z.enum(['RateThen', 'CurrentRate', 'OverpaidAmount', 'Fiat', 'Custom']),
    subtractPercentage: decimal.optional(),
    customAmount: decimal.optional(),
    customCurrency: z.string().optional(),
  }),
} as const

const invoice = z.strictObject({
  metadata,
  checkout: checkoutOptions.nullish(),
  receipt: z.unknown().optional(),
  id: z.string(),
  storeId: z.string(),
  amount: decimal,
  paidAmount: decimal.optional(),
  currency: z.string(),
  type: z.enum(['Standard', 'TopUp']).optional(),
  checkoutLink: z.string(),
  createdTime: unix,
  expirationTime: unix.optional(),
  monitoringExpiration: unix.optional(),
  status: z.enum(['New', 'Processing', 'Expired', 'Invalid', 'Settled']),
  additionalStatus: z.enum(['None', 'PaidLate', 'PaidPartial', 'Marked', 'Invalid', 'PaidOver']),
  availableStatusesForManualMarking: z.array(z.string()).optional(),
  archived: z.boolean().optional(),
})

const payment = z.strictObject({
  id: z.string().optional(),
  receivedDate: unix,
  value: decimal,
  fee: decimal.optional(),
  status: z.enum(['Invalid', 'Processing', 'Settled']),
  destination: z.string().optional(),
})

const paymentMethod = z.strictObject({
  paymentMethodId: z.string(),
  currency: z.string(),
  destination: z.string().optional(),
  paymentLink: z.string().nullish(),
  rate: decimal,
  paymentMethodPaid: decimal.optional(),
  totalPaid: decimal,
  due: decimal.optional(),
  amount: decimal,
  paymentMethodFee: decimal.optional(),
  payments: z.array(payment),
  activated: z.boolean().optional(),
  additionalData: z.unknown().optional(),
})

const pullPayment = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  currency: z.string(),
  amount: decimal,
  BOLT11Expiration: z.string().optional(),
  autoApproveClaims: z.boolean().nullish(),
  archived: z.boolean().optional(),
  viewLink: z.string(),
})

const payout = z.strictObject({
  id: z.string(),
  revision: z.int(),
  pullPaymentId: z.string().nullable(),
  /** The description says a text, the server answers with a number of seconds. */
  date: z.union([unix, z.string().regex(/^\d+$/)]),
  destination: z.string(),
  originalCurrency: z.string(),
  /** Usually a decimal; tests of malformed amounts use other texts. */
  originalAmount: z.string(),
  payoutCurrency: z.string(),
  payoutAmount: decimal.nullable(),
  payoutMethodId: z.string(),
  state: z.enum(['AwaitingApproval', 'AwaitingPayment', 'InProgress', 'Completed', 'Cancelled']),
  paymentProof: z.unknown(),
  metadata: z.record(z.string(), z.unknown()),
})

/** The answers, by the end of the path below the store. */
const greenfieldAnswers: readonly (readonly [RegExp, 'GET' | 'POST', z.ZodType])[] = [
  [/\/invoices$/, 'GET', z.array(invoice)],
  [/\/invoices$/, 'POST', invoice],
  [/\/invoices\/[^/]+$/, 'GET', invoice],
  [/\/invoices\/[^/]+\/payment-methods$/, 'GET', z.array(paymentMethod)],
  [/\/invoices\/[^/]+\/refund$/, 'POST', pullPayment],
  [/\/stores\/[^/]+\/pull-payments$/, 'GET', z.array(pullPayment)],
  [/\/payouts$/, 'GET', z.array(payout)],
  [/\/payouts\/[^/]+$/, 'GET', payout],
]

/** Throws where an answer of the fake is not as the description says. */
export function checkAnswer(method: string, path: string, body: unknown): void {
  const known = greenfieldAnswers.find(([pattern, of]) => of === method && pattern.test(path))
  if (known === undefined) throw new Error(`the description has no ${method} ${path}`)
  // Validates the answer as it is sent: JSON omits fields without a value.
  known[2].parse(JSON.parse(JSON.stringify(body)))
}
