import { describe, expect, it } from 'vitest'
import {
  currencyName,
  formatMoney,
  formatDecimal,
  formatNumber,
  formatPercent,
  formatRate,
  formatShare,
  formatSignedTraffic,
  formatTraffic,
  formatUsd,
} from './format.ts'

describe('formats', () => {
  it('amounts of money have 2 decimals and non-breaking spaces', () => {
    expect(formatUsd(1234.5, 'ru')).toBe('1\u00a0234,50\u00a0$')
    expect(formatUsd(1234.5, 'en')).toBe('$1,234.50')
    expect(formatUsd(0, 'ru')).toBe('0,00\u00a0$')
  })

  it('amounts of other currencies have the decimals of their smallest unit', () => {
    const jpy = { code: 'JPY', digits: 0 }
    expect(formatMoney(5_440_000_000n, jpy, 'en')).toBe('¥5,440')
    expect(formatMoney(3_237_500_000n, { code: 'RUB', digits: 2 }, 'ru')).toBe('3\u00a0237,50\u00a0₽')
    expect(formatMoney(10_749_000n, { code: 'KWD', digits: 3 }, 'en')).toBe('KWD\u00a010.749')
    expect(currencyName('EUR', 'ru')).toBe('евро')
    expect(formatRate('92.50', 'ru')).toBe('92,50')
  })

  it('percentages have no decimals', () => {
    expect(formatPercent(0.15, 'ru')).toBe('15\u00a0%')
    expect(formatPercent(0.154, 'en')).toBe('15%')
  })

  it('shares of successes are 100 only without any failure', () => {
    expect(formatShare(1, 'en')).toBe('100%')
    expect(formatShare(0.9999, 'en')).toBe('99.99%')
    expect(formatShare(0.99999, 'ru')).toBe('99,99\u00a0%')
    expect(formatShare(0.29, 'en')).toBe('29%')
  })

  it('numbers are grouped', () => {
    expect(formatNumber(1234567, 'ru')).toBe('1\u00a0234\u00a0567')
    expect(formatNumber(1234567, 'en')).toBe('1,234,567')
    // Half of a gigabyte, which the order page names, is no whole one.
    expect([0.5, 2.25, 3].map((value) => formatDecimal(value, 'ru'))).toEqual(['0,5', '2,25', '3'])
  })

  it.each([
    [0n, '0 GB'],
    [1n, '1 B'],
    [999n, '999 B'],
    [1_000n, '1.00 KB'],
    [1_500_000n, '1.50 MB'],
    [999_999_999n, '999.99 MB'],
    [1_000_000_000n, '1.00 GB'],
    [12_345_600_000n, '12.34 GB'],
    [5_000_000_000_000n, '5.00 TB'],
    [7_000_000_000_000_000n, '7.00 PB'],
    [1_234_000_000_000_000_000n, '1,234.00 PB'],
  ])('traffic of %s bytes is %s, rounded down', (bytes, text) => {
    expect(formatTraffic(bytes, 'en')).toBe(text.replace(' ', '\u00a0'))
  })

  it('traffic below zero has its sign where it may occur', () => {
    expect(formatSignedTraffic(-1_234_560_000n, 'en')).toBe('\u22121.23\u00a0GB')
    expect(formatSignedTraffic(-999n, 'ru')).toBe('\u2212999\u00a0Б')
    expect(formatSignedTraffic(1_500_000n, 'en')).toBe('1.50\u00a0MB')
    expect(formatSignedTraffic(0n, 'en')).toBe('0\u00a0GB')
  })

  it('traffic has the decimal separator and the unit of the language', () => {
    expect(formatTraffic(1_234_560_000_000n, 'ru')).toBe('1,23\u00a0ТБ')
    expect(formatTraffic(0n, 'ru')).toBe('0\u00a0ГБ')
  })
})
