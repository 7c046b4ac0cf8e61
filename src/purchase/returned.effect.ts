/**
 * The effect of a refund that a processor made on an invoice: pure, so that every order of arrival can be
 * tested without a database.
 */
import { bytesPerGb } from '#contract/wire'
import { least, most } from '#lib/bigint'
import type { FoundRefund } from '#payments'
import { countedMicros } from './payment.effect.ts'
import type { SentRefund } from './refund.sending.ts'

const cent = 10_000n

/** What an invoice has, as far as a refund needs it. */
export interface Kept {
  gb: bigint
  receivedMicros: bigint
  refundedMicros: bigint
  creditedBytes: bigint
  takenBackBytes: bigint
  costMicros: bigint
  /** The price of all its traffic: what was received beyond it bought nothing. */
  dueMicros: bigint
  /** What the processor collects for the cost. */
  price: { currency: string; micros: bigint }
}

export interface Return {
  /** Micro-USD to count as returned, at most what the invoice has kept. */
  usdMicros: bigint
  /** The traffic that this money had bought, as far as it was not taken back before. */
  boughtBytes: bigint
  /** Nothing is left at the processor. */
  isAll: boolean
}

/**
 * What a refund of `micros` of the processor's currency returns. `beforeMicros` is what the processor
 * returned before it, in the same currency, and `countedMicros` what of this one was counted before. The
 * refund with which all is returned takes the rest, so that parts of a cent are neither lost nor returned
 * twice.
 */
export function returnOf(
  invoice: Kept,
  micros: bigint,
  beforeMicros: bigint,
  countedMicros: bigint = 0n,
): Return {
  const { receivedMicros, refundedMicros, creditedBytes, takenBackBytes, costMicros, price } = invoice
  const left = most(0n, receivedMicros - refundedMicros)
  const isUsd = price.currency === 'USD'
  const collected = isUsd || costMicros === 0n ? receivedMicros : (price.micros * receivedMicros) / costMicros
  const isAll = beforeMicros + micros >= collected
  const worth = isUsd ? micros : ((costMicros * micros) / price.micros / cent) * cent
  const usdMicros = isAll ? left : least(left, most(0n, worth - countedMicros))
  const bought = boughtBy(invoice, usdMicros)
  return { usdMicros, boughtBytes: least(bought, creditedBytes - takenBackBytes), isAll }
}

/**
 * The traffic that the last so much of the money an invoice has kept has bought. An overpayment has bought
 * none and is returned first. Not a part of what was credited: that includes traffic which money after an
 * earlier refund has bought once more.
 */
export function boughtBy(
  invoice: Pick<Kept, 'gb' | 'receivedMicros' | 'refundedMicros' | 'dueMicros'>,
  micros: bigint,
): bigint {
  const { gb, dueMicros, receivedMicros, refundedMicros } = invoice
  if (dueMicros === 0n) return 0n
  const kept = receivedMicros - refundedMicros
  // Rounded up: a part of a byte stays with the customer.
  const worth = (sum: bigint) => (gb * bytesPerGb * countedMicros(invoice, sum) + dueMicros - 1n) / dueMicros
  return worth(kept) - worth(kept - micros)
}

/**
 * Whether a refund is the one that we asked for: it has the id that the processor answered with, or carries
 * our number, or has the amount of one that the operator was asked to send by hand. `ownMicros` is what other
 * refunds that were recognised have returned: a second one with our number, beyond what we asked for, is not
 * ours.
 */
export function isOwn(
  number: string,
  sent: SentRefund | null,
  refund: FoundRefund,
  ownMicros: bigint,
): boolean {
  if (sent === null || sent.price.currency !== refund.price.currency) return false
  if (sent.reference === refund.refundId) return true
  if (ownMicros + refund.price.micros > sent.price.micros) return false
  return (
    refund.number === number ||
    (sent.state === 'failed' && refund.price.micros === sent.price.micros && refund.state === 'sent')
  )
}
