/**
 * Refunds that are made in BTCPay Server: a pull payment, and a payout for each claim of it. No answer of the
 * API says to which invoice a pull payment belongs. Its name does: BTCPay names a refund after its id of the
 * invoice, this shop after its own name of the refund, which begins with the number of the invoice, and only
 * people of the store can name one. Any other name is no refund of an invoice here.
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

/** BTCPay's id of the invoice, or our name of a refund, after which a pull payment is named; null: neither. */
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

/** A payout, in place of the id of an invoice. */
export const hintOf = (payoutId: string) => `payout:${payoutId}`
/** The payout that `hintOf` names; null: it is the id of an invoice. */
export const payoutIn = (hint: string): string | null => hintPattern.exec(hint)?.[1] ?? null

/**
 * The payouts of refunds that began since this time, and those completed whenever they began: a claim may
 * wait for months. BTCPay lists the payouts of a store without pages, and without those whose pull payment is
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
 * The invoice of which a payout returns money, with its refunds. Null: it returns none of an invoice of this
 * store. The payout itself is read by its id, which BTCPay answers for archived pull payments too.
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
 * The number of our invoice, with which our names of its refunds begin; null: another name. Our numbers are
 * 20 hexadecimal digits; BTCPay's ids are longer, and in base 58.
 */
const numberIn = (subject: string) => /^([0-9a-f]{20})(?:-[0-9a-f]{1,16})?$/.exec(subject)?.[1] ?? null

/**
 * What was returned of an invoice and what is about to be, a refund for each payout. `also` is a payout that
 * was read by itself.
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
        // The fee of the network is paid by the store's wallet, and told nowhere.
        feeMicros: null,
      })
    }
  }
  return found
}

interface Returning {
  invoice: BtcpayInvoice
  /** What was received of it, in its currency. */
  paidMicros: bigint
  pulls: readonly PullPayment[]
  also?: Payout | null
}

/** In the order in which they were claimed. */
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

/** Half of a hundred-millionth, in the unit of `digitsOf`: coins are divided so far. */
const nearly = 5_000_000_000n
const isNear = (one: bigint, other: bigint) => one - other <= nearly && other - one <= nearly

/**
 * What a payout is worth in the currency of the invoice, given what was claimed before it. A refund in that
 * currency is worth what it says. One in the coin that was paid is worth its part of the payment where it is
 * a refund of the whole payment or of what was overpaid, at the rate of the invoice. Of any other the API
 * does not tell at which rate it was made: its price stays in its own currency.
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
  // Parts of the sum so far: what is cut off of one is in the next, so that they add up.
  const worthOf = (sum: bigint) => (sum + nearly >= paid ? paidMicros : (paidMicros * sum) / paid)
  return (before, amount) => ({
    currency: invoice.currency,
    micros: worthOf(before + amount) - worthOf(before),
  })
}

/**
 * Refuses a refund of the shop while one that was made in BTCPay can still be claimed, or has returned so
 * much that nothing the shop knew of is left: with a second one the customer would have the money twice.
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
 * What became of a refund of the shop, by its pull payment: sent when all of it was paid out, failed when it
 * was archived before anything was.
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
