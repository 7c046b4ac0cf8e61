/**
 * The whitelist: client addresses that stand for a customer in a pool, so that a line needs no password. A
 * listed address is a claim until its customer has proven it; README.md has the states and the rules.
 */
import { type Kysely, sql } from 'kysely'
import { addressLimits, refuseAtLimit, tryCount } from '#accounts'
import { canonicalIpv4 } from '#contract/ipv4'
import type { Pool } from '#contract/wire'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { isReservedUserId } from '#feed/user.ids'
import { findAccess, type FoundAccess } from '#proxies'
import type { ProxyUser } from '#proxy-users'
import { listableAddress, type ListableRule } from './address.ts'
import { announceAddress, isHeldByAnother, lockAddress, prove } from './claims.ts'

export { isGlobalUnicast, isGlobalUnicastOrLoopback, type ListableRule } from './address.ts'
export { addressesToProve, expireClaims, proveAddress } from './claims.ts'
export { eraseWhitelist, whitelistParts } from './export.and.erase.ts'
export { type AddressTaken, addressTakenTask } from './notice.ts'

/** The maximum number of addresses of a customer per pool. */
export const mostAddresses = 100
/** The maximum number of addresses of a proxy user. */
const mostOfUser = 10

interface Owner {
  accountId: bigint
  pool: Pool
}

/**
 * The customer's addresses in the pool, proven or not, in the order they were added, without those of proxy
 * users.
 */
export async function addressesOf(db: Kysely<DB>, owner: Owner): Promise<string[]> {
  return (await entriesOf(db, owner)).flatMap(({ address, proxyUser }) =>
    proxyUser === null ? [address] : [],
  )
}

export interface Entry {
  address: string
  claimedAt: Date
  /** Null: a claim. */
  provenAt: Date | null
  /** The time at which a claim is removed unless it is proven or used before; null once it is proven. */
  expiresAt: Date | null
  /** The number of the proxy user that it stands for; null: the customer. */
  proxyUser: bigint | null
}

/** The entries of the customer's whitelist of the pool, in the order they were added. */
export async function entriesOf(db: Kysely<DB>, { accountId, pool }: Owner): Promise<Entry[]> {
  const rows = await db
    .selectFrom('whitelist')
    .leftJoin('proxy_user', 'proxy_user.id', 'whitelist.proxy_user_id')
    .select(['address', 'claimed_at', 'proven_at', 'proxy_user.nr as proxy_user'])
    .select(sql<Date>`greatest(claimed_at, last_used_at) + interval '1 day'`.as('expires_at'))
    .where('account_id', '=', accountId)
    .where('pool', '=', pool)
    .orderBy('claimed_at')
    .orderBy('address')
    .execute()
  return rows.map(({ address, claimed_at, proven_at, expires_at, proxy_user }) => ({
    address,
    proxyUser: proxy_user,
    claimedAt: claimed_at,
    provenAt: proven_at,
    expiresAt: proven_at === null ? expires_at : null,
  }))
}

export interface Loss {
  address: string
  /** Another customer has proven it, or it was neither proven nor used for a day. */
  reason: 'taken' | 'unproven'
  lostAt: Date
}

/** The entries removed within a week other than by the customer, the latest first. */
export async function lossesOf(db: Kysely<DB>, { accountId, pool }: Owner): Promise<Loss[]> {
  const rows = await db
    .selectFrom('whitelist_loss')
    .select(['address', 'reason', 'lost_at'])
    .where('account_id', '=', accountId)
    .where('pool', '=', pool)
    .orderBy('lost_at', 'desc')
    .orderBy('address')
    .limit(mostAddresses)
    .execute()
  return rows.map(({ address, reason, lost_at }) => ({
    address,
    reason: reason === 'taken' ? 'taken' : 'unproven',
    lostAt: lost_at,
  }))
}

