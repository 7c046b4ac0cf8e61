/**
 * What used traffic earned: the first bytes bought are the first used, and each earns its part of what was
 * paid for them. Whole micro-USD; what a part leaves over is earned by the last byte of its purchase, so a
 * purchase earns its price to the micro-USD. Fees and shares of inviters are divided in the same way.
 */
import { least, most } from '#lib/bigint'

export interface Money {
  micros: bigint
  /** Of it, what processors kept. */
  feeMicros: bigint
  /** Of it, the share of the inviter. */
  shareMicros: bigint
}

/** A purchase: bytes less what a refund took back, and the money for them less what it returned. */
export interface Lot extends Money {
  bytes: bigint
}

/** How far a purchase is used up, and what that earned. */
export interface Taken extends Money {
  usedBytes: bigint
}

export const nothingTaken: Taken = { usedBytes: 0n, micros: 0n, feeMicros: 0n, shareMicros: 0n }

/**
 * Of each purchase, what the first `used` bytes of all take of it; last, the bytes beyond all of them, which
 * earn nothing.
 */
export function takenBy(lots: readonly Lot[], used: bigint): Taken[] {
  let left = most(used, 0n)
  const taken = lots.map(({ bytes, micros, feeMicros, shareMicros }): Taken => {
    // A purchase without bytes has earned its money at once: nothing is owed for it.
    if (bytes <= 0n) return { usedBytes: 0n, micros, feeMicros, shareMicros }
    const usedBytes = least(left, bytes)
    left -= usedBytes
    const part = (whole: bigint) => (whole * usedBytes) / bytes
    return { usedBytes, micros: part(micros), feeMicros: part(feeMicros), shareMicros: part(shareMicros) }
  })
  return [...taken, { ...nothingTaken, usedBytes: left }]
}

export const minus = (a: Taken, b: Taken): Taken => ({
  usedBytes: a.usedBytes - b.usedBytes,
  micros: a.micros - b.micros,
  feeMicros: a.feeMicros - b.feeMicros,
  shareMicros: a.shareMicros - b.shareMicros,
})

/** How far the purchases are used up, in the order of `takenBy`. */
export interface Position {
  usedBytes: bigint
  taken: readonly Taken[]
}

/**
 * What each of these amounts takes of the purchases, in their order, and the position after them. The first
 * bears what refunds and late payments have changed since the position was reached: all that was ever taken
 * is always that of the purchases as they are now.
 */
export function earn(
  lots: readonly Lot[],
  position: Position,
  amounts: readonly bigint[],
): { earned: Taken[][]; position: { usedBytes: bigint; taken: Taken[] } } {
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
 * Of what an exit relayed, the part that earns nothing: what was forgiven, which is what was relayed and not
 * charged, and the part of the rest that bonus covered. A tariff charges more than was relayed, never less.
 */
export function freeBytes({ chargedBytes, bonusBytes, relayedBytes }: Carried): bigint {
  const forgiven = most(relayedBytes - chargedBytes, 0n)
  if (chargedBytes === 0n) return forgiven
  return forgiven + ((relayedBytes - forgiven) * bonusBytes) / chargedBytes
}

/**
 * Divides a number by weights, so that the parts are exactly it; parts of no weight get none. Null: there is
 * no weight.
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
