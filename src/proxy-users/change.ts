/** Changing and deleting proxy users, announced to the gateways. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { announceChange, newPasswordAbout } from '#proxies'
import { closeReserve, type Reserve } from './reserve.ts'
import {
  isThis,
  type ProxyUser,
  refuseBoth,
  type UserKey,
  userOf,
  type UserSettings,
  usersOfAllPools,
  usersWhere,
} from './rows.ts'
import { aboutUserPassword } from './sealed.ts'
import { lockAccess, refuseTaken } from './taken.ts'

/** A proxy user, locked until the end of the transaction. Refuses with `user_not_found`. */
export async function lockedUser(tx: Transaction<DB>, key: UserKey): Promise<ProxyUser> {
  const [user] = await usersWhere(tx, isThis(key), { lock: true })
  if (user === undefined) throw new Refusal('user_not_found')
  return user
}

/**
 * Changes the given settings. Gateways are notified when the transaction commits, and within two seconds cut
 * the tunnels that are no longer allowed. Refuses with `user_not_found`, with `user_is_reserved` when the
 * reserve would change, and when another proxy user has the label or the external id.
 */
export async function changeUser(
  tx: Transaction<DB>,
  key: UserKey,
  changes: Partial<UserSettings>,
): Promise<ProxyUser> {
  const { label, externalId } = changes
  const isNamed = label !== undefined || externalId !== undefined
  const all = isNamed ? await usersOfAllPools(tx, key) : []
  const user = await lockedUser(tx, key)
  const { totalBytes = user.totalBytes } = changes
  if (user.isReserved && totalBytes !== user.totalBytes) throw new Refusal('user_is_reserved')
  for (const { accessId, nr, login } of all)
    await refuseTaken(tx, accessId, [{ nr, login, label, externalId }])
  const changed = { ...user, ...changes }
  refuseBoth(changed)
  await write(tx, key, changed)
  for (const { id } of all)
    await sql`
      update proxy_user set label = ${changed.label}, external_id = ${changed.externalId}
      where id = ${id}`.execute(tx)
  await announce(tx, user)
  return lockedUser(tx, key)
}

/**
 * Freezes a proxy user in all of its pools, whose tunnels are cut within two seconds, or frees it again.
 * Refuses with `user_not_found`.
 */
export async function freezeUser(
  tx: Transaction<DB>,
  key: UserKey,
  { isFrozen, now }: { isFrozen: boolean; now: Date },
): Promise<ProxyUser> {
  for (const one of await usersOfAllPools(tx, key)) {
    if ((one.frozenAt !== null) === isFrozen) continue
    await sql`
      update proxy_user set frozen_at = ${isFrozen ? now : null}::timestamptz where id = ${one.id}`.execute(
      tx,
    )
    await announce(tx, one)
  }
  return lockedUser(tx, key)
}

/**
 * Sets a new password, in all of its pools; tunnels with the old one are cut within two seconds. Refuses with
 * `user_not_found`.
 */
export async function renewPassword(tx: Transaction<DB>, secrets: Secrets, key: UserKey): Promise<ProxyUser> {
  const all = await usersOfAllPools(tx, key)
  // Sealed again for each.
  const { password, password_sha256 } = newPasswordAbout(secrets, '')
  for (const one of all) {
    const sealed = secrets.seal(password, aboutUserPassword(one.id))
    await sql`
      update proxy_user set password_sealed = ${sealed}, password_sha256 = ${password_sha256}
      where id = ${one.id}`.execute(tx)
    await announce(tx, one)
  }
  return lockedUser(tx, key)
}

/**
 * Deletes a proxy user: its password is replaced by an unknown one, its label and other settings are removed,
 * and its tunnels are cut. The row stays, because late reports may name it. Its reserve returns to the free
 * traffic of the access: at once, except bytes that gateways hold on lease.
 */
export async function deleteUser(
  tx: Transaction<DB>,
  { secrets, reserve }: { secrets: Secrets; reserve: Reserve },
  key: UserKey,
): Promise<void> {
  const { isReserved } = await userOf(tx, key)
  if (isReserved) await reserve.lock(tx, key.accessId)
  await lockAccess(tx, key.accessId)
  const user = await lockedUser(tx, key)
  const { password_sealed, password_sha256 } = newPasswordAbout(secrets, aboutUserPassword(user.id))
  await sql`
    update proxy_user set deleted_at = now(), label = '', external_id = null, allowed_hosts = '{}', countries = '{}', denied_countries = '{}', addresses = '{}',
      password_sealed = ${password_sealed}, password_sha256 = ${password_sha256}
    where id = ${user.id}`.execute(tx)
  await sql`update access set proxy_users = greatest(proxy_users - 1, 0) where id = ${key.accessId}`.execute(
    tx,
  )
  if (isReserved) await closeReserve(tx, reserve, user)
  await announce(tx, user)
}

async function write(tx: Transaction<DB>, { accessId, nr }: UserKey, settings: UserSettings): Promise<void> {
  await sql`
    update proxy_user set label = ${settings.label}, external_id = ${settings.externalId}, total_bytes = ${settings.totalBytes}, day_bytes = ${settings.dayBytes},
      month_bytes = ${settings.monthBytes}, connections = ${settings.connections}, expires_at = ${settings.expiresAt},
      allowed_hosts = ${settings.allowedHosts}::text[], countries = ${settings.countries}::text[],
      denied_countries = ${settings.deniedCountries}::text[], no_double_tariff = ${settings.noDoubleTariff},
      addresses = ${settings.addresses}::text[]
    where access_id = ${accessId} and nr = ${nr}`.execute(tx)
}

/** Notifies the gateways, which also give back leases, because a lowered limit may no longer cover them. */
async function announce(tx: Transaction<DB>, { id, login }: ProxyUser): Promise<void> {
  await announceChange(tx, login)
  await recallLeases(tx, id)
}

/** Asks all gateways to return their leases of a proxy user. */
export async function recallLeases(tx: Transaction<DB>, id: bigint): Promise<void> {
  const recall = printAnnouncement({ type: 'lease_recalled', access: id })
  await sql`select pg_notify(${feedChannel}, ${recall})`.execute(tx)
}
