/**
 * A forgotten password, replaced by a letter to the account's address.
 *
 * The call only queues the request; a job looks up the account. Known and unknown addresses therefore cannot
 * be told apart by the answer or its time: the work is the same.
 */
import type { TaskList } from 'graphile-worker'
import type { Kysely, Transaction } from 'kysely'
import { languageOfCode } from '#contract/language'
import { type DB, transaction } from '#db'
import { addJob } from '#db/jobs'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { sealToken, sendMail } from '#mail'
import { clearFactors } from '#second-factors'
import { checkEmail, checkPassword, nameKey, refuseGuessable } from './names.ts'
import { hashPassword } from './password.ts'
import { personOf } from './person.ts'
import { type EndPrograms, endSessions } from './signin/session.ts'
import { tellOfChange } from './signin/tell.ts'
import {
  clearFailures,
  countAttempt,
  mailboxLimits,
  resetLimits,
  takeBack,
  tokenLimits,
  tryCount,
} from './signin/throttle.ts'
import { unlinkAccount } from './telegram.person.ts'
import { endTokens, issueToken, ownerOf, useToken } from './token.ts'

/**
 * Requests a letter with a link that allows its reader to set a new password within the hour. Refuses with
 * `invalid_email` (not an address at all) and `too_many_attempts` (of one client). A mailbox gets three
 * letters an hour at most; further requests are answered in the same way.
 */
export async function requestPasswordReset(
  db: Kysely<DB>,
  given: { email: string; ip: string },
  now: Date,
): Promise<void> {
  const emailKey = nameKey(checkEmail(given.email))
  await countAttempt(db, resetLimits(given.ip), now)
  const mailbox = await tryCount(db, mailboxLimits(emailKey), now)
  if ('waitSeconds' in mailbox) return
  await addJob(db, 'mail_password_reset', { email_key: emailKey, asked_at: now.toISOString() })
}

/** The tasks of this slice for graphile-worker. */
export function accountJobs(deps: { db: Kysely<DB>; secrets: Secrets }): TaskList {
  return {
    mail_password_reset: async (payload) => {
      const { email_key, asked_at } = payload as { email_key: string; asked_at: string }
      await mailPasswordReset(deps.db, deps.secrets, email_key, new Date(asked_at))
    },
  }
}

function mailPasswordReset(db: Kysely<DB>, secrets: Secrets, emailKey: string, askedAt: Date): Promise<void> {
  return transaction(db, async (tx) => {
    const account = await tx
      .selectFrom('account')
      .select(['id', 'username', 'email', 'lang'])
      .where('email_key', '=', emailKey)
      .where('blocked_at', 'is', null)
      // An address that is being replaced gets no link.
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (account === undefined || account.email === null) return
    const { id, username, email, lang } = account
    const { token, expiresAt } = await issueToken(tx, {
      kind: 'reset_password',
      accountId: id,
      from: askedAt,
    })
    await sendMail(tx, {
      template: 'reset_password',
      to: email,
      language: languageOfCode(lang),
      data: { username, sealed_token: sealToken(secrets, token, email) },
      expiresAt,
    })
  })
}

/**
 * Sets a new password by the token of a letter; ends all sessions of the account, with `endsPrograms` its API
 * token and secret links too. The first proof of the address ends all other access: somebody else may have
 * registered it. Refuses with `invalid_reset_token` (unknown, used, older than an hour),
 * `invalid_password` and `password_too_common`, which leave the token valid, and `too_many_attempts`.
 */
export async function resetPassword(
  db: Kysely<DB>,
  deps: { endPrograms: EndPrograms },
  given: { token: string; newPassword: string; brand: string; ip: string; endsPrograms: boolean },
  now: Date,
): Promise<void> {
  const newPassword = checkPassword(given.newPassword)
  const counted = await countAttempt(db, tokenLimits(given.ip), now)
  // Checked first, so that a wrong token costs no hash.
  const owner = await ownerOf(db, 'reset_password', given.token, now)
  if (owner === null) throw new Refusal('invalid_reset_token')
  const { username, email } = await personOf(db, owner)
  refuseGuessable(newPassword, [username, email, given.brand])
  const passwordHash = await hashPassword(newPassword)
  await transaction(db, async (tx) => {
    const accountId = await useToken(tx, 'reset_password', given.token, now)
    if (accountId === null) throw new Refusal('invalid_reset_token')
    await storePassword(tx, accountId, passwordHash, now)
    await endSessions(tx, accountId)
    // The token came by e-mail, so the address is confirmed.
    const { numUpdatedRows } = await tx
      .updateTable('account')
      .set({ email_confirmed_at: now })
      .where('id', '=', accountId)
      .where('email_confirmed_at', 'is', null)
      .executeTakeFirst()
    const isFirstProof = numUpdatedRows > 0n
    const endPrograms = given.endsPrograms || isFirstProof ? deps.endPrograms : null
    await afterNewPassword(tx, { accountId, ip: given.ip, endPrograms }, now)
    if (isFirstProof) await endRegistrant(tx, accountId, now)
    await clearFailures(tx, accountId)
    await takeBack(tx, counted)
  })
}

/**
 * Ends what a registrant who never had the mailbox may have set up to keep access, or to lock the owner out. A team
 * needs a confirmed address.
 */
async function endRegistrant(tx: Transaction<DB>, accountId: bigint, now: Date): Promise<void> {
  if (await unlinkAccount(tx, accountId))
    await tellOfChange(tx, accountId, { event: 'telegram_unlinked', ip: null }, now)
  if ((await clearFactors(tx, accountId)).length > 0)
    await tellOfChange(tx, accountId, { event: 'factors_reset', ip: null }, now)
}

/**
 * Revokes the API token and secret links if the owner asked for that, and notifies the owner of what remains
 * valid.
 */
export async function afterNewPassword(
  tx: Transaction<DB>,
  { accountId, ip, endPrograms }: { accountId: bigint; ip: string; endPrograms: EndPrograms | null },
  now: Date,
): Promise<void> {
  await endPrograms?.(tx, accountId)
  const event = endPrograms === null ? 'password_changed' : 'password_changed_programs_ended'
  await tellOfChange(tx, accountId, { event, ip }, now)
}

/** Stores the hash of a new password, and invalidates links that were to set another one. */
export async function storePassword(
  tx: Kysely<DB>,
  accountId: bigint,
  passwordHash: string,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('account')
    .set({ password_hash: passwordHash, updated_at: now })
    .where('id', '=', accountId)
    .execute()
  await endTokens(tx, accountId, 'reset_password')
}