/**
 * Puts an address, as `readAddress` gives it, on the customer's whitelist of the pool; one that is there
 * already stays. With `user` it stands for that proxy user of the pool, once it is proven. It is a claim, or
 * proven when it is the one that the customer asks `from`; null: that is not known. Gateways are notified on
 * commit. Refuses `no_pool_access` (the customer has never had traffic there), `ip_taken` (another customer
 * has proven it in this pool and uses it), `ip_listed` (it stands for the customer or another proxy user of
 * theirs), `whitelist_full`, and `too_many_attempts` after many of `ip_taken`, whatever the address: they
 * reveal which addresses belong to customers.
 */
export async function addAddress(
  db: Kysely<DB>,
  { accountId, pool }: Owner,
  address: string,
  { from, now, user = null }: { from: string | null; now: Date; user?: ProxyUser | null },
): Promise<void> {
  const key = { accountId, pool, address }
  const userId = user?.id ?? null
  const isTaken = await transaction(db, async (tx) => {
    await lockAddress(tx, address)
    // Changes of a whitelist are serialised, so that entries and attempts can be counted.
    const access = await tx
      .selectFrom('access')
      .select('login')
      .where('account_id', '=', accountId)
      .where('pool', '=', pool)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (access === undefined) throw new Refusal('no_pool_access')
    const login = user === null ? access.login : await loginOf(tx, user)
    const listed = await listedFor(tx, key)
    if (listed !== undefined && listed !== userId) throw new Refusal('ip_listed')
    if (listed === undefined) {
      const limits = addressLimits(accountId)
      await refuseAtLimit(tx, limits, now)
      if (await isHeldByAnother(tx, key)) {
        // Returned, so that the attempt is committed. A refusal inside the transaction would roll it back.
        await tryCount(tx, limits, now)
        return true
      }
      await tx
        .insertInto('whitelist')
        .values({ pool, address, account_id: accountId, proxy_user_id: userId })
        .execute()
      await refuseTooMany(tx, { accountId, pool }, userId)
      await forgetLoss(tx, key)
      await announceAddress(tx, { pool, address, login })
    }
    if (from === address) await prove(tx, { accountId, address })
    return false
  })
  if (isTaken) throw new Refusal('ip_taken')
}

/**
 * The login of a proxy user, which was read before the access was locked and may be deleted since; an entry of
 * a deleted one would stand for nobody. Refuses with `user_not_found`.
 */
async function loginOf(tx: Kysely<DB>, { id }: ProxyUser): Promise<string> {
  const user = await tx
    .selectFrom('proxy_user')
    .select('login')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  if (user === undefined) throw new Refusal('user_not_found')
  return user.login
}

/** The proxy user that the customer's entry stands for; null: the customer, undefined: there is no entry. */
async function listedFor(
  tx: Kysely<DB>,
  { accountId, pool, address }: Owner & { address: string },
): Promise<bigint | null | undefined> {
  const entry = await tx
    .selectFrom('whitelist')
    .select('proxy_user_id')
    .where('pool', '=', pool)
    .where('address', '=', address)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return entry?.proxy_user_id
}

async function refuseTooMany(
  tx: Kysely<DB>,
  { accountId, pool }: Owner,
  userId: bigint | null,
): Promise<void> {
  const { count } = await tx
    .selectFrom('whitelist')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('account_id', '=', accountId)
    .where('pool', '=', pool)
    .where('proxy_user_id', 'is not distinct from', userId)
    .executeTakeFirstOrThrow()
  const limit = userId === null ? mostAddresses : mostOfUser
  if (count > BigInt(limit)) throw new Refusal('whitelist_full', { limit })
}

/**
 * Removes an address from the customer's whitelist, and from the lost ones; an address that is not listed
 * changes nothing. Refuses with `invalid_ip`.
 */
export async function removeAddress(db: Kysely<DB>, { accountId, pool }: Owner, text: string): Promise<void> {
  const address = canonicalIpv4(text)
  if (address === null) throw new Refusal('invalid_ip')
  await transaction(db, async (tx) => {
    await lockAddress(tx, address)
    const removed = await tx
      .deleteFrom('whitelist')
      .where('pool', '=', pool)
      .where('address', '=', address)
      .where('account_id', '=', accountId)
      .returning('address')
      .executeTakeFirst()
    await forgetLoss(tx, { accountId, pool, address })
    if (removed !== undefined) await announceAddress(tx, { pool, address })
  })
}

