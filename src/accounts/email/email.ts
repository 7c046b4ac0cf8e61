/**
 * A new e-mail address of an account. It takes effect when the links sent to both the new and the old address
 * have been followed (see `old.address.ts`); a letter to the old address then contains a link that restores
 * it within seven days. No answer reveals whether an address belongs to an account: a job decides whether a
 * letter is sent.
 */
import type { TaskList } from 'graphile-worker'
import { sql, type Transaction } from 'kysely'
import { languageOfCode } from '#contract/language'
import { type DB, transaction, type Db } from '#db'
import { addJob } from '#db/jobs'
import { Refusal } from '#lib/refusal'
import { randomToken, type Secrets, sha256 } from '#lib/secret'
import { sealToken, sendMail } from '#mail'
import { checkEmail, nameKey } from '../names.ts'
import { tellOfChange } from '../signin/tell.ts'
import {
  accountSubject,
  countAttempt,
  type Limit,
  mailboxLimits,
  takeBack,
  tokenLimits,
  tryCount,
} from '../signin/throttle.ts'
import { askOldAddress, refusingTaken } from './old.address.ts'
import { isTaken, lockAccount, lockAccountOf, replaceEmail } from './replace.ts'

export { answerEmailChange, completeEmailChanges } from './old.address.ts'
export { undoEmailChange } from './undo.ts'

const confirmMs = 48 * 60 * 60_000

const changeLimits = (accountId: bigint): Limit[] => [
  { kind: 'email_change', subject: accountSubject(accountId), max: 5, windowMinutes: 60 },
]

/** An address that awaits confirmation. */
export interface PendingEmail {
  email: string
  /**
   * After its link was followed: when it takes effect without an answer from the old address. Before: when
   * the link expires.
   */
  expiresAt: Date
  waitsFor: ('new' | 'old')[]
}

/** The address that awaits confirmation; null: there is none. */
export async function pendingEmail(db: Db, accountId: bigint, now: Date): Promise<PendingEmail | null> {
  const row = await db
    .selectFrom('email_change')
    .select(['new_email', 'confirm_by', 'new_confirmed_at', 'old_answer_by', 'old_approved_at'])
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is', null)
    .where((or) => or.or([or('confirm_by', '>', now), or('new_confirmed_at', 'is not', null)]))
    .executeTakeFirst()
  if (row === undefined) return null
  const { new_email: email, new_confirmed_at: followedAt, old_answer_by: answerBy } = row
  const waitsForOld = answerBy !== null && row.old_approved_at === null
  return {
    email,
    expiresAt: followedAt === null ? row.confirm_by : (answerBy ?? row.confirm_by),
    waitsFor: [...(followedAt === null ? ['new' as const] : []), ...(waitsForOld ? ['old' as const] : [])],
  }
}

/**
 * Requests another address; this replaces an earlier request. A letter asks or informs the old address at
 * once. Refuses with `invalid_email`, `email_unchanged` and `too_many_attempts`. For an address that belongs
 * to another account the answer is the same.
 */
