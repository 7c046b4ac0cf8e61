import fc from 'fast-check'
import { expect, it } from 'vitest'
import { priceOf } from '#contract/price'
import { coveredGb } from './coverage.ts'

it('the covered amount is never more than the balance pays for, and two GB more would be', () => {
  const cents = fc.integer({ min: 0, max: 10_000_000 }).map((value) => value / 100)
  const base = fc.integer({ min: 1, max: 5000 }).map((value) => value / 100)
  fc.assert(
    fc.property(cents, base, fc.constantFrom(0, 0.1, 0.25), (balance, baseUsd, volumeDiscount) => {
      const gb = coveredGb(balance, baseUsd, volumeDiscount)
      const cost = (amount: number) => priceOf({ gb: amount, baseUsd, volumeDiscount }).finalUsd
      if (gb > 0) expect(cost(gb)).toBeLessThanOrEqual(balance + 1e-9)
      expect(cost(gb + 2)).toBeGreaterThanOrEqual(balance - 1e-9)
    }),
  )
  expect([coveredGb(31.5, 3.5, 0), coveredGb(3.49, 3.5, 0), coveredGb(5, 0, 0)]).toEqual([9, 0, 0])
})
