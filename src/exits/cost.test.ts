import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { binaryGb, bytesCost, type CostTerms, decimalGb, monthShare, termsOn } from './cost.ts'

const terms = (own: Partial<CostTerms> = {}): CostTerms => ({
  fromDay: '2026-11-01',
  perGbMicros: 1_000_000n,
  monthMicros: 0n,
  gbBytes: decimalGb,
  rounding: 'none',
  ...own,
})

describe('the terms of a day', () => {
  it('are those of the latest day up to it, and the last that were set for that day', () => {
    const day = (fromDay: string, perGbMicros: bigint) => terms({ fromDay, perGbMicros })
    const history = [
      day('2026-11-10', 1n),
      day('2026-11-20', 2n),
      day('2026-11-10', 3n),
      day('2026-11-01', 4n),
    ]
    const at = (when: string) => termsOn(history, when)?.perGbMicros
    expect(at('2026-10-31')).toBeUndefined()
    expect([at('2026-11-01'), at('2026-11-09'), at('2026-11-10'), at('2026-11-19')]).toEqual([4n, 4n, 3n, 3n])
    expect([at('2026-11-20'), at('2027-11-20')]).toEqual([2n, 2n])
  })
})

describe('the cost of bytes', () => {
  it.each([
    [terms(), 0n, 0n],
    [terms(), decimalGb, 1_000_000n],
    [terms(), 499n, 0n],
    // Half a micro-USD and up.
    [terms(), 500n, 1n],
    [terms({ gbBytes: binaryGb }), binaryGb, 1_000_000n],
    [terms({ gbBytes: binaryGb }), decimalGb, 931_323n],
    [terms({ rounding: 'mb' }), 1n, 1_000n],
    [terms({ rounding: 'mb' }), 1_000_001n, 2_000n],
    [terms({ rounding: 'mb', gbBytes: binaryGb }), 1n, 977n],
    [terms({ rounding: 'gb' }), decimalGb + 1n, 2_000_000n],
    [terms({ rounding: 'gb' }), 0n, 0n],
  ])('%o: %s bytes cost %s', (given, bytes, micros) => {
    expect(bytesCost(given, bytes)).toBe(micros)
  })

  const anyTerms = fc.record({
    fromDay: fc.constant('2026-11-01'),
    perGbMicros: fc.bigInt(0n, 10n ** 9n),
    monthMicros: fc.bigInt(0n, 10n ** 12n),
    gbBytes: fc.constantFrom(decimalGb, binaryGb),
    rounding: fc.constantFrom('none' as const, 'mb' as const, 'gb' as const),
  })
  const bytes = fc.bigInt(0n, 10n ** 16n)

  it('never falls, is within half a micro-USD of the exact value, and at most a step above it', () => {
    fc.assert(
      fc.property(anyTerms, bytes, bytes, (given, some, more) => {
        const cost = bytesCost(given, some)
        expect(bytesCost(given, some + more)).toBeGreaterThanOrEqual(cost)
        const exact = bytesCost({ ...given, rounding: 'none' }, some)
        // In units of 1 / (2 * gbBytes) of a micro-USD, so that the comparison itself rounds nothing.
        const off = exact * given.gbBytes * 2n - some * given.perGbMicros * 2n
        expect(off <= given.gbBytes && off >= -given.gbBytes).toBe(true)
        expect(cost).toBeGreaterThanOrEqual(exact)
        expect(cost - exact).toBeLessThanOrEqual(given.perGbMicros + 1n)
      }),
    )
  })
})

describe('the cost of a month', () => {
  it('is shared by its days to the micro-USD, and a day’s share by its hours', () => {
    const month = fc.record({
      year: fc.integer({ min: 2024, max: 2040 }),
      month: fc.integer({ min: 0, max: 11 }),
    })
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n), month, (monthMicros, when) => {
        const given = terms({ monthMicros })
        let sum = 0n
        for (
          let at = Date.UTC(when.year, when.month, 1);
          new Date(at).getUTCMonth() === when.month;
          at += 86_400_000
        ) {
          const day = new Date(at).toISOString().slice(0, 10)
          const share = monthShare(given, day)
          sum += share
          let before = 0n
          for (let hours = 1; hours <= 24; hours++) {
            const until = monthShare(given, day, hours)
            expect(until).toBeGreaterThanOrEqual(before)
            before = until
          }
          expect(before).toBe(share)
        }
        expect(sum).toBe(monthMicros)
      }),
      { numRuns: 50 },
    )
  })
})
