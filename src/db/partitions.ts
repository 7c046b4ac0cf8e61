/**
 * Tables partitioned by UTC month (migrations/0004_month_partitions.sql): partitions are created ahead, and
 * missing ones are detected.
 */
import { type Kysely, sql } from 'kysely'
import { limitLockWaits } from './locks.ts'
import type { DB } from './schema.ts'
import { transaction } from './transaction.ts'

/** The tables that have a partition for each month. */
export type DividedTable = 'ledger_entry' | 'ledger_usage' | 'usage_hour' | 'usage_past_day' | 'margin_part'

/**
 * Months created ahead, besides the present one: without a worker for longer than this, rows go to the
 * default partition.
 */
const monthsAhead = 3
/** Older rows stay in the default partition: a clock may have been very wrong. */
const yearsBack = 5

/**
 * Creates the partitions of the present month and of the next three, and of months that have rows in the
 * default partition, which it moves. Returns the number of partitions created. Waits at most 5 s for
 * transactions that use the table.
 */
export async function makeMonths(db: Kysely<DB>, table: DividedTable): Promise<number> {
  let made = 0
  for (const month of await wantedMonths(db, table))
    made += await transaction(db, async (tx) => {
      await limitLockWaits(tx)
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
  margin_part: sql<string>`(hour at time zone 'UTC')::date`,
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

/**
 * Which of the present and the next month have no partition; their rows would go to the default partition.
 */
export async function missingMonths(db: Kysely<DB>, table: DividedTable): Promise<string[]> {
  const there = new Set((await monthsOf(db, table)).map(({ month }) => month))
  const { rows } = await sql<{ month: string }>`
    select month_of(now() + make_interval(months => n)) as month from generate_series(0, 1) n order by 1`.execute(
    db,
  )
  return rows.map(({ month }) => month).filter((month) => !there.has(month))
}
