import {
  type MarginDivision,
  marginDivisions,
  type ReportDivision,
  reportDivisions,
  type ReportName,
} from '#contract/desk/choices'
import type { Language } from '#contract/language'
import { addDays } from '../../parts/shop-day.ts'

interface ReportRequest {
  report: ReportName
  by: ReportDivision
  from: string
  until: string
}

const least = (a: string, b: string) => (a < b ? a : b)
const most = (a: string, b: string) => (a > b ? a : b)

/** The days of a row's day, week or month that are part of the period. */
function daysOf(by: 'day' | 'week' | 'month', key: string, { from, until }: ReportRequest) {
  const nextMonth = addDays(key, 31).slice(0, 7)
  const last = by === 'day' ? key : by === 'week' ? addDays(key, 6) : addDays(`${nextMonth}-01`, -1)
  return { from: most(key, from), until: least(last, until) }
}

/** Whether a key, or a parameter of the address, is an existing day, written YYYY-MM-DD. */
const isDayKey = (key: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(key) && new Date(key).toJSON()?.slice(0, 10) === key

/** The formatted day, week or month of a row; in another division, the key of the row. */
export function timeName(by: ReportDivision | MarginDivision, key: string, language: Language): string {
  if ((by !== 'day' && by !== 'week' && by !== 'month') || !isDayKey(key)) return key
  return new Date(key).toLocaleDateString(language, {
    timeZone: 'UTC',
    year: 'numeric',
    month: by === 'month' ? 'long' : 'short',
    ...(by === 'month' ? {} : { day: 'numeric' as const }),
  })
}

export const reportNames = [
  'sales',
  'usage',
  'liability',
  'refunds',
  'referral',
] as const satisfies ReportName[]
const usualDays = 30
const usualMonths = 6

/** The usual first day of a report: of months, the first of a whole month. */
function usualFrom(by: ReportDivision, until: string): string {
  if (by !== 'month') return addDays(until, 1 - usualDays)
  const first = new Date(`${until.slice(0, 7)}-01`)
  first.setUTCMonth(first.getUTCMonth() + 1 - usualMonths)
  const day = first.toISOString().slice(0, 10)
  return isDayKey(day) ? day : until
}

const dayIn = (text: string | null): string | null => (text !== null && isDayKey(text) ? text : null)

/** The report that an address asks for; missing and invalid parameters get their defaults. */
export function askedBy(search: URLSearchParams, today: string): ReportRequest {
  const report = reportNames.find((each) => each === search.get('report')) ?? 'sales'
  const divisions: readonly ReportDivision[] = reportDivisions[report]
  const by = divisions.find((each) => each === search.get('by')) ?? divisions[0] ?? 'day'
  const until = dayIn(search.get('until')) ?? today
  return { report, by, from: dayIn(search.get('from')) ?? usualFrom(by, until), until }
}

export const marginDivisionOf = (search: URLSearchParams): MarginDivision =>
  marginDivisions.find((each) => each === search.get('by')) ?? 'day'

/**
 * The address of the items that a row sums up: postings, or the same report by another dimension; null: there
 * is none.
 */
export function partOf(asked: ReportRequest, key: string): string | null {
  const { report, by, from, until } = asked
  const isTime = by === 'day' || by === 'week' || by === 'month'
  if (isTime && !isDayKey(key)) return null
  const days = isTime ? daysOf(by, key, asked) : { from, until }
  const address = (path: string, parameters: Record<string, string>) =>
    `${path}?${new URLSearchParams({ report, ...days, ...parameters }).toString()}`
  if (report === 'usage') {
    if (isTime) return address('/reports', { by: 'pool' })
    if (by === 'pool') return address('/reports', { by: 'day', pool: key })
    if (by === 'exit') return address('/reports', { by: 'pool', exit: key === '' ? '0' : key })
    return key === '' ? null : `/customers?${new URLSearchParams({ campaign: key }).toString()}`
  }
  // No list shows past balances: customers are listed with their current ones, of all pools together.
  if (report === 'liability') return null
  return address('/postings', isTime ? {} : { [by]: key === '' ? '(none)' : key })
}
