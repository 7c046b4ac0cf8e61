import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gbText } from '../decimal-text.ts'
import { readThreshold } from './notice-threshold.ts'

describe('the amount under which a notice is sent', () => {
  it('is read as gigabytes, with a point or a comma', () => {
    expect(['0.5', ' 0,5 ', '2', '0.001', '1000000'].map(readThreshold)).toEqual([
      500_000_000, 500_000_000, 2_000_000_000, 1_000_000, 1_000_000_000_000_000,
    ])
  })

  it('is none when the field is empty, and wrong otherwise', () => {
    expect(readThreshold('  ')).toBeNull()
    for (const text of ['0', '0.0009', '1000001', '-1', '1e3', 'a', '1.2.3', '0.1234567'])
      expect(readThreshold(text), text).toBeUndefined()
  })

  it('has the decimal separator of the language, and no exponent', () => {
    expect([gbText(1_500_000_000, 'ru'), gbText(1_500_000_000, 'en'), gbText(1, 'en')]).toEqual([
      '1,5',
      '1.5',
      '0.000000001',
    ])
    expect([gbText(10_000_000_000, 'ru'), gbText(0, 'ru'), gbText(null, 'ru')]).toEqual(['10', '0', ''])
  })

  it('is parsed back from its text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (megabytes) => {
        for (const language of ['ru', 'en'] as const)
          expect(readThreshold(gbText(megabytes * 1_000_000, language))).toBe(megabytes * 1_000_000)
      }),
    )
  })
})
