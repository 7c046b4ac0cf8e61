/** Sales below what the dearest exit of their pool costs: of prices, volume tiers and promo codes. */
import type { Kysely } from 'kysely'
import { quote, volumeDiscountPpm } from '#catalog'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { type DearestCost, dearestCosts } from '#margin'
import { type Promocode, searchCodes } from '#promo'
import { type Prices, readPrices } from './offers.ts'

/** A discount of promo codes, with the orders that it applies to. */
export interface Discount {
  discountPpm: number
  minGb: bigint
  /** Null: every pool. */
  pools: readonly Pool[] | null
}

export interface SaleBelowCost {
  pool: Pool
  gb: number
  /** What a GB of the order brings, rounded down. */
  perGbMicros: bigint
  dearest: DearestCost
}

/** Whether so much for so many GB is less than the dearest exit takes for them. */
export const isBelow = (micros: bigint, gb: bigint, dearest: DearestCost | undefined): boolean =>
  dearest !== undefined && micros < dearest.perGbMicros * gb

/** The orders, by the smallest amount of each tier, that bring less than the dearest exit of their pool would cost. */
export function salesBelowCost(
  { prices, tiers }: Prices,
  dearestOf: ReadonlyMap<Pool, DearestCost>,
  discount: Discount | null = null,
): SaleBelowCost[] {
  const least = discount === null ? 1 : Number(discount.minGb)
  const amounts = [...new Set([least, ...tiers.map(({ fromGb }) => fromGb)])]
    .filter((gb) => gb >= least)
    .toSorted((a, b) => a - b)
  return [...prices].flatMap(([pool, perGbMicros]) => {
    const dearest = dearestOf.get(pool)
    if (dearest === undefined || (discount?.pools?.includes(pool) ?? true) === false) return []
    return amounts.flatMap((gb) => {
      const discounts = {
        volumeDiscountPpm: volumeDiscountPpm(tiers, gb),
        promoDiscountPpm: discount?.discountPpm ?? 0,
      }
      const { costMicros } = quote({ pool, gb: BigInt(gb), perGbMicros, ...discounts })
      if (!isBelow(costMicros, BigInt(gb), dearest)) return []
      return [{ pool, gb, perGbMicros: costMicros / BigInt(gb), dearest }]
    })
  })
}

const discountOf = ({ grant, pools }: Promocode): Discount | null =>
  grant.kind === 'discount' ? { discountPpm: grant.discountPpm, minGb: grant.minGb, pools } : null

const mostCodes = 1000

/** What is sold below cost at present: pools by their prices and tiers, and promo codes that are valid; the newest thousand. */
export async function belowCostNow(
  db: Kysely<DB>,
  now: Date,
): Promise<{ sales: SaleBelowCost[]; codes: string[] }> {
  const dearest = await dearestCosts(db, now)
  if (dearest.size === 0) return { sales: [], codes: [] }
  const prices = await readPrices(db)
  const filter = { text: undefined, state: 'good', before: null, limit: mostCodes } as const
  const codes = (await searchCodes(db, filter, now)).filter((code) => {
    const discount = discountOf(code)
    return discount !== null && salesBelowCost(prices, dearest, discount).length > 0
  })
  return { sales: salesBelowCost(prices, dearest), codes: codes.map(({ code }) => code) }
}
