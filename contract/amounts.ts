/**
 * Traffic, money and moments as people read them, in both languages: on the pages, in e-mails, from the bot
 * and in alerts. Spaces are non-breaking. What programs read is written elsewhere: `trafficToWire`, and
 * `trafficText` of `balance_format`.
 */
import type { Language } from './language.ts'

export const locales = { ru: 'ru-RU', en: 'en-US' } as const

const formatters = new Map<string, Intl.NumberFormat>()

/** Creating a formatter is slow, and every page and message needs some. */
export function numberFormat(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language}${JSON.stringify(options)}`
  const known = formatters.get(key)
  if (known !== undefined) return known
  const created = new Intl.NumberFormat(locales[language], options)
  formatters.set(key, created)
  return created
}

/** Replaces spaces, and the narrow no-break space that some fonts lack, by the no-break space. */
export const withoutBreaks = (text: string): string => text.replace(/[ \u202f]/g, '\u00a0')

/** US dollars with 2 decimals: `1 234,56 $` and `$1,234.56`. */
export const dollarsIn = (usd: number, language: Language): string =>
  withoutBreaks(numberFormat(language, { style: 'currency', currency: 'USD' }).format(usd))

/**
 * An amount of a currency, in millionths of its unit, with the decimals of its smallest one: `1 234,50 €`,
 * `€1,234.50`.
 */
export function moneyIn(
  micros: bigint,
  { code, digits }: { code: string; digits?: number },
  language: Language,
): string {
  const decimals =
    digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const options = { style: 'currency', currency: code, ...decimals } as const
  return withoutBreaks(numberFormat(language, options).format(Number(micros) / 1e6))
}

const units = {
  ru: ['Б', 'КБ', 'МБ', 'ГБ', 'ТБ', 'ПБ'],
  en: ['B', 'KB', 'MB', 'GB', 'TB', 'PB'],
} as const

/**
 * Traffic in the largest unit from B to PB of which there is at least 1, in steps of 1000 (1 GB is 10^9
 * bytes), with 2 decimals, rounded down so that it never shows more than there is: `1,50 ГБ` and `1.50 GB`.
 * Zero is `0 GB`.
 */
export function trafficIn(bytes: bigint, language: Language): string {
  const names = units[language]
  if (bytes <= 0n) return `0\u00a0${names[3]}`
  let unit = 0
  let size = 1n
  while (unit < names.length - 1 && bytes >= size * 1000n) {
    size *= 1000n
    unit += 1
  }
  const hundredths = (bytes * 100n) / size
  const digits = size === 1n ? 0 : 2
  const format = numberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${withoutBreaks(format.format(Number(hundredths) / 100))}\u00a0${names[unit]}`
}

/** GB exact to the byte, as documents and consents need them: `100 GB`, `66.666666 GB`, `0,5 ГБ`. */
export function exactGbIn(bytes: bigint, language: Language): string {
  const billionths = String(bytes % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '')
  const whole = withoutBreaks(numberFormat(language, {}).format(bytes / 1_000_000_000n))
  const point = language === 'ru' ? ',' : '.'
  return `${whole}${billionths === '' ? '' : point + billionths}\u00a0${units[language][3]}`
}

/** Of Great Britain: the day before the month, and 24 hours. */
const timeLocales = { ru: 'ru-RU', en: 'en-GB' } as const

/** "17 мая 2026 г. в 12:00 UTC", "17 May 2026 at 12:00 UTC". */
export const momentIn = (at: Date | string, language: Language): string =>
  `${new Intl.DateTimeFormat(timeLocales[language], {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  }).format(new Date(at))} UTC`

/** "23 ноября 2026 г.", "23 November 2026"; of a day YYYY-MM-DD. */
export const longDayIn = (day: string, language: Language): string =>
  new Intl.DateTimeFormat(timeLocales[language], { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day))
