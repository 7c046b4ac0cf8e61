import type { Database } from '#db'
import { until } from './stack.ts'

/**
 * Waits for the end of the connections that graphile-worker makes of `connectionString`: it does not await
 * the end of its own pools, and a connection that is cut when the database is removed fails the run.
 */
export async function ownPoolsEnded({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const others = `select from pg_stat_activity where datname = current_database() and application_name = ''`
  await until(async () => (await pool.query(others)).rows.length === 0, 20_000, 'its pools to end')
}
