/** The period of the page, in whole hours or days of UTC, and the bars that it is drawn with. */
import type { DeskOutput } from '#contract/desk/contract'
import type { Bar } from '../../parts/chart.tsx'

export const periods = ['day', 'week', 'month'] as const
export type Period = (typeof periods)[number]

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export interface Span {
  from: string
  /** Not included. */
  until: string
  /** What a bar stands for. */
  by: 'hour' | 'day'
  stepMs: number
}

/** The last 24 hours including the current one, or the last 7 or 30 days including today. */
export function spanOf(period: Period, now: number): Span {
  const [by, stepMs, steps] =
    period === 'day' ? (['hour', hourMs, 24] as const) : (['day', dayMs, period === 'week' ? 7 : 30] as const)
  const end = (Math.floor(now / stepMs) + 1) * stepMs
  const iso = (time: number) => new Date(time).toISOString()
  return { from: iso(end - steps * stepMs), until: iso(end), by, stepMs }
}

const mostHours = 72

/**
 * The span between two times in the address, in whole hours, or in whole days if it is longer than
 * `mostHours`. Null: the address names no span.
 */
export function namedSpan(from: string | null, until: string | null): Span | null {
  const [begin, end] = [Date.parse(from ?? ''), Date.parse(until ?? '')]
  if (!(end > begin)) return null
  const isShort = end - begin <= mostHours * hourMs
  const [by, stepMs] = isShort ? (['hour', hourMs] as const) : (['day', dayMs] as const)
  const iso = (steps: number) => new Date(steps * stepMs).toISOString()
  return { from: iso(Math.floor(begin / stepMs)), until: iso(Math.ceil(end / stepMs)), by, stepMs }
}

type Sum = DeskOutput<'traffic_sums'>['rows'][number]

/** A bar for each step of the span, those without traffic included. */
export function barsOf({ from, until, stepMs }: Span, sums: readonly Sum[]): Bar[] {
  const known = new Map(sums.map((sum) => [Date.parse(sum.key), sum]))
  const first = Date.parse(from)
  return Array.from({ length: Math.round((Date.parse(until) - first) / stepMs) }, (_, step) => {
    const at = first + step * stepMs
    const sum = known.get(at)
    const total = BigInt(sum?.charged_bytes ?? 0)
    return { at: new Date(at).toISOString(), total, front: total - BigInt(sum?.bonus_bytes ?? 0) }
  })
}

/** The sums of all rows. */
export function totalOf(rows: readonly Sum[]) {
  const sum = (of: (row: Sum) => string | null) => rows.reduce((all, row) => all + BigInt(of(row) ?? 0), 0n)
  return {
    charged: sum((row) => row.charged_bytes),
    bonus: sum((row) => row.bonus_bytes),
    relayed: sum((row) => row.relayed_bytes),
    requests: sum((row) => row.requests),
  }
}
