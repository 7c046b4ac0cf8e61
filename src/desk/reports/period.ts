/** The days of a report, in the time zone of the shop. */
import type { ReportDivision } from '#contract/desk/choices'
import type { Span } from '#ledger'
import { Refusal } from '#lib/refusal'
import { addDays, daysBetween } from '#lib/zone'

export const mostDays = 400

export interface Period {
  days: readonly string[]
  /** When each begins, and when the last one ends. */
  starts: readonly Date[]
  span: Span
}

/** Refuses an empty period, and one of more than 400 days. */
export function periodOf(zone: string, from: string, until: string): Period {
  const count = (Date.parse(until) - Date.parse(from)) / 86_400_000
  if (!(count >= 0 && count <= mostDays)) throw new Refusal('invalid_field', { field: 'until' })
  const { days, starts } = daysBetween(zone, from, until)
  const [first, end] = [starts[0], starts.at(-1)]
  if (first === undefined || end === undefined) throw new Refusal('invalid_field', { field: 'until' })
  return { days, starts, span: { from: first, to: end } }
}

export const isTime = (by: ReportDivision): by is 'day' | 'week' | 'month' =>
  by === 'day' || by === 'week' || by === 'month'

/** The first day of the day's week, which begins on Monday, or month. */
export function timeOf(by: 'day' | 'week' | 'month', day: string): string {
  if (by === 'month') return `${day.slice(0, 7)}-01`
  return by === 'week' ? addDays(day, -((new Date(day).getUTCDay() + 6) % 7)) : day
}
