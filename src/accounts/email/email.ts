/**
 * A new e-mail address of an account. It counts once the link of a letter to it was followed; a letter to the old address then
 * has a link that restores it within seven days. Nothing tells whether an address belongs to an account: a letter is sent,
 * or is not, by a job.
 */
import type { TaskList } from 'graphile-worker'
import { type Kysely, sql, type Transaction } from 'kysely'
import { languageOfCode } from '#contract/language'
import { type DB, transaction } from '#db'
import { addJob } from '#db/jobs'
import { Refusal } from '#lib/refusal'
import { randomToken, type Secrets, sha256 } from '#lib/secret'
import { sealToken, sendMail } from '#mail'
import { resetSignIn } from '../desk.access.ts'
import { checkEmail, nameKey } from '../names.ts'
import { needProof } from '../signin/proof.ts'
import { tellOfChange } from '../signin/tell.ts'
import {
  accountSubject,
  countAttempt,
  type Limit,
  mailboxLimits,
  takeBack,
  tokenLimits,
  tryCount,
} from '../throttle.ts'
import { endTokens } from '../token.ts'

type Db = Kysely<DB>

const confirmMs = 48 * 60 * 60_000
const undoMs = 7 * 24 * 60 * 60_000

const changeLimits = (accountId: bigint): Limit[] => [
  { kind: 'email_change', subject: accountSubject(accountId), max: 5, windowMinutes: 60 },
]

/** The address that waits for its confirmation; null: there is none. */
export async function pendingEmail(
  db: Db,
  accountId: bigint,
  now: Date,
): Promise<{ email: string; expiresAt: Date } | null> {
  const row = await db
    .selectFrom('email_change')
    .select(['new_email', 'confirm_by'])
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is', null)
    .where('confirm_by', '>', now)
    .executeTakeFirst()
  return row === undefined ? null : { email: row.new_email, expiresAt: row.confirm_by }
}

/**
 * Asks for another address; an earlier wish ends. The old address is told at once. Refuses with `invalid_email`,
 * `email_unchanged`, `proof_needed` and `too_many_attempts`. Of an address that another account has the answer is the same.
 */
export async function askEmailChange(
  db: Db,
  given: { accountId: bigint; tokenSha256: Buffer; email: string; ip: string },
  now: Date,
): Promise<void> {
  const { accountId, tokenSha256, ip } = given
  const email = checkEmail(given.email)
  const key = nameKey(email)
  await needProof(db, tokenSha256, now)
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
    await tellOfChange(tx, accountId, { event: 'email_change_asked', ip }, now)
    if ('counted' in mailbox) await addJob(tx, 'mail_email_change', { change_id: String(id) })
  })
}

/** Withdraws the wish for another address, if there is one. */
export async function cancelEmailChange(db: Db, accountId: bigint): Promise<void> {
  await dropPending(db, accountId)
}

const dropPending = (db: Db, accountId: bigint) =>
  db
    .deleteFrom('email_change')
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is', null)
    .execute()

const lockAccount = (tx: Transaction<DB>, accountId: bigint) =>
  tx
    .selectFrom('account')
    .select(['username', 'email', 'email_key', 'email_confirmed_at', 'lang', 'blocked_at'])
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirstOrThrow()

/** Whether an address belongs to an account, or to the way back of another one. */
async function isTaken(tx: Db, { accountId, key }: { accountId: bigint; key: string }, now: Date) {
  const { rows } = await sql<{ taken: boolean }>`
    select exists (select from account where email_key = ${key})
      or exists (select from email_change
        where old_email_key = ${key} and undo_by > ${now} and account_id <> ${accountId}) as taken`.execute(
    tx,
  )
  return rows[0]?.taken === true
}

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
    to,
    language: languageOfCode(change.lang),
    data: { username: change.username, sealed_token: sealToken(secrets, token, to) },
    expiresAt,
  })
}

/**
 * Makes a confirmed address the account's. Links of letters to the old one end, except for the one that restores it. Refuses
 * with `invalid_confirmation_token` (unknown, used, older than 48 hours, taken meanwhile) and `too_many_attempts`.
 */
export async function confirmNewEmail(
  db: Db,
  secrets: Secrets,
  given: { token: string; ip: string },
  now: Date,
): Promise<void> {
  const counted = await countAttempt(db, tokenLimits(given.ip), now)
  try {
    await transaction(db, async (tx) => {
      const change = await tx
        .selectFrom('email_change')
        .select(['id', 'account_id', 'new_email', 'new_email_key'])
        .where('confirm_sha256', '=', sha256(given.token))
        .where('confirmed_at', 'is', null)
        .where('confirm_by', '>', now)
        .executeTakeFirst()
      if (change === undefined) throw new Refusal('invalid_confirmation_token')
      await replaceEmail(tx, secrets, { ...change, ip: given.ip }, now)
      await takeBack(tx, counted)
    })
  } catch (error) {
    // Another account took the address at the same moment.
    if (isUniqueViolation(error)) throw new Refusal('invalid_confirmation_token')
    throw error
  }
}

