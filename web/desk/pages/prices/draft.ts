/** Prices during editing: as typed, and as input of the call. */
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import { maxOrderGb } from '#contract/price'
import { type Pool, pools } from '#contract/wire'
import { wholeNumberIn } from '../../../ui/fields/whole-number.ts'
import { parsePercent, parseUsd, percentText, usdText } from '../../parts/amounts.ts'

type Prices = DeskOutput<'prices'>

/** Volume discounts as typed. */
export type TierDraft = readonly { key: number; fromGb: string; discount: string }[]

export interface Draft {
  /** By pool; empty: not on sale. */
  prices: Readonly<Record<Pool, string>>
  tiers: TierDraft
}

export const tiersDraftOf = (tiers: Prices['tiers']): TierDraft =>
  tiers.map((tier, key) => ({
    key,
    fromGb: String(tier.from_gb),
    discount: percentText(tier.discount_ppm),
  }))

/** Volume discounts as the server takes them; null: one is not a number, or two start at the same amount. */
export function parseTiers(tiers: TierDraft): Prices['tiers'] | null {
  const steps = tiers.map((tier) => ({
    from_gb: wholeNumberIn(tier.fromGb, maxOrderGb),
    discount_ppm: tier.discount.trim() === '0' ? 0 : parsePercent(tier.discount),
  }))
  const isWhole =
    steps.every((step) => step.from_gb !== null && step.from_gb > 0 && step.discount_ppm !== null) &&
    new Set(steps.map((step) => step.from_gb)).size === steps.length
  if (!isWhole) return null
  return steps
    .map((step) => ({ from_gb: step.from_gb ?? 0, discount_ppm: step.discount_ppm ?? 0 }))
    .toSorted((a, b) => a.from_gb - b.from_gb)
}

export function draftOf({ prices, tiers }: Prices): Draft {
  const typed = (pool: Pool) => {
    const price = prices.find((each) => each.pool === pool)
    return price === undefined ? '' : usdText(BigInt(price.per_gb_micros))
  }
  return {
    prices: Object.fromEntries(pools.map((pool) => [pool, typed(pool)])) as Record<Pool, string>,
    tiers: tiersDraftOf(tiers),
  }
}

/** The draft as the server takes it; null: a field is not a number, or two tiers start at the same amount. */
export function parseDraft({ prices, tiers }: Draft): DeskInput<'preview_prices'> | null {
  const sold = pools.filter((pool) => prices[pool].trim() !== '')
  const parsed = sold.map((pool) => ({ pool, micros: parseUsd(prices[pool]) }))
  const steps = parseTiers(tiers)
  if (steps === null || !parsed.every(({ micros }) => micros !== null)) return null
  return {
    prices: parsed.map(({ pool, micros }) => ({ pool, per_gb_micros: String(micros) })),
    tiers: steps,
  }
}
