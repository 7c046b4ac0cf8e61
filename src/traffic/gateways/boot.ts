/** Runs of gateways, and whether they are live. */
import { sql } from 'kysely'

/** A run of one gateway process. */
export interface GatewayBoot {
  gateway: string
  boot: string
}

/** Gateways send a heartbeat every 5 s. One that was silent this long will not answer a recall. */
export const silentSeconds = 15

/**
 * Whether the boot `b`, which may be unknown, is live, as a condition. During an outage of the database no
 * heartbeat could arrive. Therefore, for a gateway whose own heartbeats had a gap, or that has just started,
 * all others count as live until they had time to send one.
 */
export function aliveSince({ gateway, boot }: GatewayBoot) {
  const since = sql`now() - make_interval(secs => ${silentSeconds})`
  return sql<boolean>`coalesce(b.seen_at > ${since} or (b.seen_at is not null and exists (
    select from gateway_boot me where (me.gateway, me.boot) = (${gateway}, ${boot})
      and (me.seen_at <= ${since} or me.heard_since > ${since}))), false)`
}
