/**
 * The price of an order. The server computes every invoice and the browser every preview with these
 * functions, in whole micro-USD and parts per million, because floating-point numbers lose cents.
 */

/** A whole, in parts per million. */
const wholePpm = 1_000_000n

/** Micro-USD to the cent, and millionths of any currency to its hundredth. */
export const microsPerCent = 10_000n

/** Rounds half up to the cent; `scale`: how many of the unit are a micro-USD. */
export function toCent(amount: bigint, scale = 1n): bigint {
  const cent = microsPerCent * scale
  return ((amount + cent / 2n) / cent) * microsPerCent
}

/** Rounds down to the cent. */
export const downToCent = (micros: bigint): bigint => (micros / microsPerCent) * microsPerCent

/** Rounds up to the cent. */
export const upToCent = (micros: bigint): bigint => downToCent(micros + microsPerCent - 1n)

/** Whether an amount has no fractions of a cent. */
export const isWholeCents = (micros: bigint): boolean => micros % microsPerCent === 0n

export interface PriceTerms {
  gb: bigint
  /** Price of one GB before discounts. */
  perGbMicros: bigint
  volumeDiscountPpm: number
  promoDiscountPpm: number
}

/** The price of one GB after discounts, in micro-USD times `wholePpm` squared. */
const exactPerGb = ({ perGbMicros, volumeDiscountPpm, promoDiscountPpm }: PriceTerms): bigint =>
  perGbMicros * (wholePpm - BigInt(volumeDiscountPpm)) * (wholePpm - BigInt(promoDiscountPpm))

/**
 * base × (1 − volume discount) × (1 − promo discount) × GB in micro-USD, rounded once, at the end, half up to
 * the cent. The price of one GB is never rounded on the way.
 */
export const costMicros = (terms: PriceTerms): bigint =>
  toCent(exactPerGb(terms) * terms.gb, wholePpm * wholePpm)

/** The amounts in GB that the price list and the order form offer. */
export const offeredGb = [1, 100, 300, 500, 1000] as const

/** The largest order, in GB. */
export const maxOrderGb = 99_999_999

/** An order in the numbers of the API: USD and fractions of 1. */
interface WireTerms {
  gb: number
  baseUsd: number
  volumeDiscount?: number
  promoDiscount?: number
}

export interface Price {
  /** Before discounts, USD with whole cents. */
  originalUsd: number
  /** After discounts, USD with whole cents. */
  finalUsd: number
  /** Price of one GB after discounts, USD, not rounded. */
  perGbUsd: number
  /** Both discounts together, 0..1. */
  discount: number
}

/** A number of the API, which has at most 6 decimals, as a whole number of millionths. */
const millionths = (value: number): number => Math.round(value * 1e6)

/**
 * Whether a price per GB has fractions of a cent, so that two decimals of it do not multiply to the total.
 */
export const hasFractionsOfCent = (usd: number): boolean => millionths(usd) % 10_000 !== 0

const usdOfWholeCents = (wholeCents: bigint): number => Number(wholeCents / microsPerCent) / 100

/** The price of an order, from the answers of `prices`, `calculate` and `discount_promocode_info`. */
export function priceOf({ gb, baseUsd, volumeDiscount = 0, promoDiscount = 0 }: WireTerms): Price {
  const terms: PriceTerms = {
    gb: BigInt(Math.trunc(gb)),
    perGbMicros: BigInt(millionths(baseUsd)),
    volumeDiscountPpm: millionths(volumeDiscount),
    promoDiscountPpm: millionths(promoDiscount),
  }
  return {
    originalUsd: usdOfWholeCents(costMicros({ ...terms, volumeDiscountPpm: 0, promoDiscountPpm: 0 })),
    finalUsd: usdOfWholeCents(costMicros(terms)),
    perGbUsd: Number(exactPerGb(terms)) / 1e18,
    discount: 1 - (1 - volumeDiscount) * (1 - promoDiscount),
  }
}
