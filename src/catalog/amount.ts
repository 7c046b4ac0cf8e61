import { maxOrderGb } from '#contract/price'
import { Refusal } from '#lib/refusal'

/** Whole GB from 1 to 99,999,999, as a number or as digits. Refuses with `invalid_amount`. */
export function amountOf(given: number | string): bigint {
  const text = String(given).trim()
  if (!/^\d{1,8}$/.test(text)) throw new Refusal('invalid_amount')
  const gb = BigInt(text)
  if (gb < 1n || gb > BigInt(maxOrderGb)) throw new Refusal('invalid_amount')
  return gb
}
