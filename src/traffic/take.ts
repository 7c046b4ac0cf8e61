/**
 * Withdrawal of credited traffic, for a refund, and bought traffic that moves to another pool or customer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { balancesById, customer, house, type Occasion, type Posting, postOnce } from '#ledger'
import { least, most } from '#lib/bigint'
import { lockMeters } from './meters.ts'
import { notifyGateways } from './gateways/notify.ts'

/** A withdrawal. `kind` and `reference` are those of the ledger: unique for ever. */
export interface Taking extends Occasion {
  accountId: bigint
  pool: string
  /** Further postings of the same ledger transaction, given the bytes that can be taken. */
  postings: (takenBytes: bigint) => Promise<readonly Posting[]>
}

/** How long gateways are waited for; they return recalled leases sooner. */
const recallMs = 2000
const lookMs = 25
/** How long no lease is granted: longer than `recallMs` and the withdrawal after it. */
const pausedSeconds = 5

/**
 * Recalls the leases of a customer's traffic in a pool, and waits until they are closed, at most two seconds.
 * Until `takeTraffic`, or for five seconds, no new lease is granted, and the tunnels of the customer wait.
 * The lease of a gateway that does not answer stays open.
 */
export async function callLeasesBack(
  db: Kysely<DB>,
  { accountId, pool }: { accountId: bigint; pool: string },
): Promise<void> {
  const deadline = performance.now() + recallMs
  const { rows } = await sql<{ access_id: bigint }>`
    update meter m set paused_until = now() + make_interval(secs => ${pausedSeconds})
    where account_id = ${accountId} and pool = ${pool} and exists (
      select from lease l where l.access_id = m.access_id and l.closed_at is null and l.proxy_user_id is null)
    returning access_id`.execute(db)
  const [meter] = rows
  if (meter === undefined) return
  const { access_id: access } = meter
  do {
    // Repeated while a lease is open: an event may be lost with its connection.
    await notifyGateways(db, { type: 'lease_recalled', access })
    await sleep(lookMs)
    const { rows: open } = await sql`
      select from lease where access_id = ${access} and closed_at is null and proxy_user_id is null
      limit 1`.execute(db)
    if (open.length === 0) return
  } while (performance.now() < deadline)
}

/**
 * Withdraws up to `bytes` of a customer's paid traffic and returns how many were taken. Used bytes are never
 * taken, nor are bytes on lease, which may have been relayed already; idle leases are recalled. The other
 * postings are made even when nothing could be taken.
 */
export async function takeTraffic(tx: Transaction<DB>, bytes: bigint, taking: Taking): Promise<bigint> {
  const { accountId, pool, kind, reference, valueAt } = taking
  const { rows } = await sql<{ access_id: bigint }>`
    select access_id from meter where account_id = ${accountId} and pool = ${pool}`.execute(tx)
  const accessId = rows[0]?.access_id
  const free = accessId === undefined ? 0n : await freePaid(tx, accessId)
  const taken = least(bytes, free)
  const traffic = [
    { account: customer.trafficPaid(accountId, pool), amount: -taken },
    { account: house.trafficSold(pool), amount: taken },
  ]
  await postOnce(tx, {
    kind,
    reference,
    valueAt,
    postings: [...(taken > 0n ? traffic : []), ...(await taking.postings(taken))],
  })
  if (accessId !== undefined) {
    await sql`update meter set paused_until = null where access_id = ${accessId} and paused_until is not null`.execute(
      tx,
    )
    await notifyGateways(tx, { type: 'lease_recalled', access: accessId })
  }
  return taken
}

/**
 * Takes up to `bytes` of a customer's traffic on behalf of staff, bonus first, and returns how many bytes
 * were taken. Used bytes and bytes on lease are never taken; call `callLeasesBack` first, so that gateways
 * return idle leases.
 */
export async function takeBalance(
  tx: Transaction<DB>,
  bytes: bigint,
  taking: Omit<Taking, 'postings'>,
): Promise<bigint> {
  const { accountId, pool, kind, reference } = taking
  const { rows } = await sql<{ access_id: bigint }>`
    select access_id from meter where account_id = ${accountId} and pool = ${pool}`.execute(tx)
  const accessId = rows[0]?.access_id
  if (accessId === undefined) return 0n
  const { free, bonus } = await freeBytes(tx, accessId)
  const taken = least(bytes, free)
  const ofBonus = least(taken, bonus)
  const ofPaid = taken - ofBonus
  if (taken > 0n)
    await postOnce(tx, {
      kind,
      reference,
      postings: [
        { account: customer.trafficBonus(accountId, pool), amount: -ofBonus },
        { account: house.trafficGiven(pool), amount: ofBonus },
        { account: customer.trafficPaid(accountId, pool), amount: -ofPaid },
        { account: house.trafficSold(pool), amount: ofPaid },
      ],
    })
  await sql`update meter set paused_until = null where access_id = ${accessId} and paused_until is not null`.execute(
    tx,
  )
  await notifyGateways(tx, { type: 'lease_recalled', access: accessId })
  return taken
}

/**
 * The paid bytes that are not on lease. Locks the meter, so that they stay free until the end of the
 * transaction.
 */
