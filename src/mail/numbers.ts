/** Sums and pools as a letter's reader writes them. */
import { dollarsIn, trafficIn } from '#contract/amounts'
import type { Language } from '#contract/language'
import { type Goods, goodsNames } from '#contract/wire'

/** "3,50 $" or "$3.50"; micro-USD. */
export const dollars = (micros: bigint, language: Language): string =>
  dollarsIn(Number(micros) / 1e6, language)

/** "100,00 ГБ" or "66.67 GB"; truncated to hundredths, never rounded up. */
export const traffic = trafficIn

export const poolName = (pool: Goods, language: Language): string => goodsNames[language][pool]

/** An invoice: its number for people, and its id. */
export const invoiceName = (data: { invoice: string; short_number: string }): string =>
  `${data.short_number} (${data.invoice})`
