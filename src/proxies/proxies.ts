/** Customers' access to the pools: the login, one for all pools, and each pool's proxy password. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { PlaceRules } from '#contract/proxy-users/rules'
import { type DB, gathered } from '#db'
import { Refusal } from '#lib/refusal'
import { openOrNull, randomText, type Secrets } from '#lib/secret'
import { announceChange, loginAlphabet, newPassword } from './credentials.ts'
import { aboutPassword } from './sealed.ts'

export type { Secrets } from '#lib/secret'
export {
  announceChange,
  announceSlots,
  chosenPasswordAbout,
  loginAlphabet,
  newPasswordAbout,
  randomPassword,
} from './credentials.ts'
export { type Ended, endConnections, type Ending, endedOf, forgetEnded } from './ended.ts'
export { eraseProxies, proxyParts } from './export.and.erase.ts'
export { savedSlot, savedTargeting } from './saved.ts'
export { sealedProxyPasswords } from './sealed.ts'

interface AccessKey {
  accountId: bigint
  pool: Pool
}

/** A proxy user whose lines are made, with the places that it may use. */
export interface LineUser extends PlaceRules {
  number: number
  login: string
  password: string | null
}

export interface Access extends AccessKey {
  id: bigint
  login: string
  /**
   * Null: it is sealed with a key that this process does not have. Gateways still accept it, because they
   * compare its digest.
   */
  password: string | null
}

/**
 * Grants the customer access to the pool, with a new password, unless they have it: then nothing changes. Any
 * number of processes may do so concurrently. Gateways are notified of a new one when the transaction
 * commits.
 */
export async function ensureAccess(
  tx: Kysely<DB>,
  secrets: Secrets,
  key: AccessKey,
): Promise<{ id: bigint }> {
  const existing = await idOf(tx, key)
  if (existing !== undefined) return existing
  const login = await ensureLogin(tx, key.accountId)
  const { password_sealed, password_sha256 } = newPassword(secrets, key)
  const made = await tx
    .insertInto('access')
    .values({ account_id: key.accountId, pool: key.pool, login, password_sealed, password_sha256 })
    // Another process was first with one of the unique keys; the login is this customer's in any case.
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made === undefined) {
    const theirs = await idOf(tx, key)
    if (theirs === undefined) throw new Error('the access that conflicted with a new one does not exist')
    return theirs
  }
  await announceChange(tx, login)
  return made
}

function idOf(db: Kysely<DB>, { accountId, pool }: AccessKey): Promise<{ id: bigint } | undefined> {
  return db
    .selectFrom('access')
    .select('id')
    .where('account_id', '=', accountId)
    .where('pool', '=', pool)
    .executeTakeFirst()
}

async function ensureLogin(tx: Kysely<DB>, accountId: bigint): Promise<string> {
  for (;;) {
    // Nothing is inserted when the customer has a login, which ends the loop, or when another customer has
    // this one, which repeats it.
    await tx
      .insertInto('proxy_login')
      .values({ account_id: accountId, login: `tp${randomText(6, loginAlphabet)}` })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const row = await tx
      .selectFrom('proxy_login')
      .select('login')
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    if (row !== undefined) return row.login
  }
}

/**
 * Sets a new proxy password for the pool; the old one becomes invalid with the transaction, and gateways cut
 * its open tunnels. Refuses a customer who has never had traffic in the pool: `no_subuser`.
 */
export async function resetPassword(tx: Kysely<DB>, secrets: Secrets, key: AccessKey): Promise<string> {
  const { password, ...columns } = newPassword(secrets, key)
  const row = await tx
    .updateTable('access')
    .set(columns)
    .where('account_id', '=', key.accountId)
    .where('pool', '=', key.pool)
    .returning('login')
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('no_subuser')
  await announceChange(tx, row.login)
  return password
}

/**
 * The pools a customer has access to, with the passwords in plain text: to be shown to that customer only.
 */
