/** Converts typed dollars to micro-USD and back. */
import type { Language } from '#contract/language'
import { withPoint } from '../decimal-text.ts'

/**
 * Micro-USD of a decimal number of dollars; null: it is none, or not above zero, or has more than six
 * decimals.
 */
export function microsIn(text: string): bigint | null {
  const match = /^(\d{1,9})(?:\.(\d{0,6}))?$/.exec(withPoint(text))
  if (match === null) return null
  const micros = BigInt(match[1] ?? '') * 1_000_000n + BigInt((match[2] ?? '').padEnd(6, '0'))
  return micros > 0n ? micros : null
}

/** Formats micro-USD as USD with at least two decimals, in a language: "31.50", "0,000001". */
export function usdIn(micros: bigint, language: Language): string {
  const fraction = String(micros % 1_000_000n)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${micros / 1_000_000n}${language === 'ru' ? ',' : '.'}${fraction}`
}
