/** Sessions: opaque tokens of 256 bits, of which the database stores only the SHA-256. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { LanguageCode } from '#contract/language'
import type { TeamRole } from '#contract/acting/roles'
import { type DB, gathered, prepared, transaction } from '#db'
import type { Caller } from '#db/call'
import { randomToken, sha256 } from '#lib/secret'
import { forgetDevices, noteDevice } from './device.ts'
import type { Origin } from './origin.ts'
import { noteSignIn, type SignInWay } from './sign.ins.ts'

const lifeMs = 30 * 24 * 60 * 60_000
/** A use extends the lifetime at most once in 15 minutes, so that not every request causes a write. */
const slideEveryMs = 15 * 60_000

interface Arrival {
  accountId: bigint
  origin: Origin
  way: SignInWay
  /** A second factor was used. */
  withFactor?: boolean
  /** The sign-in counts as a proof of the owner. */
  isProof?: boolean
}

/**
 * Opens a session, notes the sign-in, and returns its token: 43 characters of base64url, shown once. A letter
 * notifies the owner of a new device, network or country. All of it is one transaction, which runs again
 * after a deadlock with another change of the account's devices.
 */
export const openSession = (db: Kysely<DB>, arrival: Arrival, now: Date): Promise<string> =>
  transaction(db, (tx) => open(tx, arrival, now))

async function open(
  db: Transaction<DB>,
  { accountId, origin, way, withFactor = false, isProof = true }: Arrival,
  now: Date,
): Promise<string> {
  const token = randomToken()
  await noteSignIn(db, { accountId, ip: origin.ip, way }, now)
  const deviceId = await noteDevice(db, { accountId, origin }, now)
  await db
    .insertInto('session')
    .values({
      token_sha256: sha256(token),
      account_id: accountId,
      created_at: now,
      used_at: now,
      expires_at: new Date(now.getTime() + lifeMs),
      proved_at: isProof ? now : null,
      factor_at: withFactor ? now : null,
      ip: origin.ip,
      user_agent: origin.userAgent?.slice(0, 300) ?? null,
      country: origin.country,
      // A concurrent new password may have deleted this device; then the session has none.
      device_id:
        deviceId === null
          ? null
          : sql<bigint | null>`(select id from account_device where id = ${deviceId} for key share)`,
    })
    .execute()
  await db
    .updateTable('account')
    .set({ seen_at: now, signed_in_at: now })
    .where('id', '=', accountId)
    .execute()
  return token
}

/** Notes the last visit of an invented customer, and that their address is confirmed if they have one. */
export async function noteInventedVisit(
  db: Kysely<DB>,
  { accountId, isConfirmed }: { accountId: bigint; isConfirmed: boolean },
  at: Date,
): Promise<void> {
  await db
    .updateTable('account')
    .set({ seen_at: at, ...(isConfirmed ? { email_confirmed_at: at } : {}) })
    .where('id', '=', accountId)
    .where('email', 'is not', null)
    .execute()
}

const noteSeen = (db: Kysely<DB>, accountId: bigint, now: Date) =>
  db.updateTable('account').set({ seen_at: now }).where('id', '=', accountId).execute()

/**
 * SQL for sessions `s` of accounts `a` that are not blocked, with the membership `m` by which they act on the
 * account `team`; ends in a condition. Raw SQL, because every call of a customer sends it.
 */
const admittedSessions = sql`
    session s join account a on a.id = s.account_id
      left join team_member m on m.team_id = s.acts_on and m.member_id = s.account_id
      left join account team on team.id = m.team_id
    where a.blocked_at is null`

interface SessionRow {
  token: Buffer
  id: bigint
  lang: string
  usedAt: Date
  expiresAt: Date
  provedAt: Date | null
  teamId: bigint | null
  role: string | null
  teamBlockedAt: Date | null
}

/** Sessions, also those that have expired, by the hexadecimal SHA-256 of their tokens. */
const readSession = gathered<string, SessionRow>(async (db, tokens) => {
  const { rows } = await sql<SessionRow>`${prepared}
    select s.token_sha256 as token, a.id, a.lang, s.used_at as "usedAt", s.expires_at as "expiresAt",
      s.proved_at as "provedAt", m.team_id as "teamId", m.role, team.blocked_at as "teamBlockedAt"
    from ${admittedSessions} and s.token_sha256 = any(${tokens.map((hex) => `\\x${hex}`)}::bytea[])`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.token.toString('hex'), row]))
})

/**
 * The caller that a token belongs to; null when it is unknown, expired or revoked, or its account is blocked.
 */
