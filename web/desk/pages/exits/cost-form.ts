/** The form of a cost as the call takes it. */
import { parseUsd } from '../../parts/amounts.ts'

const mostMicros = 1_000_000n * 1_000_000n

/** Micro-USD, zero included; null: it is no amount, or more than a million dollars. */
function microsIn(text: string): string | null {
  const micros = /^0+(?:[.,]0*)?$/.test(text.trim()) ? 0n : parseUsd(text)
  return micros === null || micros >= mostMicros ? null : String(micros)
}

/** Null: a field is not filled in, or is no amount. */
export function costIn({ from, perGb, month }: { from: string; perGb: string; month: string }) {
  const [perGbMicros, monthMicros] = [microsIn(perGb), microsIn(month)]
  const isDay = /^\d{4}-\d\d-\d\d$/.test(from)
  if (!isDay || perGbMicros === null || monthMicros === null) return null
  return { from, per_gb_micros: perGbMicros, month_micros: monthMicros }
}
