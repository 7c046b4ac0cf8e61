/** Amounts as processors write them: decimal text, read digit by digit. */

/**
 * An amount of a currency, in millionths of its unit: exact for kopecks, cents and USD values of
 * cryptocurrency.
 */
export interface Price {
  currency: string
  micros: bigint
}

/** Millionths from "3237.50"; digits beyond the sixth are cut off. Null: not a plain decimal amount. */
export function microsOf(text: string): bigint | null {
  const match = /^(\d{1,12})(?:\.(\d{1,30}))?$/.exec(text)
  if (match === null) return null
  const [, whole = '0', fraction = ''] = match
  return BigInt(whole) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}

/**
 * `totalMicros × fee / amount`. Fee and amount are decimal texts in one unit, which may differ from the
 * total's. Null: one of them is not a plain decimal amount, or the amount is zero.
 */
export function shareOf(totalMicros: bigint, fee: string, amount: string): bigint | null {
  const [ofFee, ofAmount] = [digitsOf(fee), digitsOf(amount)]
  if (ofFee === null || ofAmount === null || ofAmount === 0n) return null
  return (totalMicros * ofFee) / ofAmount
}

/** How many units of `digitsOf` make a millionth. */
export const digitsPerMicro = 1_000_000_000_000n

/**
 * An amount of cryptocurrency in units of 10⁻¹⁸; further digits are cut off. Null: not a plain decimal
 * amount.
 */
export function digitsOf(text: string): bigint | null {
  const [, whole, fraction = ''] = /^(\d{1,18})(?:\.(\d{1,30}))?$/.exec(text) ?? []
  return whole === undefined ? null : BigInt(whole + fraction.slice(0, 18).padEnd(18, '0'))
}
