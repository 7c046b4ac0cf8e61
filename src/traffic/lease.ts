import { type Kysely, type Transaction, sql } from 'kysely'
import { type DB, prepared, transaction } from '#db'
import type { GatewayFigures, LeaseGrant, LeaseRequest } from '#feed'
import { balancesById } from '#ledger'
import { least } from '#lib/bigint'
import { bigintArray } from '#lib/pg-array'
import { nearestCap } from './caps.ts'
import { notifyGateways } from './notify.ts'
import { grantOf } from './quota.ts'

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
  is_own: boolean
  /** Its gateway is live, or its heartbeats could not arrive because the database was unavailable. */
  is_alive: boolean
}

/** Extends the account's lease of this boot, or opens one. See `Feed.lease`. */
export function lease(
  db: Kysely<DB>,
  holder: GatewayBoot,
  request: LeaseRequest,
  /** The time whose hour, day and month the caps apply to. Default: the database's. */
  now?: Date,
): Promise<LeaseGrant> {
  return transaction(db, async (tx) => {
    const meter = await lockMeter(tx, request.subuser)
    if (meter === null) return { lease: 0n, granted_bytes: 0n, outstanding: false, elsewhere_bytes: 0n }
    // Read after the lock was acquired, in separate statements, which see the changes of the last holder.
    const balances = await balancesById(tx, [meter.bonus_account, meter.paid_account])
    const open = await openLeases(tx, holder, request.subuser)
    const leased = restsOf(open)
    const held = [...balances.values()].reduce((sum, balance) => sum + balance, 0n)
    const cap = await nearestCap(tx, { subuserId: request.subuser, now })
    const freeBytes = cap === null ? held - leased : least(held, cap.leftBytes) - leased
    const own = open.find((one) => one.is_own)
    const others = open.filter((one) => one.is_alive && one !== own && one.rest > 0n)
    const isWanted = request.want_bytes > 0n
    const granted =
      isWanted && !meter.is_paused
        ? grantOf({
            freeBytes,
            wantBytes: request.want_bytes,
            ownBytes: own?.rest ?? 0n,
            othersBytes: restsOf(others),
            holders: Math.max(others.length + 1, meter.recalled_holders),
          })
        : 0n
    const elsewhere = held - granted - (own?.rest ?? 0n)
    if (granted > 0n) {
      const extended = await extend(tx, holder, { subuser: request.subuser, own: own?.id ?? null, granted })
      return { ...extended, granted_bytes: granted, outstanding: false, elsewhere_bytes: elsewhere }
    }
    const outstanding = isWanted && (others.length > 0 || meter.is_paused)
    if (outstanding) await recall(tx, request.subuser, Math.max(others.length + 1, meter.recalled_holders))
    return {
      lease: own?.id ?? 0n,
      granted_bytes: 0n,
      ...(own === undefined ? {} : { lease_bytes: own.granted_bytes }),
      outstanding,
      elsewhere_bytes: elsewhere,
      ...(cap !== null && cap.leftBytes < held ? { capped: cap.window } : {}),
    }
  })
}

const restsOf = (leases: readonly OpenLease[]) => leases.reduce((sum, { rest }) => sum + rest, 0n)

/** For so long after a recall the account is shared between all gateways that held bytes then. */
const recalledSeconds = 10

interface LockedMeter {
  bonus_account: bigint
  paid_account: bigint
  recalled_holders: number
  is_paused: boolean
}

async function lockMeter(tx: Transaction<DB>, subuserId: bigint): Promise<LockedMeter | null> {
  const { rows } = await sql<LockedMeter>`
    select bonus_account, paid_account,
      case when recalled_at > now() - make_interval(secs => ${recalledSeconds}) then recalled_holders else 0 end
        as recalled_holders,
      coalesce(paused_until > now(), false) as is_paused
    from meter where subuser_id = ${subuserId} for no key update`.execute(tx)
  return rows[0] ?? null
}

/**
 * Asks all gateways to give back their leases of the subuser. The number of holders is kept for a while: otherwise the first
 * that asks again would get the shares of the others, which hold nothing at that moment.
 */
async function recall(tx: Transaction<DB>, subuser: bigint, holders: number): Promise<void> {
  await sql`
    update meter set recalled_at = now(), recalled_holders = ${holders} where subuser_id = ${subuser}`.execute(
    tx,
  )
  await notifyGateways(tx, { type: 'lease_recalled', subuser })
}

