/** Countries in words, for letters and messages. */
import { countryName } from '../countries.ts'
import type { Language } from '../language.ts'

/** The names of countries, "de,fr", in their order; * stands for lines without a country. */
export function placesInWords(countries: string, language: Language): string {
  const any = language === 'ru' ? 'строки без страны' : 'lines without a country'
  const words = countries.split(',').map((code) => (code === '*' ? any : countryName(code, language)))
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(words)
}
