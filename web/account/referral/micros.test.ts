import fc from 'fast-check'
import { expect, it } from 'vitest'
import { microsIn, usdIn } from './micros.ts'

it('amounts are parsed back to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }), (micros) => {
      for (const language of ['ru', 'en'] as const) expect(microsIn(usdIn(micros, language))).toBe(micros)
    }),
  )
  expect([usdIn(31_500_000n, 'en'), usdIn(1n, 'ru'), usdIn(20_000_000n, 'en')]).toEqual([
    '31.50',
    '0,000001',
    '20.00',
  ])
})

it('amounts accept a comma, and no other notation', () => {
  expect([microsIn(' 12,5 '), microsIn('7'), microsIn('7.')]).toEqual([12_500_000n, 7_000_000n, 7_000_000n])
  for (const text of ['', '0', '-1', '1e3', '0.0000001', '1 000', '١'])
    expect(microsIn(text), text).toBeNull()
})
