import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { receivedAndRest } from './invoices.ts'

describe('receivedAndRest', () => {
  it('splits the cost into two amounts of whole cents that add up to it', () => {
    expect(receivedAndRest(267.75, 133.875)).toEqual({ received: 133.87, rest: 133.88 })
    expect(receivedAndRest(10, 0)).toEqual({ received: 0, rest: 10 })
    const cents = fc.integer({ min: 0, max: 1_000_000_000 })
    fc.assert(
      fc.property(cents, fc.integer({ min: 0, max: 10_000_000_000_000 }), (costCents, receivedMicros) => {
        const { received, rest } = receivedAndRest(costCents / 100, receivedMicros / 1e6)
        expect(Math.round(received * 100) + Math.round(rest * 100)).toBe(costCents)
        expect(Math.round(received * 1e6)).toBeLessThanOrEqual(receivedMicros)
      }),
    )
  })
})
