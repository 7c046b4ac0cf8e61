/** Today: figures beside those of the same weekday before, and what needs attention. */
import { countNew } from '#accounts'
import { alertRules } from '#contract/desk/alerts'
import type { DeskOutput } from '#contract/desk/contract'
import { sentenceOf } from '#contract/desk/faults'
import type { Database } from '#db'
import { costHistory } from '#exits'
import { addDays, dayIn, startOfDay } from '#lib/zone'
import { marginOfHours, sumMargin } from '#margin'
import { soldByHour } from '#purchase'
import { connectionSums } from '#requests'
import type { DeskHandlers } from '#staff/call'
import { usageBy } from '#traffic'
import { amount } from './lists/page.ts'
import { timeOf } from './reports/period.ts'
import { findNeeds, type NeedDeps } from './needs.ts'
import { setupOf, type ShopFinding } from './shop/setup.ts'

export interface TodayDeps extends NeedDeps {
  /** The findings of `turnpike doctor` on the shop. */
  checks: () => Promise<ShopFinding[]>
  isDemo: boolean
}

const hourMs = 3_600_000

interface HourValue {
  hour: Date
  value: bigint
}

interface Period {
  from: Date
  until: Date
}

interface Clock {
  now: Date
  zone: string
}

/** Today up to now, and the same weekday before up to the same time of day; days are those of the zone. */
function periodsOf({ now, zone }: Clock): { today: Period; before: Period } {
  const day = dayIn(zone, now)
  const midnight = startOfDay(zone, day)
  const weekBefore = startOfDay(zone, addDays(day, -7))
  const elapsedMs = now.getTime() - midnight.getTime()
  return {
    today: { from: midnight, until: now },
    before: { from: weekBefore, until: new Date(weekBefore.getTime() + elapsedMs) },
  }
}

/** Runs a read for today and for the day with which it is compared. */
async function both<T>(
  read: (period: Period) => Promise<T[]>,
  clock: Clock,
): Promise<{ today: T[]; before: T[] }> {
  const periods = periodsOf(clock)
  const [today, before] = await Promise.all([read(periods.today), read(periods.before)])
  return { today, before }
}

/** Today by hour and in sum, and the sum of the day before. */
function figureOf(
  { today: rows, before }: { today: HourValue[]; before: HourValue[] },
  clock: Clock,
): { today: string; before: string; hours: string[] } {
  const { from: midnight, until: now } = periodsOf(clock).today
  const sum = (all: HourValue[]) => all.reduce((total, { value }) => total + value, 0n)
  const hours = Array.from(
    { length: Math.floor((now.getTime() - midnight.getTime()) / hourMs) + 1 },
    () => 0n,
  )
  for (const { hour, value } of rows) {
    // Where midnight is within an hour of UTC, that hour began before it.
    const index = Math.max(0, Math.floor((hour.getTime() - midnight.getTime()) / hourMs))
    hours[index] = (hours[index] ?? 0n) + value
  }
  return { today: amount(sum(rows)), before: amount(sum(before)), hours: hours.map(amount) }
}

async function usedByHour(db: Database['db'], { from, until }: Period) {
  const sums = await usageBy(db, { by: 'hour', from, to: until })
  return sums.map(({ key, chargedBytes }) => ({ hour: new Date(key), value: chargedBytes }))
}

/** Refused connections by hour, from the records of connections, some of which may be lost. */
async function refusedByHour(db: Database['db'], { from, until }: Period) {
  const sums = await connectionSums(db, { by: 'hour', from, to: until })
  return sums.map(({ key, refused }) => ({ hour: new Date(key), value: refused }))
}

/** The margin of exits with a known cost, up to the end of the current hour; null: no cost is known. */
async function marginByHour(db: Database['db'], clock: Clock) {
  if ((await costHistory(db)).length === 0) return null
  return both(async ({ from, until }) => {
    const sums = sumMargin(await marginOfHours(db, { from, to: until }, until), ({ at }) => at.toISOString())
    return [...sums].map(([hour, { marginMicros }]) => ({ hour: new Date(hour), value: marginMicros }))
  }, clock)
}

/** The money of the current week or month, and of the previous one up to the same moment of it. */
async function moneySince(
  db: Database['db'],
  by: 'week' | 'month',
  { now, zone }: Clock,
): Promise<DeskOutput<'today'>['week_money']> {
  const first = timeOf(by, dayIn(zone, now))
  const earlier = timeOf(by, addDays(first, -1))
  const [from, before] = [startOfDay(zone, first), startOfDay(zone, earlier)]
  const elapsed = new Date(before.getTime() + now.getTime() - from.getTime())
  // A month may be longer than the one before it.
  const until = elapsed < from ? elapsed : from
  const sumOf = async (period: Period) =>
    amount((await soldByHour(db, period)).reduce((sum, { receivedMicros }) => sum + receivedMicros, 0n))
  return { from: first, now: await sumOf({ from, until: now }), before: await sumOf({ from: before, until }) }
}

/** The maximum number of subjects named for a need. */
const examples = 5

async function needs(
  database: Database,
  deps: TodayDeps,
  now: Date,
): Promise<DeskOutput<'today'>['needs_you']> {
  const found = await findNeeds(database, deps, { now, most: examples })
  return found.map(({ kind, count, subjects, page }) => ({
    kind,
    count,
    href: page ?? alertRules[kind].page,
    examples: subjects
      .map(({ label }) => label)
      .filter((label) => label !== '')
      .slice(0, examples),
  }))
}

export function todayCalls(deps: TodayDeps) {
  return {
    setup: async (_input, { language }) => setupOf(await deps.checks(), language),
    today: async (_input, { database, language, zone, now }) => {
      const { db } = database
      const at = now()
      const clock = { now: at, zone }
      // Read concurrently: none needs the result of another.
      const [sold, used, created, margin, refused, needsYou, checks, week, month] = await Promise.all([
        both((period) => soldByHour(db, period), clock),
        both((period) => usedByHour(db, period), clock),
        both((period) => countNew(db, period), clock),
        marginByHour(db, clock),
        both((period) => refusedByHour(db, period), clock),
        needs(database, deps, at),
        deps.checks(),
        moneySince(db, 'week', clock),
        moneySince(db, 'month', clock),
      ])
      const soldOf = (field: 'receivedMicros' | 'bytes') => {
        const counted = (rows: typeof sold.today) =>
          rows.map((row) => ({ hour: row.hour, value: row[field] }))
        return figureOf({ today: counted(sold.today), before: counted(sold.before) }, clock)
      }
      return {
        at: at.toISOString(),
        day: dayIn(zone, at),
        day_began_at: startOfDay(zone, dayIn(zone, at)).toISOString(),
        money_in_micros: soldOf('receivedMicros'),
        week_money: week,
        month_money: month,
        sold_bytes: soldOf('bytes'),
        used_bytes: figureOf(used, clock),
        new_customers: figureOf(created, clock),
        margin_micros: margin === null ? null : figureOf(margin, clock),
        refused_requests: figureOf(refused, clock),
        needs_you: needsYou,
        // A demo is for looking at it.
        setup_left: deps.isDemo
          ? 0
          : setupOf(checks, language).filter(({ state }) => state === 'todo').length,
        before_you_open: checks.flatMap(({ name, severity, said }) =>
          severity === 'ok' ? [] : [{ name, level: severity, sentence: sentenceOf(said, language) }],
        ),
      }
    },
  } satisfies Partial<DeskHandlers>
}
