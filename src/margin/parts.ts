/** The parts of the margin: what passed through each exit in an hour or on a day, what it earned and what it cost. */
import { type Kysely, sql } from 'kysely'
import { type DB, inSnapshot } from '#db'
import { bytesCost, monthShare, termsOn } from '#exits'
import { type ExitHour, unpricedUsage, usageByExitHour } from '#traffic'
import { hourOf } from '#lib/zone'
import { countedThrough } from './count.ts'
import { type UsdCost, usdCosts } from './exit.cost.ts'
import { price } from './pricing.ts'

/** What passed through an exit in an hour or on a day (UTC), what it earned and what it cost. */
export interface MarginPart {
  /** YYYY-MM-DD. */
  day: string
  /** Of its day, 0 to 23; null: the whole day, or what of it is in the period. */
  hour: number | null
  pool: string
  /** 0: none, or it is not known. */
  exitId: bigint
  chargedBytes: bigint
  bonusBytes: bigint
  relayedBytes: bigint
  earnedMicros: bigint
  /** Null: what the exit costs on that day is not known, or the exit is not. */
  costMicros: bigint | null
}

interface Carried extends ExitHour {
  earnedMicros: bigint
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/** Hours that are not counted yet are counted while they are read, as many as a job that runs every hour leaves. */
const mostUncountedMs = 6 * hourMs

/**
 * The margin of the days from `from` to `to` (both included) up to the end of this hour, by day or by hour. The parts of a day add up
 * to it in both, to the micro-USD.
 */
export async function marginOf(
  db: Kysely<DB>,
  { from, to, by = 'day' }: { from: string; to: string; by?: 'day' | 'hour' },
  now: Date,
): Promise<MarginPart[]> {
  const start = new Date(from)
  const end = new Date(Math.min(Date.parse(to) + dayMs, hourOf(now).getTime() + hourMs))
  if (end <= start) return []
  return inSnapshot(db, async (tx) => {
    const costs = await usdCosts(tx, { from, to })
    const carried = await carriedIn(tx, { start, end }, now)
    return withCosts(carried, costs, { start, end, by })
  })
}

/** The margin of the hours that begin from `from` until before `to`, up to the end of this hour. */
export async function marginOfHours(
  db: Kysely<DB>,
  { from, to }: { from: Date; to: Date },
  now: Date,
): Promise<(MarginPart & { at: Date })[]> {
  if (to <= from) return []
  const days = { from: dayOf(from), to: dayOf(new Date(to.getTime() - 1)) }
  const parts = await marginOf(db, { ...days, by: 'hour' }, now)
  return parts
    .map((part) => ({ ...part, at: new Date(Date.parse(part.day) + (part.hour ?? 0) * hourMs) }))
    .filter(({ at }) => at >= from && at < to)
}

/** What passed through exits, counted or not yet, without what it earned. */
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

/** What is counted, and what is not yet. */
async function carriedIn(
  db: Kysely<DB>,
  { start, end }: { start: Date; end: Date },
  now: Date,
): Promise<Carried[]> {
  const counted = await sql<Carried>`
    select hour, pool, exit_id as "exitId", charged_bytes as "chargedBytes", bonus_bytes as "bonusBytes",
      relayed_bytes as "relayedBytes", earned_micros as "earnedMicros"
    from margin_hour where hour >= ${start} and hour < ${end}`.execute(db)
  const through = await countedThrough(db)
  const latest = hourOf(now).getTime() + hourMs
  const from = new Date(Math.max(through?.getTime() ?? 0, latest - mostUncountedMs))
  if (from >= end) return counted.rows
  // Prices depend on all usage before, also when it is not in the period.
  const uncounted = { from, to: new Date(latest) }
  const usage = await usageByExitHour(db, uncounted)
  const { earned } = await price(db, await unpricedUsage(db, uncounted), { correctedAt: hourOf(now) })
  const isIn = ({ hour }: { hour: Date }) => hour >= start && hour < end
  // Of an hour that is half counted margin_hour has the money of some, and never bytes that usage does not have.
  const rows = counted.rows.map((row) =>
    row.hour >= from ? { ...row, chargedBytes: 0n, bonusBytes: 0n, relayedBytes: 0n } : row,
  )
  return [
    ...rows,
    ...usage.filter(isIn).map((row) => ({ ...row, earnedMicros: 0n })),
    ...earned.filter(isIn).map(({ hour, pool, exitId, micros }) => ({
      hour,
      pool,
      exitId,
      chargedBytes: 0n,
      bonusBytes: 0n,
      relayedBytes: 0n,
      earnedMicros: micros,
    })),
  ]
}

type Sums = Omit<Carried, 'hour' | 'pool' | 'exitId'>
const nothing: Sums = { chargedBytes: 0n, bonusBytes: 0n, relayedBytes: 0n, earnedMicros: 0n }
const plus = (a: Sums, b: Sums): Sums => ({
  chargedBytes: a.chargedBytes + b.chargedBytes,
  bonusBytes: a.bonusBytes + b.bonusBytes,
  relayedBytes: a.relayedBytes + b.relayedBytes,
  earnedMicros: a.earnedMicros + b.earnedMicros,
})

/** The parts of each day, pool and exit: those that carried something, and those that cost something all the same. */
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
  /** Of the day, those in the period. */
  hours: number
  by: 'day' | 'hour'
}

function partsOf({ day, pool, exitId, rows, terms, hours, by }: DayOfExit): MarginPart[] {
  /** Of the first hours of the day together: rounded once, so that the hours add up to the day. */
  const costUntil = ({ chargedBytes, relayedBytes }: Sums, count: number): bigint | null => {
    if (terms === null) return chargedBytes + relayedBytes === 0n ? 0n : null
    return terms.usd(day, bytesCost(terms, terms.counted(day, relayedBytes)) + monthShare(terms, day, count))
  }
  const sumOf = (some: readonly Carried[]) => some.reduce<Sums>(plus, nothing)
  if (by === 'day') {
    const sums = sumOf(rows)
    return [{ day, hour: null, pool, exitId, ...sums, costMicros: costUntil(sums, hours) }]
  }
  const ofHour = Map.groupBy(rows, ({ hour }) => hour.getUTCHours())
  let [sofar, costSofar]: [Sums, bigint | null] = [nothing, 0n]
  return Array.from({ length: hours }, (_, hour) => {
    const sums = sumOf(ofHour.get(hour) ?? [])
    const until = plus(sofar, sums)
    const cost = costUntil(until, hour + 1)
    const costMicros = cost === null || costSofar === null ? null : cost - costSofar
    ;[sofar, costSofar] = [until, cost]
    return { day, hour, pool, exitId, ...sums, costMicros }
  })
}
