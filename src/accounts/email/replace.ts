/** Makes another address the account's. */
import { sql, type Transaction } from 'kysely'
import { languageOfCode } from '#contract/language'
import type { DB, Db } from '#db'
import { Refusal } from '#lib/refusal'
import { randomToken, type Secrets, sha256 } from '#lib/secret'
import { sealToken, sendMail } from '#mail'
import { tellOfChange } from '../signin/tell.ts'
import { endTokens } from '../token.ts'

const undoMs = 7 * 24 * 60 * 60_000

/** The account of a change, locked until it is made. */
export const lockAccount = (tx: Transaction<DB>, accountId: bigint) =>
  tx
    .selectFrom('account')
    .select(['username', 'email', 'email_key', 'email_confirmed_at', 'lang', 'blocked_at'])
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirstOrThrow()

/** Locks the account of a change before the change itself, in the order in which all changes lock. */
export async function lockAccountOf(
  tx: Transaction<DB>,
  column: 'id' | 'confirm_sha256' | 'old_sha256',
  value: bigint | Buffer,
): Promise<void> {
  await sql`
    select from account where id in (select account_id from email_change where ${sql.ref(column)} = ${value}) for update`.execute(
    tx,
  )
}

/** Whether an address belongs to an account, or can still be restored to another one. */
export async function isTaken(tx: Db, { accountId, key }: { accountId: bigint; key: string }, now: Date) {
  const { rows } = await sql<{ taken: boolean }>`
    select exists (select from account where email_key = ${key})
      or exists (select from email_change
        where old_email_key = ${key} and undo_by > ${now} and account_id <> ${accountId}) as taken`.execute(
    tx,
  )
  return rows[0]?.taken === true
}

export interface Confirmed {
  id: bigint
  account_id: bigint
  new_email: string
  new_email_key: string
  /** Null: the old address did not answer. */
  ip: string | null
}

/**
 * Makes the new address the account's, and sends the old one, if it was confirmed, the link that restores it.
 * Refuses with `invalid_confirmation_token` where the address was taken meanwhile, or the change was made
 * already.
 */
export async function replaceEmail(
  tx: Transaction<DB>,
  secrets: Secrets,
  { id, account_id: accountId, new_email: email, new_email_key: key, ip }: Confirmed,
  now: Date,
): Promise<void> {
  const old = await lockAccount(tx, accountId)
  const isFree = old.blocked_at === null && !(await isTaken(tx, { accountId, key }, now))
  const isOpen = await tx
    .updateTable('email_change')
    .set({ confirmed_at: now, confirm_sha256: null, old_sha256: null })
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
  // Only a confirmed address can be restored: an unconfirmed one may belong to a stranger.
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
    accountId,
    to: old.email,
    language: languageOfCode(old.lang),
    data: { username: old.username, sealed_token: sealToken(secrets, token, old.email), ip },
    expiresAt,
  })
}
