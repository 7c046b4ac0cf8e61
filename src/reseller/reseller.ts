/** The token with which a customer's own program calls the API in the customer's name, and its rate limit. */
import { type Kysely, sql } from 'kysely'
import { tellOfChange } from '#accounts'
import type { LanguageCode } from '#contract/language'
import { resellerTokenPrefix } from '#contract/wire'
import { type DB, transaction } from '#db'
import type { Caller } from '#db/call'
import { replacesIn, type SealedColumn } from '#db/sealed'
import { Refusal } from '#lib/refusal'
import { openOrNull, randomToken, type Secrets, sha256 } from '#lib/secret'
import { keepPace } from './pace.ts'

export { agreedPace, agreePace } from './agreement.ts'
export { eraseResellerToken, resellerParts } from './export.and.erase.ts'
export { callsAtOnce, callsPerSecond } from './pace.ts'

const about = (accountId: bigint) => `reseller-token:${accountId}`

/** `tpr_` and 43 characters of base64url: 256 random bits that a leak scanner can recognise. */
const newToken = () => `${resellerTokenPrefix}${randomToken()}`

/**
 * The account's token: created at the first call, with a notice to the owner, and returned unchanged until it
 * is rotated or revoked. The owner can read the token again, so beside its SHA-256 it is stored sealed with
 * SECRET_KEY. Refuses with `token_unreadable` when it was sealed with another key.
 */
export async function resellerToken(
  db: Kysely<DB>,
  secrets: Secrets,
  owner: { accountId: bigint; ip: string },
  now: Date,
): Promise<string> {
  const { accountId, ip } = owner
  const known = await sealedToken(db, accountId)
  if (known !== undefined) {
    const token = openOrNull(secrets, known, about(accountId))
    if (token === null) throw new Refusal('token_unreadable')
    return token
  }
  const token = newToken()
  const isMade = await transaction(db, async (tx) => {
    const made = await tx
      .insertInto('reseller_token')
      .values({ account_id: accountId, ...stored(secrets, accountId, token) })
      .onConflict((conflict) => conflict.column('account_id').doNothing())
      .executeTakeFirst()
    if (made.numInsertedOrUpdatedRows !== 1n) return false
    await tellOfChange(tx, accountId, { event: 'api_token_made', ip, isHeld: false }, now)
    return true
  })
  // A concurrent first call has inserted its token; both calls return that one.
  return isMade ? token : resellerToken(db, secrets, owner, now)
}

/** Replaces the token, which is invalid when this resolves, and notifies the owner. */
export async function rotateResellerToken(
  db: Kysely<DB>,
  secrets: Secrets,
  { accountId, ip }: { accountId: bigint; ip: string },
  now: Date,
): Promise<string> {
  const token = newToken()
  const values = {
    ...stored(secrets, accountId, token),
    created_at: sql<Date>`now()`,
    used_at: null,
    used_ip: null,
  }
  await transaction(db, async (tx) => {
    await tx
      .insertInto('reseller_token')
      .values({ account_id: accountId, ...values })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
      .execute()
    await tellOfChange(tx, accountId, { event: 'api_token_renewed', ip, isHeld: false }, now)
  })
  return token
}

/** Revokes the account's token; the next `resellerToken` creates another. */
export async function revokeResellerToken(db: Kysely<DB>, accountId: bigint): Promise<void> {
  await db.deleteFrom('reseller_token').where('account_id', '=', accountId).execute()
}

/** Distinguishes a reseller's token from a session's without a query. */
export function isResellerToken(token: string): boolean {
  return token.startsWith(resellerTokenPrefix)
}

/**
 * The owner of a reseller token and its remaining allowance, or null: unknown, rotated, revoked, or the
 * account is blocked. Every admitted call counts, whatever its outcome. The caller is a customer even when
 * the account is an operator's: a token used in scripts must not have an operator's rights.
 */
export async function authenticateReseller(
  db: Kysely<DB>,
  { token, ip }: { token: string; ip: string },
  now: Date,
): Promise<Caller | null> {
  const tokenSha256 = sha256(token)
  const row = await keepPace(
    db,
    sql<{ id: bigint; lang: LanguageCode; usedAt: Date | null }>`
      select account.id, account.lang, reseller_token.used_at as "usedAt"
      from reseller_token join account on account.id = reseller_token.account_id
      where token_sha256 = ${tokenSha256} and blocked_at is null`,
  )
  if (row === null) return null
  await noteUse(db, { tokenSha256, usedAt: row.usedAt, ip }, now)
  return { id: row.id, lang: row.lang, tokenSha256, reseller: row.pace }
}

/** The minimum interval between two records of use, so that not every call causes a write. */
const noteUseEveryMs = 60_000

async function noteUse(
  db: Kysely<DB>,
  { tokenSha256, usedAt, ip }: { tokenSha256: Buffer; usedAt: Date | null; ip: string },
  now: Date,
): Promise<void> {
  if (usedAt !== null && Math.abs(now.getTime() - usedAt.getTime()) < noteUseEveryMs) return
  await db
    .updateTable('reseller_token')
    .set({ used_at: now, used_ip: ip })
    .where('token_sha256', '=', tokenSha256)
    // Only one of concurrent calls writes.
    .where('used_at', 'is not distinct from', usedAt)
    .execute()
}

/** When the account's token was made and last used, to the minute; null: there is none. */
export async function apiTokenUse(
  db: Kysely<DB>,
  accountId: bigint,
): Promise<{ createdAt: Date; usedAt: Date | null; usedIp: string | null } | null> {
  const row = await db
    .selectFrom('reseller_token')
    .select(['created_at as createdAt', 'used_at as usedAt', 'used_ip as usedIp'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row ?? null
}

async function sealedToken(db: Kysely<DB>, accountId: bigint): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('reseller_token')
    .select('token_sealed')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.token_sealed
}

function stored(secrets: Secrets, accountId: bigint, token: string) {
  return { token_sha256: sha256(token), token_sealed: secrets.seal(token, about(accountId)) }
}

/** The tokens of all customers. */
export const sealedResellerTokens: SealedColumn = {
  what: 'API tokens',
  async read(db, { after, limit }) {
    const rows = await db
      .selectFrom('reseller_token')
      .select(['account_id', 'token_sealed'])
      .where('account_id', '>', after === null ? 0n : BigInt(after))
      .orderBy('account_id')
      .limit(limit)
      .execute()
    return rows.map(({ account_id: id, token_sealed: sealed }) => ({
      key: String(id),
      sealed,
      about: about(id),
      name: `account #${id}`,
    }))
  },
  write: replacesIn({ table: 'reseller_token', id: 'account_id', column: 'token_sealed' }),
}
