/**
 * Proxy users: logins with a password and limits of their own that a customer gives to others. They use the
 * customer's traffic, so they are shares of one balance and no accounts. Traffic counts their bytes and keeps
 * their limits; gateways check the rest.
 */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { isProxyUserLogin } from '#feed/user.ids'
import { Refusal } from '#lib/refusal'
import { openOrNull, type Secrets } from '#lib/secret'
import { findAccess, type FoundAccess } from '#proxies'
import { isThis, type ProxyUser, type UserKey, usersWhere } from './rows.ts'
import { aboutUserPassword } from './sealed.ts'

export { changeUser, createUser, deleteUser, freezeUser, renewPassword } from './change.ts'
export { eraseUsers, userParts } from './export.and.erase.ts'
export { type ProxyUser, userById, type UserKey, type UserSettings } from './rows.ts'
export { sealedUserPasswords } from './sealed.ts'

/**
 * How many proxy users are read, and their passwords opened, in one turn of the event loop: a few
 * milliseconds.
 */
const usersAtOnce = 250

/**
 * The proxy users of a access that are not deleted, in the order in which they were made, some at a time.
 */
export async function* listUsers(db: Kysely<DB>, accessId: bigint): AsyncGenerator<ProxyUser[]> {
  let after = 0n
  for (;;) {
    const page = await usersWhere(
      db,
      sql`u.access_id = ${accessId} and u.deleted_at is null and u.nr > ${after}`,
      { limit: usersAtOnce },
    )
    const last = page.at(-1)
    if (last !== undefined) yield page
    if (last === undefined || page.length < usersAtOnce) return
    after = last.nr
  }
}

/** A proxy user of a access. Refuses with `user_not_found`. */
export async function userOf(db: Kysely<DB>, key: UserKey): Promise<ProxyUser> {
  const [user] = await usersWhere(db, isThis(key))
  if (user === undefined) throw new Refusal('user_not_found')
  return user
}

/** The password in plain text, for the customer only; null: it was sealed with another key. */
export const passwordOf = (secrets: Secrets, { id, passwordSealed }: ProxyUser): string | null =>
  openOrNull(secrets, passwordSealed, aboutUserPassword(id))

/** The proxy user with this login, also a deleted one; null: there is none. */
export async function userByLogin(db: Kysely<DB>, login: string): Promise<ProxyUser | null> {
  if (!isProxyUserLogin(login)) return null
  const [user] = await usersWhere(db, sql`u.login = ${login}`)
  return user ?? null
}

/**
 * The proxy user of a gateway's client, and the access who pays; null when there is none, or it is deleted.
 */
export async function findUser(
  db: Kysely<DB>,
  { login, pool }: { login: string; pool: string },
): Promise<{ user: ProxyUser; access: FoundAccess } | null> {
  if (!isProxyUserLogin(login)) return null
  const [user] = await usersWhere(db, sql`u.login = ${login} and u.deleted_at is null`)
  if (user === undefined) return null
  const access = await findAccess(db, { pool, id: user.accessId })
  return access === null ? null : { user, access }
}
