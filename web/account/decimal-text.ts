/** Decimal numbers in forms of the account, and amounts of traffic as such numbers. */
import type { Language } from '#contract/language'
import { bytesPerGb } from '#contract/wire'

/** Typed text without spaces around it, with a decimal point. */
export const withPoint = (text: string): string => text.trim().replace(',', '.')

const gb = {
  ru: new Intl.NumberFormat('ru', { useGrouping: false, maximumFractionDigits: 9 }),
  en: new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 9 }),
}

/** Bytes as GB, with the decimal separator of the language; null as blank text. */
export const gbText = (bytes: number | null, language: Language): string =>
  bytes === null ? '' : gb[language].format(bytes / Number(bytesPerGb))
