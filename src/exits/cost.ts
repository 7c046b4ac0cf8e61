/**
 * What an exit costs: whole micro-USD and bytes, rounded once for each exit and UTC day, so that any sum of
 * them agrees.
 */
import { bytesPerGb } from '#contract/wire'

/** The unit to which the seller rounds up the bytes of a UTC day: its MB, its GB, or none. */
export type Rounding = 'none' | 'mb' | 'gb'

/** The bytes that a seller counts: to targets, from them, or both. */
export type Counts = 'both' | 'up' | 'down'

/** A seller's prices from a day on. */
export interface CostTerms {
  /** YYYY-MM-DD, UTC. */
  fromDay: string
  /** The currency of both amounts, which are in its millionths; USD unless given. */
  currency?: string
  perGbMicros: bigint
  /** The fixed cost of a calendar month, independent of traffic. */
  monthMicros: bigint
  /** Both unless given. */
  counts?: Counts
  /** Whether the seller bills attempts that reached no target; true unless given. */
  countsFailed?: boolean
  /** The seller's GB: 10^9 or 2^30 bytes. */
  gbBytes: bigint
  rounding: Rounding
}

export const decimalGb = bytesPerGb
export const binaryGb = 2n ** 30n

/**
 * The terms of a day: those with the latest `fromDay` up to it; of several with the same day the last in the
 * list. Null: no terms are known.
 */
export function termsOn<T extends CostTerms>(history: readonly T[], day: string): T | null {
  let found: T | null = null
  for (const terms of history)
    if (terms.fromDay <= day && (found === null || terms.fromDay >= found.fromDay)) found = terms
  return found
}

const stepOf = ({ rounding, gbBytes }: CostTerms): bigint => {
  if (rounding === 'none') return 1n
  if (rounding === 'gb') return gbBytes
  return gbBytes === binaryGb ? 2n ** 20n : 1_000_000n
}

/**
 * Millionths of the currency for counted bytes of one UTC day, rounded half up. Additional bytes never lower
 * it.
 */
export function bytesCost(terms: CostTerms, bytes: bigint): bigint {
  const step = stepOf(terms)
  const billed = ((bytes + step - 1n) / step) * step
  return (billed * terms.perGbMicros * 2n + terms.gbBytes) / (2n * terms.gbBytes)
}

const hoursADay = 24n
const dayMs = 86_400_000

/**
 * The part of the month's cost that the first `hours` hours of a UTC day bear. The parts of all days of a
 * month with the same terms are exactly the month's cost.
 */
export function monthShare({ monthMicros }: CostTerms, day: string, hours = 24): bigint {
  const start = new Date(day)
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth()]
  const daysInMonth = BigInt((Date.UTC(year, month + 1, 1) - Date.UTC(year, month, 1)) / dayMs)
  const before = BigInt(start.getUTCDate() - 1) * hoursADay
  const until = (hoursBegun: bigint) => (monthMicros * hoursBegun) / (daysInMonth * hoursADay)
  return until(before + BigInt(hours)) - until(before)
}
