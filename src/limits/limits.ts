/**
 * The limits that customers set for the password of a pool: caps on bytes and connections, and hosts.
 * Gateways enforce them.
 */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { announceChange } from '#proxies'
import { readHostPattern } from './hosts.ts'
import { dayCap, endRaise } from './raise.ts'

export { raiseDay, raisedDay } from './raise.ts'
export { eraseLimits, limitParts } from './export.and.erase.ts'

export interface PoolLimits {
  /** Charged bytes per UTC hour, day and month; null: no cap. */
  hourBytes: bigint | null
  dayBytes: bigint | null
  monthBytes: bigint | null
  /** Concurrently open connections, on all gateways together. */
  connections: number | null
  /** Canonical patterns; none: every host is allowed. */
  allowedHosts: string[]
  deniedHosts: string[]
  dataSaver: boolean
}

export const noLimits: Readonly<PoolLimits> = {
  hourBytes: null,
  dayBytes: null,
  monthBytes: null,
  connections: null,
  allowedHosts: [],
  deniedHosts: [],
  dataSaver: false,
}

/**
 * The caps of these accesses, with today's raise of the daily cap applied; accesses without caps are left
 * out.
 */
export async function capsOf(
  db: Kysely<DB>,
  accessIds: readonly bigint[],
  now: Date,
): Promise<(Pick<PoolLimits, 'hourBytes' | 'dayBytes' | 'monthBytes'> & { accessId: bigint })[]> {
  const { rows } = await sql<Awaited<ReturnType<typeof capsOf>>[number]>`
    select access_id as "accessId", hour_bytes as "hourBytes", ${dayCap(now)} as "dayBytes",
      month_bytes as "monthBytes"
    from pool_limits where access_id = any(${accessIds}::bigint[])
      and coalesce(hour_bytes, day_bytes, month_bytes) is not null
    order by 1`.execute(db)
  return rows
}

/** The maximum number of patterns in one list. */
const mostHosts = 100

/** A list of hosts in canonical form, each once. Refuses with `invalid_host_pattern` and `too_many_hosts`. */
export function readHosts(written: readonly string[]): string[] {
  const patterns = written.map((text) => {
    const pattern = readHostPattern(text)
    if (pattern === null) throw new Refusal('invalid_host_pattern', { host: text.slice(0, 80) })
    return pattern
  })
  const different = [...new Set(patterns)]
  if (different.length > mostHosts) throw new Refusal('too_many_hosts', { limit: mostHosts })
  return different
}

/** The limits of a pool's password, or null when its owner has set none. */
export async function limitsOf(db: Kysely<DB>, accessId: bigint): Promise<PoolLimits | null> {
  const { rows } = await sql<PoolLimits>`
    select hour_bytes as "hourBytes", day_bytes as "dayBytes", month_bytes as "monthBytes", connections,
      allowed_hosts as "allowedHosts", denied_hosts as "deniedHosts", data_saver as "dataSaver"
    from pool_limits where access_id = ${accessId}`.execute(db)
  return rows[0] ?? null
}

/**
 * Changes the given limits and notifies the gateways when the transaction commits. Connections that exceed
 * the new limits are closed within two seconds.
 */
export async function changeLimits(
  tx: Kysely<DB>,
  access: { id: bigint; login: string },
  changes: Partial<PoolLimits>,
): Promise<PoolLimits> {
  // The row stays locked from here on, so that concurrent changes are applied one after the other.
  await sql`insert into pool_limits (access_id) values (${access.id}) on conflict do nothing`.execute(tx)
  await sql`select from pool_limits where access_id = ${access.id} for update`.execute(tx)
  const limits = { ...noLimits, ...(await limitsOf(tx, access.id)), ...changes }
  // A newly set daily cap replaces today's raise.
  if (changes.dayBytes !== undefined) await endRaise(tx, access.id)
  await sql`
    update pool_limits set hour_bytes = ${limits.hourBytes}, day_bytes = ${limits.dayBytes},
      month_bytes = ${limits.monthBytes}, connections = ${limits.connections},
      allowed_hosts = ${limits.allowedHosts}::text[], denied_hosts = ${limits.deniedHosts}::text[],
      data_saver = ${limits.dataSaver}, changed_at = now()
    where access_id = ${access.id}`.execute(tx)
  await announceChange(tx, access.login)
  return limits
}
