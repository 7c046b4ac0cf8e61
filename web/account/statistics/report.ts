/** The parameters of a usage report in the address, and its CSV. */
import type { Input, Output } from '#contract/contract'
import { csvField } from '#contract/usage/csv'
import { poolIn } from '../../state/search-parameter.ts'

export const usageParts = ['host', 'country', 'exit_country', 'code', 'user'] as const
export const dimensions = ['day', 'hour', ...usageParts] as const
export type Dimension = (typeof dimensions)[number]
type UsagePart = (typeof usageParts)[number]

export type Report = Output<'get_usage'>
export type ReportRow = Report['rows'][number]

const dayMs = 86_400_000
const mostDaysByHour = 31

export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && Number.isFinite(Date.parse(text))

/** The periods that are chosen with one click, as the first and the last day. */
export function presets(now: number) {
  const today = dayOf(now)
  const first = `${today.slice(0, 7)}-01`
  const lastOfMonthBefore = Date.parse(first) - dayMs
  return {
    week: [dayOf(now - 6 * dayMs), today],
    month: [dayOf(now - 29 * dayMs), today],
    thisMonth: [first, today],
    lastMonth: [`${dayOf(lastOfMonthBefore).slice(0, 7)}-01`, dayOf(lastOfMonthBefore)],
  } as const
}

/** The report of an address; the last 30 days without one. `isAllPools`: of all pools together. */
export function reportIn(
  search: URLSearchParams,
  now: number,
): Input<'get_usage'> & { only: OnlyPart | undefined } {
  const [from, to] = presets(now).month
  const [askedFrom, askedTo] = [search.get('from'), search.get('to')]
  const by = dimensions.find((each) => each === search.get('by')) ?? 'day'
  const period = {
    from: isDay(askedFrom) ? askedFrom : from,
    to: isDay(askedTo) ? askedTo : to,
  }
  const only = onlyIn(search.get('only'))
  return {
    ...period,
    by: only !== undefined || (by === 'hour' && daysOf(period) > mostDaysByHour) ? 'day' : by,
    pool: search.get('usage') === 'all' ? undefined : poolIn(search),
    only,
  }
}

export interface OnlyPart {
  part: UsagePart
  key: string
}

/** `?only=host:example.com` */
function onlyIn(text: string | null): OnlyPart | undefined {
  const [, name, key] = /^([a-z_]+):(.*)$/.exec(text ?? '') ?? []
  const part = usageParts.find((each) => each === name)
  return part === undefined || key === undefined ? undefined : { part, key }
}

export const printOnly = ({ part, key }: OnlyPart) => `${part}:${key}`

export const daysOf = ({ from, to }: { from: string; to: string }) =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1

/** Every day of the period, those without traffic too; of a long one those with traffic. Newest first. */
export function everyDay(rows: readonly ReportRow[], period: { from: string; to: string }): ReportRow[] {
  const known = new Map(rows.map((row) => [row.key, row]))
  const days = daysOf(period)
  if (days > 62) return rows.toReversed()
  return Array.from({ length: days }, (_, index) => {
    const key = dayOf(Date.parse(period.to) - index * dayMs)
    const none = {
      kind: 'key' as const,
      key,
      target: null,
      label: null,
      charged_bytes: 0,
      bonus_bytes: 0,
      requests: 0,
      refused: 0,
    }
    return known.get(key) ?? none
  })
}

/** The subject of a row, as the API spells it. */
export const keyOf = (row: ReportRow) => row.target ?? (row.kind === 'key' ? row.key : `(${row.kind})`)

/** A report as CSV with exact byte counts. A host cannot begin as a spreadsheet's formula does. */
export function reportCsv(rows: readonly ReportRow[], by: Dimension): string {
  const lines = rows.map((row) =>
    [keyOf(row), row.charged_bytes, row.bonus_bytes, row.requests, row.refused].map(csvField).join(','),
  )
  return [`${by},charged_bytes,bonus_bytes,requests,refused`, ...lines, ''].join('\r\n')
}
