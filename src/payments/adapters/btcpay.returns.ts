/**
 * Refunds that are made in BTCPay Server: a pull payment, and a payout for each claim of it. No response of
 * the API links a pull payment to its invoice, but the name of the pull payment does: BTCPay puts its id of
 * the invoice into the name; this shop puts its own name of the refund there, which begins with the number of
 * the invoice. Only staff of the store can name a pull payment. A pull payment with any other name is not a
 * refund of an invoice of this shop.
 */
import * as z from 'zod'
import { digitsOf, digitsPerMicro, microsOf } from '../amount.ts'
import { ask, ProcessorFault } from '../ask.ts'
import type { FoundRefund, ListedChange, Price, RefundState } from '../method.ts'
import {
  type BtcpayInvoice,
  type BtcpayOptions,
  invoiceOf,
  methodsOf,
  type PullPayment,
  pullPayments,
  search,
  to,
  toPullPayment,
  wholeList,
} from './btcpay.ask.ts'

/**
 * https://docs.btcpayserver.org/API/Greenfield/v1/#tag/Stores-(Payouts); `original…` is in the currency of
 * the pull payment.
 */
const payoutShape = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  pullPaymentId: z.string().nullish(),
  /** Epoch seconds. */
  date: z.coerce.number().int().min(0).max(1e11),
  originalCurrency: z.string().nullish(),
  originalAmount: z.string(),
  state: z.enum(['AwaitingApproval', 'AwaitingPayment', 'InProgress', 'Completed', 'Cancelled']),
})
type Payout = z.infer<typeof payoutShape>

/** Money has been returned when the payment to the customer is confirmed, and this is final. */
const stateOf = {
  AwaitingApproval: 'waiting',
  AwaitingPayment: 'waiting',
  InProgress: 'waiting',
  Completed: 'sent',
  Cancelled: 'failed',
} as const satisfies Record<Payout['state'], RefundState>

export const refundName = (subject: string) => `Refund ${subject}`

/** BTCPay's id of the invoice, or our name of a refund, from the name of a pull payment; null: neither. */
const subjectOf = ({ name }: PullPayment) => /^Refund ([\w-]{1,64})$/.exec(name ?? '')?.[1] ?? null

const orderIdOf = ({ metadata }: BtcpayInvoice) => {
  const orderId = metadata['orderId']
  return typeof orderId === 'string' ? orderId : null
}

/** The pull payments that return money of an invoice. */
export function refundsAmong(pulls: readonly PullPayment[], invoice: BtcpayInvoice): PullPayment[] {
  const number = orderIdOf(invoice)
  return pulls.filter((pull) => {
    const subject = subjectOf(pull)
    return subject !== null && (subject === invoice.id || (number !== null && numberIn(subject) === number))
  })
}

const hintPattern = /^payout:([\w-]{1,64})$/

/** The id of a payout, in the form in which `look` takes it in place of an invoice's id. */
export const hintOf = (payoutId: string) => `payout:${payoutId}`
/** The payout's id from a text of `hintOf`; null: the text is the id of an invoice. */
export const payoutIn = (hint: string): string | null => hintPattern.exec(hint)?.[1] ?? null

/**
 * The payouts of refunds that began since this time, and all completed payouts, since a claim may wait for
 * months. BTCPay lists the payouts of a store without pages, and without those whose pull payment is
 * archived.
 */
export async function changes(options: BtcpayOptions, since: Date): Promise<ListedChange[]> {
  const pulls = await pullPayments(options)
  const refunds = new Set(pulls.filter((pull) => subjectOf(pull) !== null).map(({ id }) => id))
  if (refunds.size === 0) return []
  const payouts = await wholeList(options, 'payouts?includeCancelled=true', payoutShape)
  return payouts
    .filter(({ pullPaymentId }) => refunds.has(pullPaymentId ?? ''))
    .filter(({ state, date }) => state === 'Completed' || date * 1000 >= since.getTime())
    .map(({ id, state }) => ({ id, lookAt: hintOf(id), state: stateOf[state] }))
}

