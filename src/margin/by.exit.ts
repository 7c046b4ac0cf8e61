/**
 * The parts of the margin: the traffic, revenue and cost of each exit by hour or day.
 */
import { type Kysely, sql } from 'kysely'
import { type DB, inSnapshot } from '#db'
import { bytesCost, monthShare, termsOn } from '#exits'
import { type ExitHour, unpricedUsage, usageByExitHour } from '#traffic'
import { hourOf } from '#lib/zone'
import { countedThrough } from './count.ts'
import { type UsdCost, usdCosts } from './exit.cost.ts'
import { type Earned, price } from './pricing.ts'

/** The traffic of an exit in an hour or on a day (UTC), with its revenue and cost. */
export interface MarginPart {
  /** YYYY-MM-DD. */
  day: string
  /** The hour of the day, 0 to 23; null: the whole day, or its part within the period. */
  hour: number | null
  pool: string
  /** 0: no exit, or an unknown one. */
  exitId: bigint
  chargedBytes: bigint
  bonusBytes: bigint
  relayedBytes: bigint
  /** The relayed bytes that bonus covered or that were forgiven: they earn nothing. */
  freeBytes: bigint
  /** The price of the used bytes; the parts of it that processors kept and that inviters earned. */
  revenueMicros: bigint
  feeMicros: bigint
  shareMicros: bigint
  /** The revenue less fees and shares. */
  earnedMicros: bigint
  /** Null: the exit, or its cost on that day, is unknown. */
  costMicros: bigint | null
  /** The part of the cost caused by free bytes; null if the cost is null. */
  freeCostMicros: bigint | null
}

