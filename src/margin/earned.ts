/**
 * What used traffic earned: the first bytes bought are the first used, and each earns its part of what was paid for them. Whole
 * micro-USD; what a part leaves over is earned by the last byte of its purchase, so a purchase earns its price to the micro-USD.
 */
import { least, most } from '#lib/bigint'

/** A purchase: bytes less what a refund took back, and the real money for them less what it returned. */
export interface Lot {
  bytes: bigint
  micros: bigint
}

/** What the first `used` bytes of the purchases earned. A purchase without bytes has earned its money at once: nothing is owed for it. */
export function earnedBy(lots: readonly Lot[], used: bigint): bigint {
  let left = used
  let earned = 0n
  for (const { bytes, micros } of lots) {
    if (bytes <= 0n) {
      earned += micros
      continue
    }
    const part = least(most(left, 0n), bytes)
    earned += (micros * part) / bytes
    left -= part
  }
  return earned
}

/** How far the purchases are used up. */
export interface Position {
  usedBytes: bigint
  earnedMicros: bigint
}

/**
 * What each of these amounts earns, in their order, and the position after them. The first bears what refunds and late payments
 * have changed since the position was reached: the sum of all that was ever earned is always that of the purchases as they are now.
 */
export function earn(
  lots: readonly Lot[],
  position: Position,
  amounts: readonly bigint[],
): { earned: bigint[]; position: Position } {
  let { usedBytes, earnedMicros } = position
  const earned = amounts.map((bytes) => {
    usedBytes += bytes
    const total = earnedBy(lots, usedBytes)
    const micros = total - earnedMicros
    earnedMicros = total
    return micros
  })
  return { earned, position: { usedBytes, earnedMicros } }
}
