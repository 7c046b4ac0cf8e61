import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { priceOf } from './price.ts'

describe('a price', () => {
  it('is base × GB without discounts', () => {
    expect(priceOf({ baseUsd: 4.5, gb: 1 })).toEqual({
      originalUsd: 4.5,
      finalUsd: 4.5,
      perGbUsd: 4.5,
      discount: 0,
    })
  })

  it('takes the volume discount, then the promo discount of what is left', () => {
    const price = priceOf({ baseUsd: 2, gb: 100, volumeDiscount: 0.1, promoDiscount: 0.5 })
    expect(price.originalUsd).toBe(200)
    expect(price.finalUsd).toBe(90)
    expect(price.perGbUsd).toBeCloseTo(0.9, 12)
    expect(price.discount).toBeCloseTo(0.55, 12)
  })

  it('rounds half a cent up, where floating point would lose it', () => {
    // 1.005 is a little less than 1.005 as a double: naive rounding gives 1.00.
    expect(priceOf({ baseUsd: 1.005, gb: 1 }).finalUsd).toBe(1.01)
    expect(priceOf({ baseUsd: 0.01, gb: 1, volumeDiscount: 0.5 }).finalUsd).toBe(0.01)
  })

  it('is exact for the largest purchase', () => {
    expect(priceOf({ baseUsd: 0.1, gb: 99_999_999 }).finalUsd).toBe(9_999_999.9)
  })

  it('never exceeds the price without discounts, and is whole cents', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100_000_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 0, max: 100 }),
        (baseMicros, gb, volume, promo) => {
          const price = priceOf({
            baseUsd: baseMicros / 1e6,
            gb,
            volumeDiscount: volume / 100,
            promoDiscount: promo / 100,
          })
          expect(price.finalUsd).toBeLessThanOrEqual(price.originalUsd)
          expect(price.finalUsd).toBe(Math.round(price.finalUsd * 100) / 100)
        },
      ),
    )
  })
})
