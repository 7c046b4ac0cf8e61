/** Messages to the group: written in the transaction of their cause, and sent by a job of the bot. */
import { randomUUID } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { AlertTopic } from '#contract/desk/alerts'
import type { DB } from '#db'
import { addJob } from '#db/jobs'
import type { News } from './news.ts'

/** The job that sends a message; the bot runs it. */
export const alertMessageTask = 'alert_message'
export interface AlertMessageJob {
  message_id: string
}

/** Retries for over three hours; then the message is mailed instead. */
const maxAttempts = 10

export interface OutMessage {
  id: string
  topic: AlertTopic | null
  news: News
}

/** Writes a message to the group for when the transaction commits; `topic` null: the general one. */
export async function queueMessage(
  tx: Transaction<DB>,
  topic: AlertTopic | null,
  news: News,
  now: Date,
): Promise<void> {
  const id = randomUUID()
  await sql`
    insert into alert_message (id, topic, news, created_at) values (${id}, ${topic}, ${JSON.stringify(news)}::jsonb, ${now})`.execute(
    tx,
  )
  await queueSending(tx, id)
}

/** Queues the sending, now or later. */
export async function queueSending(db: Kysely<DB>, id: string, runAt?: Date): Promise<void> {
  const job = { message_id: id } satisfies AlertMessageJob
  // One at a time, so that the bot creates each topic once and messages stay in order.
  const once = { maxAttempts, to: 'staff_group' } as const
  await addJob(db, alertMessageTask, job, runAt === undefined ? once : { ...once, runAt })
}

/** A message that was neither sent nor abandoned; null: there is nothing to do. */
export async function waitingMessage(db: Kysely<DB>, id: string): Promise<OutMessage | null> {
  const { rows } = await sql<OutMessage>`
    select id, topic, news from alert_message where id = ${id} and sent_at is null and failed_at is null`.execute(
    db,
  )
  return rows[0] ?? null
}

export async function noteSent(db: Kysely<DB>, id: string, now: Date): Promise<void> {
  await sql`update alert_message set sent_at = ${now} where id = ${id}`.execute(db)
}

/** False: it was already abandoned or sent. */
export async function noteGivenUp(
  tx: Transaction<DB>,
  id: string,
  failure: string,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    update alert_message set failed_at = ${now}, failure = ${failure.slice(0, 200)}
    where id = ${id} and sent_at is null and failed_at is null returning 1`.execute(tx)
  return rows.length > 0
}
