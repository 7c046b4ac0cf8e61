/** What a payment does to an invoice: pure, so that every order of arrival can be tried without a database. */
import { bytesPerGb } from '#contract/wire'
import { least } from '#lib/bigint'

export type InvoiceState = 'pending' | 'paid' | 'underpaid' | 'expired' | 'cancelled' | 'refunded'

export interface Standing {
  state: InvoiceState
  gb: bigint
  /** What the GB cost: the quote, or the quote without its promo code when that was lost. */
  dueMicros: bigint
  receivedMicros: bigint
  creditedBytes: bigint
  /** What a refund has given back of the money, and taken back of the traffic. */
  refundedMicros: bigint
  takenBackBytes: bigint
}

export interface Step {
  state: InvoiceState
  receivedMicros: bigint
  creditedBytes: bigint
  /** Bytes to credit now. */
  creditBytes: bigint
  /** All the money that the invoice has kept, at most its price: what the inviter's share is counted from. */
  keptMicros: bigint
}

/**
 * The next standing after money came in, whatever the state was: late and partial payments are credited too.
 * All money ever received, less what was given back, buys its worth of the frozen quote, never more than the invoice's
 * GB; rounding is down, and what was rounded off comes with the payment that completes the invoice.
 */
export function afterPayment(invoice: Standing, receivedMicros: bigint): Step {
  const total = invoice.receivedMicros + receivedMicros
  const kept = total - invoice.refundedMicros
  const wholeBytes = invoice.gb * bytesPerGb
  const isFull = kept >= invoice.dueMicros
  const earned = isFull ? wholeBytes : (wholeBytes * kept) / invoice.dueMicros
  const held = invoice.creditedBytes - invoice.takenBackBytes
  // A refunded invoice keeps its state: what still arrives is credited, and the operator sees both.
  const state = invoice.state === 'refunded' ? 'refunded' : isFull ? 'paid' : 'underpaid'
  const creditBytes = earned > held ? earned - held : 0n
  return {
    state,
    receivedMicros: total,
    creditedBytes: invoice.creditedBytes + creditBytes,
    creditBytes,
    keptMicros: countedMicros(invoice, kept),
  }
}

/** A cancellation ends only what is still open: it never takes back money that has arrived. */
export function afterCancellation(state: InvoiceState): InvoiceState {
  return state === 'pending' ? 'cancelled' : state
}

const cent = 10_000n

/**
 * The money that is given back when so much of the credited traffic could be taken back: all of it, or all but what the
 * used traffic cost, cut down to the cent. What was paid too much is not paid for traffic, and goes back whole.
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
  // Traffic may have been credited at the price of a promo code whose last use another customer has taken since.
  return usedMicros >= receivedMicros ? 0n : ((receivedMicros - usedMicros) / cent) * cent
}

/** Of all money that an invoice has received, what its traffic was bought with: the inviter's share is counted from it. */
export function countedMicros({ dueMicros }: Pick<Standing, 'dueMicros'>, keptMicros: bigint): bigint {
  return least(keptMicros, dueMicros)
}
