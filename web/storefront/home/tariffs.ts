/** The tariff cards: what they offer, and what each costs in a pool. */
import { priceOf, type Price } from '../../app/price.ts'

/** The amounts with a volume discount, in the order in which the discounts are asked for. */
export const discountedGb = [100, 300, 500, 1000] as const
export const tariffGb = [1, ...discountedGb] as const
export const recommendedGb = 100

export interface Tariff extends Price {
  gb: number
}

/** One card per amount; 1 GB is always at the base price. */
export function tariffs(baseUsd: number, discounts: readonly number[]): Tariff[] {
  return tariffGb.map((gb, index) => {
    const volumeDiscount = index === 0 ? 0 : (discounts[index - 1] ?? 0)
    return { gb, ...priceOf({ baseUsd, gb, volumeDiscount }) }
  })
}

/** The number and the unit to label an amount with: 1000 GB is sold as 1 TB. */
export function amountLabel(gb: number): { unit: 'gb' | 'tb'; value: number } {
  return gb >= 1000 && gb % 1000 === 0 ? { unit: 'tb', value: gb / 1000 } : { unit: 'gb', value: gb }
}