/**
 * The invoice whose money a payout returns, with its refunds. Null: the payout belongs to no invoice of this
 * store. The payout is read by its id, because BTCPay then returns payouts of archived pull payments too.
 */
export async function lookAtPayout(
  options: BtcpayOptions,
  payoutId: string,
): Promise<{ invoice: BtcpayInvoice; pulls: PullPayment[]; payout: Payout } | null> {
  const payout = await ask(to(options, 'GET', `payouts/${payoutId}`), payoutShape, 'null')
  if (payout === null || payout.id !== payoutId) return null
  const pulls = await pullPayments(options)
  const pull = pulls.find(({ id }) => id === payout.pullPaymentId)
  const subject = pull === undefined ? null : subjectOf(pull)
  if (subject === null) return null
  const number = numberIn(subject)
  const invoice = number === null ? await invoiceOf(options, subject) : await search(options, number)
  return invoice === null ? null : { invoice, pulls, payout }
}

/**
 * The number of our invoice, from the beginning of our name of a refund; null: not our name. Our numbers are
 * 20 hexadecimal digits; BTCPay's ids are longer, and in base 58.
 */
const numberIn = (subject: string) => /^([0-9a-f]{20})(?:-[0-9a-f]{1,16})?$/.exec(subject)?.[1] ?? null

/**
 * The completed and pending refunds of an invoice, one for each payout. `also` is a payout that was read by
 * its id.
 */
export async function refundsOf(
  options: BtcpayOptions,
  { invoice, paidMicros, pulls, also = null }: Returning,
): Promise<FoundRefund[]> {
  const found: FoundRefund[] = []
  for (const pull of refundsAmong(pulls, invoice)) {
    const subject = subjectOf(pull)
    const payouts = await payoutsOf(options, pull, also)
    if (payouts.length === 0) continue
    const worth = await worthIn(options, invoice, pull, paidMicros)
    let before = 0n
    for (const payout of payouts) {
      const isOff = payout.state === 'Cancelled'
      const amount = digitsOf(payout.originalAmount)
      if (amount === null || amount === 0n || payout.originalCurrency !== pull.currency) continue
      const price = worth(before, amount)
      if (!isOff) before += amount
      if (price.micros === 0n) continue
      found.push({
        refundId: payout.id,
        name: subject !== null && subject !== invoice.id ? subject : null,
        price,
        state: stateOf[payout.state],
        madeAt: new Date(payout.date * 1000),
        // The store's wallet pays the network fee, and the API does not report it.
        feeMicros: null,
      })
    }
  }
  return found
}

interface Returning {
  invoice: BtcpayInvoice
  /** The money received for the invoice, in the invoice's currency. */
  paidMicros: bigint
  pulls: readonly PullPayment[]
  also?: Payout | null
}

/** The payouts of a pull payment, in the order in which they were claimed. */
async function payoutsOf(options: BtcpayOptions, pull: PullPayment, also: Payout | null): Promise<Payout[]> {
  const path = 'payouts?includeCancelled=true'
  const listed =
    pull.archived === true
      ? []
      : ((await ask(toPullPayment(options, pull.id, path), z.array(payoutShape), 'null')) ?? [])
  const all = also === null ? listed : [...listed, also]
  const own = new Map(
    all.filter(({ pullPaymentId }) => pullPaymentId === pull.id).map((one) => [one.id, one]),
  )
  return [...own.values()].toSorted((a, b) => a.date - b.date || (a.id < b.id ? -1 : 1))
}

/** Half of 10⁻⁸ coin, the smallest unit of a coin, in units of `digitsOf`. */
const nearly = 5_000_000_000n
const isNear = (one: bigint, other: bigint) => one - other <= nearly && other - one <= nearly

