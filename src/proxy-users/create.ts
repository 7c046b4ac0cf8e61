/** Making proxy users, one or many in one transaction. */
import { setImmediate } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { mostNumber, proxyUserId } from '#feed/user.ids'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { chosenPasswordAbout, newPasswordAbout } from '#proxies'
import { announceUsers } from './announce.ts'
import type { Chosen } from './change.ts'
import { noteChanges } from './changes.ts'
import { newLogin, prefixOf, refuseLogins, refuseWeak } from './logins.ts'
import type { Reserve } from './reserve.ts'
import { type ProxyUser, type UserSettings, usersWhere } from './rows.ts'
import { aboutUserPassword, sealedAtOnce } from './sealed.ts'
import { refuseTaken } from './taken.ts'

/**
 * What is set for a new proxy user; `isReserved`: `totalBytes` are taken from the free traffic of the access.
 */
export interface NewUser extends UserSettings, Chosen {
  isReserved: boolean
}

/** The proxy users to make for one access; `most`: how many the access may have. */
interface Creation {
  accessId: bigint
  settings: readonly NewUser[]
  most: number
  reserve: Reserve
  /** The proxy user of another pool whose login they share, with its password; missing: each has its own. */
  shares?: { user: ProxyUser; password: string } | undefined
}

/** Makes one proxy user: see `createUsers`. */
export async function createUser(
  tx: Transaction<DB>,
  secrets: Secrets,
  { settings, ...rest }: Omit<Creation, 'settings'> & { settings: NewUser },
): Promise<ProxyUser> {
  const [made] = await createUsers(tx, secrets, { ...rest, settings: [settings] })
  if (made === undefined) throw new Error('a proxy user was made and is not there')
  return made
}

/**
 * Makes proxy users, each with a login and a password of its own, all or none, in the order of their
 * settings. Refuses with `too_many_users` when the access would have more than `most`, when another proxy
 * user has the label, the external id or the login, and with `reserve_not_covered`. Gateways are notified of
 * chosen logins only: they may have cached that nobody has them.
 */
export async function createUsers(
  tx: Transaction<DB>,
  secrets: Secrets,
  { accessId, settings, most, reserve, shares }: Creation,
): Promise<ProxyUser[]> {
  const count = settings.length
  if (settings.some(({ isReserved }) => isReserved)) await reserve.lock(tx, accessId)
  // Locks the access, so that concurrent transactions assign numbers and names one after the other.
  const { rows } = await sql<{ existing: number; last: bigint }>`
    update access set proxy_users = proxy_users + ${count}, last_proxy_user = last_proxy_user + ${count}
    where id = ${accessId} returning proxy_users as existing, last_proxy_user as last`.execute(tx)
  const [{ existing, last } = { existing: 0, last: 0n }] = rows
  if (existing > most || last > mostNumber) throw new Refusal('too_many_users', { limit: most })
  const first = last - BigInt(count) + 1n
  const numbered = settings.map((each, index) => ({
    ...each,
    nr: first + BigInt(index),
    login: shares?.user.login ?? each.login,
  }))
  await refuseTaken(tx, accessId, numbered)
  if (shares === undefined) {
    await refuseLogins(
      tx,
      accessId,
      numbered.map(({ login }) => login),
    )
    for (const { login, password } of numbered) refuseWeak(password, login)
  }
  const prefix = await prefixOf(tx, accessId)
  // In the order of logins, so that transactions that choose the same ones do not deadlock.
  const ordered = numbered.toSorted((one, other) => ((one.login ?? '') < (other.login ?? '') ? -1 : 1))
  for (let from = 0; from < count; from += sealedAtOnce) {
    if (from > 0) await setImmediate()
    await insert(tx, { secrets, accessId, prefix, shares }, ordered.slice(from, from + sealedAtOnce))
  }
  await announceUsers(
    tx,
    accessId,
    numbered.flatMap(({ login, nr }) => (login === undefined ? [] : [{ login, nr }])),
  )
  const reserved = numbered.flatMap(({ nr, isReserved, totalBytes }) =>
    isReserved && totalBytes !== null && totalBytes > 0n ? [{ accessId, nr, bytes: totalBytes }] : [],
  )
  const noted = await noteChanges(tx, reserved)
  const [change] = noted
  if (change !== undefined) {
    const bytes = reserved.reduce((sum, one) => sum + one.bytes, 0n)
    await reserve.move(tx, { accessId, bytes, reference: String(change) })
  }
  return usersWhere(tx, sql`u.access_id = ${accessId} and u.nr between ${first} and ${last}`)
}