export async function askEmailChange(
  db: Db,
  secrets: Secrets,
  given: { accountId: bigint; tokenSha256: Buffer; email: string; ip: string },
  now: Date,
): Promise<void> {
  const { accountId, tokenSha256, ip } = given
  const email = checkEmail(given.email)
  const key = nameKey(email)
  await countAttempt(db, changeLimits(accountId), now)
  const mailbox = await tryCount(db, mailboxLimits(key), now)
  await transaction(db, async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (account.email_key === key) throw new Refusal('email_unchanged')
    await dropPending(tx, accountId)
    const { id } = await tx
      .insertInto('email_change')
      .values({
        account_id: accountId,
        new_email: email,
        new_email_key: key,
        asked_at: now,
        confirm_by: new Date(now.getTime() + confirmMs),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const isAsked = await askOldAddress(tx, secrets, { accountId, changeId: id, tokenSha256, ip }, now)
    await tellOfChange(tx, accountId, { event: 'email_change_asked', ip, byLetter: !isAsked }, now)
    if ('counted' in mailbox) await addJob(tx, 'mail_email_change', { change_id: String(id) })
  })
}

/**
 * Withdraws the request for another address. Refuses with `email_change_not_found` where there is none, also
 * when its links are followed at the same time and the address is changed.
 */
export async function cancelEmailChange(db: Db, accountId: bigint): Promise<void> {
  const { numDeletedRows } = await dropPending(db, accountId)
  if (numDeletedRows === 0n) throw new Refusal('email_change_not_found')
}

const dropPending = (db: Db, accountId: bigint) =>
  db
    .deleteFrom('email_change')
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst()

/** The tasks of changes of addresses for graphile-worker. */
export function emailJobs(deps: { db: Db; secrets: Secrets; now: () => Promise<Date> }): TaskList {
  return {
    mail_email_change: async (payload) => {
      const { change_id } = payload as { change_id: string }
      const now = await deps.now()
      await transaction(deps.db, (tx) => mailConfirmation(tx, deps.secrets, BigInt(change_id), now))
    },
  }
}

async function mailConfirmation(
  tx: Transaction<DB>,
  secrets: Secrets,
  changeId: bigint,
  now: Date,
): Promise<void> {
  const change = await tx
    .selectFrom('email_change')
    .innerJoin('account', 'account.id', 'email_change.account_id')
    .select(['email_change.account_id', 'new_email', 'new_email_key', 'confirm_by', 'username', 'lang'])
    .where('email_change.id', '=', changeId)
    .where('confirmed_at', 'is', null)
    .where('confirm_by', '>', now)
    .forUpdate('email_change')
    .executeTakeFirst()
  if (change === undefined) return
  const { account_id: accountId, new_email: to, new_email_key: key, confirm_by: expiresAt } = change
  if (await isTaken(tx, { accountId, key }, now)) return
  const token = randomToken()
  await tx
    .updateTable('email_change')
    .set({ confirm_sha256: sha256(token) })
    .where('id', '=', changeId)
    .execute()
  await sendMail(tx, {
    template: 'confirm_new_email',
    accountId,
    to,
    language: languageOfCode(change.lang),
    data: { username: change.username, sealed_token: sealToken(secrets, token, to) },
    expiresAt,
  })
}

/**
 * Makes a confirmed address the account's, unless the old address has not agreed yet; then returns the
 * deadline for its answer. Refuses with `invalid_confirmation_token` (unknown, used, older than 48 hours,
 * taken meanwhile) and `too_many_attempts`.
 */
export async function confirmNewEmail(
  db: Db,
  secrets: Secrets,
  given: { token: string; ip: string },
  now: Date,
): Promise<Date | null> {
  const counted = await countAttempt(db, tokenLimits(given.ip), now)
  return refusingTaken(() =>
    transaction(db, async (tx) => {
      await lockAccountOf(tx, 'confirm_sha256', sha256(given.token))
      const change = await tx
        .selectFrom('email_change')
        .select(['id', 'account_id', 'new_email', 'new_email_key', 'old_answer_by', 'old_approved_at'])
        .where('confirm_sha256', '=', sha256(given.token))
        .where('confirmed_at', 'is', null)
        .where('confirm_by', '>', now)
        .executeTakeFirst()
      if (change === undefined) throw new Refusal('invalid_confirmation_token')
      const [accountId, key] = [change.account_id, change.new_email_key]
      if (await isTaken(tx, { accountId, key }, now)) throw new Refusal('invalid_confirmation_token')
      await takeBack(tx, counted)
      const { old_answer_by: answerBy, old_approved_at: approvedAt } = change
      if (answerBy === null || approvedAt !== null || answerBy <= now) {
        await replaceEmail(tx, secrets, { ...change, ip: given.ip }, now)
        return null
      }
      await tx
        .updateTable('email_change')
        .set({ new_confirmed_at: now, confirm_sha256: null })
        .where('id', '=', change.id)
        .execute()
      return answerBy
    }),
  )
}

/** Deletes expired requests and restore links. */
export async function forgetEmailChanges(db: Db, now: Date): Promise<void> {
  await sql`
    delete from email_change
    where (confirmed_at is null and new_confirmed_at is null and confirm_by < ${now})
      or (confirmed_at is not null and undo_by < ${now})
  `.execute(db)
}
