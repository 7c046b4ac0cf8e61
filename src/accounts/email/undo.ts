/** Restores the old address for an owner whose account was taken over. */
import type { Transaction } from 'kysely'
import { type DB, transaction, type Db } from '#db'
import { Refusal } from '#lib/refusal'
import { type Secrets, sha256 } from '#lib/secret'
import { resetSignIn } from '../desk.access.ts'
import type { EndPrograms } from '../signin/session.ts'
import { tellOfChange } from '../signin/tell.ts'
import { countAttempt, takeBack, tokenLimits } from '../signin/throttle.ts'
import { unlinkAccount } from '../telegram.person.ts'
import { endTokens } from '../token.ts'
import { lockAccount } from './replace.ts'

/**
 * Restores the old address by the link of its letter, for an owner whose account was taken over: the
 * password, all sessions, the API token and secret links become invalid, Telegram is unlinked, later changes are
 * undone too, and a letter contains the link for a new password. Second factors are kept. Refuses with `invalid_undo_token`
 * (unknown, used, older than seven days) and `too_many_attempts`.
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
    await throwOut(tx, deps, { accountId, ip: given.ip }, now)
    await takeBack(tx, counted)
  })
}

/**
 * Revokes everything that a thief may hold: links in letters, sessions, the password, the API token, secret
 * links and the linked Telegram, whose codes would sign the thief in again. Sends a letter with a link for a new
 * password.
 */
export async function throwOut(
  tx: Transaction<DB>,
  deps: { secrets: Secrets; endPrograms: EndPrograms },
  { accountId, ip }: { accountId: bigint; ip: string },
  now: Date,
): Promise<void> {
  await endTokens(tx, accountId)
  await tellOfChange(tx, accountId, { event: 'email_restored', ip }, now)
  await resetSignIn(tx, deps.secrets, accountId, now)
  await unlinkAccount(tx, accountId)
  await deps.endPrograms(tx, accountId)
}
