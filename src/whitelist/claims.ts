/** Claims and proofs: how an address becomes one customer's, and how it stops being that. All times are the database's. */
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import { type DB, transaction } from '#db'
import { findSubuser } from '#proxies'
import { canonicalIpv4 } from '#contract/ipv4'
import { tellTaken } from './notice.ts'

/** A proof is good for so many days after the last sign of its customer: a proof or a use. Then another's proof counts. */
const heldDays = 7
/** Claims that one run of the job removes: gateways look at their open tunnels for each. */
const mostExpired = 500
const lossesKeptDays = 7

const lastSign = sql`greatest(proven_at, last_used_at)`

/** One change of an address at a time, whoever claims it. */
export async function lockAddress(tx: Kysely<DB>, address: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`whitelist ${address}`}, 0))`.execute(tx)
}

/** Whether another customer has proven the address in the pool, and has used it lately; a blocked one holds nothing. */
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
  const subuser = await findSubuser(tx, { accountId: holder.account_id, pool })
  return subuser?.blocked !== true
}

/**
 * The customer has shown to send from the address: their entries of it, in all pools, are proven as of now. Where another
 * holds it the entry stays a claim; whoever else lists it loses it, and is told. The address is locked.
 */
export async function prove(
  tx: Kysely<DB>,
  { accountId, address }: { accountId: bigint; address: string },
): Promise<void> {
  const entries = await tx
    .selectFrom('whitelist')
    .select(['pool', 'proven_at'])
    .where('account_id', '=', accountId)
    .where('address', '=', address)
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

/** Takes the address in the pool away from everyone but the customer who has proven it. */
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
 * A gateway has seen a connection from the address with the right password of this subuser: proves the customer's entries
 * of it, in whatever pool. Repeating it changes nothing but the date. What is listed by nobody stays so.
 */
export async function proveAddress(
  db: Kysely<DB>,
  { subuserId, address }: { subuserId: bigint; address: string },
): Promise<void> {
  if (canonicalIpv4(address) !== address) return
  await transaction(db, async (tx) => {
    const subuser = await tx
      .selectFrom('subuser')
      .innerJoin('account', 'account.id', 'subuser.account_id')
      .select('account_id')
      .where('subuser.id', '=', subuserId)
      // Blocked since that connection: a proof may be days on its way.
      .where('blocked_at', 'is', null)
      .executeTakeFirst()
    if (subuser === undefined) return
    await lockAddress(tx, address)
    await prove(tx, { accountId: subuser.account_id, address })
  })
}

/** The addresses of the subuser's customer, in all pools, that wait for a proof, or whose last sign is a day old. */
export async function addressesToProve(db: Kysely<DB>, subuserId: bigint): Promise<string[]> {
  const rows = await db
    .selectFrom('whitelist')
    .innerJoin('subuser', 'subuser.account_id', 'whitelist.account_id')
    .select('whitelist.address')
    .distinct()
    .where('subuser.id', '=', subuserId)
    .where(sql<boolean>`(proven_at is null or ${lastSign} < now() - interval '1 day')`)
    .execute()
  return rows.map(({ address }) => address)
}

/**
 * Removes claims that were neither proven nor used for a day, the oldest first and some hundreds at a time, and forgets
 * losses of long ago. Answers how many claims were removed.
 */
export async function expireClaims(db: Kysely<DB>): Promise<number> {
  return await transaction(db, async (tx) => {
    // A use is noted only every ten minutes, and a claim has its whole day.
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

/** Tells the gateways, when the transaction commits. `login`: whose addresses to prove have become more. */
export async function announceAddress(
  tx: Kysely<DB>,
  change: { pool: string; address: string; login?: string },
): Promise<void> {
  const event = JSON.stringify({ type: 'whitelist_changed', ...change })
  await sql`select pg_notify('turnpike_feed', ${event})`.execute(tx)
}
