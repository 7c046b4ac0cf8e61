/**
 * Traffic reserved for proxy users. It is in two ledger accounts of its access, `reserved_paid` and
 * `reserved_bonus`, which together hold what all reserved proxy users of the access have left: `total_bytes`
 * less what they used. README.md has the invariant.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DB, transaction } from '#db'
import { balancesById, customer, openAccounts, post } from '#ledger'
import { least, most } from '#lib/bigint'
import { bigintArray } from '#lib/pg-array'
import { Refusal } from '#lib/refusal'
import { addToTotals, type Reserve, type ReserveLeft } from '#proxy-users'
import { notifyGateways } from './gateways/notify.ts'
import { lockMeters } from './meters.ts'
import { usedByUsers, usedInDays, usedOfRows, userDays } from './proxy-users/use.ts'
import { freeBytes } from './take.ts'

/** By access, the ledger accounts of its reserved traffic. Accesses that never had any are missing. */
export async function reserveAccounts(
  tx: Transaction<DB>,
  accesses: readonly bigint[],
): Promise<Map<bigint, { bonus: bigint; paid: bigint }>> {
  if (accesses.length === 0) return new Map()
  const { rows } = await sql<{ access_id: bigint; bonus: bigint; paid: bigint }>`
    select access_id, reserved_bonus_account as bonus, reserved_paid_account as paid from meter
    where access_id = any(${bigintArray(accesses)}::bigint[]) and reserved_paid_account is not null`.execute(
    tx,
  )
  return new Map(rows.map(({ access_id: id, ...accounts }) => [id, accounts]))
}

/** Implements the `Reserve` that the slice of proxy users is given. */
export const userReserve: Reserve = {
  async lock(tx, accessId) {
    await lockMeters(tx, [accessId])
  },
  left: leftOf,
  async move(tx, { accessId, bytes, reference }) {
    if (bytes < 0n) return unreserve(tx, { accessId, bytes: -bytes, reference })
    const free = await reserve(tx, { accessId, bytes, reference })
    if (free !== null) throw new Refusal('reserve_not_covered', { free: Number(free) })
  },
}

/** What proxy users of an access have left of their reserves. The meter is locked. */
async function leftOf(
  tx: Transaction<DB>,
  accessId: bigint,
  ids: readonly bigint[],
): Promise<Map<bigint, ReserveLeft>> {
  const { rows } = await sql<{ id: bigint; rest: bigint; held: bigint }>`
    select u.id, u.total_bytes - coalesce(used.charged_bytes, 0) as rest, coalesce(l.held, 0)::bigint as held
    from proxy_user u left join proxy_user_use used on used.proxy_user_id = u.id
    left join (
      select proxy_user_id, sum(granted_bytes - charged_bytes) as held from lease
      where access_id = ${accessId} and closed_at is null and proxy_user_id = any(${bigintArray(ids)}::bigint[])
      group by 1
    ) l on l.proxy_user_id = u.id
    where u.id = any(${bigintArray(ids)}::bigint[])`.execute(tx)
  return new Map(rows.map(({ id, rest, held }) => [id, { free: most(rest - held, 0n), held }]))
}

interface Moving {
  accessId: bigint
  bytes: bigint
  /** The id of a change of what a proxy user may use in all. */
  reference: string
}

/**
 * Moves free traffic to the reserve, bonus first; returns null. If there is not enough, moves nothing and
 * returns the free bytes: bytes on lease are not free, because they may have been relayed already.
 */
