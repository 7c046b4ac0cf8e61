/**
 * Traffic: the bytes that customers hold, and their use by gateways. Gateways receive leases and send
 * numbered reports, and every relayed byte is charged exactly once. README.md has the invariants.
 */

import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import {
  type Occasion,
  assertPosted,
  type Posting,
  balancesOfUser,
  customer,
  type HeldBalance,
  house,
  leftSince,
  openAccounts,
  post,
} from '#ledger'
import { bigintArray, textArray } from '#lib/pg-array'
import { daysBetween } from './days.ts'
import { noteCredited } from './take.ts'

export { activityOf, addUpActivity, eraseActivity } from './activity.ts'
export { recallLeases, usedInWindows } from './caps.ts'
export { createFeed, type FeedDeps, type TrafficFeed } from './feed.ts'
export { forgetGateways, type KnownGateway, listGateways, setDrained } from './gateways/gateways.ts'
export { type LiveGateway, liveGateways } from './gateways/live.ts'
export {
  type GatewayToken,
  gatewayTokens,
  makeGatewayToken,
  openGatewayKeys,
  revokeGatewayToken,
} from './gateways/tokens.ts'
export { expireLeases, lease, leasedBy, recover } from './lease.ts'
export { MalformedReport } from './lines.ts'
export { trafficParts } from './export.ts'
export { permits } from './permits.ts'
export { pruneLeases } from './prune.ts'
export { giveUpSetBacks, type SetBack, setBacksOf } from './set.back.ts'
export { askSessions, cutSessions, noteSessions } from './gateways/sessions.live.ts'
export { settle } from './settle.ts'
export { forgetOldUsage, makeUsageMonths, type UsageKept } from './months.ts'
export {
  addUpHours,
  firstUsageHour,
  markPriced,
  takeLateHours,
  type UnpricedUsage,
  unpricedUsage,
} from './usage.ts'
export {
  type ExitHour,
  hasUsed,
  requestsByHour,
  type UsageSum,
  usageAndBalances,
  usageBy,
  usageByAccount,
  usageByExitHour,
  usageOfAll,
  usedEver,
} from './usage.by.ts'
export {
  callLeasesBack,
  lockTraffic,
  movableOf,
  moveTraffic,
  noteCredited,
  takeBalance,
  type Taking,
  takeTraffic,
} from './take.ts'
export { heldByPool, leasedByGateway, leasedByPool } from './held.ts'
export { forgetDeletedUsers } from './proxy-users/forget.ts'
export { leftOfUser, usedByUsers, userDays } from './proxy-users/use.ts'
export {
  releaseAllReserves,
  releaseReserves,
  reservedPaid,
  returnReserves,
  userReserve,
  usersTraffic,
} from './reserve.ts'
export { verifyTraffic } from './verify.ts'

type Db = Kysely<DB>

/** `paid` traffic was bought, `bonus` was given by promo codes; bonus is spent first. */
export type Part = 'paid' | 'bonus'

/**
 * Opens the meter of an access, with its two ledger accounts, which credits and leases require. Safe to
 * repeat and to call concurrently.
 */
export async function openMeter(
  db: Db,
  { accessId, accountId, pool }: { accessId: bigint; accountId: bigint; pool: string },
): Promise<void> {
  const { rows } = await sql`select from meter where access_id = ${accessId}`.execute(db)
  if (rows.length > 0) return
  // The house's account of used traffic is opened here, because `postUsage` posts to it implicitly.
  const [bonus, paid] = await openAccounts(db, [
    customer.trafficBonus(accountId, pool),
    customer.trafficPaid(accountId, pool),
    house.trafficUsed(pool),
  ])
  await sql`
    insert into meter (access_id, account_id, pool, bonus_account, paid_account)
    values (${accessId}, ${accountId}, ${pool}, ${bonus}, ${paid})
    on conflict do nothing`.execute(db)
}

/** The access of a customer's meter in a pool; null: it has none. */
export async function meteredAccess(
  db: Db,
  { accountId, pool }: { accountId: bigint; pool: string },
): Promise<bigint | null> {
  const { rows } = await sql<{ id: bigint }>`
    select access_id as id from meter where account_id = ${accountId} and pool = ${pool}`.execute(db)
  return rows[0]?.id ?? null
}

