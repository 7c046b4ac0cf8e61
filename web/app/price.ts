/**
 * What an amount costs, exactly as the server reckons it: per-GB price = base × (1 − volume discount) ×
 * (1 − promo discount), not rounded; cost = that × GB, rounded half-up to the cent. Whole numbers throughout,
 * because 0.1 + 0.2 is no way to treat money.
 */
const millionth = 1_000_000

export interface Price {
  /** Before discounts, USD with whole cents. */
  originalUsd: number
  /** What is paid, USD with whole cents. */
  finalUsd: number
  /** After discounts, USD, not rounded. */
  perGbUsd: number
  /** Volume and promo discount together, 0..1. */
  discount: number
}

interface PriceQuestion {
  baseUsd: number
  gb: number
  volumeDiscount?: number
  promoDiscount?: number
}

const micros = (value: number) => BigInt(Math.round(value * millionth))

export function priceOf({ baseUsd, gb, volumeDiscount = 0, promoDiscount = 0 }: PriceQuestion): Price {
  const base = micros(baseUsd)
  const keep = micros(1 - volumeDiscount) * micros(1 - promoDiscount)
  const whole = BigInt(Math.trunc(gb))
  return {
    originalUsd: cents(base * whole, 10_000n),
    finalUsd: cents(base * keep * whole, 10_000n * 1_000_000n * 1_000_000n),
    perGbUsd: Number(base * keep) / millionth ** 3,
    discount: 1 - (1 - volumeDiscount) * (1 - promoDiscount),
  }
}

/** `amount / unit` cents, rounded half-up, as USD. */
function cents(amount: bigint, unit: bigint): number {
  return Number((amount * 2n + unit) / (unit * 2n)) / 100
}
