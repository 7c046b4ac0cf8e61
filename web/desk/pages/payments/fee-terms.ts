/** The fee of a processor as it is typed: percent and a fixed amount, of which either may be nothing. */
import { parsePercent, parseUsd } from '../../parts/amounts.ts'

const isZero = (text: string) => /^\s*0*(?:[.,]0*)?\s*$/.test(text)

/** Each part; null: not an amount. */
export const readFee = (percent: string, fixed: string) => ({
  ppm: isZero(percent) ? 0 : parsePercent(percent),
  micros: isZero(fixed) ? 0n : parseUsd(fixed),
})

/** What is to be set; null: a part is no amount, or nothing is typed. */
export function feeTermsOf(
  percent: string,
  fixed: string,
): { percent_ppm: number; fixed_micros: string } | null {
  const { ppm, micros } = readFee(percent, fixed)
  if (ppm === null || micros === null || `${percent}${fixed}`.trim() === '') return null
  return { percent_ppm: ppm, fixed_micros: String(micros) }
}
