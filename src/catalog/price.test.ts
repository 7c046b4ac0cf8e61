import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quote, type Tier, volumeDiscountPpm } from './price.ts'

const ppm = fc.integer({ min: 0, max: 999_999 })
const order = fc.record({
  pool: fc.constant('residential'),
  gb: fc.bigInt({ min: 1n, max: 99_999_999n }),
  perGbMicros: fc.bigInt({ min: 1n, max: 10n ** 9n }),
  volumeDiscountPpm: ppm,
  promoDiscountPpm: ppm,
})

describe('quote', () => {
  it('is within half a cent of the exact product, and whole cents', () => {
    fc.assert(
      fc.property(order, (given) => {
        const { costMicros } = quote(given)
        const scale = 10n ** 12n
        const exact =
          given.perGbMicros *
          given.gb *
          (1_000_000n - BigInt(given.volumeDiscountPpm)) *
          (1_000_000n - BigInt(given.promoDiscountPpm))
        const error = costMicros * scale - exact
        expect(costMicros % 10_000n).toBe(0n)
        expect(error > -5_000n * scale && error <= 5_000n * scale).toBe(true)
      }),
    )
  })

  it('never costs more with a larger discount, nor less for more GB', () => {
    fc.assert(
      fc.property(order, ppm, (given, otherPpm) => {
        const [less, more] = [given.volumeDiscountPpm, otherPpm].toSorted((a, b) => a - b) as [number, number]
        const dear = quote({ ...given, volumeDiscountPpm: less }).costMicros
        const cheap = quote({ ...given, volumeDiscountPpm: more }).costMicros
        expect(cheap <= dear).toBe(true)
        expect(quote({ ...given, gb: given.gb + 1n }).costMicros >= quote(given).costMicros).toBe(true)
      }),
    )
  })

  it('rounds half a cent up', () => {
    const half = { pool: 'mobile', gb: 1n, perGbMicros: 5_000n, volumeDiscountPpm: 0, promoDiscountPpm: 0 }
    expect(quote(half).costMicros).toBe(10_000n)
    expect(quote({ ...half, perGbMicros: 4_999n }).costMicros).toBe(0n)
  })

  it('does not lose the cents that floating point would', () => {
    const order = {
      pool: 'mobile',
      gb: 100n,
      perGbMicros: 19_990_000n,
      volumeDiscountPpm: 0,
      promoDiscountPpm: 0,
    }
    expect(quote(order).costMicros).toBe(1_999_000_000n)
  })
})

describe('volumeDiscountPpm', () => {
  const tiers: Tier[] = [
    { fromGb: 300, discountPpm: 170_000 },
    { fromGb: 100, discountPpm: 100_000 },
    { fromGb: 1000, discountPpm: 330_000 },
  ]
  it.each([
    [1, 0],
    [99, 0],
    [100, 100_000],
    [299, 100_000],
    [300, 170_000],
    [1000, 330_000],
    [99_999_999, 330_000],
  ])('%s GB → %s ppm', (amount, discount) => {
    expect(volumeDiscountPpm(tiers, amount)).toBe(discount)
  })
})
