/**
 * The effect of a payment on an invoice: pure, so that every order of arrival can be tested without a
 * database.
 */
import { downToCent } from '#contract/price'
import { bytesPerGb } from '#contract/wire'
import { least } from '#lib/bigint'

export type InvoiceState =
  | 'pending'
  | 'paid'
  | 'underpaid'
  | 'expired'
  | 'cancelled'
  | 'partly_refunded'
  | 'refunded'

export interface Standing {
  state: InvoiceState
  gb: bigint
  /** The price of the GB: the quote, or the quote without its promo code when that was lost. */
  dueMicros: bigint
  receivedMicros: bigint
  creditedBytes: bigint
  /** The money returned and the traffic taken back by a refund. */
  refundedMicros: bigint
  takenBackBytes: bigint
}

export interface Step {
  state: InvoiceState
  receivedMicros: bigint
  creditedBytes: bigint
  /** Bytes to credit now. */
  creditBytes: bigint
  /** All money that the invoice has kept, at most its price: the base of the inviter's share. */
  keptMicros: bigint
}

/**
 * The next state after a payment, whatever the state before: late and partial payments are credited too. All
 * money ever received, less the money returned, buys its worth of the frozen quote, at most the invoice's GB.
 * The result is rounded down; the payment that completes the invoice credits the remainder.
 */
export function afterPayment(invoice: Standing, receivedMicros: bigint): Step {
  const total = invoice.receivedMicros + receivedMicros
  const kept = total - invoice.refundedMicros
  const wholeBytes = invoice.gb * bytesPerGb
  const isFull = kept >= invoice.dueMicros
  const earned = isFull ? wholeBytes : (wholeBytes * kept) / invoice.dueMicros
  const held = invoice.creditedBytes - invoice.takenBackBytes
  const creditBytes = earned > held ? earned - held : 0n
  return {
    state: settledState({ ...invoice, receivedMicros: total }),
    receivedMicros: total,
    creditedBytes: invoice.creditedBytes + creditBytes,
    creditBytes,
    keptMicros: countedMicros(invoice, kept),
  }
}

type Money = Pick<Standing, 'receivedMicros' | 'refundedMicros' | 'dueMicros'>

/** The money of an invoice that was not returned. */
export const leftOf = ({ receivedMicros, refundedMicros }: Omit<Money, 'dueMicros'>): bigint =>
  receivedMicros - refundedMicros

/** The state of an invoice with money, by its sums; one that cost nothing is refunded by its traffic alone. */
export function settledState(money: Money): 'paid' | 'underpaid' | 'partly_refunded' | 'refunded' {
  const { receivedMicros, refundedMicros, dueMicros } = money
  if (refundedMicros > 0n) return leftOf(money) > 0n ? 'partly_refunded' : 'refunded'
  return receivedMicros >= dueMicros ? 'paid' : 'underpaid'
}

/**
 * The time of money in the books: the processor's time, which its registry and the receipt use, but never a
 * future one.
 */
export const valueOf = (madeAt: Date | null | undefined, now: Date): Date | undefined =>
  madeAt === null || madeAt === undefined || madeAt > now ? undefined : madeAt

/** A cancellation ends only an open invoice: it never takes back money that was received. */
export function afterCancellation(state: InvoiceState): InvoiceState {
  return state === 'pending' ? 'cancelled' : state
}

/**
 * The money to return when this much of the credited traffic could be taken back: all of it, or all but the
 * cost of the used traffic, rounded down to the cent. An overpayment bought no traffic and is returned in
 * full.
 */
export function refundOf(
  {
    receivedMicros,
    creditedBytes,
    dueMicros,
    gb,
  }: Omit<Standing, 'state' | 'refundedMicros' | 'takenBackBytes'>,
  { takenBytes, what }: { takenBytes: bigint; what: 'all' | 'unused' },
): bigint {
  if (what === 'all' || takenBytes >= creditedBytes) return receivedMicros
  const wholeBytes = gb * bytesPerGb
  const usedMicros = ((creditedBytes - takenBytes) * dueMicros + wholeBytes - 1n) / wholeBytes
  // Traffic may have been credited at the price of a promo code whose last use another customer has since
  // taken.
  return usedMicros >= receivedMicros ? 0n : downToCent(receivedMicros - usedMicros)
}

/** The part of all received money that bought traffic: the base of the inviter's share. */
export function countedMicros({ dueMicros }: Pick<Standing, 'dueMicros'>, keptMicros: bigint): bigint {
  return least(keptMicros, dueMicros)
}
