/** Prices and discounts as exact arithmetic: micro-USD and parts per million, bigint throughout. */

/** A share of one, in parts per million. */
export const wholePpm = 1_000_000n

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

export interface Quote {
  pool: string
  gb: bigint
  perGbMicros: bigint
  volumeDiscountPpm: number
  promoDiscountPpm: number
  /** Rounded half-up to the cent. */
  costMicros: bigint
  /** What it would cost without the promo code, rounded alike. */
  fullCostMicros: bigint
}

interface Order {
  pool: string
  gb: bigint
  perGbMicros: bigint
  volumeDiscountPpm: number
  promoDiscountPpm: number
}

/**
 * base × (1 − volume discount) × (1 − promo discount) × GB, rounded once, at the end, half-up to the cent.
 * The price of one GB is never rounded on the way.
 */
export function quote(order: Order): Quote {
  return { ...order, costMicros: cost(order), fullCostMicros: cost({ ...order, promoDiscountPpm: 0 }) }
}

function cost(order: Order): bigint {
  const exact =
    order.perGbMicros *
    order.gb *
    (wholePpm - BigInt(order.volumeDiscountPpm)) *
    (wholePpm - BigInt(order.promoDiscountPpm))
  const centInExact = 10_000n * wholePpm * wholePpm
  const cents = (exact + centInExact / 2n) / centInExact
  return cents * 10_000n
}
