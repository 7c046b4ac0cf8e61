/**
 * Statistics: the data of the charts. Read-only; the numbers are those written by the settlement of reports.
 */

import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { usageDays } from '#traffic'

const daysOf = { week: 7, month: 30 } as const
const msPerDay = 86_400_000

export type Period = keyof typeof daysOf

export interface StatisticDay {
  /** UTC, YYYY-MM-DD. */
  day: string
  /** The total charged. */
  chargedBytes: bigint
  /** The part paid by bonus. */
  bonusBytes: bigint
  /** Proxied requests and tunnels. */
  requests: bigint
}

export interface Statistic {
  /** Every day of the period, oldest first, days without traffic too. */
  days: StatisticDay[]
  total: { chargedBytes: bigint; bonusBytes: bigint }
}

/** A customer's usage of a pool in the last 7 (week) or 30 (month) UTC days, including today. */
export async function statistic(
  db: Kysely<DB>,
  { accountId, pool, period, now }: { accountId: bigint; pool: string; period: Period; now: Date },
): Promise<Statistic> {
  const names = lastDays(now, daysOf[period])
  const [from = '', to = ''] = [names[0], names.at(-1)]
  const used = new Map((await usageDays(db, { accountId, pool, from, to })).map((day) => [day.day, day]))
  const days = names.map((day) => used.get(day) ?? { day, chargedBytes: 0n, bonusBytes: 0n, requests: 0n })
  const sum = (key: 'chargedBytes' | 'bonusBytes') => days.reduce((total, day) => total + day[key], 0n)
  return { days, total: { chargedBytes: sum('chargedBytes'), bonusBytes: sum('bonusBytes') } }
}

/** The names of the last `count` UTC days, today's last. */
function lastDays(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(now.getTime() - (count - 1 - index) * msPerDay).toISOString().slice(0, 10),
  )
}
