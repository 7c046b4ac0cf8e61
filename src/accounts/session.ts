/** Sessions: opaque tokens of 256 bits, of which the database knows only the SHA-256. */
import { createHash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import type { Caller } from '#db/call'

const lifeMs = 30 * 24 * 60 * 60_000
/** The life slides, but not at every request: a write a quarter of an hour is enough. */
const slideEveryMs = 15 * 60_000

const sha256 = (token: string) => createHash('sha256').update(token).digest()

/** Opens a session and returns its token: 43 characters of base64url, shown once. */
export async function openSession(db: Kysely<DB>, accountId: bigint, now: Date): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await db
    .insertInto('session')
    .values({
      token_sha256: sha256(token),
      account_id: accountId,
      created_at: now,
      used_at: now,
      expires_at: new Date(now.getTime() + lifeMs),
    })
    .execute()
  return token
}

/** Who a token belongs to, or null: unknown, expired, revoked, or the account is blocked. */
export async function authenticate(db: Kysely<DB>, token: string, now: Date): Promise<Caller | null> {
  const tokenSha256 = sha256(token)
  const row = await db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select(['account.id', 'account.role_id', 'account.lang', 'session.used_at'])
    .where('session.token_sha256', '=', tokenSha256)
    .where('session.expires_at', '>', now)
    .where('account.blocked_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) {
    // Refused once, refused for good: a clock that is put back must not give it another life.
    await db
      .deleteFrom('session')
      .where('token_sha256', '=', tokenSha256)
      .where('expires_at', '<=', now)
      .execute()
    return null
  }
  // Used in the future, by a clock that was wrong: its life is counted from now again.
  if (Math.abs(now.getTime() - row.used_at.getTime()) > slideEveryMs) {
    await db
      .updateTable('session')
      .set({ used_at: now, expires_at: new Date(now.getTime() + lifeMs) })
      .where('token_sha256', '=', tokenSha256)
      .execute()
  }
  return { id: row.id, roleId: row.role_id, lang: row.lang === 'eng' ? 'eng' : 'rus', tokenSha256 }
}

/** An account that may act, for tokens of other kinds than a session's; null: unknown or blocked. */
export async function accountOf(
  db: Kysely<DB>,
  accountId: bigint,
): Promise<{ id: bigint; lang: 'rus' | 'eng' } | null> {
  const row = await db
    .selectFrom('account')
    .select(['id', 'lang'])
    .where('id', '=', accountId)
    .where('blocked_at', 'is', null)
    .executeTakeFirst()
  return row === undefined ? null : { id: row.id, lang: row.lang === 'eng' ? 'eng' : 'rus' }
}

export async function closeSession(db: Kysely<DB>, tokenSha256: Buffer): Promise<void> {
  await db.deleteFrom('session').where('token_sha256', '=', tokenSha256).execute()
}

export async function forgetExpiredSessions(db: Kysely<DB>, now: Date): Promise<void> {
  await db.deleteFrom('session').where('expires_at', '<', now).execute()
}
