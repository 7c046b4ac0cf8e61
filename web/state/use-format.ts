import {
  formatDecimal,
  formatNumber,
  formatPercent,
  formatShare,
  formatSignedTraffic,
  formatTraffic,
  formatUsd,
} from '../ui/format.ts'
import { useLanguage } from './i18n.ts'

/** The formatters for the language on the screen. */
export function useFormat() {
  const language = useLanguage()
  return {
    usd: (usd: number) => formatUsd(usd, language),
    number: (value: number) => formatNumber(value, language),
    decimal: (value: number) => formatDecimal(value, language),
    percent: (fraction: number) => formatPercent(fraction, language),
    share: (fraction: number) => formatShare(fraction, language),
    traffic: (bytes: bigint) => formatTraffic(bytes, language),
    signedTraffic: (bytes: bigint) => formatSignedTraffic(bytes, language),
  }
}
