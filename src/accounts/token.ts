/**
 * The token in the link of a letter or of a download: 256 random bits for one use, of which the database
 * stores only the SHA-256.
 */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { randomToken, sha256 } from '#lib/secret'

export type TokenKind = 'confirm_email' | 'reset_password' | 'download_data'

const tokenLifeMs: Record<TokenKind, number> = {
  confirm_email: 48 * 60 * 60_000,
  reset_password: 60 * 60_000,
  download_data: 10 * 60_000,
}

/** Creates a token, valid from `from` on, and returns it: 43 characters of base64url. */
export async function issueToken(
  tx: Kysely<DB>,
  { kind, accountId, from }: { kind: TokenKind; accountId: bigint; from: Date },
): Promise<{ token: string; expiresAt: Date }> {
  const token = randomToken()
  const expiresAt = new Date(from.getTime() + tokenLifeMs[kind])
  await tx
    .insertInto('account_token')
    .values({
      token_sha256: sha256(token),
      kind,
      account_id: accountId,
      created_at: from,
      expires_at: expiresAt,
    })
    .execute()
  return { token, expiresAt }
}

/** The owner of a token, or null: unknown, used, expired, or of another kind. */
export async function ownerOf(
  db: Kysely<DB>,
  kind: TokenKind,
  token: string,
  now: Date,
): Promise<bigint | null> {
  const row = await db
    .selectFrom('account_token')
    .select('account_id')
    .where('token_sha256', '=', sha256(token))
    .where('kind', '=', kind)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row?.account_id ?? null
}

/** Uses up a token and returns its owner, or null; one of several concurrent uses succeeds. */
export async function useToken(
  tx: Kysely<DB>,
  kind: TokenKind,
  token: string,
  now: Date,
): Promise<bigint | null> {
  const row = await tx
    .deleteFrom('account_token')
    .where('token_sha256', '=', sha256(token))
    .where('kind', '=', kind)
    .where('expires_at', '>', now)
    .returning('account_id')
    .executeTakeFirst()
  return row?.account_id ?? null
}

/** Invalidates the tokens of an account, of one kind or of all. */
export async function endTokens(tx: Kysely<DB>, accountId: bigint, kind?: TokenKind): Promise<void> {
  const theirs = tx.deleteFrom('account_token').where('account_id', '=', accountId)
  await (kind === undefined ? theirs : theirs.where('kind', '=', kind)).execute()
}

export async function forgetExpiredTokens(db: Kysely<DB>, now: Date): Promise<void> {
  await db.deleteFrom('account_token').where('expires_at', '<', now).execute()
}
