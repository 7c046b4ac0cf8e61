/**
 * Computes what was paid for moved traffic. A move takes traffic from the purchases that would be used last.
 */

/** A purchase, or traffic that was received. */
export interface Source {
  invoiceId: bigint | null
  moveId: bigint | null
  bytes: bigint
  /** What the shop kept of the money. */
  micros: bigint
  feeMicros: bigint
  shareMicros: bigint
  /** What the customer paid. */
  paidMicros: bigint
}

/** A part of a source that a move takes with it. */
export type Part = Source

/**
 * The parts that a move of this many bytes takes, from the last source backwards. The bytes left in a source
 * keep their price, rounded down to the micro-USD; the rest of the money goes with the move, so the sum is
 * unchanged. Bytes beyond all sources have no price.
 */
export function partsOf(sources: readonly Source[], bytes: bigint): Part[] {
  const parts: Part[] = []
  let left = bytes
  for (const source of sources.toReversed()) {
    if (left <= 0n) break
    if (source.bytes <= 0n) continue
    const taken = left < source.bytes ? left : source.bytes
    const takenOf = (micros: bigint) => micros - floored(micros * (source.bytes - taken), source.bytes)
    parts.push({
      ...source,
      bytes: taken,
      micros: takenOf(source.micros),
      feeMicros: takenOf(source.feeMicros),
      shareMicros: takenOf(source.shareMicros),
      paidMicros: takenOf(source.paidMicros),
    })
    left -= taken
  }
  return parts
}

/** A quotient rounded down, below zero too; the divisor is above zero. */
function floored(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend % divisor < 0n ? quotient - 1n : quotient
}
