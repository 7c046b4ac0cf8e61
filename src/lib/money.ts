/**
 * Money is whole micro-USD (bigint) everywhere inside. These functions convert it to and from external
 * representations, digit by digit: no amount passes through a floating-point number.
 */

const microsPerUsd = 1_000_000n

/** Micro-USD as decimal text: 1 234 500 → "1.2345". At least `decimals` digits after the point. */
export function usdText(micros: bigint, decimals = 0): string {
  const sign = micros < 0n ? '-' : ''
  const size = micros < 0n ? -micros : micros
  const fraction = String(size % microsPerUsd)
    .padStart(6, '0')
    .replace(/0+$/, '')
    .padEnd(decimals, '0')
  const whole = `${sign}${size / microsPerUsd}`
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Micro-USD as a JSON number in USD with at most 6 decimals: the double nearest to the true amount. */
export function usdToWire(micros: bigint): number {
  return Number(usdText(micros))
}

/**
 * Micro-USD from decimal text in USD, "12.5" → 12 500 000. Null: not a plain amount with at most 6 decimals.
 */
export function usdFromText(text: string): bigint | null {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text)
  if (match === null) return null
  const [, sign = '', whole = '0', fraction = ''] = match
  const micros = BigInt(whole) * microsPerUsd + BigInt(fraction.padEnd(6, '0'))
  return sign === '-' ? -micros : micros
}
