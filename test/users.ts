/** Proxy users, for tests. */
import type { Database } from '#db'
import { secretsOf } from '#lib/secret'
import { createUser, type NewUser, passwordOf, type ProxyUser } from '#proxy-users'
import { transaction } from '#db'
import { userReserve } from '#traffic'
import { unlimited } from '../src/proxy-users/wire.ts'

export const userSecrets = secretsOf('a test key of more than thirty-two characters')

export const anySettings: NewUser = { ...unlimited, label: 'a proxy user', isReserved: false }

let labels = 0

/** A new proxy user of an access, with its password. */
export async function newUser(
  db: Database['db'],
  accessId: bigint,
  settings: Partial<NewUser> = {},
): Promise<ProxyUser & { password: string }> {
  const named = { ...anySettings, label: `user ${++labels}`, ...settings }
  const made = { accessId, settings: named, most: 10_000, reserve: userReserve }
  const user = await transaction(db, (tx) => createUser(tx, userSecrets, made))
  return { ...user, password: passwordOf(userSecrets, user) ?? '' }
}
