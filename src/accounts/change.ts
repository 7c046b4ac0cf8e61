/** Changes that people make to their own account. */
import type { Kysely } from 'kysely'
import type { LanguageCode } from '#contract/language'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { checkPassword, refuseGuessable } from './names.ts'
import { hashPassword, passwordMatches } from './password.ts'
import { personOf } from './person.ts'
import { afterNewPassword, storePassword } from './reset.ts'
import { type EndPrograms, endSessions } from './signin/session.ts'
import { clearFailures, countAttempt, passwordLimits, takeBack } from './signin/throttle.ts'

/** The language of letters and of the bot. */
export async function changeLanguage(
  db: Kysely<DB>,
  accountId: bigint,
  lang: LanguageCode,
  now: Date,
): Promise<void> {
  await db.updateTable('account').set({ lang, updated_at: now }).where('id', '=', accountId).execute()
}

const freshMs = 10 * 60_000

/**
 * Makes sure that the holder of a session is the account's owner: by the password, or, where there is none,
 * by having signed in within the last ten minutes. Refuses with `fill_fields`, `wrong_password`,
 * `too_many_attempts` and `sign_in_again`.
 */
export async function proveOwner(
  db: Kysely<DB>,
  given: { accountId: bigint; tokenSha256: Buffer; password: string | null },
  now: Date,
): Promise<void> {
  const { accountId, tokenSha256 } = given
  const hash = await hashOf(db, accountId)
  if (hash === null) return refuseOldSession(db, tokenSha256, now)
  const password = given.password ?? ''
  if (password === '') throw new Refusal('fill_fields')
  const counted = await countAttempt(db, passwordLimits(accountId), now)
  if (!(await passwordMatches(hash, password))) throw new Refusal('wrong_password')
  await takeBack(db, counted)
}

/** Refuses a session whose sign-in is older than ten minutes or did not prove the owner. */
async function refuseOldSession(db: Kysely<DB>, tokenSha256: Buffer, now: Date): Promise<void> {
  const session = await db
    .selectFrom('session')
    .select('created_at')
    .where('token_sha256', '=', tokenSha256)
    .where('proved_at', 'is not', null)
    .executeTakeFirst()
  if (session === undefined || now.getTime() - session.created_at.getTime() > freshMs)
    throw new Refusal('sign_in_again')
}

/** False for an account that the bot made and that has no password. */
export async function hasPassword(db: Kysely<DB>, accountId: bigint): Promise<boolean> {
  return (await hashOf(db, accountId)) !== null
}

async function hashOf(db: Kysely<DB>, accountId: bigint): Promise<string | null> {
  const row = await db
    .selectFrom('account')
    .select('password_hash')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return row.password_hash
}

/**
 * Changes the account password and ends all sessions but the calling one, with `endPrograms` the API token
 * and secret links too. The old password is required when there is one. Refuses with `fill_fields`,
 * `invalid_password`, `password_too_common`, `wrong_password`, `too_many_attempts`, and where there was no
 * password with `sign_in_again`.
 */
export async function changePassword(
  db: Kysely<DB>,
  given: {
    accountId: bigint
    tokenSha256: Buffer
    oldPassword: string | null
    newPassword: string
    brand: string
    /** Where the change comes from. */
    ip: string
    /** Null: the API token and secret links stay. */
    endPrograms?: EndPrograms | null
  },
  now: Date,
): Promise<void> {
  const { accountId, tokenSha256 } = given
  const oldHash = await hashOf(db, accountId)
  // With a first password of their choice, the thief of a session could prove to be the owner from then on.
  if (oldHash === null) await refuseOldSession(db, tokenSha256, now)
  const oldPassword = given.oldPassword ?? ''
  if (given.newPassword.trim() === '' || (oldHash !== null && oldPassword === '')) {
    throw new Refusal('fill_fields')
  }
  const newPassword = checkPassword(given.newPassword)
  const { username, email } = await personOf(db, accountId)
  refuseGuessable(newPassword, [username, email, given.brand])
  await countAttempt(db, passwordLimits(accountId), now)
  if (oldHash !== null && !(await passwordMatches(oldHash, oldPassword))) throw new Refusal('wrong_password')
  const newHash = await hashPassword(newPassword)
  await transaction(db, async (tx) => {
    // Locked and compared again: of two simultaneous changes, the second is refused for its outdated
    // password.
    const current = await tx
      .selectFrom('account')
      .select('password_hash')
      .where('id', '=', accountId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (current.password_hash !== oldHash) throw new Refusal('wrong_password')
    await storePassword(tx, accountId, newHash, now)
    await endSessions(tx, accountId, { except: tokenSha256 })
    await afterNewPassword(tx, { accountId, ip: given.ip, endPrograms: given.endPrograms ?? null }, now)
    await clearFailures(tx, accountId)
  })
}
