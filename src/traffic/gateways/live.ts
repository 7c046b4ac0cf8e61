/** The workers of gateways, by their last heartbeats. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'

/** The gateway of the worker in the column `gateway`: the worker's name without its number. */
export const gatewayOf = sql<string>`regexp_replace(gateway, '-[0-9]+$', '')`

/**
 * A worker of a gateway. The figures are null until it reports them; gateways of an earlier release never do.
 */
export interface LiveGateway {
  /** The name of the gateway. */
  name: string
  /** The name of the worker. */
  gateway: string
  boot: string
  startedAt: Date
  /** The last heartbeat; they come every 5 s. */
  seenAt: Date
  /** Open tunnels and requests. */
  tunnels: number | null
  /** Relayed payload of the last seconds, both directions. */
  bitsPerSecond: bigint | null
  leases: number | null
  /** Leased and not spent. */
  leasedBytes: bigint | null
  /** Reports that were not settled yet. */
  reportsWaiting: number | null
}

/** The workers that were heard of in the last `silentSeconds` (30), by name. */
export async function liveGateways(db: Kysely<DB>, { silentSeconds = 30 } = {}): Promise<LiveGateway[]> {
  const { rows } = await sql<LiveGateway>`
    select ${gatewayOf} as name, gateway, boot, started_at as "startedAt", seen_at as "seenAt", tunnels, bits_per_second as "bitsPerSecond",
      leases, leased_bytes as "leasedBytes", reports_waiting as "reportsWaiting"
    from gateway_boot where seen_at > now() - make_interval(secs => ${silentSeconds}) order by gateway, boot`.execute(
    db,
  )
  return rows
}
