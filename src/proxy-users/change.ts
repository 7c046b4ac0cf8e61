/** Changing and deleting proxy users, announced to the gateways. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { chosenPasswordAbout, randomPassword } from '#proxies'
import { announceUsers } from './announce.ts'
import { isTaken, refuseLogins, refuseWeak } from './logins.ts'
import { deleteUsers, freezeLocked, type Freezing } from './many.ts'
import type { Reserve } from './reserve.ts'
import {
  isThis,
  type ProxyUser,
  refuseBoth,
  type UserKey,
  type UserSettings,
  usersOfAllPools,
  usersWhere,
} from './rows.ts'
import { aboutUserPassword } from './sealed.ts'
import { refuseTaken } from './taken.ts'

/** A proxy user, locked until the end of the transaction. Refuses with `user_not_found`. */
export async function lockedUser(tx: Transaction<DB>, key: UserKey): Promise<ProxyUser> {
  const [user] = await usersWhere(tx, isThis(key), { lock: true })
  if (user === undefined) throw new Refusal('user_not_found')
  return user
}

/** A proxy user in all of its pools, locked, by access. Refuses with `user_not_found`. */
export async function inAllPools(tx: Transaction<DB>, { accessId, nr }: UserKey): Promise<ProxyUser[]> {
  const all = await usersOfAllPools(tx, accessId, [nr])
  if (all.length === 0) throw new Refusal('user_not_found')
  return all
}

/**
 * Changes the given settings. Gateways are notified when the transaction commits, and within two seconds cut
 * the tunnels that are no longer allowed. Refuses with `user_not_found`, with `user_is_reserved` when the
 * reserve would change, and when another proxy user has the label, the external id or the login.
 */
export async function changeUser(
  tx: Transaction<DB>,
  key: UserKey,
  changes: Partial<UserSettings>,
  chosen: (Chosen & { secrets: Secrets }) | null = null,
): Promise<ProxyUser> {
  const { label, externalId, metadata } = changes
  const isOfAll = chosen !== null || [label, externalId, metadata].some((value) => value !== undefined)
  const all = isOfAll ? await inAllPools(tx, key) : []
  const user = await lockedUser(tx, key)
  const { totalBytes = user.totalBytes } = changes
  if (user.isReserved && totalBytes !== user.totalBytes) throw new Refusal('user_is_reserved')
  for (const { accessId, nr, login } of all)
    await refuseTaken(tx, accessId, [{ nr, login, label, externalId }])
  const settings = { ...user, ...changes }
  refuseBoth(settings)
  await write(tx, key, settings)
  for (const { id } of all)
    await sql`
      update proxy_user set label = ${settings.label}, external_id = ${settings.externalId},
        metadata = ${JSON.stringify(settings.metadata)}::jsonb
      where id = ${id}`.execute(tx)
  if (chosen !== null) await choose(tx, chosen, all)
  const changed = await lockedUser(tx, key)
  // A gateway may have cached that nobody has the new login.
  for (const one of all.length === 0 ? [user] : all)
    await announceUsers(
      tx,
      one.accessId,
      changed.login === one.login ? [one] : [one, { login: changed.login, nr: one.nr }],
    )
  return changed
}

/** What a customer chooses in place of a random one. */
export interface Chosen {
  login?: string | undefined
  password?: string | undefined
}

/** Sets the login and the password that the customer chose, in all pools. */
async function choose(
  tx: Transaction<DB>,
  { login, password, secrets }: Chosen & { secrets: Secrets },
  all: readonly ProxyUser[],
): Promise<void> {
  const [one] = all
  if (one === undefined) return
  refuseWeak(password, login ?? one.login)
  if (login !== undefined && login !== one.login) {
    await refuseLogins(tx, one.accessId, [login])
    // Also of deleted ones that share it: the first of them is locked for all.
    await sql`update proxy_user set login = ${login} where login = ${one.login}`
      .execute(tx)
      .catch((error: unknown) => {
        throw isTaken(error) ? new Refusal('user_login_taken') : error
      })
  }
  if (password !== undefined) await setPassword(tx, secrets, all, password)
}

/** Sets one password for proxy users; it is sealed for each. */
async function setPassword(
  tx: Transaction<DB>,
  secrets: Secrets,
  users: readonly ProxyUser[],
  password: string,
): Promise<void> {
  for (const { id } of users) {
    const { password_sealed, password_sha256 } = chosenPasswordAbout(secrets, aboutUserPassword(id), password)
    await sql`
      update proxy_user set password_sealed = ${password_sealed}, password_sha256 = ${password_sha256}
      where id = ${id}`.execute(tx)
  }
}

/**
 * Freezes a proxy user in all of its pools, whose tunnels are cut within two seconds, or frees it again.
 * Refuses with `user_not_found`.
 */
export async function freezeUser(
  tx: Transaction<DB>,
  { accessId, nr }: UserKey,
  freezing: Freezing,
): Promise<ProxyUser> {
  const all = await usersOfAllPools(tx, accessId, [nr])
  const changed = await freezeLocked(tx, all, freezing)
  const user = [...changed, ...all].find((one) => one.accessId === accessId && one.nr === nr)
  if (user === undefined) throw new Refusal('user_not_found')
  return user
}

/**
 * Sets a new password, in all of its pools; tunnels with the old one are cut within two seconds. Refuses with
 * `user_not_found`.
 */
export async function renewPassword(tx: Transaction<DB>, secrets: Secrets, key: UserKey): Promise<ProxyUser> {
  const all = await inAllPools(tx, key)
  await setPassword(tx, secrets, all, randomPassword())
  for (const one of all) await announceUsers(tx, one.accessId, [one])
  return lockedUser(tx, key)
}

/** Deletes a proxy user, as `deleteUsers` does. Refuses with `user_not_found`. */
export async function deleteUser(
  tx: Transaction<DB>,
  deps: { secrets: Secrets; reserve: Reserve },
  { accessId, nr }: UserKey,
): Promise<void> {
  const deleted = await deleteUsers(tx, deps, { accessId, numbers: [nr] })
  if (deleted.length === 0) throw new Refusal('user_not_found')
}

async function write(tx: Transaction<DB>, { accessId, nr }: UserKey, settings: UserSettings): Promise<void> {
  await sql`
    update proxy_user set label = ${settings.label}, external_id = ${settings.externalId}, total_bytes = ${settings.totalBytes}, day_bytes = ${settings.dayBytes},
      month_bytes = ${settings.monthBytes}, connections = ${settings.connections}, expires_at = ${settings.expiresAt},
      allowed_hosts = ${settings.allowedHosts}::text[], countries = ${settings.countries}::text[],
      denied_countries = ${settings.deniedCountries}::text[], no_double_tariff = ${settings.noDoubleTariff},
      addresses = ${settings.addresses}::text[], metadata = ${JSON.stringify(settings.metadata)}::jsonb
    where access_id = ${accessId} and nr = ${nr}`.execute(tx)
}

/** Asks all gateways to return their leases of a proxy user. */
export async function recallLeases(tx: Transaction<DB>, id: bigint): Promise<void> {
  const recall = printAnnouncement({ type: 'lease_recalled', access: id })
  await sql`select pg_notify(${feedChannel}, ${recall})`.execute(tx)
}
