import { type Kysely, type Transaction, sql } from 'kysely'
import { type DB, transaction } from '#db'
import type { GatewayFigures, LeaseGrant, LeaseRequest } from '#feed'
import { isProxyUserId } from '#feed/user.ids'
import { balancesById } from '#ledger'
import { least, most } from '#lib/bigint'
import { bigintArray } from '#lib/pg-array'
import { nearestCap } from './caps.ts'
import { aliveSince, type GatewayBoot, silentSeconds } from './gateways/boot.ts'
import { notifyGateways } from './gateways/notify.ts'
import { lockMeters } from './meters.ts'
import { grantOf } from './quota.ts'
import { leasedOfReserves } from './proxy-users/leased.ts'
import { leaseUsers } from './user.leases.ts'
import type { LimitTime } from './proxy-users/share.ts'

interface OpenLease {
  id: bigint
  granted_bytes: bigint
  rest: bigint
  /** Of the requesting boot. */
  is_own: boolean
  /** Its gateway is live, or its heartbeats could not arrive because the database was unavailable. */
  is_alive: boolean
}

/**
 * Extends the lease of this boot for an access or one of its proxy users, or opens one. See `Feed.lease`. The
 * time is the one whose hour, day and month limits apply to; by default it is the database's.
 */
export async function lease(
  db: Kysely<DB>,
  holder: GatewayBoot,
  request: LeaseRequest,
  at: Date | LimitTime = {},
): Promise<LeaseGrant> {
  const time = at instanceof Date ? { now: at } : at
  if (!isProxyUserId(request.access)) return leaseBalance(db, holder, request, time)
  const [grant] = await leaseUsers(db, holder, [request], time)
  if (grant === undefined) throw new Error('a request for a lease was not answered')
  return grant
}

/** Leases a part of the balance of an access. */
function leaseBalance(
  db: Kysely<DB>,
  holder: GatewayBoot,
  { access, want_bytes: want }: LeaseRequest,
  { now }: LimitTime,
): Promise<LeaseGrant> {
  return transaction(db, async (tx) => {
    const meter = await lockMeter(tx, access)
    if (meter === null) return { lease: 0n, granted_bytes: 0n, outstanding: false, elsewhere_bytes: 0n }
    // Read after the lock was acquired, in separate statements, which see the changes of the last holder.
    const balances = await balancesById(tx, [meter.bonus_account, meter.paid_account])
    const open = await openLeases(tx, holder, access)
    const held = [...balances.values()].reduce((sum, balance) => sum + balance, 0n)
    const cap = await nearestCap(tx, { accessId: access, now })
    const own = open.find(({ is_own: isOwn }) => isOwn)
    const others = open.filter((one) => one.is_alive && one !== own && one.rest > 0n)
    const leftBytes =
      cap === null ? held : least(held, most(cap.leftBytes - (await leasedOfReserves(tx, access)), 0n))
    const offered = grantOf({
      freeBytes: leftBytes - restsOf(open),
      wantBytes: want,
      ownBytes: own?.rest ?? 0n,
      othersBytes: restsOf(others),
      holders: Math.max(others.length + 1, meter.recalled_holders),
    })
    const isWanted = want > 0n
    const granted = isWanted && !meter.is_paused ? offered : 0n
    const elsewhere = most(held - granted - (own?.rest ?? 0n), 0n)
    if (granted > 0n) {
      const extended = await extend(tx, holder, { access, own: own?.id ?? null, granted })
      return { ...extended, granted_bytes: granted, outstanding: false, elsewhere_bytes: elsewhere }
    }
    const outstanding = isWanted && (others.length > 0 || meter.is_paused)
    if (outstanding) await recall(tx, access, Math.max(others.length + 1, meter.recalled_holders))
    return {
      lease: own?.id ?? 0n,
      granted_bytes: 0n,
      ...(own === undefined ? {} : { lease_bytes: own.granted_bytes }),
      outstanding,
      elsewhere_bytes: elsewhere,
      ...(cap !== null && leftBytes < held ? { capped: cap.window } : {}),
    }
  })
}

const restsOf = (leases: readonly OpenLease[]) => leases.reduce((sum, { rest }) => sum + rest, 0n)

/** How long after a recall the account is shared between all gateways that held bytes at that time. */
const recalledSeconds = 10

interface LockedMeter {
  bonus_account: bigint
  paid_account: bigint
  recalled_holders: number
  is_paused: boolean
}

async function lockMeter(tx: Transaction<DB>, accessId: bigint): Promise<LockedMeter | null> {
  const { rows } = await sql<LockedMeter>`
    select bonus_account, paid_account,
      case when recalled_at > now() - make_interval(secs => ${recalledSeconds}) then recalled_holders else 0 end
        as recalled_holders,
      coalesce(paused_until > now(), false) as is_paused
    from meter where access_id = ${accessId} for no key update`.execute(tx)
  return rows[0] ?? null
}

/**
 * Asks all gateways to give back their leases of the access. The number of holders is kept for a while:
 * otherwise the first that asks again would get the shares of the others, which hold nothing at that moment.
 */
