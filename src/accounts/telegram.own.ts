/** The settings of an account's owner in Telegram: messages about sign-ins, and unlinking. */
import type { Transaction } from 'kysely'
import type { LanguageCode } from '#contract/language'
import { type DB, transaction, type Db } from '#db'
import { addJob } from '#db/jobs'
import { tellOfChange } from './signin/tell.ts'
import { leaveAccount, lockPerson } from './telegram.person.ts'

/** The job that sends a message about a sign-in; the bot runs it. */
export const signInNoticeTask = 'telegram_sign_in_notice'

/** The job's payload. */
export interface SignInNotice {
  account_id: string
  ip: string
  /** ISO 8601. */
  at: string
}

/** About an hour of retries: a later message would be of no use. */
const noticeAttempts = 8

/** Queues a message in Telegram about a sign-in to the account, if its owner wants such messages. */
export async function tellOfSignIn(
  tx: Transaction<DB>,
  { accountId, ip }: { accountId: bigint; ip: string },
  now: Date,
): Promise<void> {
  if ((await whoIsTold(tx, accountId)) === null) return
  const notice = { account_id: String(accountId), ip, at: now.toISOString() } satisfies SignInNotice
  await addJob(tx, signInNoticeTask, notice, { maxAttempts: noticeAttempts, to: 'telegram' })
}

/** The owner of an account in Telegram. */
export interface TelegramOwner {
  telegramUserId: bigint
  lang: LanguageCode
  /** The account's name. */
  username: string | null
}

/** The owner in Telegram who is notified of sign-ins to an account; null: there is none. */
export async function whoIsTold(db: Db, accountId: bigint): Promise<TelegramOwner | null> {
  const owner = await ownerInTelegram(db, accountId)
  return owner !== null && (await isToldOfSignIns(db, owner.telegramUserId)) ? owner : null
}

/** The owner of an account in Telegram, for notices about the account; null when there is none. */
export async function ownerInTelegram(db: Db, accountId: bigint): Promise<TelegramOwner | null> {
  const row = await db
    .selectFrom('telegram_identity')
    .innerJoin('account', 'account.id', 'telegram_identity.account_id')
    .select(['telegram_user_id', 'lang', 'username'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (row === undefined) return null
  const { telegram_user_id: telegramUserId, lang, username } = row
  return { telegramUserId, lang: lang as LanguageCode, username }
}

/** Whether a person in Telegram is notified of sign-ins to their account. */
export async function isToldOfSignIns(db: Db, telegramUserId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('telegram_identity')
    .select('tells_of_sign_ins')
    .where('telegram_user_id', '=', telegramUserId)
    .executeTakeFirst()
  return row?.tells_of_sign_ins === true
}

/** Turns a person's notices about sign-ins on or off. */
export async function setToldOfSignIns(db: Db, telegramUserId: bigint, isTold: boolean): Promise<void> {
  await db
    .updateTable('telegram_identity')
    .set({ tells_of_sign_ins: isTold })
    .where('telegram_user_id', '=', telegramUserId)
    .execute()
}

/** Whether the person's account has another way to sign in: a password, and a name to use with it. */
export async function mayUnlinkTelegram(db: Db, telegramUserId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('telegram_identity')
    .innerJoin('account', 'account.id', 'telegram_identity.account_id')
    .select(['username', 'email', 'password_hash'])
    .where('telegram_user_id', '=', telegramUserId)
    .executeTakeFirst()
  if (row === undefined) return false
  return row.password_hash !== null && (row.username !== null || row.email !== null)
}

/**
 * Unlinks a person in Telegram from their account, and invalidates a code for it; sessions stay open, and a
 * letter notifies the owner. Returns false, and changes nothing, when the account would become unreachable
 * (see `mayUnlinkTelegram`) or there is none.
 */
export function unlinkTelegram(db: Db, telegramUserId: bigint, now: Date): Promise<boolean> {
  return transaction(db, async (tx) => {
    await lockPerson(tx, telegramUserId)
    if (!(await mayUnlinkTelegram(tx, telegramUserId))) return false
    await leaveAndTell(tx, telegramUserId, now)
    return true
  })
}

/** Unlinks the person from their account, if any, and notifies the owner who can still sign in. */
export async function leaveAndTell(tx: Transaction<DB>, telegramUserId: bigint, now: Date): Promise<void> {
  const left = await leaveAccount(tx, telegramUserId)
  if (left !== null) await tellOfChange(tx, left, { event: 'telegram_unlinked', ip: null }, now)
}

/** How long a question can be answered. */
const questionMs = 10 * 60_000

/** Records the question that a person's next message answers, in place of an earlier one. Null: none. */
export async function noteQuestion(
  db: Db,
  telegramUserId: bigint,
  question: string | null,
  now: Date,
): Promise<void> {
  await db
    .updateTable('telegram_identity')
    .set({ asked: question, asked_at: question === null ? null : now })
    .where('telegram_user_id', '=', telegramUserId)
    .execute()
}

/** The question that a person's message answers; null: there was none in the last ten minutes. */
export async function openQuestion(db: Db, telegramUserId: bigint, now: Date): Promise<string | null> {
  const row = await db
    .selectFrom('telegram_identity')
    .select(['asked', 'asked_at'])
    .where('telegram_user_id', '=', telegramUserId)
    .executeTakeFirst()
  if (row === undefined || row.asked === null || row.asked_at === null) return null
  return now.getTime() - row.asked_at.getTime() < questionMs ? row.asked : null
}
