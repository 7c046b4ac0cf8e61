import { describe, expect, it } from 'vitest'
import { findCountries, sortByCount } from './find-countries.ts'

const countries = [
  { code: 'de', name: 'Германия', count: 20 },
  { code: 'us', name: 'США', count: 70 },
  { code: 'ge', name: 'Грузия', count: 20 },
  { code: 'br', name: 'Бразилия', count: 50 },
]
const codes = (list: readonly { code: string }[]) => list.map(({ code }) => code)

describe('the countries of a pool', () => {
  it('are sorted by count, the largest first, then by name', () => {
    expect(codes(sortByCount(countries, 'ru'))).toEqual(['us', 'br', 'de', 'ge'])
  })

  it.each([
    ['', ['de', 'us', 'ge', 'br']],
    ['герм', ['de']],
    ['germany', ['de']],
    ['DE', ['de']],
    ['br', ['br']],
    ['states', ['us']],
    ['мания', []],
    ['сша', ['us']],
    ['united', ['us']],
    ['georgia', ['ge']],
    ['nowhere', []],
  ])('are found by «%s» in either language and by code', (query, expected) => {
    expect(codes(findCountries(countries, query))).toEqual(expected)
  })
})
