/** Making, changing and deleting proxy users, announced to the gateways. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { mostNumber, proxyUserId } from '#feed/user.ids'
import { Refusal } from '#lib/refusal'
import { randomText, type Secrets } from '#lib/secret'
import { announceChange, loginAlphabet, newPasswordAbout } from '#proxies'
import { isThis, type ProxyUser, type UserKey, type UserSettings, usersWhere } from './rows.ts'
import { aboutUserPassword } from './sealed.ts'

const loginLength = 11

async function lockedUser(tx: Transaction<DB>, key: UserKey): Promise<ProxyUser> {
  const [user] = await usersWhere(tx, isThis(key), { lock: true })
  if (user === undefined) throw new Refusal('user_not_found')
  return user
}

/**
 * Makes a proxy user with a login and a password of its own. Refuses with `too_many_users` more than `most`
 * of a access, and with `user_label_taken` a label that another one has.
 */
export async function createUser(
  tx: Transaction<DB>,
  secrets: Secrets,
  { accessId, settings, most }: { accessId: bigint; settings: UserSettings; most: number },
): Promise<ProxyUser> {
  // Numbers of the access are drawn one after the other.
  await sql`select from access where id = ${accessId} for no key update`.execute(tx)
  const { rows } = await sql<{ last: bigint; existing: number }>`
    select coalesce(max(nr), 0)::bigint as last, (count(*) filter (where deleted_at is null))::int as existing
    from proxy_user where access_id = ${accessId}`.execute(tx)
  const [{ last, existing } = { last: 0n, existing: 0 }] = rows
  if (existing >= most || last >= mostNumber) throw new Refusal('too_many_users', { limit: most })
  const key = { accessId, nr: last + 1n }
  await refuseTaken(tx, key, settings.label)
  const id = proxyUserId(accessId, key.nr)
  const { password_sealed, password_sha256 } = newPasswordAbout(secrets, aboutUserPassword(id))
  const login = await insert(tx, key, { password_sealed, password_sha256, label: settings.label })
  await write(tx, key, settings)
  await announceChange(tx, login)
  return lockedUser(tx, key)
}

interface NewUser {
  label: string
  password_sealed: Buffer
  password_sha256: Buffer
}

/** Inserts the row under a random login that no account has, which it returns. */
async function insert(
  tx: Transaction<DB>,
  { accessId, nr }: UserKey,
  { label, password_sealed, password_sha256 }: NewUser,
): Promise<string> {
  for (;;) {
    const login = `u${randomText(loginLength, loginAlphabet)}`
    const { rows } = await sql`
      insert into proxy_user (access_id, nr, login, password_sealed, password_sha256, label)
      values (${accessId}, ${nr}, ${login}, ${password_sealed}, ${password_sha256}, ${label})
      on conflict (login) do nothing returning 1`.execute(tx)
    if (rows.length > 0) return login
  }
}

/**
 * Changes what is given; the gateways are told when the transaction commits, and cut within two seconds what
 * is not allowed any more. Refuses with `user_not_found` and `user_label_taken`.
 */
export async function changeUser(
  tx: Transaction<DB>,
  key: UserKey,
  changes: Partial<UserSettings>,
): Promise<ProxyUser> {
  const user = await lockedUser(tx, key)
  if (changes.label !== undefined) await refuseTaken(tx, key, changes.label)
  await write(tx, key, { ...user, ...changes })
  await announce(tx, user)
  return lockedUser(tx, key)
}

/**
 * Freezes a proxy user, whose tunnels are cut within two seconds, or frees it again. Refuses with
 * `user_not_found`.
 */
export async function freezeUser(
  tx: Transaction<DB>,
  key: UserKey,
  { isFrozen, now }: { isFrozen: boolean; now: Date },
): Promise<ProxyUser> {
  const user = await lockedUser(tx, key)
  if ((user.frozenAt !== null) === isFrozen) return user
  await sql`
    update proxy_user set frozen_at = ${isFrozen ? now : null}::timestamptz where id = ${user.id}`.execute(tx)
  await announce(tx, user)
  return lockedUser(tx, key)
}

/**
 * Sets a new password; tunnels with the old one are cut within two seconds. Refuses with `user_not_found`.
 */
export async function renewPassword(tx: Transaction<DB>, secrets: Secrets, key: UserKey): Promise<ProxyUser> {
  const user = await lockedUser(tx, key)
  const { password_sealed, password_sha256 } = newPasswordAbout(secrets, aboutUserPassword(user.id))
  await sql`
    update proxy_user set password_sealed = ${password_sealed}, password_sha256 = ${password_sha256}
    where id = ${user.id}`.execute(tx)
  await announce(tx, user)
  return lockedUser(tx, key)
}

/**
 * Deletes a proxy user: its password becomes one that nobody knows, what it was made for is removed, and its
 * tunnels are cut. The row stays, because late reports may name it.
 */
export async function deleteUser(tx: Transaction<DB>, secrets: Secrets, key: UserKey): Promise<void> {
  const user = await lockedUser(tx, key)
  const { password_sealed, password_sha256 } = newPasswordAbout(secrets, aboutUserPassword(user.id))
  await sql`
    update proxy_user set deleted_at = now(), label = '', allowed_hosts = '{}', countries = '{}', addresses = '{}',
      password_sealed = ${password_sealed}, password_sha256 = ${password_sha256}
    where id = ${user.id}`.execute(tx)
  await announce(tx, user)
}

async function refuseTaken(tx: Transaction<DB>, { accessId, nr }: UserKey, label: string): Promise<void> {
  // Labels of a access are chosen one after the other, so that the unique index never has to refuse.
  await sql`select from access where id = ${accessId} for no key update`.execute(tx)
  const { rows } = await sql`
    select from proxy_user
    where access_id = ${accessId} and nr <> ${nr} and lower(label) = lower(${label}) and deleted_at is null`.execute(
    tx,
  )
  if (rows.length > 0) throw new Refusal('user_label_taken')
}

async function write(tx: Transaction<DB>, { accessId, nr }: UserKey, settings: UserSettings): Promise<void> {
  await sql`
    update proxy_user set label = ${settings.label}, total_bytes = ${settings.totalBytes}, day_bytes = ${settings.dayBytes},
      month_bytes = ${settings.monthBytes}, connections = ${settings.connections}, expires_at = ${settings.expiresAt},
      allowed_hosts = ${settings.allowedHosts}::text[], countries = ${settings.countries}::text[],
      addresses = ${settings.addresses}::text[]
    where access_id = ${accessId} and nr = ${nr}`.execute(tx)
}

/** Tells the gateways; they also give back leases, which a limit may no longer cover. */
async function announce(tx: Transaction<DB>, { id, login }: ProxyUser): Promise<void> {
  await announceChange(tx, login)
  const recall = printAnnouncement({ type: 'lease_recalled', access: id })
  await sql`select pg_notify(${feedChannel}, ${recall})`.execute(tx)
}
