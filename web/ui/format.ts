/** Numbers in the two languages. All spaces are non-breaking. */
import type { Language } from '#contract/language'

const locales = { ru: 'ru-RU', en: 'en-US' } as const

const formatters = new Map<string, Intl.NumberFormat>()

/** Creating a formatter is slow and every render needs some. */
function formatter(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language}${JSON.stringify(options)}`
  const known = formatters.get(key)
  if (known !== undefined) return known
  const created = new Intl.NumberFormat(locales[language], options)
  formatters.set(key, created)
  return created
}

/** Replaces spaces, and the narrow no-break space that some fonts lack, by the no-break space. */
const withoutBreaks = (text: string) => text.replace(/[ \u202f]/g, '\u00a0')

/** US dollars with 2 decimals: `1 234,56 $` and `$1,234.56`. */
export function formatUsd(usd: number, language: Language): string {
  return withoutBreaks(formatter(language, { style: 'currency', currency: 'USD' }).format(usd))
}

/** An amount of a currency, in millionths of its unit, with the decimals of its smallest one: `1 234,50 €`, `€1,234.50`. */
export function formatMoney(
  micros: bigint,
  { code, digits }: { code: string; digits: number },
  language: Language,
): string {
  const options = {
    style: 'currency',
    currency: code,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const
  return withoutBreaks(formatter(language, options).format(Number(micros) / 1e6))
}

/** A rate, which is decimal text with a point, as the language writes it: `92,50` and `92.50`. */
export const formatRate = (rate: string, language: Language): string =>
  language === 'ru' ? rate.replace('.', ',') : rate

const currencyNames = new Map<Language, Intl.DisplayNames>()

/** What a currency is called: `евро`, `Euro`. */
export function currencyName(code: string, language: Language): string {
  const names = currencyNames.get(language) ?? new Intl.DisplayNames(locales[language], { type: 'currency' })
  currencyNames.set(language, names)
  return names.of(code) ?? code
}

/** A whole number, grouped: `1 234 567` and `1,234,567`. */
export function formatNumber(value: number, language: Language): string {
  return withoutBreaks(formatter(language, { maximumFractionDigits: 0 }).format(value))
}

/** A fraction of 1 in percent without decimals: `15 %` and `15%`. */
export function formatPercent(fraction: number, language: Language): string {
  return withoutBreaks(formatter(language, { style: 'percent', maximumFractionDigits: 0 }).format(fraction))
}

const units = {
  ru: ['Б', 'КБ', 'МБ', 'ГБ', 'ТБ', 'ПБ'],
  en: ['B', 'KB', 'MB', 'GB', 'TB', 'PB'],
} as const

/** Traffic that may be below zero: what corrects a sum is written with its sign. */
export const formatSignedTraffic = (bytes: bigint, language: Language): string =>
  bytes < 0n ? `\u2212${formatTraffic(-bytes, language)}` : formatTraffic(bytes, language)

/**
 * Traffic in the largest unit from B to PB of which there is at least 1, in steps of 1000 (1 GB is 10^9 bytes), with
 * 2 decimals, rounded down so that it never shows more than there is: `1,50 ГБ` and `1.50 GB`. Zero is `0 GB`.
 */
export function formatTraffic(bytes: bigint, language: Language): string {
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
  const format = formatter(language, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${withoutBreaks(format.format(Number(hundredths) / 100))}\u00a0${names[unit]}`
}