/** A credit to an access. `kind` and `reference` are those of the ledger: unique for ever. */
export interface Credit extends Occasion {
  accessId: bigint
  /** Whose access it is; absent: it is looked up. */
  meter?: { accountId: bigint; pool: string }
  part: Part
  bytes: bigint
  /**
   * Further postings of the same ledger transaction: the money received for it. They must sum to zero by
   * themselves.
   */
  postings?: readonly Posting[]
}

/**
 * Credits traffic, together with the money postings it came for, as one ledger transaction (inside the
 * caller's transaction, if it is in one). 'already_posted': this kind and reference were credited before;
 * nothing was changed. The access must have a meter.
 */
export async function creditTraffic(db: Db, credit: Credit): Promise<'posted' | 'already_posted'> {
  const { accessId, part, bytes, kind, reference, valueAt, postings = [] } = credit
  if (bytes < 0n) throw new RangeError('creditTraffic gives traffic, it does not take it')
  const { accountId: customerId, pool } = credit.meter ?? (await meterOf(db, accessId))
  const [from, to] =
    part === 'paid'
      ? [house.trafficSold(pool), customer.trafficPaid(customerId, pool)]
      : [house.trafficGiven(pool), customer.trafficBonus(customerId, pool)]
  const traffic = [
    { account: from, amount: -bytes },
    { account: to, amount: bytes },
  ]
  const outcome = await post(db, { kind, reference, valueAt, postings: [...traffic, ...postings] })
  if (outcome === 'posted') await noteCredited(db, accessId)
  return outcome
}

async function meterOf(db: Db, accessId: bigint): Promise<{ accountId: bigint; pool: string }> {
  const { rows } = await sql<{ accountId: bigint; pool: string }>`
    select account_id as "accountId", pool from meter where access_id = ${accessId}`.execute(db)
  const [meter] = rows
  if (meter === undefined) throw new Error(`access ${accessId} has no meter to credit`)
  return meter
}

/**
 * Gives back traffic that was taken from a customer: the inverse of `takeTraffic`, with further postings of
 * the same transaction. The customer had it once, so the meter exists. Fails when the reference was posted before.
 */
export async function returnTraffic(
  db: Db,
  bytes: bigint,
  { accountId, pool, ...occasion }: Returning,
): Promise<void> {
  const meter = { accountId, pool }
  const accessId = await meteredAccess(db, meter)
  if (accessId === null) throw new Error(`account ${accountId} never had traffic of ${pool}`)
  assertPosted(await creditTraffic(db, { accessId, meter, bytes, part: 'paid', ...occasion }), occasion)
}

export interface Returning extends Occasion {
  accountId: bigint
  pool: string
  postings?: readonly Posting[]
}

/** The balance of an access that was used lately. */
export interface TrafficLeft {
  accessId: bigint
  accountId: bigint
  pool: Pool
  /** Paid and bonus together, unspent bytes on lease included. */
  bytes: bigint
  /** The same right after the last credit. */
  creditedBytes: bigint
  /** The number of credits so far. */
  credits: bigint
}

/**
 * What is left to the accesses whose traffic was charged in an hour (UTC, by the time of settlement) or after
 * it.
 */
export async function trafficLeft(db: Db, { since }: { since: Date }): Promise<TrafficLeft[]> {
  const { rows } = await sql<TrafficLeft>`
    select m.access_id as "accessId", m.account_id as "accountId", m.pool, l.bytes,
      c.bytes as "creditedBytes", c.times as credits
    from (${leftSince(since)}) l join meter m on m.account_id = l.customer_id and m.pool = l.pool
      join traffic_credited c on c.access_id = m.access_id
    order by m.access_id`.execute(db)
  return rows
}

/** What customers have in pools; those who never had a credit there are left out. */
export async function trafficHeld(
  db: Db,
  holdings: readonly { accountId: bigint; pool: string }[],
): Promise<TrafficLeft[]> {
  const { rows } = await sql<TrafficLeft>`
    select m.access_id as "accessId", m.account_id as "accountId", m.pool, sum(b.balance)::bigint as bytes,
      c.bytes as "creditedBytes", c.times as credits
    from unnest(${bigintArray(holdings.map(({ accountId }) => accountId))}::bigint[],
        ${textArray(holdings.map(({ pool }) => pool))}::text[]) held(account_id, pool)
      join meter m on m.account_id = held.account_id and m.pool = held.pool
      join traffic_credited c on c.access_id = m.access_id
      join ledger_balance b on b.account_id in (m.paid_account, m.bonus_account)
    group by m.access_id, c.access_id`.execute(db)
  return rows
}

