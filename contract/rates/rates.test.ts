import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convert, digitsOf, isForeignCurrency, mostPerUsdMicros, parseRate, printRate } from './rates.ts'

const million = 1_000_000n
const costs = fc.bigInt({ min: 0n, max: 10n ** 15n })
const rates = fc.bigInt({ min: 1n, max: mostPerUsdMicros })
const allDigits = fc.constantFrom(0, 2, 3, 4)
const size = (value: bigint) => (value < 0n ? -value : value)

describe('amounts in other currencies', () => {
  it.each([
    [35_000_000n, 92_500_000n, 2, 3_237_500_000n],
    [10_000n, 92_490_000n, 2, 920_000n],
    [10_000n, 92_500_000n, 2, 930_000n],
    [35_000_000n, 155_430_000n, 0, 5_440_000_000n],
    [35_000_000n, 307_100n, 3, 10_749_000n],
  ])('%d at %d with %d decimals are %d', (cost, rate, digits, converted) => {
    expect(convert(cost, rate, digits)).toBe(converted)
  })

  it('are whole smallest units, never off by more than half of one', () => {
    fc.assert(
      fc.property(costs, rates, allDigits, (cost, rate, digits) => {
        const unit = 10n ** BigInt(6 - digits)
        const converted = convert(cost, rate, digits)
        expect(converted % unit).toBe(0n)
        expect(2n * size(converted * million - cost * rate)).toBeLessThanOrEqual(unit * million)
      }),
    )
  })

  it('grow with the cost and with the rate', () => {
    fc.assert(
      fc.property(costs, costs, rates, allDigits, (cost, more, rate, digits) => {
        expect(convert(cost + more, rate, digits)).toBeGreaterThanOrEqual(convert(cost, rate, digits))
        expect(convert(cost, rate, digits)).toBeLessThanOrEqual(convert(cost, rate + more, digits))
      }),
    )
  })

  it('of the parts of a sum differ from that of the sum by at most half a unit for each part, and half of one', () => {
    fc.assert(
      fc.property(fc.array(costs, { minLength: 1, maxLength: 20 }), rates, (parts, rate) => {
        const whole = convert(
          parts.reduce((sum, part) => sum + part, 0n),
          rate,
          2,
        )
        const sum = parts.reduce((total, part) => total + convert(part, rate, 2), 0n)
        expect(2n * size(sum - whole)).toBeLessThanOrEqual(10_000n * BigInt(parts.length + 1))
      }),
    )
  })
})

describe('rates', () => {
  it('are read exactly as they are printed', () => {
    fc.assert(
      fc.property(rates, (rate) => {
        expect(parseRate(printRate(rate))).toBe(rate)
      }),
    )
    expect(printRate(92_500_000n)).toBe('92.50')
    expect(printRate(921_300n)).toBe('0.9213')
    expect(printRate(1n)).toBe('0.000001')
  })

  it.each([
    '',
    '0',
    '0.000000',
    '-1',
    '+1',
    '1e-30',
    '1e30',
    '1,5',
    '.5',
    '5.',
    ' 5',
    '0x10',
    'NaN',
    'Infinity',
  ])('are none of “%s”', (text) => {
    expect(parseRate(text)).toBeNull()
  })
  it.each(['0.0000001', '12345678', `${'9'.repeat(30)}`, '=1+1', '1\u0660', '１'])(
    'are not “%s” either',
    (text) => {
      expect(parseRate(text)).toBeNull()
    },
  )

  it('are of money: no metals, funds or tests, and not of US dollars', () => {
    for (const code of ['RUB', 'EUR', 'JPY', 'KWD', 'XAF']) expect(isForeignCurrency(code)).toBe(true)
    for (const code of ['USD', 'XAU', 'XXX', 'XTS', 'ABC', 'rub', ''])
      expect(isForeignCurrency(code)).toBe(false)
    expect(['RUB', 'JPY', 'KWD'].map(digitsOf)).toEqual([2, 0, 3])
  })
})
