/** Volume discounts, and the price of an order at a given discount. */
import { costMicros, type PriceTerms } from '#contract/price'

export interface Tier {
  fromGb: number
  discountPpm: number
}

/** The discount of the largest tier at or below the amount; 0 below the first. */
export function volumeDiscountPpm(tiers: readonly Tier[], amountGb: number | bigint): number {
  let best: Tier | undefined
  for (const tier of tiers) {
    if (tier.fromGb <= amountGb && (best === undefined || tier.fromGb > best.fromGb)) best = tier
  }
  return best?.discountPpm ?? 0
}

interface Order extends PriceTerms {
  pool: string
}

export interface Quote extends Order {
  /** The name of the customer's price list; absent or null: the shop's prices. */
  priceList?: string | null
  /** Rounded half up to the cent. */
  costMicros: bigint
  /** The cost without the promo code, rounded in the same way. */
  fullCostMicros: bigint
}

/** The price of an order, with and without its promo discount. */
export function quote(order: Order): Quote {
  return {
    ...order,
    costMicros: costMicros(order),
    fullCostMicros: costMicros({ ...order, promoDiscountPpm: 0 }),
  }
}