const isUniqueViolation = (error: unknown) =>
  error instanceof Error && (error as Error & { code?: unknown }).code === '23505'

interface Confirmed {
  id: bigint
  account_id: bigint
  new_email: string
  new_email_key: string
  ip: string
}

async function replaceEmail(
  tx: Transaction<DB>,
  secrets: Secrets,
  { id, account_id: accountId, new_email: email, new_email_key: key, ip }: Confirmed,
  now: Date,
): Promise<void> {
  const old = await lockAccount(tx, accountId)
  const isFree = old.blocked_at === null && !(await isTaken(tx, { accountId, key }, now))
  const isOpen = await tx
    .updateTable('email_change')
    .set({ confirmed_at: now, confirm_sha256: null })
    .where('id', '=', id)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst()
  // Of concurrent uses of one link the second finds it used.
  if (!isFree || isOpen.numUpdatedRows === 0n) throw new Refusal('invalid_confirmation_token')
  await tx
    .updateTable('account')
    .set({ email, email_key: key, email_confirmed_at: now, updated_at: now })
    .where('id', '=', accountId)
    .execute()
  await endTokens(tx, accountId, 'confirm_email')
  await endTokens(tx, accountId, 'reset_password')
  await tellOfChange(tx, accountId, { event: 'email_changed', ip }, now)
  // Only who has confirmed an address may have it back: another one may be a stranger's.
  if (old.email === null || old.email_confirmed_at === null) {
    await tx.deleteFrom('email_change').where('id', '=', id).execute()
    return
  }
  const token = randomToken()
  const expiresAt = new Date(now.getTime() + undoMs)
  await tx
    .updateTable('email_change')
    .set({
      old_email: old.email,
      old_email_key: old.email_key,
      undo_sha256: sha256(token),
      undo_by: expiresAt,
    })
    .where('id', '=', id)
    .execute()
  await sendMail(tx, {
    template: 'email_replaced',
    to: old.email,
    language: languageOfCode(old.lang),
    data: { username: old.username, sealed_token: sealToken(secrets, token, old.email), ip },
    expiresAt,
  })
}

/** What an undone change ends besides sign-ins. */
export type EndPrograms = (tx: Transaction<DB>, accountId: bigint) => Promise<void>

/**
 * Restores the old address by the link of its letter, for an owner whose account was taken over: the password works no more,
 * all sign-ins and the API token end, later changes are undone too, and a letter has the link for a new password. Second
 * factors stay. Refuses with `invalid_undo_token` (unknown, used, older than seven days) and `too_many_attempts`.
 */
export async function undoEmailChange(
  db: Db,
  deps: { secrets: Secrets; endPrograms: EndPrograms },
  given: { token: string; ip: string },
  now: Date,
): Promise<void> {
  const counted = await countAttempt(db, tokenLimits(given.ip), now)
  await transaction(db, async (tx) => {
    const change = await tx
      .selectFrom('email_change')
      .select(['id', 'account_id', 'old_email', 'old_email_key'])
      .where('undo_sha256', '=', sha256(given.token))
      .where('undo_by', '>', now)
      .executeTakeFirst()
    if (change === undefined) throw new Refusal('invalid_undo_token')
    const accountId = change.account_id
    await lockAccount(tx, accountId)
    const ended = await tx
      .deleteFrom('email_change')
      .where('account_id', '=', accountId)
      .where('id', '>=', change.id)
      .returning('id')
      .execute()
    if (!ended.some(({ id }) => id === change.id)) throw new Refusal('invalid_undo_token')
    await tx
      .updateTable('account')
      .set({
        email: change.old_email,
        email_key: change.old_email_key,
        email_confirmed_at: now,
        updated_at: now,
      })
      .where('id', '=', accountId)
      .execute()
    await endTokens(tx, accountId)
    await tellOfChange(tx, accountId, { event: 'email_restored', ip: given.ip }, now)
    await resetSignIn(tx, deps.secrets, accountId, now)
    await deps.endPrograms(tx, accountId)
    await takeBack(tx, counted)
  })
}

/** Deletes wishes and ways back that have ended. */
export async function forgetEmailChanges(db: Db, now: Date): Promise<void> {
  await sql`
    delete from email_change
    where (confirmed_at is null and confirm_by < ${now}) or (confirmed_at is not null and undo_by < ${now})
  `.execute(db)
}
