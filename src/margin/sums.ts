/** Sums of parts of the margin. */
import type { MarginPart } from './parts.ts'

/** Sums of parts. */
export interface MarginSum {
  chargedBytes: bigint
  bonusBytes: bigint
  relayedBytes: bigint
  /** What was paid for the used bytes; of it, what processors kept, and the shares of inviters. */
  revenueMicros: bigint
  feeMicros: bigint
  shareMicros: bigint
  /** The revenue less fees and shares. */
  earnedMicros: bigint
  /** Of the exits whose cost is known. */
  costMicros: bigint
  /** Of the cost, that of bonus and of what was forgiven. */
  freeCostMicros: bigint
  /** Earned less cost, of what passed through exits whose cost is known. */
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

/** The sum of two, or with -1 the difference; of nothing else that they have. */
export function addMargin(a: MarginSum, b: MarginSum, times = 1n): MarginSum {
  const sum = { ...noMargin }
  for (const field of fields) sum[field] = a[field] + times * b[field]
  return sum
}

/** Adds parts up by a key, in the order in which the keys come. */
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
