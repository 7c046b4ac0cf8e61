/** Sales below cost: of prices, volume tiers and promo codes. */
import type { Kysely } from 'kysely'
import { priceLists, type Prices, pricesOfList, quote, shopPrices, volumeDiscountPpm } from '#catalog'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { most } from '#lib/bigint'
import { type DearestCost, dearestCosts, type PoolCost, poolCosts, takenPpm } from '#margin'
import { offeredDiscounts } from '#promo'

/** A discount of promo codes, with the orders that it applies to. */
export interface Discount {
  discountPpm: number
  minGb: bigint
  /** Null: every pool. */
  pools: readonly Pool[] | null
}

/** The cost of a GB of a pool, and the part of a sale that does not pay for it. */
export interface LeastPrice {
  /** At the prices of this day, including monthly costs and bonus. */
  cost: PoolCost | null
  dearest: DearestCost | null
  /** Fees and shares of inviters, in parts per million. */
  takenPpm: bigint
}

/** An order, with the revenue and the cost per GB from now on. */
export interface PricedSale {
  pool: Pool
  gb: number
  /** The revenue per GB of the order, rounded down. */
  perGbMicros: bigint
  least: LeastPrice
  isBelow: boolean
}

const wholePpm = 1_000_000n

/** The fees and shares taken from this amount, rounded up. */
export const takenOf = (micros: bigint, { takenPpm: ppm }: Pick<LeastPrice, 'takenPpm'>): bigint =>
  (micros * ppm + wholePpm - 1n) / wholePpm

const costPerGb = ({ cost, dearest }: LeastPrice): bigint =>
  most(cost?.perGbMicros ?? 0n, dearest?.perGbMicros ?? 0n)

/** The least price of a GB at which no exit loses money, rounded up. */
export const leastPerGb = (least: LeastPrice): bigint => {
  const kept = wholePpm - least.takenPpm
  return (costPerGb(least) * wholePpm + kept - 1n) / kept
}

/**
 * Whether the rest of the amount, after fees and shares, is less than the cost of these GB, on average or by
 * the dearest exit.
 */
export const isBelow = (micros: bigint, gb: bigint, least: LeastPrice | undefined): boolean =>
  least !== undefined && micros - takenOf(micros, least) < costPerGb(least) * gb

/** The pools of which a cost is known. */
export async function leastPrices(db: Kysely<DB>, now: Date): Promise<Map<Pool, LeastPrice>> {
  const [costs, dearest] = [await poolCosts(db, now), await dearestCosts(db, now)]
  const pools = new Set([...costs.map(({ pool }) => pool), ...dearest.keys()])
  if (pools.size === 0) return new Map()
  const taken = await takenPpm(db, now)
  return new Map(
    [...pools].map((pool) => [
      pool,
      {
        cost: costs.find((one) => one.pool === pool) ?? null,
        dearest: dearest.get(pool) ?? null,
        takenPpm: taken(pool),
      },
    ]),
  )
}

/** The margin of a GB at this price if the average exit carries it, and if the dearest does. */
export function marginsOf(perGbMicros: bigint, least: LeastPrice): { average: bigint; lowest: bigint } {
  const kept = perGbMicros - takenOf(perGbMicros, least)
  const lowest = kept - costPerGb(least)
  return { average: least.cost === null ? lowest : kept - least.cost.perGbMicros, lowest }
}

/** The orders by the smallest amount of each tier, in pools of which a cost is known. */
export function pricedSales(
  { prices, tiers }: Prices,
  leastOf: ReadonlyMap<Pool, LeastPrice>,
  discount: Discount | null = null,
): PricedSale[] {
  const smallest = discount === null ? 1 : Number(discount.minGb)
  const amounts = [...new Set([smallest, ...tiers.map(({ fromGb }) => fromGb)])]
    .filter((gb) => gb >= smallest)
    .toSorted((a, b) => a - b)
  return [...prices].flatMap(([pool, perGbMicros]) => {
    const least = leastOf.get(pool)
    if (least === undefined || (discount?.pools?.includes(pool) ?? true) === false) return []
    return amounts.map((gb) => {
      const discounts = {
        volumeDiscountPpm: volumeDiscountPpm(tiers, gb),
        promoDiscountPpm: discount?.discountPpm ?? 0,
      }
      const { costMicros } = quote({ pool, gb: BigInt(gb), perGbMicros, ...discounts })
      const isLoss = isBelow(costMicros, BigInt(gb), least)
      return { pool, gb, perGbMicros: costMicros / BigInt(gb), least, isBelow: isLoss }
    })
  })
}

const salesBelowCost = (...given: Parameters<typeof pricedSales>): PricedSale[] =>
  pricedSales(...given).filter((sale) => sale.isBelow)

/** Whether some order at these prices is below cost. */
export const isSoldBelowCost = (prices: Prices, leastOf: ReadonlyMap<Pool, LeastPrice>): boolean =>
  salesBelowCost(prices, leastOf).length > 0

/** The current sales, price lists and promo codes below cost. */
export interface BelowCost {
  sales: PricedSale[]
  /** Price lists with a sale below cost that is not among `sales`. */
  lists: { id: bigint; name: string }[]
  codes: string[]
}

/**
 * Current sales below cost: pools by the shop's prices and tiers, price lists that customers have, and valid
 * promo codes at the shop's prices and at those of each list.
 */
export async function belowCostNow(db: Kysely<DB>, now: Date): Promise<BelowCost> {
  const least = await leastPrices(db, now)
  if (least.size === 0) return { sales: [], lists: [], codes: [] }
  const shop = await shopPrices(db)
  const used = (await priceLists(db))
    .filter(({ customers }) => customers > 0n)
    .map((list) => ({ list, prices: pricesOfList(shop, list) }))
  const sales = salesBelowCost(shop, least)
  const isKnown = (sale: PricedSale) => sales.some(({ pool, gb }) => pool === sale.pool && gb === sale.gb)
  const lists = used.filter(({ prices }) => salesBelowCost(prices, least).some((sale) => !isKnown(sale)))
  const offers = [shop, ...used.map(({ prices }) => prices)]
  const codes = (await offeredDiscounts(db, now)).filter((discount) =>
    offers.some((prices) => salesBelowCost(prices, least, discount).length > 0),
  )
  return {
    sales,
    lists: lists.map(({ list: { id, name } }) => ({ id, name })),
    codes: codes.flatMap(({ names }) => names),
  }
}
