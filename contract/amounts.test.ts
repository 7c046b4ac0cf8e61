import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactGbIn, longDayIn, momentIn, moneyIn } from './amounts.ts'

describe('an amount of a currency', () => {
  it('has the decimals of its smallest unit, in both languages, without breaking spaces', () => {
    expect(moneyIn(3_500_000n, { code: 'USD' }, 'ru')).toBe('3,50\u00a0$')
    expect(moneyIn(1_234_500_000n, { code: 'RUB' }, 'ru')).toBe('1\u00a0234,50\u00a0₽')
    expect(moneyIn(5_440_000_000n, { code: 'JPY' }, 'en')).toBe('¥5,440')
    expect(moneyIn(10_749_000n, { code: 'KWD' }, 'en')).toBe('KWD\u00a010.749')
  })
})

describe('GB in a document or a consent', () => {
  it.each([
    [100_000_000_000n, '100 ГБ', '100 GB'],
    [1_500_000_000n, '1,5 ГБ', '1.5 GB'],
    [1n, '0,000000001 ГБ', '0.000000001 GB'],
    [1_234_000_000_000n, '1 234 ГБ', '1,234 GB'],
  ])('of %s bytes are %s', (bytes, ru, en) => {
    const [spaced, plain] = [ru, en].map((text) => text.replaceAll(' ', '\u00a0'))
    expect(exactGbIn(bytes, 'ru')).toBe(spaced)
    expect(exactGbIn(bytes, 'en')).toBe(plain)
  })

  it('can be read back to the byte', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 18n), (bytes) => {
        const [whole = '', fraction = ''] = exactGbIn(bytes, 'en')
          .replaceAll(/[^\d.]/g, '')
          .split('.')
        expect(BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))).toBe(bytes)
      }),
    )
  })
})

it('a document says a moment in UTC, and a day, in both languages', () => {
  expect(momentIn('2026-05-17T12:00:59Z', 'ru')).toBe('17 мая 2026 г. в 12:00 UTC')
  expect(momentIn(new Date('2026-05-17T23:30:00-03:00'), 'en')).toBe('18 May 2026 at 02:30 UTC')
  expect(longDayIn('2026-11-23', 'ru')).toBe('23 ноября 2026 г.')
  expect(longDayIn('2026-11-23', 'en')).toBe('23 November 2026')
})