export const accessesOf = async (db: Kysely<DB>, secrets: Secrets, accountId: bigint): Promise<Access[]> =>
  ((await readAccesses(db, accountId)) ?? []).map((row) => accessIn(secrets, accountId, row))

interface AccessRow {
  id: bigint
  accountId: bigint
  pool: Pool
  login: string
  sealed: Buffer
}

/** The accesses of customers, in the order of their ids. */
const readAccesses = gathered<bigint, AccessRow[]>(async (db, accountIds) => {
  const { rows } = await sql<AccessRow>`
    select id, account_id as "accountId", pool, login, password_sealed as sealed
    from access where account_id = any(${accountIds}::bigint[]) order by id`.execute(db)
  return Map.groupBy(rows, ({ accountId }) => accountId)
})

const accessIn = (secrets: Secrets, accountId: bigint, { id, pool, login, sealed }: AccessRow): Access => ({
  id,
  accountId,
  pool,
  login,
  password: passwordIn(secrets, { accountId, pool }, sealed),
})

const passwordIn = (secrets: Secrets, key: { accountId: bigint; pool: string }, sealed: Buffer) =>
  openOrNull(secrets, sealed, aboutPassword(key))

/** A value of `passwordsJson`. */
export type PasswordsJson = Record<string, string>

/** SQL for the sealed passwords of a customer by pool, as one value of another statement. */
export const passwordsJson = (accountId: RawBuilder<unknown>): RawBuilder<PasswordsJson> =>
  sql`(select coalesce(json_object_agg(access.pool, encode(access.password_sealed, 'hex')), '{}')
    from access where access.account_id = ${accountId})`

/** Reads a value of `passwordsJson`: the passwords by pool, as `accessesOf` gives them. */
export const readPasswords = (
  secrets: Secrets,
  accountId: bigint,
  json: PasswordsJson,
): Map<string, string | null> =>
  new Map(
    Object.entries(json).map(([pool, hex]) => [
      pool,
      passwordIn(secrets, { accountId, pool }, Buffer.from(hex, 'hex')),
    ]),
  )

/** A customer's access to one pool, or null when they have never had traffic in it. */
export async function accessOf(db: Kysely<DB>, secrets: Secrets, key: AccessKey): Promise<Access | null> {
  const rows = (await readAccesses(db, key.accountId)) ?? []
  const row = rows.find(({ pool }) => pool === key.pool)
  return row === undefined ? null : accessIn(secrets, key.accountId, row)
}

export interface FoundAccess {
  id: bigint
  accountId: bigint
  login: string
  pool: string
  passwordSha256: Buffer
  blocked: boolean
  /** Whether connections of its login were ended lately. */
  hasEnded: boolean
}

type WhoseAccess = { login: string } | { accountId: bigint } | { id: bigint }

function isTheirs(key: WhoseAccess) {
  if ('login' in key) return sql<boolean>`access.login = ${key.login}`
  if ('id' in key) return sql<boolean>`access.id = ${key.id}`
  return sql<boolean>`access.account_id = ${key.accountId}`
}

/**
 * The customer of a gateway's client, or null: by the login presented, whose password the gateway compares
 * itself, by the owner, or by its id.
 */
export async function findAccess(
  db: Kysely<DB>,
  key: { pool: string } & WhoseAccess,
): Promise<FoundAccess | null> {
  const row = await db
    .selectFrom('access')
    .innerJoin('account', 'account.id', 'access.account_id')
    .select([
      'access.id as id',
      'access.account_id as accountId',
      'access.login as login',
      'access.pool as pool',
      'access.password_sha256 as passwordSha256',
      'account.blocked_at as blockedAt',
      sql<boolean>`exists (select from ended_connection e where e.holder_id = access.id)`.as('hasEnded'),
    ])
    .where('access.pool', '=', key.pool)
    .where(isTheirs(key))
    .executeTakeFirst()
  if (row === undefined) return null
  const { blockedAt, ...access } = row
  return { ...access, blocked: blockedAt !== null }
}
