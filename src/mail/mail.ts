/** Letters: queued in the transaction of their cause, rendered and sent by a job. */
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { addJob } from '#db/jobs'
import type { Mail } from './kinds.ts'

export type { Mail } from './kinds.ts'
export { sealedLetterTokens, sealToken } from './seal.ts'

/** Retries for almost two days, longer than a mail server is usually down. */
const maxAttempts = 16

/**
 * Queues a letter, which is sent when the transaction commits. It is sent at least once: after a crash of the worker
 * between sending and recording it, it is sent again with the same Message-ID.
 */
export async function sendMail(tx: Kysely<DB>, mail: Mail): Promise<void> {
  const id = randomUUID()
  await tx
    .insertInto('mail')
    .values({
      id,
      template: mail.template,
      language: mail.language,
      recipient: mail.to,
      data: JSON.stringify(mail.data),
      expires_at: mail.expiresAt ?? null,
    })
    .execute()
  await addJob(tx, 'send_mail', { mail_id: id }, { maxAttempts })
}

/** Deletes old letters: recipients and outcomes are kept for 30 days. */
export async function forgetOldMail(db: Kysely<DB>, now: Date): Promise<void> {
  await db
    .deleteFrom('mail')
    .where('created_at', '<', new Date(now.getTime() - 30 * 24 * 60 * 60_000))
    .execute()
}

/** A letter that was not sent for so long is stuck. */
const stuckMs = 30 * 60_000

/** How many letters wait for longer than half an hour. */
export async function countStuckMail(db: Kysely<DB>, now: Date): Promise<number> {
  const { count } = await db
    .selectFrom('mail')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('sent_at', 'is', null)
    .where('failed_at', 'is', null)
    .where('created_at', '<', new Date(now.getTime() - stuckMs))
    .executeTakeFirstOrThrow()
  return Number(count)
}
