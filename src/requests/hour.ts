/** The time to a connection in the last hour. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'

/** Only this many of the newest records are read: a busy hour has millions. */
const mostRecords = 5000

/**
 * The median milliseconds until connected of all customers' latest requests of the last hour in a pool that
 * went to these countries; without countries, to any. Null: there are none.
 */
export async function medianConnect(
  db: Kysely<DB>,
  { pool, countries, now }: { pool: string; countries: readonly string[]; now: Date },
): Promise<number | null> {
  const among = countries.length === 0 ? sql`true` : sql`r.country = any(${[...countries]}::text[])`
  const { rows } = await sql<{ median: number | null }>`
    select percentile_disc(0.5) within group (order by r.connected_ms) as median
    from (
      select access_id, country, connected_ms from connection_record
      where ended_at > ${new Date(now.getTime() - 3_600_000)} and ended_at <= ${now}
      order by ended_at desc limit ${mostRecords}
    ) r join access s on s.id = r.access_id
    where s.pool = ${pool} and r.connected_ms is not null and ${among}`.execute(db)
  return rows[0]?.median ?? null
}
