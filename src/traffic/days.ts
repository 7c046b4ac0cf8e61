import { type RawBuilder, sql } from 'kysely'

/**
 * These days and all between them, for `day = any(…)`. The index of the usage has the days before the customers, so that it
 * finds each of a customer's days at once, but not "from this day on".
 */
export function daysBetween(from: string, to: string): RawBuilder<string[]> {
  return sql`array(select ${from}::date + n from generate_series(0, ${to}::date - ${from}::date) n)`
}
