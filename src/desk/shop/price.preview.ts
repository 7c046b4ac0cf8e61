/** What orders cost before and after a change of prices, with their margins. */
import { type Prices, quote, volumeDiscountPpm } from '#catalog'
import type { DeskOutput } from '#contract/desk/contract'
import type { Pool } from '#contract/wire'
import { amount } from '../lists/page.ts'
import { isBelow, type LeastPrice, marginsOf, takenOf } from './below.cost.ts'

/** The prices before and after a change, for one GB and at the first GB of each tier, with their margins. */
export function preview(
  now: Prices,
  then: Prices,
  leastOf: ReadonlyMap<Pool, LeastPrice>,
): DeskOutput<'preview_prices'> {
  const amounts = [...new Set([1, ...[...now.tiers, ...then.tiers].map(({ fromGb }) => fromGb)])]
  const pools = [...new Set([...now.prices.keys(), ...then.prices.keys()])]
  const quoted = (at: Prices, pool: (typeof pools)[number], gb: number) => {
    const perGbMicros = at.prices.get(pool)
    if (perGbMicros === undefined) return null
    const discounts = { volumeDiscountPpm: volumeDiscountPpm(at.tiers, gb), promoDiscountPpm: 0 }
    return quote({ pool, gb: BigInt(gb), perGbMicros, ...discounts })
  }
  return pools.flatMap((pool) =>
    amounts
      .toSorted((a, b) => a - b)
      .map((gb) => {
        const [before, after] = [quoted(now, pool, gb), quoted(then, pool, gb)]
        const perGb = after === null ? null : after.costMicros / BigInt(gb)
        const least = leastOf.get(pool)
        const { cost = null, dearest = null } = least ?? {}
        const known = perGb === null || least === undefined ? null : { perGb, least }
        const margins = known === null ? null : marginsOf(known.perGb, known.least)
        return {
          pool,
          gb,
          now_micros: before === null ? null : amount(before.costMicros),
          then_micros: after === null ? null : amount(after.costMicros),
          then_per_gb_micros: perGb === null ? null : amount(perGb),
          taken_per_gb_micros: known === null ? null : amount(takenOf(known.perGb, known.least)),
          cost_per_gb_micros: cost === null ? null : amount(cost.perGbMicros),
          past_cost_per_gb_micros: cost?.pastPerGbMicros == null ? null : amount(cost.pastPerGbMicros),
          margin_per_gb_micros: margins === null ? null : amount(margins.average),
          least_margin_per_gb_micros: margins === null ? null : amount(margins.lowest),
          dearest_per_gb_micros: dearest === null ? null : amount(dearest.perGbMicros),
          dearest_exit: dearest?.exit ?? null,
          below_cost: after !== null && isBelow(after.costMicros, BigInt(gb), least),
        }
      }),
  )
}
