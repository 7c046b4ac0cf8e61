/**
 * The effect of a refund on an invoice, whoever asked for it: pure, so that every order of arrival can be
 * tested without a database.
 */
import { downToCent } from '#contract/price'
import { bytesPerGb } from '#contract/wire'
import { least, most } from '#lib/bigint'
import type { FoundRefund, Price } from '#payments'
import { countedMicros, leftOf, refundOf } from './payment.ts'

/** The data of an invoice that a refund needs. */
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
 * returned earlier, in the same currency, `countedMicros` the part of this refund that was counted earlier.
 * The refund that completes the return of all money takes the rest, so that fractions of a cent are neither
 * lost nor returned twice.
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
  const worth = isUsd ? micros : downToCent((costMicros * micros) / price.micros)
  const usdMicros = isAll ? left : least(left, most(0n, worth - countedMicros))
  const bought = boughtBy(invoice, usdMicros)
  return { usdMicros, boughtBytes: least(bought, creditedBytes - takenBackBytes), isAll }
}

/**
 * The traffic that was bought by the last `micros` of the money an invoice has kept. An overpayment bought
 * none and is returned first. This is not a fraction of the credited traffic, which includes traffic that was
 * bought again after an earlier refund.
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

/** A refund that the shop has asked its processor for, as far as it is needed to recognise it. */
export interface Asked {
  id: bigint
  name: string
  reference: string | null
  price: Price
  /** What reports that were recognised as parts of it have returned. */
  reportedMicros: bigint
}

/**
 * Our refund to which a reported refund belongs, as a whole or a part; null: the processor made it by itself.
 * The report has the id that the processor answered with, or our name, or the number of the invoice when the
 * processor stores no other name. A report above the amount we asked for is not ours.
 */
export function ownOf<A extends Asked>(number: string, asked: readonly A[], found: FoundRefund): A | null {
  const ofCurrency = asked.filter(({ price }) => price.currency === found.price.currency)
  const byId = ofCurrency.find(({ reference }) => reference === found.refundId)
  if (byId !== undefined) return byId
  const isNamed = ({ name }: Asked) => found.name === name || found.name === number
  const fits = ({ price, reportedMicros }: Asked) => reportedMicros + found.price.micros <= price.micros
  return ofCurrency.find((one) => isNamed(one) && fits(one)) ?? null
}

/** What to refund: all that is left, all but the cost of the used traffic, or an amount in micro-USD. */
export type RefundOf = 'all' | 'unused' | bigint

/**
 * The traffic to take for a refund: all that was not taken, or the part that an amount had bought. An amount
 * equal to all the money left takes all traffic.
 */
export function bytesFor(
  invoice: Pick<
    Kept,
    'gb' | 'receivedMicros' | 'refundedMicros' | 'dueMicros' | 'creditedBytes' | 'takenBackBytes'
  >,
  what: RefundOf,
): bigint {
  const held = invoice.creditedBytes - invoice.takenBackBytes
  const isPart = typeof what === 'bigint' && what < leftOf(invoice)
  return isPart ? least(boughtBy(invoice, what), held) : held
}

/** The money to return when so much traffic could be taken. */
export function moneyFor(
  invoice: Omit<Kept, 'costMicros' | 'price'>,
  what: RefundOf,
  takenBytes: bigint,
): bigint {
  if (typeof what === 'bigint') return what
  const whole = refundOf(invoice, { takenBytes: invoice.takenBackBytes + takenBytes, what })
  return most(0n, whole - invoice.refundedMicros)
}
