/** Sums and pools as a letter's reader writes them. */
import type { Language } from '#contract/language'
import { type Pool, poolNames } from '#contract/wire'

const locale = { ru: 'ru-RU', en: 'en-US' }
const nbsp = '\u00a0'

/** "3,50 $" or "$3.50"; micro-USD. */
export function dollars(micros: bigint, language: Language): string {
  return new Intl.NumberFormat(locale[language], { style: 'currency', currency: 'USD' }).format(
    Number(micros) / 1e6,
  )
}

/** "100 ГБ" or "66.67 GB", under one GB in MB; truncated to hundredths, never rounded up. */
export function traffic(bytes: bigint, language: Language): string {
  const isGb = bytes >= 1_000_000_000n
  const hundredths = bytes / (isGb ? 10_000_000n : 10_000n)
  const number = new Intl.NumberFormat(locale[language], { maximumFractionDigits: 2 }).format(
    Number(hundredths) / 100,
  )
  const unit = { ru: isGb ? 'ГБ' : 'МБ', en: isGb ? 'GB' : 'MB' }
  return `${number}${nbsp}${unit[language]}`
}

export const poolName = (pool: Pool, language: Language): string => poolNames[language][pool]
