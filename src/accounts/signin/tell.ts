/**
 * Notices to an account's owner about every change of its sign-in, by letter and in Telegram. They cannot be
 * switched off.
 */
import type { Kysely } from 'kysely'
import { languageOfCode } from '#contract/language'
import type { SecurityEvent } from '#contract/account-security/rules'
import type { DB } from '#db'
import { addJob } from '#db/jobs'
import { sendMail } from '#mail'
import {
  changeLimits,
  countAttempt,
  type Limit,
  newPasswordLimits,
  strangerLimits,
  tryCount,
} from './throttle.ts'

/** The job that sends the message in Telegram; the bot runs it. */
export const securityNoticeTask = 'telegram_security_notice'

/** The job's payload. */
export interface SecurityNotice {
  account_id: string
  event: SecurityEvent
  /** Null: staff made the change. */
  ip: string | null
  /** ISO 8601. */
  at: string
}

/** A change of the sign-in, and its origin. */
export interface SecurityChange {
  event: SecurityEvent
  ip: string | null
  /** False: another letter reports it. */
  byLetter?: boolean
  /** False: it was done in Telegram, where the answer reports it. */
  inTelegram?: boolean
  /** False: it gives nobody access to the account, so it causes no hold on gifts and payouts. */
  isHeld?: boolean
  /** The letter's recipient, if not the account's address. */
  to?: string
}

/** When the account's security settings were last changed; null: never. */
export async function securityChangedAt(db: Kysely<DB>, accountId: bigint): Promise<Date | null> {
  const row = await db
    .selectFrom('security_changed')
    .select('at')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.at ?? null
}

/** Changes without another limit, of which a session could make twenty a second. */
const limited: ReadonlySet<SecurityEvent> = new Set([
  'totp_added',
  'passkey_added',
  'recovery_codes_renewed',
  'sign_in_letters_off',
  'api_token_made',
  'api_token_renewed',
  'preset_link_made',
  'team_role_changed',
])
const newPassword: ReadonlySet<SecurityEvent> = new Set([
  'password_changed',
  'password_changed_programs_ended',
])

/**
 * Queues the letter and the message; they are sent when the transaction commits. Notes the time: gifts wait
 * after it. Refuses with `too_many_attempts` more than thirty changes an hour that give access: without a limit, one
 * account would fill the queue of everybody's letters. Changes that take access away are never refused.
 */
export async function tellOfChange(
  tx: Kysely<DB>,
  accountId: bigint,
  { event, ip, to, byLetter = true, inTelegram = true, isHeld = true }: SecurityChange,
  now: Date,
): Promise<void> {
  const row = await tx
    .selectFrom('account')
    .leftJoin('telegram_identity', 'telegram_identity.account_id', 'account.id')
    .select(['email', 'email_confirmed_at', 'lang', 'telegram_user_id'])
    .where('account.id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (limited.has(event)) await countAttempt(tx, changeLimits(accountId), now)
  if (isHeld)
    await tx
      .insertInto('security_changed')
      .values({ account_id: accountId, at: now })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ at: now }))
      .execute()
  const at = now.toISOString()
  const address = to ?? row.email
  const isOver = async (limits: Limit[]) => 'waitSeconds' in (await tryCount(tx, limits, now))
  if (newPassword.has(event) && (await isOver(newPasswordLimits(accountId)))) return
  const isStrangers = row.email_confirmed_at === null && (await isOver(strangerLimits(accountId)))
  if (address !== null && byLetter && !isStrangers)
    await sendMail(tx, {
      template: 'security_changed',
      accountId,
      to: address,
      language: languageOfCode(row.lang),
      data: { event, ip, at },
    })
  if (row.telegram_user_id === null || !inTelegram) return
  const notice = { account_id: String(accountId), event, ip, at } satisfies SecurityNotice
  await addJob(tx, securityNoticeTask, notice, { maxAttempts: 8, to: 'telegram' })
}
