/** Parses typed amounts. */
import { bytesPerGb } from '#contract/wire'

/**
 * Decimal text as a whole number of `unit` (a power of ten); null when it is no number above zero or has more
 * digits.
 */
function parseAmount(text: string, unit: bigint): bigint | null {
  const plain = text.replaceAll(/[\s\u00a0\u202f]/g, '').replace(',', '.')
  const match = /^(\d{1,12})(?:\.(\d+))?$/.exec(plain)
  if (match === null) return null
  const digits = String(unit).length - 1
  const fraction = match[2] ?? ''
  if (fraction.length > digits) return null
  const amount = BigInt(match[1] ?? '') * unit + BigInt(fraction.padEnd(digits, '0') || '0')
  return amount > 0n ? amount : null
}

/** GB as bytes: `1,5` and `1.5` are 1 500 000 000. */
export const parseGb = (text: string): bigint | null => parseAmount(text, bytesPerGb)

/** US dollars as micro-USD: `0.01` is 10 000. */
export const parseUsd = (text: string): bigint | null => parseAmount(text, 1_000_000n)

/** Percent as parts per million: `12.5` is 125 000. */
export const parsePercent = (text: string): number | null => {
  const ppm = parseAmount(text, 10_000n)
  return ppm === null || ppm >= 1_000_000n ? null : Number(ppm)
}

/** An amount as it is typed, without grouping: the inverse of the functions above. */
function plainAmount(amount: bigint, unit: bigint): string {
  const digits = String(unit).length - 1
  const fraction = String(amount % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(amount / unit) : `${amount / unit}.${fraction}`
}

export const gbText = (bytes: bigint): string => plainAmount(bytes, bytesPerGb)
export const usdText = (micros: bigint): string => plainAmount(micros, 1_000_000n)
export const percentText = (ppm: number): string => plainAmount(BigInt(ppm), 10_000n)
