import { type RawBuilder, sql } from 'kysely'

/**
 * These days and all between them, for `day = any(…)`. The index of the usage has the days before the customers, so that it
 * finds each of a customer's days at once, but not "from this day on".
 */
export function daysBetween(from: string, to: string): RawBuilder<string[]> {
  return sql`array(select ${from}::date + n from generate_series(0, ${to}::date - ${from}::date) n)`
}

/** The same for hours, which are given since the epoch. */
export function hoursBetween(from: number, to: number): RawBuilder<Date[]> {
  return sql`array(select to_timestamp(n * 3600::float8) from generate_series(${from}::int, ${to}::int) n)`
}
