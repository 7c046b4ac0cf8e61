import { type Kysely, type Transaction, sql } from 'kysely'
import { type DB, prepared, transaction } from '#db'
import type { GatewayFigures, LeaseGrant, LeaseRequest } from '#feed'
import { isProxyUserId, payerOf } from '#feed/user.ids'
import { balancesById } from '#ledger'
import { least, most } from '#lib/bigint'
import { bigintArray } from '#lib/pg-array'
import { nearestCap } from './caps.ts'
import { notifyGateways } from './gateways/notify.ts'
import { grantOf } from './quota.ts'
import { type LimitTime, shareOf, type UserShare } from './proxy-users/share.ts'

/** A run of one gateway process. */
export interface GatewayBoot {
  gateway: string
  boot: string
}

/** Gateways send a heartbeat every 5 s. One that was silent this long will not answer a recall. */
export const silentSeconds = 15

interface OpenLease {
  id: bigint
  granted_bytes: bigint
  rest: bigint
  proxy_user_id: bigint | null
  /** Of the requesting boot, for the access or one of its proxy users. */
  is_own: boolean
  /** Its gateway is live, or its heartbeats could not arrive because the database was unavailable. */
  is_alive: boolean
}

/**
 * Extends the lease of this boot for an access or one of its proxy users, or opens one. See `Feed.lease`. The
 * time is the one whose hour, day and month limits apply to; by default it is the database's.
 */
export function lease(
  db: Kysely<DB>,
  holder: GatewayBoot,
  request: LeaseRequest,
  at: Date | LimitTime = {},
): Promise<LeaseGrant> {
  const time = at instanceof Date ? { now: at } : at
  const access = payerOf(request.access)
  const user = isProxyUserId(request.access) ? request.access : null
  return transaction(db, async (tx) => {
    const meter = await lockMeter(tx, access)
    if (meter === null) return { lease: 0n, granted_bytes: 0n, outstanding: false, elsewhere_bytes: 0n }
    // Read after the lock was acquired, in separate statements, which see the changes of the last holder.
    const balances = await balancesById(tx, [meter.bonus_account, meter.paid_account])
    const open = await openLeases(tx, holder, access)
    const held = [...balances.values()].reduce((sum, balance) => sum + balance, 0n)
    const cap = await nearestCap(tx, { accessId: access, now: time.now })
    const own = open.find((one) => one.is_own && one.proxy_user_id === user)
    const others = open.filter((one) => one.is_alive && one !== own && one.rest > 0n)
    const demand = { want: request.want_bytes, own: own?.rest ?? 0n, recalled: meter.recalled_holders }
    const leftBytes = cap === null ? held : least(held, cap.leftBytes)
    const all = boundOf({ leftBytes, open, others }, demand)
    const share = user === null ? null : await shareOf(tx, user, time)
    const its = user === null || share === null ? null : boundOfUser(user, share, { open, others }, demand)
    const isWanted = request.want_bytes > 0n
    const granted =
      isWanted && !meter.is_paused
        ? least(all.grantBytes, its === null ? all.grantBytes : its.grantBytes)
        : 0n
    const shownBytes = share?.leftBytes == null ? held : least(held, share.leftBytes)
    const elsewhere = most(shownBytes - granted - (own?.rest ?? 0n), 0n)
    if (granted > 0n) {
      const extended = await extend(tx, holder, { access, user, own: own?.id ?? null, granted })
      return { ...extended, granted_bytes: granted, outstanding: false, elsewhere_bytes: elsewhere }
    }
    const isOfUser = its !== null && its.grantBytes === 0n
    const { holders } = isOfUser ? its : all
    const outstanding = isWanted && (holders > 1 || (meter.is_paused && !isOfUser))
    if (outstanding && isOfUser) await notifyGateways(tx, { type: 'lease_recalled', access: request.access })
    else if (outstanding) await recall(tx, access, Math.max(holders, meter.recalled_holders))
    const capped = isOfUser ? share?.limit : cap !== null && cap.leftBytes < held ? cap.window : undefined
    return {
      lease: own?.id ?? 0n,
      granted_bytes: 0n,
      ...(own === undefined ? {} : { lease_bytes: own.granted_bytes }),
      outstanding,
      elsewhere_bytes: elsewhere,
      ...(capped === undefined ? {} : { capped }),
    }
  })
}

const restsOf = (leases: readonly OpenLease[]) => leases.reduce((sum, { rest }) => sum + rest, 0n)

/**
 * The open leases under one bound, and those of them that live holders other than the requesting one could
 * spend.
 */
interface Leased {
  open: readonly OpenLease[]
  others: readonly OpenLease[]
}

/** A request, the rest of the lease that it is for, and the holders at the last recall. */
interface Request {
  want: bigint
  own: bigint
  recalled: number
}

