/** The partitions of the records, one for each UTC day: made ahead or as needed, dropped as a whole. */
import { type Kysely, sql } from 'kysely'
import { type DB, lockName, transaction } from '#db'

const dayFormat = /^\d{4}-\d{2}-\d{2}$/
const dayMs = 86_400_000
/** How many days' partitions are made ahead, besides today's. */
const daysAhead = 3
/** How long customers can see the number of lost records. */
const unkeptKeptDays = 7
/** How long hourly and daily sums are stored; they are small. */
const sumsKeptMonths = 13
/** A gateway that has been silent for this long repeats no batch. */
const batchesKeptDays = 7

const tableOf = (day: string) => `connection_record_${day.replaceAll('-', '')}`
export const utcDay = (atMs: number) => new Date(atMs).toISOString().slice(0, 10)
const dayAfter = (day: string) => utcDay(Date.parse(day) + dayMs)

/** Days whose partitions are known to exist. */
const made = new WeakMap<object, Set<string>>()

/** Creates the missing partitions of these days; any number of processes may do so concurrently. */
export async function makeDays(db: Kysely<DB>, days: Iterable<string>): Promise<void> {
  const known = made.get(db) ?? new Set<string>()
  made.set(db, known)
  const missing = [...new Set(days)].filter((day) => !known.has(day)).toSorted()
  for (const day of missing) {
    if (!dayFormat.test(day)) throw new RangeError('a day is written YYYY-MM-DD')
    await makeDay(db, day)
    if (known.size > 100) known.clear()
    known.add(day)
  }
}

/** By a scan: to_regclass may answer from a cache that a commit of another process has outdated. */
async function isThere(db: Kysely<DB>, day: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'connection_record'::regclass and c.relname = ${tableOf(day)}`.execute(db)
  return rows.length > 0
}

async function makeDay(db: Kysely<DB>, day: string): Promise<void> {
  const table = sql.id(tableOf(day))
  if (await isThere(db, day)) return
  await transaction(db, async (tx) => {
    // Of two concurrent creations, the second finds the partition existing.
    await lockName(tx, 'connection_record')
    if (await isThere(tx, day)) return
    // Attached separately, so that readers and writers of other days do not wait.
    await sql`create table ${table} (like connection_record including all)`.execute(tx)
    await sql`
      alter table connection_record attach partition ${table}
      for values from (${sql.lit(`${day}T00:00:00Z`)}) to (${sql.lit(`${dayAfter(day)}T00:00:00Z`)})`.execute(
      tx,
    )
  })
}

/**
 * Drops the records of days that ended more than `keptDays` ago, and creates the partitions of the next days.
 * Returns the number of days dropped.
 */
export async function forgetOldRequests(
  db: Kysely<DB>,
  { now, keptDays }: { now: Date; keptDays: number },
): Promise<number> {
  const today = utcDay(now.getTime())
  await makeDays(
    db,
    Array.from({ length: daysAhead + 1 }, (_, ahead) => utcDay(now.getTime() + ahead * dayMs)),
  )
  const oldest = new Date(Date.parse(today) - keptDays * dayMs)
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'connection_record'::regclass order by c.relname`.execute(db)
  const over = rows.filter(({ name }) => name < tableOf(utcDay(oldest.getTime())))
  for (const { name } of over)
    await transaction(db, async (tx) => {
      await sql`set local lock_timeout = '5s'`.execute(tx)
      await sql`drop table if exists ${sql.id(name)}`.execute(tx)
    })
  await sql`delete from request_unkept where minute < ${new Date(Date.parse(today) - unkeptKeptDays * dayMs)}`.execute(
    db,
  )
  await sql`delete from connection_hour where hour < ${now}::timestamptz - make_interval(months => ${sumsKeptMonths})`.execute(
    db,
  )
  await sql`delete from connection_day where day < (${now}::timestamptz at time zone 'UTC')::date - make_interval(months => ${sumsKeptMonths})`.execute(
    db,
  )
  await sql`delete from usage_part_day where day < (${now}::timestamptz at time zone 'UTC')::date - make_interval(months => ${sumsKeptMonths})`.execute(
    db,
  )
  await sql`
    delete from connection_batch where taken_at < ${now}::timestamptz - make_interval(days => ${batchesKeptDays})`.execute(
    db,
  )
  return over.length
}
