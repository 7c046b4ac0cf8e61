import { describe, expect, it } from 'vitest'
import { quote, type Tier, volumeDiscountPpm } from './price.ts'

it('a quote has the price with the promo code and without it', () => {
  const order = {
    pool: 'mobile',
    gb: 100n,
    perGbMicros: 7_900_000n,
    volumeDiscountPpm: 100_000,
    promoDiscountPpm: 500_000,
  }
  expect(quote(order)).toEqual({ ...order, costMicros: 355_500_000n, fullCostMicros: 711_000_000n })
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