async function forgetLoss(tx: Kysely<DB>, key: Owner & { address: string }): Promise<void> {
  await tx
    .deleteFrom('whitelist_loss')
    .where('account_id', '=', key.accountId)
    .where('pool', '=', key.pool)
    .where('address', '=', key.address)
    .execute()
}

/** Refuses a text that is not an IPv4 address, or one that may not be listed, with `invalid_ip`. */
export function readAddress(text: string, isListable: ListableRule): string {
  const address = listableAddress(text, isListable)
  if (address === null) throw new Refusal('invalid_ip')
  return address
}

/** The customers who list an address, in any pool; proven entries first. */
export async function listersOf(
  db: Kysely<DB>,
  address: string,
): Promise<{ accountId: bigint; pool: string; isProven: boolean }[]> {
  const rows = await db
    .selectFrom('whitelist')
    .select(['account_id', 'pool', 'proven_at'])
    .where('address', '=', address)
    .orderBy('proven_at')
    .orderBy('account_id')
    .execute()
  return rows.map(({ account_id, pool, proven_at }) => ({
    accountId: account_id,
    pool,
    isProven: proven_at !== null,
  }))
}

export interface LookupDeps {
  /** Whether anything is left to spend in the pool. */
  hasTraffic: (db: Kysely<DB>, accountId: bigint, pool: Pool) => Promise<boolean>
}

/** The access of a customer; `proxyUserId`: the address stands for this proxy user. */
export interface WhitelistedAccess extends FoundAccess {
  proxyUserId: bigint | null
}

/**
 * The customer that a client address stands for at the ports of a pool, or a proxy user of theirs, or null:
 * used by gateways. At an entry port, the customer who has proven it. At a slot port, also the only customer
 * who claims it: no client waits for a 407 there. A claim for a proxy user counts nowhere. The lookup is
 * recorded as a use where the customer can be charged.
 */
export async function whitelistedAccess(
  db: Kysely<DB>,
  { pool, address, port }: { pool: string; address: string; port: 'entry' | 'slot' },
  { hasTraffic }: LookupDeps,
): Promise<WhitelistedAccess | null> {
  const rows = await db
    .selectFrom('whitelist')
    .select(['account_id', 'proven_at', 'proxy_user_id'])
    .select(sql<boolean>`coalesce(last_used_at < now() - interval '10 minutes', true)`.as('is_use_due'))
    .where('pool', '=', pool)
    .where('address', '=', address)
    .where(sql<boolean>`(proven_at is not null or proxy_user_id is null)`)
    .orderBy('proven_at', (order) => order.asc().nullsLast())
    .limit(2)
    .execute()
  const [first] = rows
  if (first === undefined) return null
  const isProven = first.proven_at !== null
  const isOnlyClaim = port === 'slot' && rows.length === 1
  if (!isProven && !isOnlyClaim) return null
  const access = await findAccess(db, { accountId: first.account_id, pool })
  if (access === null) return null
  const found = { ...access, proxyUserId: first.proxy_user_id }
  if (access.blocked) return isProven ? found : null
  if (!first.is_use_due) return found
  const hasReserve = first.proxy_user_id !== null && isReservedUserId(first.proxy_user_id)
  if (hasReserve || (await hasTraffic(db, access.accountId, pool as Pool)))
    await noteUse(db, { pool, address, accountId: access.accountId })
  return found
}

async function noteUse(db: Kysely<DB>, key: { pool: string; address: string; accountId: bigint }) {
  await db
    .updateTable('whitelist')
    .set({ last_used_at: sql<Date>`now()` })
    .where('pool', '=', key.pool)
    .where('address', '=', key.address)
    .where('account_id', '=', key.accountId)
    .execute()
}
