/** Tables divided by UTC month (migrations/0002_month_partitions.sql): months are made ahead, and found when one is missing. */
import { type Kysely, sql } from 'kysely'
import type { DB } from './schema.ts'
import { transaction } from './transaction.ts'

/** The tables whose rows stand in a partition for each month. */
export type DividedTable = 'ledger_entry' | 'ledger_usage' | 'usage_hour' | 'usage_past_day'

/** Months made ahead, besides the present one: so long a worker may be away before rows go to the rest. */
const monthsAhead = 3
/** Rows of the rest get a partition of their own when they are not older than this; a clock may have been very wrong. */
const yearsBack = 5

/**
 * Makes the partitions of the present month and of the next three, and of months whose rows had to go to the rest,
 * which it takes from there. Answers how many were made. Waits 5 s at most for those who use the table.
 */
export async function makeMonths(db: Kysely<DB>, table: DividedTable): Promise<number> {
  let made = 0
  for (const month of await wantedMonths(db, table))
    made += await transaction(db, async (tx) => {
      await sql`set local lock_timeout = '5s'`.execute(tx)
      const { rows } = await sql<{ made: boolean }>`
        select make_month_partition(${table}, ${month}::date) as made`.execute(tx)
      return rows[0]?.made === true ? 1 : 0
    })
  return made
}

async function wantedMonths(db: Kysely<DB>, table: DividedTable): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    select month_of(now() + make_interval(months => n)) as month from generate_series(0, ${monthsAhead}::int) n
    union
    select date_trunc('month', ${dayOf[table]}::timestamp)::date from ${sql.table(`${table}_rest`)}
    where ${dayOf[table]} between now() - make_interval(years => ${yearsBack}) and now() + make_interval(months => ${monthsAhead})
    order by month`.execute(db)
  return rows.map(({ month }) => month)
}

/** The UTC day of a row. */
const dayOf = {
  ledger_entry: sql<string>`month`,
  ledger_usage: sql<string>`(hour at time zone 'UTC')::date`,
  usage_hour: sql<string>`(hour at time zone 'UTC')::date`,
  usage_past_day: sql<string>`day`,
}

/** A month's own partition. */
export interface MonthPartition {
  name: string
  /** Its first day, YYYY-MM-DD. */
  month: string
}

/** The months that have a partition, oldest first. */
export async function monthsOf(db: Kysely<DB>, table: DividedTable): Promise<MonthPartition[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$' order by c.relname`.execute(
    db,
  )
  return rows.map(({ name }) => ({ name, month: `${name.slice(-7).replace('_', '-')}-01` }))
}

/** Which of the present and the next month have no partition; their rows would go to the rest. */
export async function missingMonths(db: Kysely<DB>, table: DividedTable): Promise<string[]> {
  const there = new Set((await monthsOf(db, table)).map(({ month }) => month))
  const { rows } = await sql<{ month: string }>`
    select month_of(now() + make_interval(months => n)) as month from generate_series(0, 1) n order by 1`.execute(
    db,
  )
  return rows.map(({ month }) => month).filter((month) => !there.has(month))
}
