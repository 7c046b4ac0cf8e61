/** Sums of parts of the margin. */
import type { MarginPart } from './by.exit.ts'

/** Sums of parts. */
export interface MarginSum {
  chargedBytes: bigint
  bonusBytes: bigint
  relayedBytes: bigint
  /** The price paid for the used bytes; the parts of it that processors kept and that inviters earned. */
  revenueMicros: bigint
  feeMicros: bigint
  shareMicros: bigint
  /** The revenue less fees and shares. */
  earnedMicros: bigint
  /** The cost of exits with a known cost. */
  costMicros: bigint
  /** The part of the cost caused by bonus and forgiven bytes. */
  freeCostMicros: bigint
  /** Earned less cost, for traffic through exits with a known cost. */
  marginMicros: bigint
  /** Charged bytes that passed through exits whose cost is not known: their margin is not known either. */
  uncostedBytes: bigint
}

export const noMargin: MarginSum = {
  chargedBytes: 0n,
  bonusBytes: 0n,
  relayedBytes: 0n,
  revenueMicros: 0n,
  feeMicros: 0n,
  shareMicros: 0n,
  earnedMicros: 0n,
  costMicros: 0n,
  freeCostMicros: 0n,
  marginMicros: 0n,
  uncostedBytes: 0n,
}

const fields = Object.keys(noMargin) as (keyof MarginSum)[]

/** The sum of two, or with -1 their difference; other fields are dropped. */
export function addMargin(a: MarginSum, b: MarginSum, times = 1n): MarginSum {
  const sum = { ...noMargin }
  for (const field of fields) sum[field] = a[field] + times * b[field]
  return sum
}

/** Sums parts by a key, in the order in which the keys first appear. */
export function sumMargin<Part extends MarginPart>(
  parts: readonly Part[],
  keyOf: (part: Part) => string,
): Map<string, MarginSum> {
  const sums = new Map<string, MarginSum>()
  for (const part of parts) {
    const { chargedBytes, earnedMicros, costMicros } = part
    const key = keyOf(part)
    const sum = sums.get(key) ?? noMargin
    sums.set(
      key,
      addMargin(sum, {
        ...part,
        costMicros: costMicros ?? 0n,
        freeCostMicros: part.freeCostMicros ?? 0n,
        marginMicros: costMicros === null ? 0n : earnedMicros - costMicros,
        uncostedBytes: costMicros === null ? chargedBytes : 0n,
      }),
    )
  }
  return sums
}
