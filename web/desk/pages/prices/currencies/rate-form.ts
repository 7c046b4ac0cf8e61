/** What is typed of a rate. */
import type { DeskOutput } from '#contract/desk/contract'
import { parseRate } from '#contract/rates/rates'

export type Currency = DeskOutput<'currencies'>['currencies'][number]

/** A rate as it is typed, with a comma or a point; null: it is none. */
export const rateIn = (text: string): bigint | null => parseRate(text.trim().replace(',', '.'))

/** A change of so much is more often a typo than a market. */
const jumpPercent = 20

/**
 * By how much a rate differs from the one before, as a fraction, where that is so much that it may be a typo;
 * else null.
 */
export function jumpOf(perUsdMicros: bigint, before: bigint | null): number | null {
  if (before === null) return null
  const fraction = Math.abs(Number(perUsdMicros - before) / Number(before))
  return fraction * 100 > jumpPercent ? fraction : null
}