type Numbered = NewUser & { nr: bigint }

/**
 * Inserts the rows under the chosen logins, under random ones that no other proxy user has, or under the one
 * that they share.
 */
async function insert(
  tx: Transaction<DB>,
  {
    secrets,
    accessId,
    prefix,
    shares,
  }: Pick<Creation, 'accessId' | 'shares'> & { secrets: Secrets; prefix: string | null },
  users: readonly Numbered[],
): Promise<void> {
  for (let left = users; left.length > 0;) {
    const rows = left.map((user) => {
      const about = aboutUserPassword(proxyUserId(accessId, user.nr, user.isReserved))
      const { password_sealed, password_sha256 } =
        shares === undefined
          ? user.password === undefined
            ? newPasswordAbout(secrets, about)
            : chosenPasswordAbout(secrets, about, user.password)
          : {
              password_sealed: secrets.seal(shares.password, about),
              password_sha256: shares.user.passwordSha256,
            }
      return {
        ...user,
        login: user.login ?? newLogin(prefix),
        sealed: password_sealed.toString('hex'),
        sha256: password_sha256.toString('hex'),
      }
    })
    const inserted = await sql<{ nr: bigint }>`
      insert into proxy_user (access_id, shares_login_of, nr, login, password_sealed, password_sha256, label, external_id, total_bytes,
        day_bytes, month_bytes, connections, expires_at, allowed_hosts, countries, denied_countries, no_double_tariff, addresses, is_reserved, metadata)
      select ${accessId}, ${shares?.user.id ?? null}::bigint, one.nr::bigint, one.login, decode(one.sealed, 'hex'), decode(one.sha256, 'hex'), one.label, one.external_id,
        one.total_bytes::bigint, one.day_bytes::bigint, one.month_bytes::bigint, one.connections::integer,
        one.expires_at::timestamptz, one.allowed_hosts, one.countries, one.denied_countries, one.no_double_tariff, one.addresses, one.is_reserved, one.metadata
      from jsonb_to_recordset(${JSON.stringify(rows.map(rowOf))}::jsonb) as one(nr text, login text, sealed text, sha256 text,
        label text, external_id text, total_bytes text, day_bytes text, month_bytes text, connections text,
        expires_at text, allowed_hosts text[], countries text[], denied_countries text[], no_double_tariff boolean, addresses text[], is_reserved boolean, metadata jsonb)
      on conflict (login) where shares_login_of is null do nothing returning nr`.execute(tx)
    const done = new Set(inserted.rows.map(({ nr }) => nr))
    left = left.filter(({ nr }) => !done.has(nr))
    if (left.some(({ login }) => login !== undefined)) throw new Refusal('user_login_taken')
  }
}

const text = (value: bigint | number | null) => (value === null ? null : String(value))

const rowOf = (user: Numbered & { login: string; sealed: string; sha256: string }) => ({
  nr: String(user.nr),
  login: user.login,
  sealed: user.sealed,
  sha256: user.sha256,
  label: user.label,
  external_id: user.externalId,
  total_bytes: text(user.totalBytes),
  day_bytes: text(user.dayBytes),
  month_bytes: text(user.monthBytes),
  connections: text(user.connections),
  expires_at: user.expiresAt?.toISOString() ?? null,
  allowed_hosts: user.allowedHosts,
  countries: user.countries,
  denied_countries: user.deniedCountries,
  no_double_tariff: user.noDoubleTariff,
  addresses: user.addresses,
  is_reserved: user.isReserved,
  metadata: user.metadata,
})
