import { describe, expect, it } from 'vitest'
import { feeTermsOf, readFee } from './fee-terms.ts'

describe('the fee of a processor', () => {
  it.each([
    ['2.9', '0.30', 29_000, '300000'],
    ['2,9', '', 29_000, '0'],
    ['0', '0.3', 0, '300000'],
    ['0.0', ' ', 0, '0'],
  ])('is «%s» percent and «%s» dollars', (percent, fixed, ppm, micros) =>
    expect(feeTermsOf(percent, fixed)).toEqual({ percent_ppm: ppm, fixed_micros: micros }),
  )

  it.each([
    ['', ''],
    ['100', '1'],
    ['x', '1'],
    ['1', '-1'],
    ['1', '0.0000001'],
  ])('is not «%s» percent and «%s» dollars', (percent, fixed) =>
    expect(feeTermsOf(percent, fixed)).toBeNull(),
  )

  it('names the part that is not an amount', () => {
    expect(readFee('x', '1')).toEqual({ ppm: null, micros: 1_000_000n })
    expect(readFee('', 'x')).toEqual({ ppm: 0, micros: null })
  })
})
