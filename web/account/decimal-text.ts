/** Decimal numbers in forms of the account, and amounts of traffic as such numbers. */
import type { Language } from '#contract/language'
import { bytesPerGb } from '#contract/wire'

/** Typed text without spaces around it, with a decimal point. */
export const withPoint = (text: string): string => text.trim().replace(',', '.')

/** Bytes as GB, with the decimal separator of the language; null as blank text. */
export function gbText(bytes: number | null, language: Language): string {
  if (bytes === null) return ''
  const text = (bytes / Number(bytesPerGb)).toFixed(9).replace(/\.?0+$/, '')
  return language === 'ru' ? text.replace('.', ',') : text
}
