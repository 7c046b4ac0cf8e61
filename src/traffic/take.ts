/** Withdrawal of credited traffic, for a refund. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { balancesById, customer, house, type Occasion, type Posting, post } from '#ledger'
import { least, most } from '#lib/bigint'
import { lockMeters } from './lease.ts'
import { notifyGateways } from './notify.ts'

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
 * Recalls the leases of a customer's traffic in a pool, and waits until they are closed, at most two seconds. Until
 * `takeTraffic`, or for five seconds, no new lease is granted, and the tunnels of the customer wait. The lease of a gateway that
 * does not answer stays open.
 */
export async function callLeasesBack(
  db: Kysely<DB>,
  { accountId, pool }: { accountId: bigint; pool: string },
): Promise<void> {
  const deadline = performance.now() + recallMs
  const { rows } = await sql<{ subuser_id: bigint }>`
    update meter m set paused_until = now() + make_interval(secs => ${pausedSeconds})
    where account_id = ${accountId} and pool = ${pool} and exists (
      select from lease l where l.subuser_id = m.subuser_id and l.closed_at is null)
    returning subuser_id`.execute(db)
  const [meter] = rows
  if (meter === undefined) return
  const { subuser_id: subuser } = meter
  do {
    // Repeated while a lease is open: an event may be lost with its connection.
    await notifyGateways(db, { type: 'lease_recalled', subuser })
    await sleep(lookMs)
    const { rows: open } = await sql`
      select from lease where subuser_id = ${subuser} and closed_at is null limit 1`.execute(db)
    if (open.length === 0) return
  } while (performance.now() < deadline)
}

/**
 * Withdraws up to `bytes` of a customer's paid traffic and returns how many were taken. Used bytes are never taken, nor are
 * bytes on lease, which may have been relayed already; idle leases are recalled.
 * The other postings are made even when nothing could be taken.
 */
export async function takeTraffic(tx: Transaction<DB>, bytes: bigint, taking: Taking): Promise<bigint> {
  const { accountId, pool, kind, reference, postedAt } = taking
  const { rows } = await sql<{ subuser_id: bigint }>`
    select subuser_id from meter where account_id = ${accountId} and pool = ${pool}`.execute(tx)
  const subuserId = rows[0]?.subuser_id
  const free = subuserId === undefined ? 0n : await freePaid(tx, subuserId)
  const taken = least(bytes, free)
  const traffic = [
    { account: customer.trafficPaid(accountId, pool), amount: -taken },
    { account: house.trafficSold(pool), amount: taken },
  ]
  await post(tx, {
    kind,
    reference,
    postedAt,
    postings: [...(taken > 0n ? traffic : []), ...(await taking.postings(taken))],
  })
  if (subuserId !== undefined) {
    await sql`update meter set paused_until = null where subuser_id = ${subuserId} and paused_until is not null`.execute(
      tx,
    )
    await notifyGateways(tx, { type: 'lease_recalled', subuser: subuserId })
  }
  return taken
}

/**
 * Takes up to `bytes` of a customer's traffic for a reason of staff, bonus first, and answers how much it was: never what
 * has been used, and never what gateways hold on lease. `callLeasesBack` before it makes them give back what lies idle.
 */
export async function takeBalance(
  tx: Transaction<DB>,
  bytes: bigint,
  taking: Omit<Taking, 'postings' | 'postedAt'>,
): Promise<bigint> {
  const { accountId, pool, kind, reference } = taking
  const { rows } = await sql<{ subuser_id: bigint }>`
    select subuser_id from meter where account_id = ${accountId} and pool = ${pool}`.execute(tx)
  const subuserId = rows[0]?.subuser_id
  if (subuserId === undefined) return 0n
  const { free, bonus } = await freeBytes(tx, subuserId)
  const taken = least(bytes, free)
  const ofBonus = least(taken, bonus)
  const ofPaid = taken - ofBonus
  if (taken > 0n)
    await post(tx, {
      kind,
      reference,
      postings: [
        { account: customer.trafficBonus(accountId, pool), amount: -ofBonus },
        { account: house.trafficGiven(pool), amount: ofBonus },
        { account: customer.trafficPaid(accountId, pool), amount: -ofPaid },
        { account: house.trafficSold(pool), amount: ofPaid },
      ],
    })
  await sql`update meter set paused_until = null where subuser_id = ${subuserId} and paused_until is not null`.execute(
    tx,
  )
  await notifyGateways(tx, { type: 'lease_recalled', subuser: subuserId })
  return taken
}

/** The paid bytes that are not on lease. Locks the meter, so that they stay free until the end of the transaction. */
async function freePaid(tx: Transaction<DB>, subuserId: bigint): Promise<bigint> {
  const { free, paid } = await freeBytes(tx, subuserId)
  return least(free, paid)
}

/** Bytes that no lease may need, and the parts of the balance; the meter is locked from here on. */
async function freeBytes(tx: Transaction<DB>, subuserId: bigint) {
  const meter = (await lockMeters(tx, [subuserId])).get(subuserId)
  if (meter === undefined) return { free: 0n, paid: 0n, bonus: 0n }
  const balances = await balancesById(tx, [meter.bonus_account, meter.paid_account])
  const { rows } = await sql<{ promised: bigint }>`
    select coalesce(sum(granted_bytes - charged_bytes), 0)::bigint as promised
    from lease where subuser_id = ${subuserId} and closed_at is null`.execute(tx)
  const paid = balances.get(meter.paid_account) ?? 0n
  const bonus = balances.get(meter.bonus_account) ?? 0n
  const free = paid + bonus - (rows[0]?.promised ?? 0n)
  return { free: most(0n, free), paid, bonus }
}
