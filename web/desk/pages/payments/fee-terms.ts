/** The fee of a processor as staff type it: a percentage and a fixed amount; either may be empty. */
import { parsePercent, parseUsd } from '../../parts/amounts.ts'

const isZero = (text: string) => /^\s*0*(?:[.,]0*)?\s*$/.test(text)

/** Each part; null: not an amount. */
export const readFee = (percent: string, fixed: string) => ({
  ppm: isZero(percent) ? 0 : parsePercent(percent),
  micros: isZero(fixed) ? 0n : parseUsd(fixed),
})

/** The input of the call; null: a part is not an amount, or both are empty. */
export function feeTermsOf(
  percent: string,
  fixed: string,
): { percent_ppm: number; fixed_micros: string } | null {
  const { ppm, micros } = readFee(percent, fixed)
  if (ppm === null || micros === null || `${percent}${fixed}`.trim() === '') return null
  return { percent_ppm: ppm, fixed_micros: String(micros) }
}