async function reserve(tx: Transaction<DB>, { accessId, bytes, reference }: Moving): Promise<bigint | null> {
  const { free, bonus } = await freeBytes(tx, accessId)
  if (free < bytes) return free
  const { accountId, pool } = await ownerOf(tx, accessId)
  const [reservedBonus, reservedPaid] = [
    customer.reservedBonus(accountId, pool),
    customer.reservedPaid(accountId, pool),
  ]
  const [bonusId, paidId] = await openAccounts(tx, [reservedBonus, reservedPaid])
  await sql`
    update meter set reserved_bonus_account = ${bonusId}, reserved_paid_account = ${paidId}
    where access_id = ${accessId} and reserved_paid_account is null`.execute(tx)
  const ofBonus = least(bytes, bonus)
  await post(tx, {
    kind: 'user_reserve',
    reference,
    postings: [
      { account: customer.trafficBonus(accountId, pool), amount: -ofBonus },
      { account: reservedBonus, amount: ofBonus },
      { account: customer.trafficPaid(accountId, pool), amount: ofBonus - bytes },
      { account: reservedPaid, amount: bytes - ofBonus },
    ],
  })
  return null
}

/** Returns reserved bytes to the free traffic, paid ones before bonus ones: bonus is always spent first. */
async function unreserve(tx: Transaction<DB>, { accessId, bytes, reference }: Moving): Promise<void> {
  const accounts = (await reserveAccounts(tx, [accessId])).get(accessId)
  if (accounts === undefined) throw new Error(`access ${accessId} has no reserve`)
  const held = (await balancesById(tx, [accounts.paid])).get(accounts.paid) ?? 0n
  const { accountId, pool } = await ownerOf(tx, accessId)
  const ofPaid = least(bytes, held)
  await post(tx, {
    kind: 'user_return',
    reference,
    postings: [
      { account: customer.reservedPaid(accountId, pool), amount: -ofPaid },
      { account: customer.trafficPaid(accountId, pool), amount: ofPaid },
      { account: customer.reservedBonus(accountId, pool), amount: ofPaid - bytes },
      { account: customer.trafficBonus(accountId, pool), amount: bytes - ofPaid },
    ],
  })
}

async function ownerOf(tx: Transaction<DB>, accessId: bigint): Promise<{ accountId: bigint; pool: string }> {
  const { rows } = await sql<{ accountId: bigint; pool: string }>`
    select account_id as "accountId", pool from meter where access_id = ${accessId}`.execute(tx)
  const [owner] = rows
  if (owner === undefined) throw new Error(`access ${accessId} has no meter`)
  return owner
}

/** By pool, the paid bytes in a customer's reserves that no open lease may still use. */
export async function reservedPaid(db: Kysely<DB>, accountId: bigint): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ pool: string; paid: bigint; all: bigint; held: bigint }>`
    select m.pool, p.balance as paid, p.balance + b.balance as all, (
      select coalesce(sum(granted_bytes - charged_bytes), 0)::bigint from lease l
      where l.access_id = m.access_id and l.closed_at is null and l.proxy_user_id is not null
        and (l.proxy_user_id >> 33) & 1 = 1) as held
    from meter m join ledger_balance p on p.account_id = m.reserved_paid_account
      join ledger_balance b on b.account_id = m.reserved_bonus_account
    where m.account_id = ${accountId}`.execute(db)
  return new Map(rows.map(({ pool, paid, all, held }) => [pool, most(least(paid, all - held), 0n)]))
}

/** How many proxy users one query reads. */
const atOnce = 1000

/**
 * Moves up to `bytes` from the reserves of a customer's proxy users in a pool to the free traffic, from the
 * newest proxy user backwards; bytes on lease stay. Returns how many bytes were moved.
 */
