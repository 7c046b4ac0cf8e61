import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convert, microsOf } from './amount.ts'

describe('amounts of processors', () => {
  it.each([
    ['0', 0n],
    ['3237.50', 3_237_500_000n],
    ['19.99', 19_990_000n],
    ['0.000001', 1n],
    // Truncated, never rounded up.
    ['0.0000019', 1n],
    ['35.000000000000000001', 35_000_000n],
  ])('reads %s', (text, micros) => {
    expect(microsOf(text)).toBe(micros)
  })

  it.each(['', '-1', '+1', '1e3', '1,5', '.5', '5.', ' 5', '0x10', 'NaN', '1'.repeat(13)])(
    'reads no amount in “%s”',
    (text) => {
      expect(microsOf(text)).toBeNull()
    },
  )

  it('reads any number of cents and micros exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n }), (micros) => {
        const text = `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`
        expect(microsOf(text)).toBe(micros)
      }),
    )
  })

  it('converts to whole hundredths, half up, never off by more than half of one', () => {
    expect(convert(35_000_000n, 92_500_000n)).toBe(3_237_500_000n)
    expect(convert(10_000n, 92_490_000n)).toBe(920_000n)
    expect(convert(10_000n, 92_500_000n)).toBe(930_000n)
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        fc.bigInt({ min: 1n, max: 10n ** 9n }),
        (cost, rate) => {
          const converted = convert(cost, rate)
          expect(converted % 10_000n).toBe(0n)
          const offBy = converted * 1_000_000n - cost * rate
          expect(2n * (offBy < 0n ? -offBy : offBy)).toBeLessThanOrEqual(10_000n * 1_000_000n)
        },
      ),
    )
  })
})
