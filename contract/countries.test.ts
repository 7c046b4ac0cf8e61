import { expect, it } from 'vitest'
import { languages } from './language.ts'
import { countryCodes, countryName, isCountry, ownNames } from './countries.ts'

const unicode = (code: string, language: 'ru' | 'en') =>
  new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(code.toUpperCase())

it('every country has a name in both languages: Unicode’s, except for the shop’s own names', () => {
  for (const code of countryCodes)
    for (const language of languages) {
      const own = ownNames[code]?.[language]
      expect([code, countryName(code, language)]).toEqual([code, own ?? unicode(code, language)])
      // A name of our own that says the same is to be removed.
      if (own !== undefined) expect(unicode(code, language)).not.toBe(own)
    }
})

it('the list has each country once, and own names are of its countries', () => {
  expect(new Set(countryCodes).size).toBe(250)
  expect(countryCodes.toSorted()).toEqual(countryCodes)
  expect(Object.keys(ownNames).filter((code) => !isCountry(code))).toEqual([])
})

it('a code of no country is its own name', () => {
  for (const code of ['xx', 't1', 'uk', 'eu', 'constructor', ''])
    expect([isCountry(code), countryName(code, 'en')]).toEqual([false, code.toUpperCase()])
})
