import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseGb, parsePercent, parseUsd, percentText, usdText } from './amounts.ts'

describe('an amount as it is typed', () => {
  it.each([
    ['5', 5_000_000_000n],
    ['1,5', 1_500_000_000n],
    ['1.5', 1_500_000_000n],
    ['1 000', 1_000_000_000_000n],
    ['0.000000001', 1n],
  ])('%s GB is %s bytes', (text, bytes) => expect(parseGb(text)).toBe(bytes))

  it.each(['', '0', '-1', '1e3', '1.5.5', '1,5,5', 'ten', '0.0000000001', '0x10', '９'])(
    '%j is none',
    (text) => expect(parseGb(text)).toBeNull(),
  )

  it('of money is exact to the micro-dollar and not further', () => {
    expect(parseUsd('0.01')).toBe(10_000n)
    expect(parseUsd('0.000001')).toBe(1n)
    expect(parseUsd('0.0000001')).toBeNull()
  })

  it('of percent is below 100', () => {
    expect(parsePercent('12.5')).toBe(125_000)
    expect(parsePercent('99.9999')).toBe(999_999)
    expect(parsePercent('100')).toBeNull()
  })

  it('is parsed back to the same amount', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 17n), (micros) => {
        expect(parseUsd(usdText(micros))).toBe(micros)
      }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999 }), (ppm) => {
        expect(parsePercent(percentText(ppm))).toBe(ppm)
      }),
    )
  })
})
