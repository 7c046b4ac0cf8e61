/**
 * Letters that staff send to a customer, and resets of a sign-in. Only the customer sees the links.
 */
import type { Transaction } from 'kysely'
import { type LanguageCode, languageOfCode } from '#contract/language'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { sealToken, sendMail } from '#mail'
import { sendConfirmation } from './confirm.ts'
import { nameKey } from './names.ts'
import { endSessions } from './signin/session.ts'
import { countAttempt, mailboxLimits } from './signin/throttle.ts'
import { endTokens, issueToken } from './token.ts'

/** The account, locked: an address that is being replaced gets no letter. */
async function mailboxOf(tx: Transaction<DB>, accountId: bigint) {
  const row = await tx
    .selectFrom('account')
    .select(['id', 'username', 'email', 'lang', 'email_confirmed_at', 'blocked_at'])
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('customer_not_found')
  return row
}

/**
 * Sends the confirmation letter again; links in earlier letters become invalid. A mailbox gets three
 * letters an hour at most. Refuses with `customer_not_found`, `no_email`, `email_confirmed_already`,
 * `account_blocked` and `too_many_attempts`.
 */
export async function resendConfirmation(
  tx: Transaction<DB>,
  secrets: Secrets,
  accountId: bigint,
  now: Date,
): Promise<void> {
  const { id, username, email, lang, email_confirmed_at, blocked_at } = await mailboxOf(tx, accountId)
  if (email === null) throw new Refusal('no_email')
  if (email_confirmed_at !== null) throw new Refusal('email_confirmed_already')
  if (blocked_at !== null) throw new Refusal('account_blocked')
  await countAttempt(tx, mailboxLimits(nameKey(email)), now)
  await endTokens(tx, id, 'confirm_email')
  await sendConfirmation(tx, secrets, { id, username, email, lang: lang as LanguageCode }, now)
}

/**
 * Revokes access that may be compromised: all sessions end, and the account password becomes invalid. The
 * customer gets a letter with a link, valid for one hour, that sets a new password, and can request another;
 * without an e-mail address they sign in with a code of the bot. Refuses with `customer_not_found`, and with
 * `no_email` when the customer would have no way to sign in.
 */
export async function resetSignIn(
  tx: Transaction<DB>,
  secrets: Secrets,
  accountId: bigint,
  now: Date,
): Promise<{ sessions: number; letter: boolean }> {
  const { username, email, lang } = await mailboxOf(tx, accountId)
  const telegram = await tx
    .selectFrom('telegram_identity')
    .select('telegram_user_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (email === null && telegram === undefined) throw new Refusal('no_email')
  await tx
    .updateTable('account')
    .set({ password_hash: null, updated_at: now })
    .where('id', '=', accountId)
    .execute()
  const sessions = await endSessions(tx, accountId)
  await endTokens(tx, accountId, 'reset_password')
  await tx.deleteFrom('telegram_code').where('account_id', '=', accountId).execute()
  if (email === null) return { sessions, letter: false }
  const { token, expiresAt } = await issueToken(tx, { kind: 'reset_password', accountId, from: now })
  await sendMail(tx, {
    template: 'reset_password',
    to: email,
    language: languageOfCode(lang),
    data: { username, sealed_token: sealToken(secrets, token, email), by_staff: true },
    expiresAt,
  })
  return { sessions, letter: true }
}

/**
 * Sends a letter written by staff; the fixed parts are in the customer's language. Refuses with
 * `customer_not_found` and `no_email`.
 */
export async function writeLetter(
  tx: Transaction<DB>,
  accountId: bigint,
  letter: { subject: string; text: string },
): Promise<void> {
  const { email, lang } = await mailboxOf(tx, accountId)
  if (email === null) throw new Refusal('no_email')
  await sendMail(tx, { template: 'from_staff', to: email, language: languageOfCode(lang), data: letter })
}
