/** Detects places in trouble by the outcomes of connections that requested them. */
import { type Kysely, sql } from 'kysely'
import { type DB, lockName, transaction } from '#db'
import type { PlaceFigures, PlaceOutcome, PlaceUse } from '#feed/place.outcomes'
import { bigintArray } from '#lib/pg-array'
import { isCount, mostCounted } from './answers.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** The minutes examined by a check. */
const lookMs = 5 * minuteMs
/** Fewer failures than this in a check may concern a single customer. */
const leastFailures = 3n
/** After this time without an attempt the state is unknown. */
const forgottenMs = 24 * hourMs
const keptMinutesMs = hourMs
const keptUsesMs = 48 * hourMs
const keptTroublesMs = 90 * 24 * hourMs

const isCountry = (value: unknown): value is string =>
  typeof value === 'string' && /^([a-z]{2})?$/.test(value)
const isOutcome = ({ pool, country, reached, failed }: PlaceOutcome) =>
  typeof pool === 'string' && isCountry(country) && isCount(reached) && isCount(failed)
const isUse = ({ access, country }: PlaceUse) => typeof access === 'bigint' && isCountry(country)

/** Adds a gateway's report to the current minute. Malformed entries are ignored. */
export async function notePlaces(db: Kysely<DB>, { outcomes, used }: PlaceFigures, now: Date): Promise<void> {
  const told = Array.isArray(outcomes) ? outcomes.filter(isOutcome) : []
  const uses = Array.isArray(used) ? used.filter(isUse) : []
  if (told.length > 0)
    await sql`
      insert into place_minute as known (minute, pool, country, reached, failed)
      select date_trunc('minute', ${now}::timestamptz, 'UTC'), pool, country, sum(reached), sum(failed)
      from unnest(${told.map(({ pool }) => pool)}::text[], ${told.map(({ country }) => country)}::text[],
        ${told.map(({ reached }) => reached)}::bigint[], ${told.map(({ failed }) => failed)}::bigint[])
        told(pool, country, reached, failed)
      group by pool, country order by pool, country
      on conflict (pool, country, minute) do update set
        reached = least(known.reached + excluded.reached, ${mostCounted}::bigint),
        failed = least(known.failed + excluded.failed, ${mostCounted}::bigint)`.execute(db)
  if (uses.length > 0)
    await sql`
      insert into place_use as known (access_id, country, used_at)
      select distinct access, country, ${now}::timestamptz
      from unnest(${bigintArray(uses.map(({ access }) => access))}::bigint[], ${uses.map(({ country }) => country)}::text[])
        told(access, country)
      where exists (select from access s where s.id = told.access)
      order by 1, 2
      on conflict (access_id, country) do update set used_at = excluded.used_at where known.used_at < excluded.used_at`.execute(
      db,
    )
}

/**
 * Examines the last five minutes; called about once a minute. Trouble with a place begins when less than a
 * fifth of the connections reached a target, with at least three failures, and ends when at least half of
 * them do. Without attempts its state is unchanged, and is deleted after a day.
 */
export function watchPlaces(db: Kysely<DB>, now: Date): Promise<void> {
  const ago = (ms: number) => new Date(now.getTime() - ms)
  return transaction(db, async (tx) => {
    await lockName(tx, 'place_watch')
    await sql`
      insert into place_trouble (pool, country, since, last_failed_at)
      select pool, country, min(minute) filter (where failed > 0), max(minute) filter (where failed > 0)
      from place_minute where minute > ${ago(lookMs)} and minute <= ${now}
      group by pool, country
      having sum(failed) >= ${leastFailures} and sum(reached) * 5 < sum(reached + failed)
      order by pool, country
      on conflict (pool, country) where ended_at is null do update set last_failed_at = excluded.last_failed_at`.execute(
      tx,
    )
    await sql`
      update place_trouble t set ended_at = ${now}
      from (
        select pool, country from place_minute where minute > ${ago(lookMs)} and minute <= ${now}
        group by pool, country having sum(reached) > 0 and sum(reached) * 2 >= sum(reached + failed)
      ) good
      where t.ended_at is null and t.pool = good.pool and t.country = good.country`.execute(tx)
    await sql`
      update place_trouble set ended_at = ${now}, is_forgotten = true
      where ended_at is null and last_failed_at < ${ago(forgottenMs)}`.execute(tx)
    await sql`delete from place_minute where minute < ${ago(keptMinutesMs)}`.execute(tx)
    await sql`delete from place_use where used_at < ${ago(keptUsesMs)}`.execute(tx)
    await sql`delete from place_trouble where ended_at < ${ago(keptTroublesMs)}`.execute(tx)
  })
}

/**
 * The connections of the last hour in a pool that target exactly one of these countries; no countries given:
 * all of its connections.
 */
export async function placesInLastHour(
  db: Kysely<DB>,
  { pool, countries, now }: { pool: string; countries: readonly string[]; now: Date },
): Promise<{ attempted: bigint; reached: bigint }> {
  const among = countries.length === 0 ? sql`true` : sql`country = any(${[...countries]}::text[])`
  const { rows } = await sql<{ attempted: bigint; reached: bigint }>`
    select coalesce(sum(reached + failed), 0)::bigint as attempted, coalesce(sum(reached), 0)::bigint as reached
    from place_minute
    where pool = ${pool} and ${among}
      and minute > ${new Date(now.getTime() - keptMinutesMs)} and minute <= ${now}`.execute(db)
  return rows[0] ?? { attempted: 0n, reached: 0n }
}