async function freePaid(tx: Transaction<DB>, accessId: bigint): Promise<bigint> {
  const { free, paid } = await freeBytes(tx, accessId)
  return least(free, paid)
}

/** Bytes that no lease may need, and the parts of the balance; the meter is locked from here on. */
export async function freeBytes(tx: Transaction<DB>, accessId: bigint) {
  const meter = (await lockMeters(tx, [accessId])).get(accessId)
  if (meter === undefined) return { free: 0n, paid: 0n, bonus: 0n }
  const balances = await balancesById(tx, [meter.bonus_account, meter.paid_account])
  const { rows } = await sql<{ promised: bigint }>`
    select coalesce(sum(granted_bytes - charged_bytes), 0)::bigint as promised
    from lease where access_id = ${accessId} and closed_at is null and proxy_user_id is null`.execute(tx)
  const paid = balances.get(meter.paid_account) ?? 0n
  const bonus = balances.get(meter.bonus_account) ?? 0n
  const free = paid + bonus - (rows[0]?.promised ?? 0n)
  return { free: most(0n, free), paid, bonus }
}

/**
 * Locks all traffic of a customer, in the order of its meters, until the end of the transaction; leases are
 * granted again after it.
 */
export async function lockTraffic(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  const { rows } = await sql<{ access_id: bigint }>`
    select access_id from meter where account_id = ${accountId}`.execute(tx)
  const meters = rows.map((row) => row.access_id)
  await lockMeters(tx, meters)
  await sql`update meter set paused_until = null where account_id = ${accountId} and paused_until is not null`.execute(
    tx,
  )
}

/** Records the balance of an access, in the transaction that has credited it. */
export async function noteCredited(db: Kysely<DB>, accessId: bigint): Promise<void> {
  await sql`
    insert into traffic_credited (access_id, bytes)
    select m.access_id, sum(b.balance) from meter m
      join ledger_balance b on b.account_id in (m.paid_account, m.bonus_account)
      where m.access_id = ${accessId} group by m.access_id
    on conflict (access_id) do update set bytes = excluded.bytes, times = traffic_credited.times + 1`.execute(
    db,
  )
}

interface Side {
  accountId: bigint
  pool: string
  bytes: bigint
}

/** A move; `from` has a meter if it ever had traffic, `to` must have one. */
export interface Moving extends Occasion {
  from: Side
  to: Side & { accessId: bigint }
}

/**
 * Moves paid traffic in one ledger transaction. Returns null when it was moved, or else how much could be:
 * bytes on lease, which may have been relayed already, are never moved.
 */
export async function moveTraffic(
  tx: Transaction<DB>,
  { from, to, kind, reference }: Moving,
): Promise<bigint | null> {
  const { rows } = await sql<{ access_id: bigint }>`
    select access_id from meter where account_id = ${from.accountId} and pool = ${from.pool}`.execute(tx)
  const giver = rows[0]?.access_id
  if (giver === undefined) return 0n
  // Locks both meters at once, in the order of their ids, so that two moves in opposite directions do not
  // deadlock.
  await lockMeters(tx, [giver, to.accessId])
  const free = await movableBytes(tx, giver)
  if (free < from.bytes) return free
  const isSame = from.pool === to.pool
  await postOnce(tx, {
    kind,
    reference,
    postings: [
      { account: customer.trafficPaid(from.accountId, from.pool), amount: -from.bytes },
      { account: customer.trafficPaid(to.accountId, to.pool), amount: to.bytes },
      ...(isSame
        ? []
        : [
            { account: house.trafficSold(from.pool), amount: from.bytes },
            { account: house.trafficSold(to.pool), amount: -to.bytes },
          ]),
    ],
  })
  await noteCredited(tx, to.accessId)
  await notifyGateways(tx, { type: 'lease_recalled', access: giver })
  return null
}

/**
 * The paid bytes that no lease may need; exact until the end of the transaction where the meter is locked.
 */
async function movableBytes(db: Kysely<DB>, accessId: bigint): Promise<bigint> {
  const { rows } = await sql<{ bonus_account: bigint; paid_account: bigint; promised: bigint }>`
    select m.bonus_account, m.paid_account, (
      select coalesce(sum(granted_bytes - charged_bytes), 0)::bigint from lease
      where access_id = m.access_id and closed_at is null and proxy_user_id is null) as promised
    from meter m where access_id = ${accessId}`.execute(db)
  const [meter] = rows
  if (meter === undefined) return 0n
  const balances = await balancesById(db, [meter.bonus_account, meter.paid_account])
  const paid = balances.get(meter.paid_account) ?? 0n
  const free = paid + (balances.get(meter.bonus_account) ?? 0n) - meter.promised
  return most(0n, least(free, paid))
}

/** What a customer could move now, by pool; pools without a credit are left out. */
export async function movableOf(db: Kysely<DB>, accountId: bigint): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ access_id: bigint; pool: string }>`
    select access_id, pool from meter where account_id = ${accountId}`.execute(db)
  const movable = new Map<string, bigint>()
  for (const { access_id, pool } of rows) movable.set(pool, await movableBytes(db, access_id))
  return movable
}
