/** What a payment does to an invoice: pure, so that every order of arrival can be tried without a database. */
import { bytesPerGb } from '#contract/wire'

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
    keptMicros: isFull ? invoice.dueMicros : kept,
  }
}

/** A cancellation ends only what is still open: it never takes back money that has arrived. */
export function afterCancellation(state: InvoiceState): InvoiceState {
  return state === 'pending' ? 'cancelled' : state
}

const cent = 10_000n

/**
 * The money that is given back when so much of the credited traffic could be taken back: all of it, or only what the
 * unused traffic was worth, cut down to the cent.
 */
export function refundOf(
  { receivedMicros, creditedBytes }: Pick<Standing, 'receivedMicros' | 'creditedBytes'>,
  { takenBytes, what }: { takenBytes: bigint; what: 'all' | 'unused' },
): bigint {
  if (what === 'all' || takenBytes >= creditedBytes) return receivedMicros
  return ((receivedMicros * takenBytes) / creditedBytes / cent) * cent
}
