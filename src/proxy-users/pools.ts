/** Proxy users of several pools that share one login. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { openOrNull, type Secrets } from '#lib/secret'
import { inAllPools, lockedUser } from './change.ts'
import { createUser, type NewUser } from './create.ts'
import type { Reserve } from './reserve.ts'
import { type ProxyUser, type UserKey, usersWhere } from './rows.ts'
import { aboutUserPassword } from './sealed.ts'
import { lockAccess } from './taken.ts'

/** What a proxy user may do in another pool: all settings but those that are the same in all pools. */
interface OtherPool {
  accessId: bigint
  settings: Omit<NewUser, 'label' | 'externalId' | 'metadata'>
  /** How many proxy users the access may have. */
  most: number
  reserve: Reserve
}

/**
 * Lets the login of a proxy user be used in another pool of the customer, within limits of that pool: a
 * further proxy user there, with the same login, password, name and external id. Refuses with
 * `user_not_found`, `user_in_pool`, `proxy_password_unreadable`, and as making a proxy user does.
 */
export async function addToPool(
  tx: Transaction<DB>,
  secrets: Secrets,
  source: UserKey,
  { accessId, settings, most, reserve }: OtherPool,
): Promise<ProxyUser> {
  // The order of locks: the meter of a reserve, the access, its proxy users.
  if (settings.isReserved) await reserve.lock(tx, accessId)
  await lockAccess(tx, accessId)
  await inAllPools(tx, source)
  const user = await lockedUser(tx, source)
  const [there] = await usersWhere(
    tx,
    sql`u.access_id = ${accessId} and u.login = ${user.login} and u.deleted_at is null`,
  )
  if (there !== undefined) throw new Refusal('user_in_pool', { number: Number(there.nr) })
  const password = openOrNull(secrets, user.passwordSealed, aboutUserPassword(user.id))
  if (password === null) throw new Refusal('proxy_password_unreadable')
  const { label, externalId, metadata, frozenAt } = user
  const made = await createUser(tx, secrets, {
    accessId,
    settings: { ...settings, label, externalId, metadata },
    most,
    reserve,
    shares: { user, password },
  })
  if (frozenAt !== null)
    await sql`update proxy_user set frozen_at = ${frozenAt} where id = ${made.id}`.execute(tx)
  return { ...made, frozenAt }
}