/**
 * The open leases of a subuser. During an outage of the database no heartbeat could arrive. Therefore, for a gateway whose own
 * heartbeats had a gap, or that has just started, all others count as live until they had time to send one.
 */
async function openLeases(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  subuserId: bigint,
): Promise<OpenLease[]> {
  const { rows } = await sql<OpenLease>`
    select l.id, l.granted_bytes, l.granted_bytes - l.charged_bytes as rest,
      (l.gateway, l.boot) = (${gateway}, ${boot}) as is_own,
      coalesce(b.seen_at > silence.since or exists (
        select from gateway_boot me where (me.gateway, me.boot) = (${gateway}, ${boot})
          and (me.seen_at <= silence.since or me.heard_since > silence.since)
      ) and b.seen_at is not null, false) as is_alive
    from (select now() - make_interval(secs => ${silentSeconds}) as since) silence
    join lease l on l.subuser_id = ${subuserId} and l.closed_at is null
    left join gateway_boot b on b.gateway = l.gateway and b.boot = l.boot`.execute(tx)
  return rows
}

async function extend(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  { subuser, own, granted }: { subuser: bigint; own: bigint | null; granted: bigint },
): Promise<{ lease: bigint; lease_bytes: bigint }> {
  const { rows } =
    own === null
      ? await sql<{ lease: bigint; lease_bytes: bigint }>`
          insert into lease (subuser_id, gateway, boot, granted_bytes)
          values (${subuser}, ${gateway}, ${boot}, ${granted})
          returning id as lease, granted_bytes as lease_bytes`.execute(tx)
      : await sql<{ lease: bigint; lease_bytes: bigint }>`
          update lease set granted_bytes = granted_bytes + ${granted} where id = ${own}
          returning id as lease, granted_bytes as lease_bytes`.execute(tx)
  if (rows[0] === undefined) throw new Error('a lease was extended without an id')
  return rows[0]
}

/** Records a heartbeat of a boot, or its first contact. Returns the number up to which all its reports are settled. */
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
 * Closes the leases of boots that were silent for so many minutes and are assumed dead. If such a boot returns, its
 * reports are still settled, as far as the balance then covers them. Returns how many leases were closed.
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
    const { rows } = await sql<{ id: bigint; subuser_id: bigint }>`
      select l.id, l.subuser_id from lease l where l.closed_at is null and ${which}`.execute(tx)
    if (rows.length === 0) return 0
    await lockMeters(
      tx,
      rows.map((row) => row.subuser_id),
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
  subuser_id: bigint
  pool: string
  bonus_account: bigint
  paid_account: bigint
}

/** The meters, each column an array; null when there are none. */
interface MeterColumns {
  subusers: bigint[] | null
  bonus: bigint[] | null
  paid: bigint[] | null
  pools: string | null
}

const noMeters: MeterColumns = { subusers: null, bonus: null, paid: null, pools: null }

/** Locks the meters of these accounts in the order of their ids, the only order in use. Unknown accounts are left out. */
export async function lockMeters(
  tx: Transaction<DB>,
  accounts: readonly bigint[],
): Promise<Map<bigint, Meter>> {
  // As one row of arrays: twenty thousand result rows would cost more than their locks.
  const { rows } = await sql<MeterColumns>`${prepared}
    select array_agg(subuser_id) as subusers, array_agg(bonus_account) as bonus, array_agg(paid_account) as paid,
      string_agg(pool, ' ') as pools
    from (
      select subuser_id, pool, bonus_account, paid_account from meter
      where subuser_id = any(${bigintArray([...new Set(accounts)])}::bigint[])
      order by subuser_id for no key update
    ) locked`.execute(tx)
  const [{ subusers, bonus, paid, pools } = noMeters] = rows
  const poolOf = pools?.split(' ') ?? []
  const meters = new Map<bigint, Meter>()
  for (const [index, subuser_id] of (subusers ?? []).entries()) {
    const [bonus_account, paid_account, pool] = [bonus?.[index], paid?.[index], poolOf[index]]
    if (bonus_account === undefined || paid_account === undefined || pool === undefined)
      throw new Error('the columns of the meters are of unequal length')
    meters.set(subuser_id, { subuser_id, pool, bonus_account, paid_account })
  }
  return meters
}
