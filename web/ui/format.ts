/** Numbers in the two languages. All spaces are non-breaking. */
import { dollarsIn, locales, moneyIn, numberFormat, trafficIn, withoutBreaks } from '#contract/amounts'
import type { Language } from '#contract/language'

/** US dollars with 2 decimals: `1 234,56 $` and `$1,234.56`. */
export const formatUsd = dollarsIn

/**
 * An amount of a currency, in millionths of its unit, with the decimals of its smallest one: `1 234,50 €`,
 * `€1,234.50`.
 */
export const formatMoney = moneyIn

/** An amount in millionths of any unit, without its name: `1 234,50` and `0.00042`. */
export const formatAmount = (micros: bigint, language: Language): string =>
  withoutBreaks(
    numberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 6 }).format(
      Number(micros) / 1e6,
    ),
  )

/** A rate, given as decimal text with a point, in the notation of the language: `92,50` and `92.50`. */
export const formatRate = (rate: string, language: Language): string =>
  language === 'ru' ? rate.replace('.', ',') : rate

const currencyNames = new Map<Language, Intl.DisplayNames>()

/** The name of a currency: `евро`, `Euro`. */
export function currencyName(code: string, language: Language): string {
  const names = currencyNames.get(language) ?? new Intl.DisplayNames(locales[language], { type: 'currency' })
  currencyNames.set(language, names)
  return names.of(code) ?? code
}

/** A whole number, grouped: `1 234 567` and `1,234,567`. */
export function formatNumber(value: number, language: Language): string {
  return withoutBreaks(numberFormat(language, { maximumFractionDigits: 0 }).format(value))
}

/** A number with up to two decimals: `0,5` and `0.5`. */
export function formatDecimal(value: number, language: Language): string {
  return withoutBreaks(numberFormat(language, { maximumFractionDigits: 2 }).format(value))
}

/** A fraction of 1 in percent without decimals: `15 %` and `15%`. */
export function formatPercent(fraction: number, language: Language): string {
  return withoutBreaks(
    numberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(fraction),
  )
}

/** A share of successes in percent, rounded down to hundredths: 100 only without any failure. */
export function formatShare(fraction: number, language: Language): string {
  const whole = Math.floor(fraction * 10_000 + 1e-6) / 10_000
  return withoutBreaks(numberFormat(language, { style: 'percent', maximumFractionDigits: 2 }).format(whole))
}

/** Traffic that may be negative, such as a correction, with its minus sign. */
export const formatSignedTraffic = (bytes: bigint, language: Language): string =>
  bytes < 0n ? `\u2212${formatTraffic(-bytes, language)}` : formatTraffic(bytes, language)

/** Traffic with 2 decimals, rounded down: `1,50 ГБ` and `1.50 GB`. */
export const formatTraffic = trafficIn
