/**
 * The revenue of used traffic: bytes are used in the order of purchase (FIFO), and each earns its part of the
 * price. Amounts are whole micro-USD; the last byte of a purchase earns the rounding remainder, so a purchase
 * earns exactly its price. Fees and referral shares are divided in the same way.
 */
import { least, most } from '#lib/bigint'

export interface Money {
  micros: bigint
  /** The part kept by processors. */
  feeMicros: bigint
  /** The part that is the inviter's share. */
  shareMicros: bigint
}

/** A purchase: its bytes and its money, both net of refunds. */
export interface Lot extends Money {
  bytes: bigint
}

/** How much of a purchase is used, and the revenue of that part. */
export interface LotUse extends Money {
  usedBytes: bigint
}

export const nothingTaken: LotUse = { usedBytes: 0n, micros: 0n, feeMicros: 0n, shareMicros: 0n }

/**
 * The use of each purchase by the first `used` bytes; the last element has the bytes beyond all purchases,
 * which earn nothing.
 */
export function takenBy(lots: readonly Lot[], used: bigint): LotUse[] {
  let left = most(used, 0n)
  const taken = lots.map(({ bytes, micros, feeMicros, shareMicros }): LotUse => {
    // A purchase without bytes has earned its money at once: no traffic is owed for it.
    if (bytes <= 0n) return { usedBytes: 0n, micros, feeMicros, shareMicros }
    const usedBytes = least(left, bytes)
    left -= usedBytes
    const part = (whole: bigint) => (whole * usedBytes) / bytes
    return { usedBytes, micros: part(micros), feeMicros: part(feeMicros), shareMicros: part(shareMicros) }
  })
  return [...taken, { ...nothingTaken, usedBytes: left }]
}

export const minus = (a: LotUse, b: LotUse): LotUse => ({
  usedBytes: a.usedBytes - b.usedBytes,
  micros: a.micros - b.micros,
  feeMicros: a.feeMicros - b.feeMicros,
  shareMicros: a.shareMicros - b.shareMicros,
})

/** The use of each purchase, in the order of `takenBy`. */
export interface Position {
  usedBytes: bigint
  taken: readonly LotUse[]
}

/**
 * The use of the purchases by each of these amounts in order, and the position after them. The first amount
 * bears the corrections for refunds and late payments since the position was reached: the total use always
 * matches the current state of the purchases.
 */
export function earn(
  lots: readonly Lot[],
  position: Position,
  amounts: readonly bigint[],
): { earned: LotUse[][]; position: { usedBytes: bigint; taken: LotUse[] } } {
  let { usedBytes } = position
  let taken = [...position.taken]
  const earned = amounts.map((bytes) => {
    usedBytes += bytes
    const now = takenBy(lots, usedBytes)
    const more = now.map((one, index) => minus(one, taken[index] ?? nothingTaken))
    taken = now
    return more
  })
  return { earned, position: { usedBytes, taken } }
}

/** Bytes of an hour by their kinds. */
export interface Carried {
  chargedBytes: bigint
  bonusBytes: bigint
  relayedBytes: bigint
}

/**
 * The relayed bytes that earn nothing: forgiven ones, which were relayed and not charged, and the part of the
 * rest covered by bonus. A tariff never charges less than was relayed.
 */
export function freeBytes({ chargedBytes, bonusBytes, relayedBytes }: Carried): bigint {
  const forgiven = most(relayedBytes - chargedBytes, 0n)
  if (chargedBytes === 0n) return forgiven
  return forgiven + ((relayedBytes - forgiven) * bonusBytes) / chargedBytes
}

/**
 * Divides a number by weights into parts that add up to it exactly; a zero weight gets zero. Null: all
 * weights are zero.
 */
export function divide(whole: bigint, weights: readonly bigint[]): bigint[] | null {
  const total = weights.reduce((sum, weight) => sum + most(weight, 0n), 0n)
  if (total === 0n) return null
  let [weight, given] = [0n, 0n]
  return weights.map((one) => {
    weight += most(one, 0n)
    const until = (whole * weight) / total
    const part = until - given
    given = until
    return part
  })
}