/** What a bound on the open leases together allows to grant, and the live holders that share it. */
interface Bound {
  grantBytes: bigint
  holders: number
}

function boundOf(
  { leftBytes, open, others }: Leased & { leftBytes: bigint },
  { want, own, recalled }: Request,
): Bound {
  const grantBytes = grantOf({
    freeBytes: leftBytes - restsOf(open),
    wantBytes: want,
    ownBytes: own,
    othersBytes: restsOf(others),
    holders: Math.max(others.length + 1, recalled),
  })
  return { grantBytes, holders: others.length + 1 }
}

/** The bound of a proxy user's limits; null: it has none. */
function boundOfUser(
  user: bigint,
  { leftBytes }: UserShare,
  { open, others }: Leased,
  request: Request,
): Bound | null {
  if (leftBytes === null) return null
  const isIts = (one: OpenLease) => one.proxy_user_id === user
  const its = { leftBytes, open: open.filter(isIts), others: others.filter(isIts) }
  return boundOf(its, { ...request, recalled: 0 })
}

/** For so long after a recall the account is shared between all gateways that held bytes then. */
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

/**
 * The open leases of an access. During an outage of the database no heartbeat could arrive. Therefore, for a
 * gateway whose own heartbeats had a gap, or that has just started, all others count as live until they had
 * time to send one.
 */
async function openLeases(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  accessId: bigint,
): Promise<OpenLease[]> {
  const { rows } = await sql<OpenLease>`
    select l.id, l.granted_bytes, l.granted_bytes - l.charged_bytes as rest, l.proxy_user_id,
      (l.gateway, l.boot) = (${gateway}, ${boot}) as is_own,
      coalesce(b.seen_at > silence.since or exists (
        select from gateway_boot me where (me.gateway, me.boot) = (${gateway}, ${boot})
          and (me.seen_at <= silence.since or me.heard_since > silence.since)
      ) and b.seen_at is not null, false) as is_alive
    from (select now() - make_interval(secs => ${silentSeconds}) as since) silence
    join lease l on l.access_id = ${accessId} and l.closed_at is null
    left join gateway_boot b on b.gateway = l.gateway and b.boot = l.boot`.execute(tx)
  return rows
}

async function extend(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  {
    access,
    user,
    own,
    granted,
  }: { access: bigint; user: bigint | null; own: bigint | null; granted: bigint },
): Promise<{ lease: bigint; lease_bytes: bigint }> {
  const { rows } =
    own === null
      ? await sql<{ lease: bigint; lease_bytes: bigint }>`
          insert into lease (access_id, proxy_user_id, gateway, boot, granted_bytes)
          values (${access}, ${user}, ${gateway}, ${boot}, ${granted})
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
      update lease l set closed_at = now()
      where l.id = any(${bigintArray(rows.map((row) => row.id))}::bigint[]) and l.closed_at is null and ${which}`.execute(
      tx,
    )
    return Number(closed.numAffectedRows ?? 0n)
  })
}

/** The columns of a meter that a settlement needs. */
export interface Meter {
  access_id: bigint
  pool: string
  bonus_account: bigint
  paid_account: bigint
}

/** The meters, each column an array; null when there are none. */
interface MeterColumns {
  accesses: bigint[] | null
  bonus: bigint[] | null
  paid: bigint[] | null
  pools: string | null
}

const noMeters: MeterColumns = { accesses: null, bonus: null, paid: null, pools: null }

/**
 * Locks the meters of these accounts in the order of their ids, the only order in use. Unknown accounts are
 * left out.
 */
export async function lockMeters(
  tx: Transaction<DB>,
  accounts: readonly bigint[],
): Promise<Map<bigint, Meter>> {
  // As one row of arrays: twenty thousand result rows would cost more than their locks.
  const { rows } = await sql<MeterColumns>`${prepared}
    select array_agg(access_id) as accesses, array_agg(bonus_account) as bonus, array_agg(paid_account) as paid,
      string_agg(pool, ' ') as pools
    from (
      select access_id, pool, bonus_account, paid_account from meter
      where access_id = any(${bigintArray([...new Set(accounts)])}::bigint[])
      order by access_id for no key update
    ) locked`.execute(tx)
  const [{ accesses, bonus, paid, pools } = noMeters] = rows
  const poolOf = pools?.split(' ') ?? []
  const meters = new Map<bigint, Meter>()
  for (const [index, access_id] of (accesses ?? []).entries()) {
    const [bonus_account, paid_account, pool] = [bonus?.[index], paid?.[index], poolOf[index]]
    if (bonus_account === undefined || paid_account === undefined || pool === undefined)
      throw new Error('the columns of the meters are of unequal length')
    meters.set(access_id, { access_id, pool, bonus_account, paid_account })
  }
  return meters
}

/** Those of the accesses of which a boot has or had a lease; leases are kept for two weeks after their end. */
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
