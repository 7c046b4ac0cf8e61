/** Countries in words, for letters and messages. */
import type { Language } from '../language.ts'

/** The names of countries, "de,fr", in their order; * is what lines without a country ask for. */
export function placesInWords(countries: string, language: Language): string {
  const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'code' })
  const any = language === 'ru' ? 'строки без страны' : 'lines without a country'
  const words = countries
    .split(',')
    .map((code) => (code === '*' ? any : (names.of(code.toUpperCase()) ?? code)))
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(words)
}
