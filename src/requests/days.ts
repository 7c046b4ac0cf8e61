/** The partitions of the records, one for each UTC day: created as needed, dropped as a whole. */
import { type Kysely, sql } from 'kysely'
import { type DB, lockName, transaction } from '#db'

/** The number of days that records are kept, in addition to the current one. */
export const keptDays = 7

const dayFormat = /^\d{4}-\d{2}-\d{2}$/
const dayMs = 86_400_000

const tableOf = (day: string) => `request_record_${day.replaceAll('-', '')}`
const dayAfter = (day: string) => new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10)

/** Days whose partitions are known to exist; they are dropped only a week later. */
const made = new WeakMap<object, Set<string>>()

/** Creates the missing partitions of these days; any number of processes may do so concurrently. */
export async function makeDays(db: Kysely<DB>, days: readonly string[]): Promise<void> {
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

async function makeDay(db: Kysely<DB>, day: string): Promise<void> {
  const table = sql.id(tableOf(day))
  const { rows } = await sql<{ is_there: boolean }>`
    select to_regclass(${tableOf(day)}) is not null as is_there`.execute(db)
  if (rows[0]?.is_there === true) return
  await transaction(db, async (tx) => {
    // Of two that create the same one concurrently, the second finds it existing.
    await lockName(tx, 'request_record')
    await sql`
      create table if not exists ${table} partition of request_record
      for values from (${sql.lit(day)}) to (${sql.lit(dayAfter(day))})`.execute(tx)
  })
}

/** Drops expired days, and creates the next one in advance. Returns the number dropped. */
export async function forgetOldRequests(db: Kysely<DB>, now: Date): Promise<number> {
  const today = now.toISOString().slice(0, 10)
  await makeDays(db, [today, dayAfter(today)])
  const oldest = new Date(Date.parse(today) - keptDays * dayMs)
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'request_record'::regclass order by c.relname`.execute(db)
  const over = rows.filter(({ name }) => name < tableOf(oldest.toISOString().slice(0, 10)))
  for (const { name } of over) await sql`drop table if exists ${sql.id(name)}`.execute(db)
  await sql`delete from request_unkept where minute < ${oldest}`.execute(db)
  return over.length
}
