/**
 * Monthly partitions of usage: created ahead, and dropped when they are old; their sums stay in the meters.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type DB, limitLockWaits, makeMonths, monthsOf, transaction } from '#db'
import { lockMeters } from './meters.ts'
import { addUpHours } from './usage.ts'

/** Creates the partitions that usage needs soon; returns how many were created. */
export async function makeUsageMonths(db: Kysely<DB>): Promise<number> {
  return (await makeMonths(db, 'usage_hour')) + (await makeMonths(db, 'usage_past_day'))
}

/** The number of whole months kept besides the present one; null: all. */
export interface UsageKept {
  hourMonths: number | null
  dayMonths: number | null
}

/**
 * Drops the hours and the days of older months. Days are kept at least as long as their hours. Returns the
 * dropped partitions.
 */
export async function forgetOldUsage(
  db: Kysely<DB>,
  { hourMonths, dayMonths }: UsageKept,
): Promise<string[]> {
  // Dropped hours must have been added to their days.
  await addUpHours(db)
  const dropped: string[] = []
  if (hourMonths !== null) {
    const first = await firstKept(db, hourMonths)
    for (const { name, month } of await monthsOf(db, 'usage_hour'))
      if (month < first && (await dropHours(db, { name, first }))) dropped.push(name)
    await sql`delete from usage_hour_rest where in_day and hour < ${first}::date::timestamp at time zone 'UTC'`.execute(
      db,
    )
  }
  if (dayMonths !== null) {
    const first = await firstKept(db, Math.max(dayMonths, hourMonths ?? dayMonths))
    for (const { name, month } of await monthsOf(db, 'usage_past_day'))
      if (month < first) {
        await forgetDays(db, { first, rows: sql.table(name), end: sql`drop table ${sql.table(name)}` })
        dropped.push(name)
      }
    const rows = sql`usage_past_day_rest where day < ${first}::date`
    await forgetDays(db, { first, rows, end: sql`delete from ${rows}` })
  }
  return dropped
}

async function firstKept(db: Kysely<DB>, months: number): Promise<string> {
  const { rows } = await sql<{ first: string }>`
    select month_of(now() - make_interval(months => ${months}::int)) as first`.execute(db)
  if (rows[0] === undefined) throw new Error('the month came without its row')
  return rows[0].first
}

/**
 * Drops a partition of hours. False, to be retried later, when a late report has added an hour that is not in
 * its day yet.
 */
function dropHours(db: Kysely<DB>, { name, first }: { name: string; first: string }): Promise<boolean> {
  return transaction(db, async (tx) => {
    await limitLockWaits(tx)
    await sql`lock table usage_hour in access exclusive mode`.execute(tx)
    const { rows } = await sql`select from ${sql.table(name)} where not in_day limit 1`.execute(tx)
    if (rows.length > 0) return false
    await keepFrom(tx, 'usage_hour', first)
    await sql`drop table ${sql.table(name)}`.execute(tx)
    return true
  })
}

/**
 * Drops days after adding their sums to the meters. The meters are locked first, as everywhere, so that no
 * settlement changes these days in between.
 */
function forgetDays(
  db: Kysely<DB>,
  { first, rows, end }: { first: string; rows: RawBuilder<unknown>; end: RawBuilder<unknown> },
): Promise<void> {
  return transaction(db, async (tx) => {
    await limitLockWaits(tx)
    const { rows: meters } = await sql<{
      access_id: bigint
    }>`select distinct access_id from ${rows}`.execute(tx)
    if (meters.length > 0) {
      await lockMeters(
        tx,
        meters.map((meter) => meter.access_id),
      )
      await sql`lock table usage_past_day in access exclusive mode`.execute(tx)
      await sql`
        update meter m set
          forgotten_bytes = m.forgotten_bytes + gone.charged, forgotten_bonus_bytes = m.forgotten_bonus_bytes + gone.bonus
        from (
          select access_id, sum(charged_bytes)::bigint as charged, sum(bonus_bytes)::bigint as bonus
          from ${rows} group by access_id
        ) gone
        where m.access_id = gone.access_id`.execute(tx)
    }
    await keepFrom(tx, 'usage_past_day', first)
    await end.execute(tx)
  })
}

async function keepFrom(
  tx: Kysely<DB>,
  relation: 'usage_hour' | 'usage_past_day',
  first: string,
): Promise<void> {
  await sql`update usage_kept_from set day = greatest(day, ${first}::date) where relation = ${relation}`.execute(
    tx,
  )
}
