/**
 * The public status page: success rates of pools and places by day, from the records of connections, and
 * incidents. The figures contain no customer data; samples that are too small are not stored.
 */
import { type Kysely, sql } from 'kysely'
import { basePrices } from '#catalog'
import {
  leastConnections,
  leastCustomers,
  type ServiceState,
  stateOf,
  statusDays,
} from '#contract/status/rules'
import type { Pool } from '#contract/wire'
import { type DB, lockName, transaction } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import { type FairOutcome, fairOutcomes } from '#requests'

export {
  correctIncident,
  type Incident,
  type IncidentText,
  listIncidents,
  openIncident,
  updateIncident,
} from './incidents.ts'

const slotMs = 15 * 60_000
const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
/** Records of a day that arrive in its first hours after midnight still count for it. */
const lateMs = 2 * hourMs
/** The maximum number of places shown, the worst first. */
const mostPlaces = 40

const dayOf = (at: Date | number) => new Date(at).toISOString().slice(0, 10)

interface Figures {
  counted: bigint
  failed: bigint
}

/** Whether a sample is large enough to be meaningful and to reveal nothing about single customers. */
const isEnough = ({ customers, counted }: FairOutcome) =>
  customers >= BigInt(leastCustomers) && counted >= BigInt(leastConnections)

/**
 * Recomputes the figures of the last hour, of today, and of yesterday while records of it may still arrive.
 * Repeating it changes nothing; of two workers one waits for the other.
 */
export function addUpStatus(db: Kysely<DB>, now: Date): Promise<void> {
  const until = new Date(Math.floor(now.getTime() / slotMs) * slotMs + slotMs)
  return transaction(db, async (tx) => {
    await lockName(tx, 'status')
    const { rows } = await sql<{ at: Date }>`select looked_at as at from status_look`.execute(tx)
    const before = rows[0]?.at ?? new Date(now.getTime() - dayMs)
    const first = dayOf(Math.max(before.getTime() - lateMs, now.getTime() - dayMs))
    for (const day of new Set([first, dayOf(now)])) {
      const from = new Date(`${day}T00:00:00Z`)
      const enough = (await fairOutcomes(tx, { from, to: new Date(from.getTime() + dayMs) })).filter(isEnough)
      await sql`delete from status_day where day = ${day}::date`.execute(tx)
      await sql`insert into status_day select ${day}::date, told.* from ${told(enough)}`.execute(tx)
    }
    const lastHour = await fairOutcomes(tx, { from: new Date(until.getTime() - hourMs), to: until })
    await sql`delete from status_now`.execute(tx)
    await sql`insert into status_now select told.* from ${told(lastHour.filter(isEnough))}`.execute(tx)
    await sql`
      insert into status_look (looked_at) values (${now})
      on conflict (is_only) do update set looked_at = excluded.looked_at`.execute(tx)
    await sql`delete from status_day where day <= ${dayOf(now)}::date - ${statusDays}::int`.execute(tx)
  })
}

const told = (outcomes: readonly FairOutcome[]) => sql`unnest(
  ${textArray(outcomes.map(({ pool }) => pool))}::text[],
  ${textArray(outcomes.map(({ country }) => country ?? ''))}::text[],
  ${bigintArray(outcomes.map(({ counted }) => counted))}::bigint[],
  ${bigintArray(outcomes.map(({ failed }) => failed))}::bigint[]) as told(pool, country, counted, failed)`

/** The share of successes to four decimals, rounded down: it is 1 only without any failure. */
function successOf(figures: Figures | undefined): number | null {
  if (figures === undefined || figures.counted === 0n) return null
  return Number(((figures.counted - figures.failed) * 10_000n) / figures.counted) / 10_000
}

interface PoolStatus {
  pool: Pool
  state: ServiceState
  success: number | null
  /** The last 90 UTC days, the oldest first. */
  days: { day: string; state: ServiceState; success: number | null }[]
}

interface PlaceStatus {
  pool: Pool
  country: string
  state: ServiceState
  success: number | null
}

export interface Status {
  updatedAt: Date | null
  pools: PoolStatus[]
  places: PlaceStatus[]
}

/** When the figures were made last; null: never. */
export async function statusMadeAt(db: Kysely<DB>): Promise<Date | null> {
  const { rows } = await sql<{ at: Date }>`select looked_at as at from status_look`.execute(db)
  return rows[0]?.at ?? null
}

/** The figures of the pools that are sold, and of their places. */
export async function readStatus(db: Kysely<DB>, now: Date): Promise<Status> {
  const updatedAt = await statusMadeAt(db)
  const sold = [...(await basePrices(db)).keys()]
  const since = dayOf(now.getTime() - (statusDays - 1) * dayMs)
  const days = await sql<Figures & { pool: Pool; day: string }>`
    select pool, day::text, counted, failed from status_day where country = '' and day >= ${since}::date`.execute(
    db,
  )
  const sums = await sql<Figures & { pool: Pool; country: string }>`
    select pool, country, sum(counted)::bigint as counted, sum(failed)::bigint as failed from status_day
    where day >= ${since}::date group by pool, country order by pool, country`.execute(db)
  // Figures of a worker that has stopped say nothing of the present.
  const isFresh = updatedAt !== null && now.getTime() - updatedAt.getTime() < hourMs
  const last = isFresh
    ? await sql<Figures & { pool: Pool; country: string }>`
        select pool, country, counted, failed from status_now`.execute(db)
    : { rows: [] }
  const today = await sql<Figures & { pool: Pool; country: string }>`
    select pool, country, counted, failed from status_day where day = ${dayOf(now)}::date`.execute(db)
  const keyOf = ({ pool, country }: { pool: string; country: string }) => `${pool} ${country}`
  const present = new Map([...today.rows, ...last.rows].map((row) => [keyOf(row), row]))
  const known = new Map(sums.rows.map((row) => [keyOf(row), row]))
  const byDay = new Map(days.rows.map((row) => [`${row.pool} ${row.day}`, row]))
  const stateNow = (of: { pool: string; country: string }) => stateOf(successOf(present.get(keyOf(of))))
  return {
    updatedAt,
    pools: sold.map((pool) => ({
      pool,
      state: stateNow({ pool, country: '' }),
      success: successOf(known.get(keyOf({ pool, country: '' }))),
      days: Array.from({ length: statusDays }, (_, index) => {
        const day = dayOf(now.getTime() - (statusDays - 1 - index) * dayMs)
        const success = successOf(byDay.get(`${pool} ${day}`))
        return { day, state: stateOf(success), success }
      }),
    })),
    places: sums.rows
      .filter(({ pool, country }) => country !== '' && sold.includes(pool))
      .map((row) => ({ pool: row.pool, country: row.country, state: stateNow(row), success: successOf(row) }))
      .toSorted((a, b) => rankOf(a) - rankOf(b) || (a.success ?? 1) - (b.success ?? 1))
      .slice(0, mostPlaces),
  }
}

/** Places with problems now come first, regardless of earlier days. */
const rankOf = ({ state }: PlaceStatus) => (state === 'outage' ? 0 : state === 'degraded' ? 1 : 2)