/** A customer's bytes in a pool. */
export interface TrafficBalance {
  paid: bigint
  bonus: bigint
  /** Paid and bonus together, as displayed. Includes unspent bytes on lease. */
  total: bigint
  /** What is reserved for proxy users, beside `total`; and the bought part of it. */
  reserved: bigint
  reservedPaid: bigint
}

/** The customer's traffic by pool; pools without a credit are left out. */
export const balancesOf = async (db: Db, accountId: bigint): Promise<Map<string, TrafficBalance>> =>
  trafficIn(await balancesOfUser(db, accountId))

/** The same, of all accounts of a customer. */
export function trafficIn(accounts: readonly HeldBalance[]): Map<string, TrafficBalance> {
  const pools = new Map<string, TrafficBalance>()
  for (const { kind, pool, balance } of accounts) {
    if (pool === null) continue
    const held = pools.get(pool) ?? { paid: 0n, bonus: 0n, total: 0n, reserved: 0n, reservedPaid: 0n }
    if (kind === 'traffic_paid') held.paid += balance
    else if (kind === 'traffic_bonus') held.bonus += balance
    else held.reserved += balance
    if (kind === 'reserved_paid') held.reservedPaid += balance
    held.total = held.paid + held.bonus
    pools.set(pool, held)
  }
  return pools
}

/** What a customer can spend in a pool, and what is reserved for proxy users beside it. */
export async function spendableIn(
  db: Db,
  accountId: bigint,
  pool: string,
): Promise<{ free: bigint; reserved: bigint }> {
  const held = (await balancesOf(db, accountId)).get(pool)
  return { free: held?.total ?? 0n, reserved: held?.reserved ?? 0n }
}

/** Whether the customer has any traffic left in the pool, for themselves or reserved for proxy users. */
export async function hasTraffic(db: Db, accountId: bigint, pool: string): Promise<boolean> {
  const { free, reserved } = await spendableIn(db, accountId, pool)
  return free + reserved > 0n
}

/** The charges of one UTC day. */
export interface UsageDay {
  /** YYYY-MM-DD. */
  day: string
  chargedBytes: bigint
  /** The part of the charged bytes that bonus paid for. */
  bonusBytes: bigint
  /** Proxied requests and tunnels. */
  requests: bigint
}

/**
 * The days from `from` to `to` (both included) with charges, oldest first, of a pool or of all of them.
 *
 * "offset 0" makes the planner look up the customer's hours: its statistics know few rows of a day that has
 * just begun, and it would read all customers' hours of today otherwise.
 */
export async function usageDays(
  db: Db,
  { accountId, pool, from, to }: { accountId: bigint; pool?: string | undefined; from: string; to: string },
): Promise<UsageDay[]> {
  const isTheirs = sql`m.account_id = ${accountId} ${pool === undefined ? sql`` : sql`and m.pool = ${pool}`}`
  const { rows } = await sql<UsageDay>`
    select day::text as day, sum(charged_bytes)::bigint as "chargedBytes", sum(bonus_bytes)::bigint as "bonusBytes",
      bounded(sum(requests)) as requests
    from (
      select u.day, u.charged_bytes, u.bonus_bytes, u.requests
      from meter m join usage_past_day u on u.access_id = m.access_id
      where ${isTheirs} and u.day = any(${daysBetween(from, to)})
      union all
      select (u.hour at time zone 'UTC')::date, u.charged_bytes, u.bonus_bytes, u.requests
      from meter m, lateral (
        select * from usage_hour h where h.access_id = m.access_id and not h.in_day offset 0
      ) u
      where ${isTheirs}
        and u.hour >= ${from}::date::timestamp at time zone 'UTC'
        and u.hour < (${to}::date + 1)::timestamp at time zone 'UTC'
    ) used
    group by day order by day`.execute(db)
  return rows
}
