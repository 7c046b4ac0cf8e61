import { expect, it } from 'vitest'
import { costIn } from './cost-form.ts'

const form = { from: '2026-12-01', currency: 'usd', perGb: '1.20', month: '0' }

it('the form converts dollars, zero included, to micro-USD', () => {
  expect(costIn(form)).toEqual({
    from: '2026-12-01',
    currency: 'USD',
    per_gb_micros: '1200000',
    month_micros: '0',
  })
  expect(costIn({ ...form, perGb: '0,00', month: '99,5' })).toMatchObject({
    per_gb_micros: '0',
    month_micros: '99500000',
  })
})

it.each([
  { perGb: '' },
  { perGb: '-1' },
  { perGb: '1000000' },
  { month: 'x' },
  { month: '' },
  { from: '' },
  { currency: 'XAU' },
  { currency: '' },
])('the form is incomplete with %o', (part) => {
  expect(costIn({ ...form, ...part })).toBeNull()
})
