import { type Kysely, sql, type Transaction } from 'kysely'
import { type DB, transaction } from '#db'
import { limitsOf } from '#limits'
import { type GatewayBoot, lockMeters, silentSeconds } from './lease.ts'

/**
 * The number of connections that this gateway may hold of a subuser with a cap: as many as it requests, limited by the cap
 * less the permits of other gateways. Without a cap it is the requested number. See `Feed.permits`.
 */
export function permits(
  db: Kysely<DB>,
  holder: GatewayBoot,
  { subuser, want }: { subuser: bigint; want: number },
): Promise<number> {
  return transaction(db, async (tx) => {
    // Under the meter's lock, so that two gateways are never granted the same permits.
    await lockMeters(tx, [subuser])
    const cap = (await limitsOf(tx, subuser))?.connections ?? null
    const held = cap === null ? 0 : await heldElsewhere(tx, holder, subuser)
    const granted = cap === null ? want : Math.max(0, Math.min(want, cap - held))
    await hold(tx, holder, { subuser, permits: cap === null ? 0 : granted })
    return granted
  })
}

/** Permits of other live gateways. A silent gateway is not counted: its connections have ended, or will end. */
async function heldElsewhere(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  subuser: bigint,
): Promise<number> {
  const { rows } = await sql<{ held: number }>`
    select coalesce(sum(p.permits), 0)::int as held
    from connection_permit p join gateway_boot b on b.gateway = p.gateway and b.boot = p.boot
    where p.subuser_id = ${subuser} and (p.gateway, p.boot) <> (${gateway}, ${boot})
      and b.seen_at > now() - make_interval(secs => ${silentSeconds})`.execute(tx)
  return rows[0]?.held ?? 0
}

async function hold(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  { subuser, permits: held }: { subuser: bigint; permits: number },
): Promise<void> {
  if (held === 0) {
    await sql`
      delete from connection_permit
      where subuser_id = ${subuser} and gateway = ${gateway} and boot = ${boot}`.execute(tx)
    return
  }
  await sql`
    insert into connection_permit (subuser_id, gateway, boot, permits)
    values (${subuser}, ${gateway}, ${boot}, ${held})
    on conflict (subuser_id, gateway, boot) do update set permits = excluded.permits`.execute(tx)
}

/** Deletes the permits of the gateway's earlier boots, whose connections have ended. */
export async function dropPermits(db: Kysely<DB>, { gateway, boot }: GatewayBoot): Promise<void> {
  await sql`delete from connection_permit where gateway = ${gateway} and boot <> ${boot}`.execute(db)
}
