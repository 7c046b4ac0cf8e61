import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { usdFromText, usdText, usdToWire } from './money.ts'

describe('dollars as text', () => {
  it('are parsed back to the same amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), fc.nat(6), (amount, decimals) => {
        expect(usdFromText(usdText(amount, decimals))).toBe(amount)
      }),
    )
  })

  it('have as many decimals as needed, or as requested', () => {
    expect(usdText(1_234_500n)).toBe('1.2345')
    expect(usdText(1_000_000n)).toBe('1')
    expect(usdText(1_000_000n, 2)).toBe('1.00')
    expect(usdText(-500_000n, 2)).toBe('-0.50')
    expect(usdToWire(3_500_000n)).toBe(3.5)
  })

  it('are refused when they are not plain amounts', () => {
    for (const text of ['', '.5', '1.', '1.1234567', '1e3', ' 1', '1,5', '--1', '0x1', 'NaN', '1'.repeat(13)])
      expect(usdFromText(text)).toBeNull()
  })
})
