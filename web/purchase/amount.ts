/** The amount of a purchase, as typed and as the address names it. */

/** The largest purchase, in GB. */
export const maxAmountGb = 99_999_999

/** Typed text as the amount field shows it: digits only, no leading zeros, capped. Blank stays blank. */
export function amountText(text: string): string {
  const digits = text.replace(/\D/g, '')
  return digits === '' ? '' : String(Math.min(Number(digits), maxAmountGb))
}

/** The amount the address asks for; 1 where it asks for none, or for nothing. */
export function amountFromAddress(value: string | null): string {
  const text = amountText(value ?? '')
  return text === '' || text === '0' ? '1' : text
}
