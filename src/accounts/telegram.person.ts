/** The link between a person in Telegram and their account. */
import type { Transaction } from 'kysely'
import { type DB, lockName } from '#db'

/**
 * Locks a person until the end of the transaction, so that their account does not change while it is used.
 */
export async function lockPerson(tx: Transaction<DB>, telegramUserId: bigint): Promise<void> {
  await lockName(tx, `telegram person ${telegramUserId}`)
}

/** Unlinks the account from its person in Telegram, and deletes the code for it; false: there was none. */
export async function unlinkAccount(tx: Transaction<DB>, accountId: bigint): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('telegram_identity')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  await tx.deleteFrom('telegram_code').where('account_id', '=', accountId).execute()
  return numDeletedRows > 0n
}

/** Unlinks the person from the account they had, and deletes the code for it; null: they had none. */
export async function leaveAccount(tx: Transaction<DB>, telegramUserId: bigint): Promise<bigint | null> {
  const left = await tx
    .deleteFrom('telegram_identity')
    .where('telegram_user_id', '=', telegramUserId)
    .returning('account_id')
    .executeTakeFirst()
  if (left === undefined) return null
  await tx.deleteFrom('telegram_code').where('account_id', '=', left.account_id).execute()
  return left.account_id
}
