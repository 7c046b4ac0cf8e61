/** The amount of an order, as typed and as the address names it. */
import { maxOrderGb } from '#contract/price'
import { wholeNumberIn } from '../../ui/fields/whole-number.ts'

/**
 * Typed text as the amount field shows it: digits without leading zeros, up to the largest order; or blank.
 */
export function amountText(text: string): string {
  return wholeNumberIn(text, maxOrderGb)?.toString() ?? ''
}

/** The amount that the address names, else 1. */
export function amountFromAddress(value: string | null): string {
  const text = amountText(value ?? '')
  return text === '' || text === '0' ? '1' : text
}
