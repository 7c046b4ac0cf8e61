/** Usage of the whole shop, divided by pool, exit or time: what settlements charged, to the byte. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'

const dimensions = {
  pool: sql`m.pool`,
  exit: sql`u.exit_id::text`,
  hour: sql`to_char(u.hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
  day: sql`to_char(u.hour at time zone 'UTC', 'YYYY-MM-DD')`,
} satisfies Record<string, RawBuilder<string>>

export interface UsageSum {
  /** A pool, the number of an exit ('0': none or not known), an hour (ISO, UTC) or a day. */
  key: string
  chargedBytes: bigint
  /** The part of the charged bytes that bonus paid for. */
  bonusBytes: bigint
  /** Payload bytes, those that were forgiven included: what sellers of exits count, less handshakes. Gateways of a release before tell none. */
  relayedBytes: bigint
  /** Tunnels and requests. */
  requests: bigint
}

/**
 * What was charged in the hours from `from` until before `to` (both whole hours), by one dimension; the largest first, times in their
 * order. Reads a row for each subuser, hour and exit of the time: for a day, not for years. Hours that are no longer kept are missing.
 */
export async function usageBy(
  db: Kysely<DB>,
  {
    by,
    from,
    to,
    pool,
    exit,
    accountId,
  }: {
    by: keyof typeof dimensions
    from: Date
    to: Date
    pool?: string | undefined
    exit?: bigint | undefined
    accountId?: bigint | undefined
  },
): Promise<UsageSum[]> {
  const conditions = [sql`u.hour >= ${from}`, sql`u.hour < ${to}`]
  if (pool !== undefined) conditions.push(sql`m.pool = ${pool}`)
  if (exit !== undefined) conditions.push(sql`u.exit_id = ${exit}`)
  if (accountId !== undefined) conditions.push(sql`m.account_id = ${accountId}`)
  const isTime = by === 'hour' || by === 'day'
  const { rows } = await sql<UsageSum>`
    select ${dimensions[by]} as key, sum(u.charged_bytes)::bigint as "chargedBytes",
      sum(u.bonus_bytes)::bigint as "bonusBytes", sum(u.relayed_bytes)::bigint as "relayedBytes",
      sum(u.requests)::bigint as requests
    from usage_hour u join meter m on m.subuser_id = u.subuser_id
    where ${sql.join(conditions, sql` and `)}
    group by 1 order by ${isTime ? sql`key` : sql`"chargedBytes" desc, key`}`.execute(db)
  return rows
}
