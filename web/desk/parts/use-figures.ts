import { useMemo } from 'react'
import type { Language } from '#contract/language'
import {
  formatAmount,
  formatMoney,
  formatNumber,
  formatPercent,
  formatTraffic,
  formatUsd,
} from '../../ui/format.ts'
import { formatDateTime, formatExactTime, formatRecentTime } from '../../ui/format-time.ts'
import { useLanguage } from '../../state/i18n.ts'

const abs = (amount: bigint) => (amount < 0n ? -amount : amount)
const minus = '\u2212'
const signOf = (amount: bigint) => (amount < 0n ? minus : '')

function figuresIn(language: Language) {
  const usd = (micros: string | bigint) => {
    const amount = BigInt(micros)
    return `${signOf(amount)}${formatUsd(Number(abs(amount)) / 1e6, language)}`
  }
  const traffic = (bytes: string | bigint) => {
    const amount = BigInt(bytes)
    return `${signOf(amount)}${formatTraffic(abs(amount), language)}`
  }
  const plus = (amount: string | bigint) => (BigInt(amount) > 0n ? '+' : '')
  return {
    language,
    usd,
    traffic,
    /** An amount of any currency, given as decimal text in its units, as in processors' data and receipts. */
    money: (amount: string, code: string) =>
      formatMoney(BigInt(Math.round(Number(amount) * 1e6)), { code }, language),
    /** With a plus sign for additions. */
    usdChange: (micros: string | bigint) => `${plus(micros)}${usd(micros)}`,
    trafficChange: (bytes: string | bigint) => `${plus(bytes)}${traffic(bytes)}`,
    /** An amount of any currency, given in millionths of its unit. */
    amount: (micros: string) => formatAmount(BigInt(micros), language),
    number: (value: number | string | bigint) => formatNumber(Number(value), language),
    percent: (fraction: number) => formatPercent(fraction, language),
    time: (iso: string) => formatDateTime(iso, language),
    recent: (iso: string) => formatRecentTime(iso, language),
    exact: (iso: string) => formatExactTime(iso, language),
  }
}

/**
 * The formatters of the desk, the same ones until the language changes: amounts come as decimal text and may
 * be negative.
 */
export function useFigures() {
  const language = useLanguage()
  return useMemo(() => figuresIn(language), [language])
}
