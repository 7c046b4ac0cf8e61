import { type RawBuilder, sql } from 'kysely'

/**
 * All days from `from` to `to`, for `day = any(…)`. The index of the usage is on day, then customer: it finds
 * single days of a customer, but does not help with a range of days.
 */
export function daysBetween(from: string, to: string): RawBuilder<string[]> {
  return sql`array(select ${from}::date + n from generate_series(0, ${to}::date - ${from}::date) n)`
}

/** The same for hours, which are given since the epoch. */
export function hoursBetween(from: number, to: number): RawBuilder<Date[]> {
  return sql`array(select to_timestamp(n * 3600::float8) from generate_series(${from}::int, ${to}::int) n)`
}
