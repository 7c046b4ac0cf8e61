/** Freezing and deleting many proxy users in one transaction. */
import { setImmediate } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import type { Secrets } from '#lib/secret'
import { newPasswordAbout } from '#proxies'
import { announceUsers, announcing, changedUsers } from './announce.ts'
import { closeReserves, type Reserve } from './reserve.ts'
import { type ProxyUser, usersOf, usersOfAllPools } from './rows.ts'
import { aboutUserPassword, sealedAtOnce } from './sealed.ts'
import { lockAccess } from './taken.ts'

/** Proxy users of one access. */
export interface ManyUsers {
  accessId: bigint
  numbers: readonly bigint[]
  /** Selects those to act on, after all are locked; unset: all. */
  select?: ((tx: Transaction<DB>) => Promise<ReadonlySet<bigint>>) | undefined
}

/**
 * Freezes proxy users in all of their pools, or frees them again. Returns the changed ones of the access:
 * deleted ones, and those that were so before, are left out. Rows are locked in the order of numbers, so
 * concurrent calls do not deadlock.
 */
export async function freezeUsers(
  tx: Transaction<DB>,
  many: ManyUsers,
  freezing: Freezing,
): Promise<ProxyUser[]> {
  const locked = await usersOfAllPools(tx, many.accessId, many.numbers)
  const selected = await selectedLogins(tx, many, locked)
  const changed = await freezeLocked(
    tx,
    locked.filter(({ login }) => selected.has(login)),
    freezing,
  )
  return changed.filter(({ accessId }) => accessId === many.accessId)
}

export interface Freezing {
  isFrozen: boolean
  now: Date
}

/** Freezes or frees locked proxy users. Returns those that it changed, as they are after it. */
export async function freezeLocked(
  tx: Transaction<DB>,
  locked: readonly ProxyUser[],
  { isFrozen, now }: Freezing,
): Promise<ProxyUser[]> {
  const frozenAt = isFrozen ? now : null
  const changed = locked.filter((user) => (user.frozenAt !== null) !== isFrozen)
  if (changed.length === 0) return []
  const events = [...Map.groupBy(changed, ({ accessId }) => accessId)].flatMap(([accessId, users]) =>
    changedUsers(accessId, users),
  )
  await sql`
    with frozen as (
      update proxy_user set frozen_at = ${frozenAt}::timestamptz
      where id = any(${bigintArray(changed.map(({ id }) => id))}::bigint[])
    )
    ${announcing(events)}`.execute(tx)
  return changed.map((user) => ({ ...user, frozenAt }))
}

async function selectedLogins(
  tx: Transaction<DB>,
  { accessId, select }: ManyUsers,
  locked: readonly ProxyUser[],
): Promise<Set<string>> {
  const selected = await select?.(tx)
  const chosen = locked.filter(
    (user) => selected === undefined || (user.accessId === accessId && selected.has(user.nr)),
  )
  return new Set(chosen.map(({ login }) => login))
}

/**
 * Deletes proxy users, and returns those that it deleted. Passwords are replaced by unknown ones, settings
 * are removed, and tunnels are cut. The rows stay with their names: late reports may name them, and the
 * customer reads their history. Reserves return to the free traffic of the access: at once, except bytes that
 * gateways hold on lease.
 */
export async function deleteUsers(
  tx: Transaction<DB>,
  { secrets, reserve }: { secrets: Secrets; reserve: Reserve },
  many: ManyUsers,
): Promise<ProxyUser[]> {
  const { accessId } = many
  const found = await usersOf(tx, accessId, many.numbers)
  if (found.length === 0) return []
  if (found.some(({ isReserved }) => isReserved)) await reserve.lock(tx, accessId)
  await lockAccess(tx, accessId)
  const locked = await usersOf(tx, many.accessId, many.numbers, { lock: true })
  const selected = await many.select?.(tx)
  const users = locked.filter(({ nr }) => selected?.has(nr) ?? true)
  for (let from = 0; from < users.length; from += sealedAtOnce) {
    if (from > 0) await setImmediate()
    await remove(tx, secrets, users.slice(from, from + sealedAtOnce))
  }
  await sql`
    update access set proxy_users = greatest(proxy_users - ${users.length}, 0) where id = ${accessId}`.execute(
    tx,
  )
  await closeReserves(tx, { reserve, accessId }, users)
  await announceUsers(tx, accessId, users)
  return users
}

async function remove(tx: Transaction<DB>, secrets: Secrets, users: readonly ProxyUser[]): Promise<void> {
  const passwords = users.map(({ id }) => newPasswordAbout(secrets, aboutUserPassword(id)))
  await sql`
    update proxy_user u set deleted_at = now(), allowed_hosts = '{}', countries = '{}',
      denied_countries = '{}', addresses = '{}',
      password_sealed = decode(one.sealed, 'hex'), password_sha256 = decode(one.sha256, 'hex')
    from unnest(
      ${bigintArray(users.map(({ id }) => id))}::bigint[],
      ${textArray(passwords.map((one) => one.password_sealed.toString('hex')))}::text[],
      ${textArray(passwords.map((one) => one.password_sha256.toString('hex')))}::text[]
    ) as one(id, sealed, sha256) where u.id = one.id`.execute(tx)
}

/** Removes the rows of deleted proxy users, with their names and their history. */
export async function forgetUsers(tx: Transaction<DB>, ids: readonly bigint[]): Promise<void> {
  const these = bigintArray(ids)
  for (const table of ['proxy_user_metadata', 'proxy_user_change'])
    await sql`
      delete from ${sql.table(table)} t using proxy_user u
      where u.id = any(${these}::bigint[]) and t.access_id = u.access_id and t.nr = u.nr`.execute(tx)
  await sql`delete from proxy_user where id = any(${these}::bigint[])`.execute(tx)
}
