import { beforeAll, describe, expect, it } from 'vitest'
import { loadCountryNames } from '../../app/country-name.ts'
import { found, ranked } from './find.ts'

const countries = [
  { code: 'de', name: 'Германия', count: 20 },
  { code: 'us', name: 'США', count: 70 },
  { code: 'ge', name: 'Грузия', count: 20 },
  { code: 'br', name: 'Бразилия', count: 50 },
]
const codes = (list: readonly { code: string }[]) => list.map(({ code }) => code)

beforeAll(loadCountryNames)

describe('the countries of a pool', () => {
  it('stand by count, the largest first, and by name where that is the same', () => {
    expect(codes(ranked(countries, 'ru'))).toEqual(['us', 'br', 'de', 'ge'])
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
  ])('answer to «%s» in either language and by code', (typed, expected) => {
    expect(codes(found(countries, typed))).toEqual(expected)
  })
})
