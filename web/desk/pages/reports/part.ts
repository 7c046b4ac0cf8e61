import type { ReportDivision, ReportName } from '#contract/desk/choices'
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

/**
 * A row of another division, which stays on the screen until the new one has been read, has the key of that
 * one.
 */
export const isDayKey = (key: string): boolean => /^\d{4}-\d\d-\d\d$/.test(key)

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
  // What was held is of no list: balances are those of now, of all pools together.
  if (report === 'liability') return null
  return address('/postings', isTime ? {} : { [by]: key === '' ? '(none)' : key })
}
