/** The offers of the price list: one card per amount. */
import { offeredGb, priceOf, type Price } from '#contract/price'

/**
 * The amounts whose volume discount is requested, in the order of the request. The smallest amount is left
 * out: it has the base price.
 */
export const discountedGb = offeredGb.slice(1)
export const recommendedGb = 100

export interface Tariff extends Price {
  gb: number
}

/** The price of each offered amount; the smallest is always at the base price. */
export function tariffs(baseUsd: number, discounts: readonly number[]): Tariff[] {
  return offeredGb.map((gb, index) => {
    const volumeDiscount = index === 0 ? 0 : (discounts[index - 1] ?? 0)
    return { gb, ...priceOf({ baseUsd, gb, volumeDiscount }) }
  })
}

/** The number and the unit of a label: 1000 GB is offered as 1 TB. */
export function amountLabel(gb: number): { unit: 'gb' | 'tb'; value: number } {
  return gb >= 1000 && gb % 1000 === 0 ? { unit: 'tb', value: gb / 1000 } : { unit: 'gb', value: gb }
}
