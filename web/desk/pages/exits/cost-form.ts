/** Converts the form of a cost to the input of the call. */
import { isForeignCurrency } from '#contract/rates/rates'
import { parseUsd } from '../../parts/amounts.ts'

const mostMicros = 1_000_000n * 1_000_000n

/** Millionths of the currency, zero included; null: not an amount, or a million or more. */
function microsIn(text: string): string | null {
  const micros = /^0+(?:[.,]0*)?$/.test(text.trim()) ? 0n : parseUsd(text)
  return micros === null || micros >= mostMicros ? null : String(micros)
}

/** Null: a field is empty or not an amount. */
export function costIn({
  from,
  currency: typed,
  perGb,
  month,
}: {
  from: string
  currency: string
  perGb: string
  month: string
}) {
  const currency = typed.trim().toUpperCase()
  const [perGbMicros, monthMicros] = [microsIn(perGb), microsIn(month)]
  const isDay = /^\d{4}-\d\d-\d\d$/.test(from)
  if (!isDay || perGbMicros === null || monthMicros === null) return null
  if (currency !== 'USD' && !isForeignCurrency(currency)) return null
  return { from, currency, per_gb_micros: perGbMicros, month_micros: monthMicros }
}