interface Carried extends ExitHour {
  freeBytes: bigint
  revenueMicros: bigint
  feeMicros: bigint
  shareMicros: bigint
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/**
 * The maximum span of hours that are not computed yet and are priced on read; the hourly job leaves fewer.
 */
const mostUncountedMs = 6 * hourMs

/**
 * The margin of the days from `from` to `to` (both included) up to the end of this hour, by day or by hour.
 * The parts of a day add up to it in both, to the micro-USD.
 */
export async function marginOf(
  db: Kysely<DB>,
  { from, to, by = 'day' }: { from: string; to: string; by?: 'day' | 'hour' },
  now: Date,
): Promise<MarginPart[]> {
  return inSnapshot(db, (tx) => daysIn(tx, { from, to, by }, now))
}

async function daysIn(
  db: Kysely<DB>,
  { from, to, by }: { from: string; to: string; by: 'day' | 'hour' },
  now: Date,
): Promise<MarginPart[]> {
  const start = new Date(from)
  const end = new Date(Math.min(Date.parse(to) + dayMs, hourOf(now).getTime() + hourMs))
  if (end <= start) return []
  const costs = await usdCosts(db, { from, to })
  const carried = await carriedIn(db, { start, end }, now)
  return withCosts(carried, costs, { start, end, by })
}

/** A part of an hour, which begins at this time. */
export type HourPart = MarginPart & { at: Date }

/** The margin of the hours that begin in [`from`, `to`), up to the end of the current hour. */
export function marginOfHours(
  db: Kysely<DB>,
  period: { from: Date; to: Date },
  now: Date,
): Promise<HourPart[]> {
  return inSnapshot(db, (tx) => hoursIn(tx, period, now))
}

/** As `marginOfHours`, within the caller's snapshot. */
export async function hoursIn(
  db: Kysely<DB>,
  { from, to }: { from: Date; to: Date },
  now: Date,
): Promise<HourPart[]> {
  if (to <= from) return []
  const days = { from: dayOf(from), to: dayOf(new Date(to.getTime() - 1)) }
  const parts = await daysIn(db, { ...days, by: 'hour' }, now)
  return parts
    .map((part) => ({ ...part, at: new Date(Date.parse(part.day) + (part.hour ?? 0) * hourMs) }))
    .filter(({ at }) => at >= from && at < to)
}

/** The traffic of exits, computed or not, without its revenue. */
export async function relayedIn(
  db: Kysely<DB>,
  { start, end }: { start: Date; end: Date },
): Promise<Pick<Carried, 'hour' | 'exitId' | 'relayedBytes'>[]> {
  const through = await countedThrough(db)
  const from = new Date(
    Math.max(through?.getTime() ?? 0, hourOf(end).getTime() - mostUncountedMs, start.getTime()),
  )
  const { rows } = await sql<Pick<Carried, 'hour' | 'exitId' | 'relayedBytes'>>`
    select hour, exit_id as "exitId", relayed_bytes as "relayedBytes" from margin_hour
    where hour >= ${start} and hour < ${least(from, end)}`.execute(db)
  return [...rows, ...(await usageByExitHour(db, { from, to: end }))]
}

const least = (a: Date, b: Date) => (a < b ? a : b)

/**
 * Prices on read the hours in [`from`, `to`) that are not computed yet; prices nothing if they begin after
 * `end`.
 */
export async function pricedNow(
  db: Kysely<DB>,
  end: Date,
  now: Date,
): Promise<{ from: Date; to: Date; earned: Earned[] }> {
  const through = await countedThrough(db)
  const to = new Date(hourOf(now).getTime() + hourMs)
  const from = new Date(Math.max(through?.getTime() ?? 0, to.getTime() - mostUncountedMs))
  if (from >= end) return { from, to, earned: [] }
  // Prices depend on all earlier usage, also before the requested period.
  const { earned } = await price(db, await unpricedUsage(db, { from, to }), { correctedAt: hourOf(now) })
  return { from, to, earned }
}

/** Computed hours together with hours priced on read. */
async function carriedIn(
  db: Kysely<DB>,
  { start, end }: { start: Date; end: Date },
  now: Date,
): Promise<Carried[]> {
  const counted = await sql<Carried>`
    select hour, pool, exit_id as "exitId", charged_bytes as "chargedBytes", bonus_bytes as "bonusBytes",
      relayed_bytes as "relayedBytes", free_bytes as "freeBytes", revenue_micros as "revenueMicros", fee_micros as "feeMicros",
      share_micros as "shareMicros"
    from margin_hour where hour >= ${start} and hour < ${end}`.execute(db)
  const { from, to, earned } = await pricedNow(db, end, now)
  if (from >= end) return counted.rows
  const usage = await usageByExitHour(db, { from, to })
  const isIn = ({ hour }: { hour: Date }) => hour >= start && hour < end
  // For a partly computed hour margin_hour has the revenue of some usage, and never more bytes than usage.
  const rows = counted.rows.map((row) =>
    row.hour >= from ? { ...row, chargedBytes: 0n, bonusBytes: 0n, relayedBytes: 0n } : row,
  )
  return [
    ...rows,
    ...usage.filter(isIn).map((row) => ({ ...nothing, ...row })),
    ...earned.filter(isIn).map(({ hour, pool, exitId, freeBytes, micros, feeMicros, shareMicros }) => ({
      ...nothing,
      hour,
      pool,
      exitId,
      freeBytes,
      revenueMicros: micros,
      feeMicros,
      shareMicros,
    })),
  ]
}

type Sums = Omit<Carried, 'hour' | 'pool' | 'exitId'>
const nothing: Sums = {
  chargedBytes: 0n,
  bonusBytes: 0n,
  relayedBytes: 0n,
  freeBytes: 0n,
  revenueMicros: 0n,
  feeMicros: 0n,
  shareMicros: 0n,
}
const plus = (a: Sums, b: Sums): Sums => ({
  chargedBytes: a.chargedBytes + b.chargedBytes,
  bonusBytes: a.bonusBytes + b.bonusBytes,
  relayedBytes: a.relayedBytes + b.relayedBytes,
  freeBytes: a.freeBytes + b.freeBytes,
  revenueMicros: a.revenueMicros + b.revenueMicros,
  feeMicros: a.feeMicros + b.feeMicros,
  shareMicros: a.shareMicros + b.shareMicros,
})

/**
 * The parts of each day, pool and exit: those with traffic, and idle ones with a cost.
 */
function withCosts(
  carried: readonly Carried[],
  costs: ReadonlyMap<bigint, readonly UsdCost[]>,
  { start, end, by }: { start: Date; end: Date; by: 'day' | 'hour' },
): MarginPart[] {
  const parts: MarginPart[] = []
  const ofDay = Map.groupBy(carried, ({ hour }) => dayOf(hour))
  for (let at = start.getTime(); at < end.getTime(); at += dayMs) {
    const day = dayOf(new Date(at))
    const hours = Math.min(24, (end.getTime() - at) / hourMs)
    const ofExit = Map.groupBy(ofDay.get(day) ?? [], ({ pool, exitId }) => `${pool} ${exitId}`)
    for (const [exitId, history] of costs) {
      const key = `${history[0]?.pool ?? ''} ${exitId}`
      if ((termsOn(history, day)?.monthMicros ?? 0n) > 0n && !ofExit.has(key)) ofExit.set(key, [])
    }
    for (const [key, rows] of ofExit) {
      const [pool = '', exit = '0'] = key.split(' ')
      const exitId = BigInt(exit)
      const terms = termsOn(costs.get(exitId) ?? [], day)
      parts.push(...partsOf({ day, pool, exitId, rows, terms, hours, by }))
    }
  }
  return parts
}

interface DayOfExit {
  day: string
  pool: string
  exitId: bigint
  rows: readonly Carried[]
  terms: UsdCost | null
  /** The hours of the day within the period. */
  hours: number
  by: 'day' | 'hour'
}

function partOf(costMicros: bigint | null, bytes: bigint, ofBytes: bigint): bigint | null {
  if (costMicros === null) return null
  return ofBytes === 0n ? 0n : (costMicros * bytes) / ofBytes
}

function partsOf({ day, pool, exitId, rows, terms, hours, by }: DayOfExit): MarginPart[] {
  /** The cost of the first `count` hours of the day, rounded once: differences of it add up to the day. */
  const costUntil = ({ chargedBytes, relayedBytes }: Sums, count: number): bigint | null => {
    if (terms === null) return chargedBytes + relayedBytes === 0n ? 0n : null
    return terms.usd(day, bytesCost(terms, terms.counted(day, relayedBytes)) + monthShare(terms, day, count))
  }
  const ofHour = Map.groupBy(rows, ({ hour }) => hour.getUTCHours())
  let [sofar, costSofar]: [Sums, bigint | null] = [nothing, 0n]
  const parts = Array.from({ length: hours }, (_, hour): MarginPart => {
    const sums = (ofHour.get(hour) ?? []).reduce<Sums>(plus, nothing)
    const until = plus(sofar, sums)
    const cost = costUntil(until, hour + 1)
    const costMicros = cost === null || costSofar === null ? null : cost - costSofar
    ;[sofar, costSofar] = [until, cost]
    const { relayedBytes, freeBytes, revenueMicros, feeMicros, shareMicros } = sums
    const freeCostMicros = partOf(costMicros, freeBytes, relayedBytes)
    const earnedMicros = revenueMicros - feeMicros - shareMicros
    return { day, hour, pool, exitId, ...sums, earnedMicros, costMicros, freeCostMicros }
  })
  if (by === 'hour') return parts
  // Summed from the hours, so that a day equals their sum in every figure.
  const ofDay = parts.reduce<Sums>(plus, nothing)
  const costMicros = costUntil(ofDay, hours)
  const freeCosts = parts.reduce((sum, part) => sum + (part.freeCostMicros ?? 0n), 0n)
  const freeCostMicros = costMicros === null ? null : freeCosts
  const earnedMicros = ofDay.revenueMicros - ofDay.feeMicros - ofDay.shareMicros
  return [{ day, hour: null, pool, exitId, ...ofDay, earnedMicros, costMicros, freeCostMicros }]
}