async function recall(tx: Transaction<DB>, access: bigint, holders: number): Promise<void> {
  await sql`
    update meter set recalled_at = now(), recalled_holders = ${holders} where access_id = ${access}`.execute(
    tx,
  )
  await notifyGateways(tx, { type: 'lease_recalled', access })
}

/** The open leases of the balance of an access, without those of its proxy users. */
async function openLeases(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  accessId: bigint,
): Promise<OpenLease[]> {
  const { rows } = await sql<OpenLease>`
    select l.id, l.granted_bytes, l.granted_bytes - l.charged_bytes as rest,
      (l.gateway, l.boot) = (${gateway}, ${boot}) as is_own, ${aliveSince({ gateway, boot })} as is_alive
    from lease l left join gateway_boot b on b.gateway = l.gateway and b.boot = l.boot
    where l.access_id = ${accessId} and l.proxy_user_id is null and l.closed_at is null`.execute(tx)
  return rows
}

async function extend(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  { access, own, granted }: { access: bigint; own: bigint | null; granted: bigint },
): Promise<{ lease: bigint; lease_bytes: bigint }> {
  const { rows } =
    own === null
      ? await sql<{ lease: bigint; lease_bytes: bigint }>`
          insert into lease (access_id, gateway, boot, granted_bytes)
          values (${access}, ${gateway}, ${boot}, ${granted})
          returning id as lease, granted_bytes as lease_bytes`.execute(tx)
      : await sql<{ lease: bigint; lease_bytes: bigint }>`
          update lease set granted_bytes = granted_bytes + ${granted} where id = ${own}
          returning id as lease, granted_bytes as lease_bytes`.execute(tx)
  if (rows[0] === undefined) throw new Error('a lease was extended without an id')
  return rows[0]
}

/**
 * Records a heartbeat of a boot, or its first contact. Returns the number up to which all its reports are
 * settled.
 */
export async function seen(
  db: Kysely<DB>,
  { gateway, boot }: GatewayBoot,
  live: GatewayFigures | null = null,
): Promise<number> {
  const { rows } = await sql<{ settled_through: bigint }>`
    insert into gateway_boot (gateway, boot) values (${gateway}, ${boot})
    on conflict (gateway, boot) do update set
      seen_at = now(),
      heard_since = case
        when gateway_boot.seen_at > now() - make_interval(secs => ${silentSeconds}) then gateway_boot.heard_since
        else now()
      end,
      tunnels = ${live?.tunnels ?? null}, bits_per_second = ${live?.bits_per_second ?? null}, leases = ${live?.leases ?? null},
      leased_bytes = ${live?.leased_bytes ?? null}, reports_waiting = ${live?.reports_waiting ?? null}
    returning settled_through`.execute(db)
  return Number(rows[0]?.settled_through ?? 0n)
}

/**
 * Closes every lease of the gateway's other boots, which have ended and whose journals have been reported.
 * The unspent bytes are free again at once. Returns how many leases were closed.
 */
export async function recover(db: Kysely<DB>, { gateway, boot }: GatewayBoot): Promise<number> {
  return closeLeases(db, sql<boolean>`l.gateway = ${gateway} and l.boot <> ${boot}`)
}

/**
 * Closes the leases of boots that were silent for so many minutes and are assumed dead. If such a boot
 * returns, its reports are still settled, as far as the balance then covers them. Returns how many leases
 * were closed.
 */
export async function expireLeases(db: Kysely<DB>, { silentMinutes = 10 } = {}): Promise<number> {
  return closeLeases(
    db,
    sql<boolean>`l.opened_at < now() - make_interval(mins => ${silentMinutes}) and not exists (
      select from gateway_boot b
      where b.gateway = l.gateway and b.boot = l.boot and b.seen_at > now() - make_interval(mins => ${silentMinutes}))`,
  )
}

function closeLeases(db: Kysely<DB>, which: ReturnType<typeof sql<boolean>>): Promise<number> {
  return transaction(db, async (tx) => {
    const { rows } = await sql<{ id: bigint; access_id: bigint }>`
      select l.id, l.access_id from lease l where l.closed_at is null and ${which}`.execute(tx)
    if (rows.length === 0) return 0
    await lockMeters(
      tx,
      rows.map((row) => row.access_id),
    )
    // Checked again under the locks: a heartbeat may have arrived meanwhile.
    const closed = await sql`
      update lease l set closed_at = now(), is_lost = true
      where l.id = any(${bigintArray(rows.map((row) => row.id))}::bigint[]) and l.closed_at is null and ${which}`.execute(
      tx,
    )
    return Number(closed.numAffectedRows ?? 0n)
  })
}

/**
 * Filters accesses: returns those of which a boot has or had a lease. Leases are kept for two weeks after
 * their end.
 */
export async function leasedBy(
  db: Kysely<DB>,
  { gateway, boot }: GatewayBoot,
  accesses: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  const ofBoot = sql`l.access_id = asked.id and l.gateway = ${gateway} and l.boot = ${boot}`
  const { rows } = await sql<{ id: bigint }>`
    select id from unnest(${bigintArray([...new Set(accesses)])}::bigint[]) as asked(id)
    where exists (select from lease l where ${ofBoot} and l.closed_at is null)
      or exists (select from lease l where ${ofBoot} and l.closed_at is not null)`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