export async function authenticate(db: Kysely<DB>, token: string, now: Date): Promise<Caller | null> {
  const tokenSha256 = sha256(token)
  const row = await readSession(db, tokenSha256.toString('hex'))
  if (row === undefined || row.expiresAt <= now) {
    // An expired session is deleted when it is refused: it must not become valid again when the clock is set
    // back.
    await db
      .deleteFrom('session')
      .where('token_sha256', '=', tokenSha256)
      .where('expires_at', '<=', now)
      .execute()
    return null
  }
  // A last use in the future was recorded by a wrong clock: the lifetime then restarts now.
  if (Math.abs(now.getTime() - row.usedAt.getTime()) > slideEveryMs) {
    await db
      .updateTable('session')
      .set({ used_at: now, expires_at: new Date(now.getTime() + lifeMs) })
      .where('token_sha256', '=', tokenSha256)
      .execute()
    await noteSeen(db, row.id, now)
  }
  const caller = { id: row.id, lang: row.lang as LanguageCode, tokenSha256, provedAt: row.provedAt }
  if (row.teamId === null) return caller
  const member = { id: row.id, role: row.role as TeamRole, isClosed: row.teamBlockedAt !== null }
  return { ...caller, id: row.teamId, member }
}

/** The account on which an open session acts, and the role in its team; null: it is the person's own. */
interface OpenSession {
  accountId: bigint
  role: TeamRole | null
}

/**
 * Those of these sessions that are still open, by the hexadecimal SHA-256 of their tokens. Does not extend
 * their lifetime.
 */
export async function openAmong(
  db: Kysely<DB>,
  tokensSha256: readonly Buffer[],
  now: Date,
): Promise<Map<string, OpenSession>> {
  if (tokensSha256.length === 0) return new Map()
  const { rows } = await sql<{ token: Buffer; own: bigint; team: bigint | null; role: string | null }>`
    select s.token_sha256 as token, s.account_id as own, m.team_id as team, m.role
    from ${admittedSessions} and s.expires_at > ${now} and team.blocked_at is null
      and s.token_sha256 = any(${tokensSha256}::bytea[])`.execute(db)
  return new Map(
    rows.map(({ token, own, team, role }) => [
      token.toString('hex'),
      { accountId: team ?? own, role: role as TeamRole | null },
    ]),
  )
}

export async function closeSession(db: Kysely<DB>, tokenSha256: Buffer): Promise<void> {
  await db.deleteFrom('session').where('token_sha256', '=', tokenSha256).execute()
}

/** The sessions of an account that have not ended, the latest used first. */
export function openSessions(db: Kysely<DB>, accountId: bigint, now: Date) {
  return db
    .selectFrom('session')
    .select(['id', 'token_sha256', 'created_at', 'used_at', 'ip', 'user_agent', 'country'])
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .orderBy('used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
}

/**
 * Ends sessions of an account: one, all but one, or all including incomplete sign-ins. Their devices are
 * forgotten. Returns the number of sessions ended.
 */
export async function endSessions(
  tx: Kysely<DB>,
  accountId: bigint,
  { only, except }: { only?: bigint; except?: Buffer } = {},
): Promise<number> {
  let query = tx.deleteFrom('session').where('account_id', '=', accountId).returning('device_id')
  if (only === undefined) await tx.deleteFrom('sign_in_step').where('account_id', '=', accountId).execute()
  else query = query.where('id', '=', only)
  if (except !== undefined) query = query.where('token_sha256', '<>', except)
  const ended = await query.execute()
  const theirs = ended.flatMap(({ device_id: id }) => (id === null ? [] : [id]))
  await forgetDevices(tx, accountId, only === undefined ? 'all' : theirs)
  return ended.length
}

/**
 * Ends the sessions and incomplete sign-ins of all customers. Returns the number of sessions ended.
 */
export async function endAllSessions(tx: Kysely<DB>): Promise<number> {
  await tx.deleteFrom('sign_in_step').execute()
  await tx.deleteFrom('telegram_code').execute()
  return Number((await tx.deleteFrom('session').executeTakeFirst()).numDeletedRows)
}

/**
 * Revokes the API token and the secret links of an account. Passed in, since they belong to other slices.
 */
export type EndPrograms = (tx: Transaction<DB>, accountId: bigint) => Promise<void>

export async function forgetExpiredSessions(db: Kysely<DB>, now: Date): Promise<void> {
  await db.deleteFrom('session').where('expires_at', '<', now).execute()
  await db.deleteFrom('sign_in_step').where('expires_at', '<', now).execute()
}