/**
 * Returns a function that gives the worth of a payout in the currency of the invoice, from the amount claimed
 * before it and its own amount. A refund in the invoice's currency is worth its amount. A refund in the coin
 * of the payment, of the whole payment or of the overpaid part, is worth its share of the payment, at the
 * rate of the invoice. For any other refund the API does not report the rate, so its price stays in its own
 * currency.
 */
async function worthIn(
  options: BtcpayOptions,
  invoice: BtcpayInvoice,
  pull: PullPayment,
  paidMicros: bigint,
): Promise<(before: bigint, amount: bigint) => Price> {
  const asItSays = (_before: bigint, amount: bigint) => ({
    currency: pull.currency,
    micros: amount / digitsPerMicro,
  })
  if (pull.currency === invoice.currency) return asItSays
  const coin = (await methodsOf(options, invoice.id)).find(({ currency }) => currency === pull.currency)
  const [paid, due, whole] = [coin?.totalPaid, coin?.amount, pull.amount].map((text) => digitsOf(text ?? ''))
  if (paid == null || due == null || whole == null || paid === 0n) return asItSays
  const isKnown = isNear(whole, paid) || (paid > due && isNear(whole, paid - due))
  if (!isKnown) return asItSays
  // Each payout is worth the difference of two rounded running totals, so that the payouts add up exactly.
  const worthOf = (sum: bigint) => (sum + nearly >= paid ? paidMicros : (paidMicros * sum) / paid)
  return (before, amount) => ({
    currency: invoice.currency,
    micros: worthOf(before + amount) - worthOf(before),
  })
}

/**
 * Refuses a refund of the shop while a refund that was made in BTCPay can still be claimed, or when BTCPay's
 * refunds have left less than this amount: a second refund would pay the customer twice.
 */
export async function refuseSecond(
  options: BtcpayOptions,
  all: readonly PullPayment[],
  invoiceId: string,
  price: Price,
): Promise<void> {
  const pulls = all.filter(({ name }) => name === refundName(invoiceId))
  if (pulls.length === 0) return
  for (const pull of pulls) {
    if (pull.archived === true) continue
    const completed = (await payoutsOf(options, pull, null))
      .filter(({ state }) => state === 'Completed')
      .reduce((sum, { originalAmount }) => sum + (digitsOf(originalAmount) ?? 0n), 0n)
    if (completed >= (digitsOf(pull.amount) ?? 0n)) continue
    throw new ProcessorFault(
      'refused',
      `refunding: ${pull.amount} ${pull.currency} of a refund made in BTCPay (${pull.id}) can still be claimed; archive it there first`,
    )
  }
  const invoice = await invoiceOf(options, invoiceId)
  const paidMicros = microsOf(invoice?.paidAmount ?? '') ?? 0n
  const refunds = invoice === null ? [] : await refundsOf(options, { invoice, paidMicros, pulls })
  const returnedMicros = refunds
    .filter((one) => one.state === 'sent' && one.price.currency === price.currency)
    .reduce((sum, one) => sum + one.price.micros, 0n)
  if (returnedMicros > 0n && returnedMicros + price.micros > paidMicros)
    throw new ProcessorFault('refused', 'refunding: a refund made in BTCPay has returned the money')
}

/**
 * The state of a refund of the shop, from its pull payment: sent when all of it was paid out, failed when the
 * pull payment was archived before any payout.
 */
export async function findPullPayment(options: BtcpayOptions, id: string): Promise<RefundState | null> {
  const pull = (await pullPayments(options)).find((one) => one.id === id)
  if (pull === undefined) return null
  if (pull.archived === true) return 'failed'
  const completed = (await payoutsOf(options, pull, null))
    .filter(({ state }) => state === 'Completed')
    .reduce((sum, { originalAmount }) => sum + (digitsOf(originalAmount) ?? 0n), 0n)
  return completed >= (digitsOf(pull.amount) ?? 0n) ? 'sent' : 'waiting'
}
