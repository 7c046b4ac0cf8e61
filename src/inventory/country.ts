/** The names of countries. */
import { countryNames } from '#contract/countries'
import type { Language } from '#contract/language'

/** Whether this is a country's code: ISO 3166-1 alpha-2 in lower case, and `xk`. */
export const isCountry = (code: string): boolean => Object.hasOwn(countryNames, code)

/** The name of a country, ISO 3166-1 alpha-2 in lower case; its code in capitals when there is no name. */
export function countryName(code: string, language: Language): string {
  const names = isCountry(code) ? countryNames[code] : undefined
  return names?.[language === 'ru' ? 0 : 1] ?? code.toUpperCase()
}
