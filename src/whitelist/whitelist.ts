/** The whitelist: client addresses that stand for a customer in a pool, so that a line needs no password. */
import { type Kysely, sql } from 'kysely'
import { canonicalIpv4 } from '#contract/ipv4'
import type { Pool } from '#contract/wire'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { findSubuser, type FoundSubuser } from '#proxies'

/** Addresses a customer may have per pool. */
export const mostAddresses = 100

interface Owner {
  accountId: bigint
  pool: Pool
}

/** The customer's addresses in the pool, in the order they were added. */
export async function addressesOf(db: Kysely<DB>, { accountId, pool }: Owner): Promise<string[]> {
  const rows = await db
    .selectFrom('whitelist')
    .select('address')
    .where('account_id', '=', accountId)
    .where('pool', '=', pool)
    .orderBy('created_at')
    .orderBy('address')
    .execute()
  return rows.map((row) => row.address)
}

/**
 * Puts an IPv4 address on the customer's whitelist of the pool; one that is there already stays. Gateways hear of it
 * when it is committed. Refuses `invalid_ip`, `no_pool_access` (the customer has never had traffic there), `ip_taken`
 * (another customer's in this pool) and `whitelist_full`.
 */
export async function addAddress(db: Kysely<DB>, owner: Owner, text: string): Promise<void> {
  const address = readAddress(text)
  const { accountId, pool } = owner
  await transaction(db, async (tx) => {
    // One change of a whitelist at a time, so that it can be counted.
    const subuser = await tx
      .selectFrom('subuser')
      .select('id')
      .where('account_id', '=', accountId)
      .where('pool', '=', pool)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (subuser === undefined) throw new Refusal('no_pool_access')
    // In this order: who adds their own again is not told that the list is full.
    if (!(await insert(tx, owner, address))) return
    const { count } = await tx
      .selectFrom('whitelist')
      .select((select) => select.fn.countAll<bigint>().as('count'))
      .where('account_id', '=', accountId)
      .where('pool', '=', pool)
      .executeTakeFirstOrThrow()
    if (count > BigInt(mostAddresses)) throw new Refusal('whitelist_full', { limit: mostAddresses })
    await announce(tx, { pool, address })
  })
}

/** True: it was nobody's. False: it is theirs already. Refuses `ip_taken`. */
async function insert(tx: Kysely<DB>, { accountId, pool }: Owner, address: string): Promise<boolean> {
  for (;;) {
    // Waits for whoever adds or removes the same address at this moment.
    const added = await tx
      .insertInto('whitelist')
      .values({ pool, address, account_id: accountId })
      .onConflict((conflict) => conflict.columns(['pool', 'address']).doNothing())
      .returning('address')
      .executeTakeFirst()
    if (added !== undefined) return true
    const owner = await ownerOf(tx, { pool, address })
    if (owner === accountId) return false
    if (owner !== null) throw new Refusal('ip_taken')
    // It was removed between the two looks.
  }
}

async function ownerOf(db: Kysely<DB>, key: { pool: string; address: string }): Promise<bigint | null> {
  const row = await db
    .selectFrom('whitelist')
    .select('account_id')
    .where('pool', '=', key.pool)
    .where('address', '=', key.address)
    .executeTakeFirst()
  return row?.account_id ?? null
}

/** Takes an address off the customer's whitelist; one that is not there is none of theirs, and stays so. Refuses `invalid_ip`. */
export async function removeAddress(db: Kysely<DB>, { accountId, pool }: Owner, text: string): Promise<void> {
  const address = readAddress(text)
  await transaction(db, async (tx) => {
    const removed = await tx
      .deleteFrom('whitelist')
      .where('pool', '=', pool)
      .where('address', '=', address)
      .where('account_id', '=', accountId)
      .returning('address')
      .executeTakeFirst()
    if (removed !== undefined) await announce(tx, { pool, address })
  })
}

/** Whom a client address stands for in a pool, or null: what gateways ask. */
export async function whitelistedSubuser(
  db: Kysely<DB>,
  key: { pool: string; address: string },
): Promise<FoundSubuser | null> {
  const accountId = await ownerOf(db, key)
  return accountId === null ? null : findSubuser(db, { accountId, pool: key.pool })
}

/** Refuses what is no IPv4 address: `invalid_ip`. */
export function readAddress(text: string): string {
  const address = canonicalIpv4(text)
  if (address === null) throw new Refusal('invalid_ip')
  return address
}

/** Tells the gateways, when the transaction commits. */
async function announce(tx: Kysely<DB>, key: { pool: string; address: string }): Promise<void> {
  const event = JSON.stringify({ type: 'whitelist_changed', ...key })
  await sql`select pg_notify('turnpike_feed', ${event})`.execute(tx)
}
