/** Proxy users, for tests. */
import type { Database } from '#db'
import { secretsOf } from '#lib/secret'
import { createUser, passwordOf, type ProxyUser, type UserSettings } from '#proxy-users'
import { transaction } from '#db'

export const userSecrets = secretsOf('a test key of more than thirty-two characters')

export const anySettings: UserSettings = {
  label: 'a proxy user',
  externalId: null,
  totalBytes: null,
  dayBytes: null,
  monthBytes: null,
  connections: null,
  expiresAt: null,
  allowedHosts: [],
  countries: [],
  addresses: [],
}

let labels = 0

/** A new proxy user of an access, with its password. */
export async function newUser(
  db: Database['db'],
  accessId: bigint,
  settings: Partial<UserSettings> = {},
): Promise<ProxyUser & { password: string }> {
  const named = { ...anySettings, label: `user ${++labels}`, ...settings }
  const made = { accessId, settings: named, most: 10_000 }
  const user = await transaction(db, (tx) => createUser(tx, userSecrets, made))
  return { ...user, password: passwordOf(userSecrets, user) ?? '' }
}
