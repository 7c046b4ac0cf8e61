import { type Kysely, sql, type Transaction } from 'kysely'
import { type DB, transaction } from '#db'
import { isProxyUserId, payerOf } from '#feed/user.ids'
import { limitsOf } from '#limits'
import { userById } from '#proxy-users'
import { type GatewayBoot, silentSeconds } from './gateways/boot.ts'
import { lockMeters } from './meters.ts'

/**
 * The number of connections that this gateway may hold of an access with a cap: as many as it requests,
 * limited by the cap less the permits of other gateways and of its proxy users. Without a cap it is the
 * requested number. For a proxy user its own cap and that of its access apply. See `Feed.permits`.
 */
export function permits(
  db: Kysely<DB>,
  holder: GatewayBoot,
  { access, want }: { access: bigint; want: number },
): Promise<number> {
  return transaction(db, async (tx) => {
    // Under the meter's lock, so that two gateways are never granted the same permits.
    const payer = payerOf(access)
    const user = isProxyUserId(access) ? access : null
    await lockMeters(tx, [payer])
    const cap = (await limitsOf(tx, payer))?.connections ?? null
    const userCap = user === null ? null : ((await userById(tx, user))?.connections ?? null)
    const caps = [
      ...(cap === null ? [] : [cap - (await heldElsewhere(tx, holder, { payer, user, all: true }))]),
      ...(userCap === null ? [] : [userCap - (await heldElsewhere(tx, holder, { payer, user, all: false }))]),
    ]
    const granted = Math.max(0, Math.min(want, ...caps))
    await hold(tx, holder, { payer, user, permits: caps.length === 0 ? 0 : granted })
    return granted
  })
}

/** Whose permits: an access's, or its proxy user's. */
interface Whose {
  payer: bigint
  user: bigint | null
}

/**
 * Permits of others: of the proxy user on other live gateways, or `all` of the access, proxy users included.
 * A silent gateway is not counted: its connections have ended, or will end.
 */
async function heldElsewhere(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  { payer, user, all }: Whose & { all: boolean },
): Promise<number> {
  const { rows } = await sql<{ held: number }>`
    select coalesce(sum(p.permits), 0)::int as held
    from (
      select null as proxy_user_id, gateway, boot, permits from connection_permit where access_id = ${payer} and ${all}
      union all
      select proxy_user_id, gateway, boot, permits from proxy_user_permit
      where access_id = ${payer} and (${all} or proxy_user_id = ${user})
    ) p join gateway_boot b on b.gateway = p.gateway and b.boot = p.boot
    where (p.gateway, p.boot, coalesce(p.proxy_user_id, 0)) <> (${gateway}, ${boot}, ${user ?? 0n}::bigint)
      and b.seen_at > now() - make_interval(secs => ${silentSeconds})`.execute(tx)
  return rows[0]?.held ?? 0
}

async function hold(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  { payer, user, permits: held }: Whose & { permits: number },
): Promise<void> {
  const [table, id] =
    user === null
      ? [sql`connection_permit`, sql`access_id = ${payer}`]
      : [sql`proxy_user_permit`, sql`proxy_user_id = ${user}`]
  if (held === 0) {
    await sql`delete from ${table} where ${id} and gateway = ${gateway} and boot = ${boot}`.execute(tx)
    return
  }
  if (user === null)
    await sql`
      insert into connection_permit (access_id, gateway, boot, permits)
      values (${payer}, ${gateway}, ${boot}, ${held})
      on conflict (access_id, gateway, boot) do update set permits = excluded.permits`.execute(tx)
  else
    await sql`
      insert into proxy_user_permit (proxy_user_id, access_id, gateway, boot, permits)
      values (${user}, ${payer}, ${gateway}, ${boot}, ${held})
      on conflict (proxy_user_id, gateway, boot) do update set permits = excluded.permits`.execute(tx)
}

/** Deletes the permits of the gateway's earlier boots, whose connections have ended. */
export async function dropPermits(db: Kysely<DB>, { gateway, boot }: GatewayBoot): Promise<void> {
  await sql`delete from connection_permit where gateway = ${gateway} and boot <> ${boot}`.execute(db)
  await sql`delete from proxy_user_permit where gateway = ${gateway} and boot <> ${boot}`.execute(db)
}
