/** Each update is handled once, over any number of processes and restarts. */
import { type Kysely, sql } from 'kysely'
import { type DB, lockName } from '#db'

export interface Arrived {
  botId: bigint
  updateId: number
  chatId: number
  at: Date
}

/** Telegram discards an update after a day; ids restart at a random number after a week without updates. */
const keepMs = 3 * 24 * 60 * 60_000
const minuteMs = 60_000

/**
 * Runs `work` for an update that was not handled before, with the number of updates of its chat within a
 * minute, including this one. A concurrent repeated delivery waits, and then finds the update done. When
 * `work` throws, or the process ends, the update counts as not handled, so `work` must be safe to repeat.
 */
export function once(
  db: Kysely<DB>,
  { botId, updateId, chatId, at }: Arrived,
  work: (recent: number) => Promise<void>,
): Promise<'handled' | 'repeated'> {
  // Not `transaction()`, which repeats its work after a deadlock: this work sends messages.
  return db.transaction().execute(async (tx) => {
    const fresh = await tx
      .insertInto('telegram_update')
      .values({ bot_id: botId, update_id: BigInt(updateId), chat_id: BigInt(chatId), at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('update_id')
      .executeTakeFirst()
    if (fresh === undefined) return 'repeated'
    // A question is answered by one message, also when other processes get the next ones.
    await lockName(tx, `telegram chat ${chatId}`)
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from (
        select from telegram_update
        where bot_id = ${botId} and chat_id = ${chatId} and at > ${new Date(at.getTime() - minuteMs)}
        limit 100
      ) recent`.execute(tx)
    await work(rows[0]?.count ?? 1)
    return 'handled'
  })
}

/** How long staff can reply to a message of a customer. */
const answerMs = 30 * 24 * 60 * 60_000

/**
 * Deletes updates that Telegram will not send again, and the records of old messages in the staff's group.
 */
export async function forgetOldUpdates(db: Kysely<DB>, now: Date): Promise<void> {
  await db
    .deleteFrom('telegram_update')
    .where('at', '<', new Date(now.getTime() - keepMs))
    .execute()
  await db
    .deleteFrom('telegram_support')
    .where('at', '<', new Date(now.getTime() - answerMs))
    .execute()
}
