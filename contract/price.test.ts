import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costMicros, hasFractionsOfCent, maxOrderGb, priceOf, type PriceTerms } from './price.ts'

const ppm = fc.integer({ min: 0, max: 999_999 })
const terms: fc.Arbitrary<PriceTerms> = fc.record({
  gb: fc.bigInt({ min: 1n, max: BigInt(maxOrderGb) }),
  perGbMicros: fc.bigInt({ min: 1n, max: 10n ** 9n }),
  volumeDiscountPpm: ppm,
  promoDiscountPpm: ppm,
})

describe('costMicros', () => {
  it('is whole cents within half a cent of the exact product', () => {
    fc.assert(
      fc.property(terms, (given) => {
        const scale = 10n ** 12n
        const exact =
          given.perGbMicros *
          given.gb *
          (1_000_000n - BigInt(given.volumeDiscountPpm)) *
          (1_000_000n - BigInt(given.promoDiscountPpm))
        const error = costMicros(given) * scale - exact
        expect(costMicros(given) % 10_000n).toBe(0n)
        expect(error > -5_000n * scale && error <= 5_000n * scale).toBe(true)
      }),
    )
  })

  it('does not rise with a discount nor fall with the amount', () => {
    fc.assert(
      fc.property(terms, ppm, (given, otherPpm) => {
        const [less, more] = [given.volumeDiscountPpm, otherPpm].toSorted((a, b) => a - b) as [number, number]
        const dear = costMicros({ ...given, volumeDiscountPpm: less })
        const cheap = costMicros({ ...given, volumeDiscountPpm: more })
        expect(cheap <= dear).toBe(true)
        expect(costMicros({ ...given, gb: given.gb + 1n }) >= costMicros(given)).toBe(true)
      }),
    )
  })

  it('rounds half a cent up', () => {
    const halfCent = { gb: 1n, perGbMicros: 5_000n, volumeDiscountPpm: 0, promoDiscountPpm: 0 }
    expect(costMicros(halfCent)).toBe(10_000n)
    expect(costMicros({ ...halfCent, perGbMicros: 4_999n })).toBe(0n)
  })

  it('keeps the cents that floating-point numbers lose', () => {
    const order = { gb: 100n, perGbMicros: 19_990_000n, volumeDiscountPpm: 0, promoDiscountPpm: 0 }
    expect(costMicros(order)).toBe(1_999_000_000n)
  })
})

describe('priceOf', () => {
  it('is base × GB without discounts', () => {
    expect(priceOf({ baseUsd: 4.5, gb: 1 })).toEqual({
      originalUsd: 4.5,
      finalUsd: 4.5,
      perGbUsd: 4.5,
      discount: 0,
    })
  })

  it('applies the promo discount to what the volume discount leaves', () => {
    const price = priceOf({ baseUsd: 2, gb: 100, volumeDiscount: 0.1, promoDiscount: 0.5 })
    expect(price.originalUsd).toBe(200)
    expect(price.finalUsd).toBe(90)
    expect(price.perGbUsd).toBeCloseTo(0.9, 12)
    expect(price.discount).toBeCloseTo(0.55, 12)
  })

  it('rounds half a cent up where floating-point numbers would round it down', () => {
    // As a double, 1.005 is a little less than 1.005: naive rounding gives 1.00.
    expect(priceOf({ baseUsd: 1.005, gb: 1 }).finalUsd).toBe(1.01)
    expect(priceOf({ baseUsd: 0.01, gb: 1, volumeDiscount: 0.5 }).finalUsd).toBe(0.01)
  })

  it('is exact for the largest order', () => {
    expect(priceOf({ baseUsd: 0.1, gb: maxOrderGb }).finalUsd).toBe(9_999_999.9)
  })

  it('shows what the server charges for the same numbers', () => {
    const order = fc.record({
      gb: fc.integer({ min: 1, max: 100_000 }),
      perGbMicros: fc.integer({ min: 0, max: 100_000_000 }),
      volumeDiscountPpm: ppm,
      promoDiscountPpm: ppm,
    })
    fc.assert(
      fc.property(order, ({ gb, perGbMicros, volumeDiscountPpm, promoDiscountPpm }) => {
        const price = priceOf({
          gb,
          baseUsd: perGbMicros / 1e6,
          volumeDiscount: volumeDiscountPpm / 1e6,
          promoDiscount: promoDiscountPpm / 1e6,
        })
        const charged = costMicros({
          gb: BigInt(gb),
          perGbMicros: BigInt(perGbMicros),
          volumeDiscountPpm,
          promoDiscountPpm,
        })
        expect(Math.round(price.finalUsd * 100)).toBe(Number(charged / 10_000n))
        expect(price.finalUsd).toBeLessThanOrEqual(price.originalUsd)
      }),
    )
  })
})

it('a price per GB with fractions of a cent is found', () => {
  expect([2.6775, 2.68, 0.1, 1.005].map(hasFractionsOfCent)).toEqual([true, false, false, true])
})
