/** Parses the field of a rate. */
import type { DeskOutput } from '#contract/desk/contract'
import { parseRate } from '#contract/rates/rates'

export type Currency = DeskOutput<'currencies'>['currencies'][number]

/** A typed rate, with a comma or a point; null: it is invalid. */
export const rateIn = (text: string): bigint | null => parseRate(text.trim().replace(',', '.'))

/** A larger change is more often a typo than a movement of the market. */
const jumpPercent = 20

/** The change from the previous rate, as a fraction, if it is so large that it may be a typo; else null. */
export function jumpOf(perUsdMicros: bigint, before: bigint | null): number | null {
  if (before === null) return null
  const fraction = Math.abs(Number(perUsdMicros - before) / Number(before))
  return fraction * 100 > jumpPercent ? fraction : null
}
