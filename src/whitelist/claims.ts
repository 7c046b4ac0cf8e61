/**
 * Claims and proofs: how an address becomes a customer's, and how it ceases to be. All times are the
 * database's.
 */
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import { type DB, lockName, transaction } from '#db'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { isProxyUserId, payerOf } from '#feed/user.ids'
import { findAccess } from '#proxies'
import { canonicalIpv4 } from '#contract/ipv4'
import { tellTaken } from './notice.ts'

/**
 * A proof is valid for this many days after the customer's last proof or use. After that another customer's
 * proof takes precedence.
 */
const heldDays = 7
/**
 * The maximum number of claims that one run of the job removes, because gateways check their open tunnels for
 * each.
 */
const mostExpired = 500
const lossesKeptDays = 7

const lastSign = sql`greatest(proven_at, last_used_at)`

/** Serialises changes of an address, over all customers who claim it. */
export async function lockAddress(tx: Kysely<DB>, address: string): Promise<void> {
  await lockName(tx, `whitelist ${address}`)
}

/**
 * Whether another customer has proven the address in the pool, and has used it recently; a blocked customer
 * does not count.
 */
export async function isHeldByAnother(
  tx: Kysely<DB>,
  { pool, address, accountId }: { pool: Pool; address: string; accountId: bigint },
): Promise<boolean> {
  const holder = await tx
    .selectFrom('whitelist')
    .select('account_id')
    .where('pool', '=', pool)
    .where('address', '=', address)
    .where('account_id', '<>', accountId)
    .where('proven_at', 'is not', null)
    .where(sql<boolean>`${lastSign} > now() - make_interval(days => ${heldDays})`)
    .executeTakeFirst()
  if (holder === undefined) return false
  const access = await findAccess(tx, { accountId: holder.account_id, pool })
  return access?.blocked !== true
}

/**
 * The customer has demonstrated control of the address: their entries of it, in all pools, are proven as of
 * now. Where another customer holds it the entry stays a claim; customers who only claim it lose it, and are
 * notified. The address is locked. `userId`: this proxy user has demonstrated it; its own entries alone are
 * proven then.
 */
export async function prove(
  tx: Kysely<DB>,
  { accountId, address, userId = null }: { accountId: bigint; address: string; userId?: bigint | null },
): Promise<void> {
  const entries = await tx
    .selectFrom('whitelist')
    .select(['pool', 'proven_at'])
    .where('account_id', '=', accountId)
    .where('address', '=', address)
    .$if(userId !== null, (query) => query.where('proxy_user_id', '=', userId))
    .orderBy('pool')
    .forUpdate()
    .execute()
  for (const entry of entries) {
    const pool = entry.pool as Pool
    const isNew = entry.proven_at === null
    if (isNew && (await isHeldByAnother(tx, { pool, address, accountId }))) continue
    if (isNew) await dispossess(tx, { pool, address, accountId })
    await tx
      .updateTable('whitelist')
      .set({ proven_at: sql<Date>`now()` })
      .where('pool', '=', pool)
      .where('address', '=', address)
      .where('account_id', '=', accountId)
      .execute()
    if (isNew) await announceAddress(tx, { pool, address })
  }
}

/** Removes the address in the pool from all customers except the one who has proven it. */
async function dispossess(
  tx: Kysely<DB>,
  { pool, address, accountId }: { pool: Pool; address: string; accountId: bigint },
): Promise<void> {
  const others = await tx
    .deleteFrom('whitelist')
    .where('pool', '=', pool)
    .where('address', '=', address)
    .where('account_id', '<>', accountId)
    .returning('account_id')
    .execute()
  // In one order, because each takes a lock on the account's count of notices.
  others.sort((a, b) => (a.account_id < b.account_id ? -1 : 1))
  for (const { account_id } of others) {
    await tx
      .insertInto('whitelist_loss')
      .values({ account_id, pool, address, reason: 'taken' })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'pool', 'address'])
          .doUpdateSet({ reason: 'taken', lost_at: sql<Date>`now()` }),
      )
      .execute()
    await tellTaken(tx, { accountId: account_id, pool, address })
  }
}

/**
 * A gateway has authenticated a connection from the address with the right password of this access, or proxy
 * user: proves the customer's entries of it, in any pool, or those of the proxy user. A repetition changes only the date. No entry is added.
 */
export async function proveAddress(
  db: Kysely<DB>,
  { accessId, address }: { accessId: bigint; address: string },
): Promise<void> {
  if (canonicalIpv4(address) !== address) return
  await transaction(db, async (tx) => {
    const access = await tx
      .selectFrom('access')
      .innerJoin('account', 'account.id', 'access.account_id')
      .select('account_id')
      .where('access.id', '=', payerOf(accessId))
      // The customer may have been blocked since that connection, because a proof may arrive days later.
      .where('blocked_at', 'is', null)
      .executeTakeFirst()
    if (access === undefined) return
    await lockAddress(tx, address)
    const userId = isProxyUserId(accessId) ? accessId : null
    await prove(tx, { accountId: access.account_id, address, userId })
  })
}

/**
 * The addresses of the access's customer, in all pools, that are unproven, or whose last proof or use is a
 * day old; for a proxy user, those that stand for it.
 */
export async function addressesToProve(db: Kysely<DB>, accessId: bigint): Promise<string[]> {
  const isOfUser = isProxyUserId(accessId)
  const rows = await db
    .selectFrom('whitelist')
    .innerJoin('access', 'access.account_id', 'whitelist.account_id')
    .select('whitelist.address')
    .distinct()
    .where('access.id', '=', payerOf(accessId))
    .$if(isOfUser, (query) => query.where('whitelist.proxy_user_id', '=', accessId))
    .where(sql<boolean>`(proven_at is null or ${lastSign} < now() - interval '1 day')`)
    .execute()
  return rows.map(({ address }) => address)
}

/**
 * Removes claims that were neither proven nor used for a day, oldest first and some hundreds at a time, and
 * deletes old losses. Returns the number of claims removed.
 */
export async function expireClaims(db: Kysely<DB>): Promise<number> {
  return await transaction(db, async (tx) => {
    // A use is recorded only every ten minutes, and a claim lasts a whole day.
    const { rows } = await sql<{ pool: string; address: string }>`
      with old as (
        select pool, address, account_id from whitelist
        where proven_at is null and greatest(claimed_at, last_used_at) < now() - interval '1 day 10 minutes'
        order by greatest(claimed_at, last_used_at) limit ${mostExpired} for update skip locked)
      , gone as (
        delete from whitelist w using old
        where w.pool = old.pool and w.address = old.address and w.account_id = old.account_id
        returning w.pool, w.address, w.account_id)
      , lost as (
        insert into whitelist_loss (account_id, pool, address, reason)
        select account_id, pool, address, 'unproven' from gone
        on conflict (account_id, pool, address) do update set reason = excluded.reason, lost_at = now())
      select pool, address from gone`.execute(tx)
    for (const { pool, address } of rows) await announceAddress(tx, { pool, address })
    await sql`delete from whitelist_loss where lost_at < now() - make_interval(days => ${lossesKeptDays})`.execute(
      tx,
    )
    return rows.length
  })
}

/**
 * Notifies the gateways when the transaction commits. `login`: the login that has more addresses to prove.
 */
export async function announceAddress(
  tx: Kysely<DB>,
  change: { pool: string; address: string; login?: string },
): Promise<void> {
  const payload = printAnnouncement({ type: 'whitelist_changed', ...change })
  await sql`select pg_notify(${feedChannel}, ${payload})`.execute(tx)
}
