/** A person in Telegram and the account that is theirs: what is done to the two together. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'

/** Held to the end of the transaction: what is true of a person's account stays so until it is acted on. */
export async function lockPerson(tx: Transaction<DB>, telegramUserId: bigint): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`telegram person ${telegramUserId}`}, 0))`.execute(
    tx,
  )
}

/** The account the person had, if any, is theirs in Telegram no more; nor is a code that was given for it. */
export async function leaveAccount(tx: Transaction<DB>, telegramUserId: bigint): Promise<void> {
  const left = await tx
    .deleteFrom('telegram_identity')
    .where('telegram_user_id', '=', telegramUserId)
    .returning('account_id')
    .executeTakeFirst()
  if (left !== undefined)
    await tx.deleteFrom('telegram_code').where('account_id', '=', left.account_id).execute()
}
