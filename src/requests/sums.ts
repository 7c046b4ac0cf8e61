/** The sums of the records by hour: what the books do not divide, countries and outcomes. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'

const dimensions = {
  hour: sql`hour`,
  day: sql`(hour at time zone 'UTC')::date`,
  pool: sql`pool`,
  exit: sql`exit_id`,
  country: sql`country`,
  code: sql`code`,
} satisfies Record<string, RawBuilder<unknown>>

type Dimension = keyof typeof dimensions

export interface ConnectionSum {
  /** The value of the dimension as text: an ISO time, a day, a name or a number; '' or 0: not known. */
  key: string
  connections: bigint
  /** Those of the connections that were refused. */
  refused: bigint
  upBytes: bigint
  downBytes: bigint
  chargedBytes: bigint
}

/**
 * Ended connections by one dimension, from `from` until before `to`, whole hours; the largest first, times in their order. By
 * records, which may be lost: the books are in `usageBy` of #traffic.
 */
export async function connectionSums(
  db: Kysely<DB>,
  {
    by,
    from,
    to,
    pool,
    exit,
  }: { by: Dimension; from: Date; to: Date; pool?: string | undefined; exit?: bigint | undefined },
): Promise<ConnectionSum[]> {
  const conditions = [sql`hour >= ${from}`, sql`hour < ${to}`]
  if (pool !== undefined) conditions.push(sql`pool = ${pool}`)
  if (exit !== undefined) conditions.push(sql`exit_id = ${exit}`)
  const isTime = by === 'hour' || by === 'day'
  const key =
    by === 'hour'
      ? sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
      : sql`${dimensions[by]}::text`
  const { rows } = await sql<ConnectionSum>`
    select ${key} as key, sum(connections)::bigint as connections, sum(refused)::bigint as refused,
      sum(up_bytes)::bigint as "upBytes",
      sum(down_bytes)::bigint as "downBytes", sum(charged_bytes)::bigint as "chargedBytes"
    from connection_hour where ${sql.join(conditions, sql` and `)}
    group by 1 order by ${isTime ? sql`key` : sql`"chargedBytes" desc, connections desc, key`}`.execute(db)
  return rows
}
