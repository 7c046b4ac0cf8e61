import { expect, it } from 'vitest'
import { matching } from './matching.ts'

it('the palette finds entries by every word of their titles and further words', () => {
  const entries = [{ title: 'Promo codes', words: 'discount' }, { title: 'Prices' }]
  expect(matching(entries, 'codes PRO')).toEqual([entries[0]])
  expect(matching(entries, 'disc promo')).toEqual([entries[0]])
  expect(matching(entries, '  ')).toEqual(entries)
  expect(matching(entries, 'codes x')).toEqual([])
})
