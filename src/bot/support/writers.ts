/** Maps messages in the staff's group to the customers who wrote them. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'

interface Place {
  groupChatId: bigint
  messageId: number
}

export async function keepWriter(
  db: Kysely<DB>,
  { groupChatId, messageId }: Place,
  telegramUserId: bigint,
  now: Date,
): Promise<void> {
  await sql`
    insert into telegram_support (group_chat_id, message_id, telegram_user_id, at)
    values (${groupChatId}, ${messageId}, ${telegramUserId}, ${now}) on conflict do nothing`.execute(db)
}

/**
 * The Telegram id of the writer. Null: the message carries no customer's message, or the customer has
 * unlinked Telegram.
 */
export async function writerOf(db: Kysely<DB>, { groupChatId, messageId }: Place): Promise<bigint | null> {
  const { rows } = await sql<{ id: bigint }>`
    select telegram_user_id as id from telegram_support
    where group_chat_id = ${groupChatId} and message_id = ${messageId}`.execute(db)
  return rows[0]?.id ?? null
}

/** The number of messages that a person has written since this time. */
export async function countWritten(db: Kysely<DB>, telegramUserId: bigint, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from telegram_support
    where telegram_user_id = ${telegramUserId} and at > ${since}`.execute(db)
  return rows[0]?.count ?? 0
}
