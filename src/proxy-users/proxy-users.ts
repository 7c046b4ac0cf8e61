/**
 * Proxy users: logins with a password and limits of their own that a customer gives to others. They use the
 * customer's traffic, so they are not accounts: they share one balance. `#traffic` counts their bytes and
 * enforces their byte limits; gateways check the rest.
 */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { isProxyUserLogin } from '#feed/user.ids'
import { textArray } from '#lib/pg-array'
import { Refusal } from '#lib/refusal'
import { openOrNull, type Secrets } from '#lib/secret'
import {
  type ListedUser,
  listedUsersWhere,
  matches,
  type ProxyUser,
  type UsedColumns,
  type UsedOfRows,
  type UserFilter,
  usersWhere,
  gatewayUsersWhere,
  type GatewayUser,
} from './rows.ts'
import { aboutUserPassword } from './sealed.ts'

export { addToUser, type Amount } from './amount.ts'
export { changeUser, type Chosen, deleteUser, freezeUser, renewPassword } from './change.ts'
export { addToTotals, changesOf } from './changes.ts'
export { createUser, createUsers, type NewUser } from './create.ts'
export { eraseUsers, userParts } from './export.and.erase.ts'
export { ownersBelow, setPrefix } from './logins.ts'
export { deleteUsers, forgetUsers, freezeUsers, type ManyUsers } from './many.ts'
export { addToPool } from './pools.ts'
export type { Reserve, ReserveLeft } from './reserve.ts'
export {
  type ListedUser,
  type ProxyUser,
  refuseBoth,
  userById,
  type UsedColumns,
  type UsedOfRows,
  userOf,
  usersById,
  usersOf,
  type UserKey,
  type UserSettings,
} from './rows.ts'
export { sealedUserPasswords } from './sealed.ts'
export { type Used, usedIn } from './used.ts'

/** A page of proxy users, and the number of the last one that was looked at; null: there are no more. */
interface UserPage {
  users: (ListedUser & UsedColumns)[]
  next: bigint | null
}

interface Listing {
  after: bigint
  limit: number
  passwords: boolean
  filter: UserFilter
  isDeleted: boolean
  used: UsedOfRows
}

/**
 * A page of the proxy users of an access that are not deleted, or of those that are, in the order in which they
 * were made, with what they used; with their passwords where they are asked for.
 */
export async function listUsers(
  db: Kysely<DB>,
  accessId: bigint,
  { after, limit, passwords, filter, isDeleted, used }: Listing,
): Promise<UserPage> {
  const users = await listedUsersWhere(
    db,
    sql`u.access_id = ${accessId} and u.deleted_at ${isDeleted ? sql`is not null` : sql`is null`} and u.nr > ${after} and ${matches(filter)}`,
    { limit: limit + 1, passwords, used },
  )
  const isMore = users.length > limit
  const page = users.slice(0, limit)
  return { users: page, next: isMore ? (page.at(-1)?.nr ?? null) : null }
}

/**
 * The proxy user of an access that a filter names: the one that is not deleted, else the newest of deleted ones.
 * Refuses with `user_not_found`.
 */
export async function findUser(db: Kysely<DB>, accessId: bigint, filter: UserFilter): Promise<ProxyUser> {
  for (const isDeleted of [false, true]) {
    const deleted = isDeleted ? sql`is not null` : sql`is null`
    const found = await usersWhere(
      db,
      sql`u.access_id = ${accessId} and u.deleted_at ${deleted} and ${matches(filter)}`,
      { limit: 1, newestFirst: true },
    )
    if (found[0] !== undefined) return found[0]
  }
  throw new Refusal('user_not_found')
}

/**
 * The access of a customer in a pool, how many proxy users it has that are not deleted, and the first part of
 * the logins of new ones. Refuses with `no_subuser`.
 */
export async function readTotals(
  db: Kysely<DB>,
  { accountId, pool }: { accountId: bigint; pool: string },
): Promise<{ accessId: bigint; count: number; prefix: string | null }> {
  const { rows } = await sql<{ accessId: bigint; count: number; prefix: string | null }>`
    select a.id as "accessId", a.proxy_users as count, l.user_prefix as prefix
    from access a left join proxy_login l on l.account_id = a.account_id
    where a.account_id = ${accountId} and a.pool = ${pool}`.execute(db)
  const [access] = rows
  if (access === undefined) throw new Refusal('no_subuser')
  return access
}

/** The names of all proxy users of an access, in batches. Deleted ones are included. */
export async function listNames(
  db: Kysely<DB>,
  accessId: bigint,
  { after, limit }: { after: bigint; limit: number },
) {
  const { rows } = await sql<{
    id: bigint
    nr: bigint
    login: string
    label: string
    externalId: string | null
  }>`
    select id, nr, login, label, external_id as "externalId" from proxy_user
    where access_id = ${accessId} and nr > ${after} order by nr limit ${limit}`.execute(db)
  return rows
}

/** The password in plain text, for the customer only; null: it was not read, or was sealed with another key. */
export const passwordOf = (secrets: Secrets, { id, passwordSealed }: ListedUser): string | null =>
  passwordSealed === undefined ? null : openOrNull(secrets, passwordSealed, aboutUserPassword(id))

/** The proxy users with this login, one for each of its pools, also deleted ones. */
export async function usersOfLogin(db: Kysely<DB>, login: string): Promise<ProxyUser[]> {
  return isProxyUserLogin(login) ? usersWhere(db, sql`u.login = ${login}`) : []
}

/** The proxy users with these logins that are not deleted, by login: one for each of its pools. */
export async function gatewayUsersByLogin(
  db: Kysely<DB>,
  logins: readonly string[],
): Promise<Map<string, GatewayUser[]>> {
  const possible = logins.filter(isProxyUserLogin)
  if (possible.length === 0) return new Map()
  const users = await gatewayUsersWhere(
    db,
    sql`u.login = any(${textArray(possible)}::text[]) and u.deleted_at is null`,
  )
  return Map.groupBy(users, ({ login }) => login)
}

/** A proxy user by its id, unless it is deleted; null: there is none. */
export async function gatewayUser(db: Kysely<DB>, id: bigint): Promise<GatewayUser | null> {
  const [user] = await gatewayUsersWhere(db, sql`u.id = ${id} and u.deleted_at is null`)
  return user ?? null
}
