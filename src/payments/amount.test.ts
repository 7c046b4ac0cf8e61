import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microsOf } from './amount.ts'

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
})