export async function releaseReserves(
  tx: Transaction<DB>,
  { accountId, pool, bytes }: { accountId: bigint; pool: string; bytes: bigint },
): Promise<bigint> {
  const { rows } = await sql<{ access_id: bigint }>`
    select access_id from meter where account_id = ${accountId} and pool = ${pool}
      and reserved_paid_account is not null`.execute(tx)
  const accessId = rows[0]?.access_id
  if (accessId === undefined) return 0n
  await lockMeters(tx, [accessId])
  let released = 0n
  for (let before: bigint | null = 2n ** 40n; before !== null && released < bytes;) {
    const { rows: users } = await sql<{ id: bigint; nr: bigint }>`
      select id, nr from proxy_user
      where access_id = ${accessId} and nr < ${before} and is_reserved and total_bytes > 0
      order by nr desc limit ${atOnce}`.execute(tx)
    const left = await leftOf(
      tx,
      accessId,
      users.map(({ id }) => id),
    )
    const changes: { accessId: bigint; nr: bigint; bytes: bigint }[] = []
    for (const { id, nr } of users) {
      const taken = least(left.get(id)?.free ?? 0n, bytes - released)
      if (taken === 0n) continue
      released += taken
      changes.push({ accessId, nr, bytes: -taken })
    }
    await giveBack(tx, accessId, changes)
    before = users.length === atOnce ? (users.at(-1)?.nr ?? null) : null
  }
  return released
}

/** Moves all reserves of a customer to the free traffic, except bytes on lease. */
export async function releaseAllReserves(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  const { rows } = await sql<{ pool: string }>`
    select pool from meter where account_id = ${accountId} and reserved_paid_account is not null
    order by access_id`.execute(tx)
  for (const { pool } of rows) await releaseReserves(tx, { accountId, pool, bytes: 2n ** 62n })
}

async function giveBack(
  tx: Transaction<DB>,
  accessId: bigint,
  changes: readonly { accessId: bigint; nr: bigint; bytes: bigint }[],
): Promise<void> {
  if (changes.length === 0) return
  const [change] = await addToTotals(tx, changes)
  const bytes = changes.reduce((sum, one) => sum - one.bytes, 0n)
  await unreserve(tx, { accessId, bytes, reference: String(change) })
}

/**
 * Moves the reserves of deleted proxy users whose leases are closed by now to the free traffic. Returns the
 * number of these proxy users.
 */
export async function returnReserves(db: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ access_id: bigint }>`
    select distinct access_id from proxy_user where holds_reserve order by 1`.execute(db)
  let returned = 0
  for (const { access_id: accessId } of rows)
    returned += await transaction(db, async (tx) => {
      await lockMeters(tx, [accessId])
      const { rows: users } = await sql<{ id: bigint; nr: bigint }>`
        update proxy_user u set holds_reserve = false
        where u.access_id = ${accessId} and u.holds_reserve and not exists (
          select from lease l where l.access_id = u.access_id and l.proxy_user_id = u.id and l.closed_at is null)
        returning id, nr`.execute(tx)
      const left = await leftOf(
        tx,
        accessId,
        users.map(({ id }) => id),
      )
      const changes = users.flatMap(({ id, nr }) => {
        const { free } = left.get(id) ?? { free: 0n }
        return free > 0n ? [{ accessId, nr, bytes: -free }] : []
      })
      await giveBack(tx, accessId, changes)
      return users.length
    })
  return returned
}

/** The maximum wait for gateways; usually they return recalled leases sooner. */
const recallMs = 2000
const lookMs = 100
/** The interval at which the event is repeated, because it may be lost with a connection. */
const repeatMs = 500

/** Recalls the leases of a proxy user, and waits until they are closed, at most two seconds. */
async function callUserLeasesBack(
  db: Kysely<DB>,
  { id, accessId }: { id: bigint; accessId: bigint },
): Promise<void> {
  const began = performance.now()
  for (let toldAt = -Infinity; performance.now() - began < recallMs;) {
    if (performance.now() - toldAt >= repeatMs) {
      toldAt = performance.now()
      await notifyGateways(db, { type: 'lease_recalled', access: id })
    }
    await sleep(lookMs)
    const { rows: open } = await sql`
      select from lease where access_id = ${accessId} and proxy_user_id = ${id} and closed_at is null
      limit 1`.execute(db)
    if (open.length === 0) return
  }
}

/** The functions that are passed to the slice of proxy users, which must not import this slice. */
export const usersTraffic = {
  usedByUsers,
  usedOfRows,
  usedInDays,
  userDays,
  reserve: userReserve,
  callUserLeasesBack,
}
