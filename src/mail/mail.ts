/** Letters to people: written where the thing happens, rendered and sent by a job. */
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
 * Writes a letter, to be sent when the transaction commits. It is sent at least once: after a crash of the worker
 * between sending and noting it, the same Message-ID goes out again.
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

/** Drops old letters: recipients and outcomes are kept for 30 days. */
export async function forgetOldMail(db: Kysely<DB>, now: Date): Promise<void> {
  await db
    .deleteFrom('mail')
    .where('created_at', '<', new Date(now.getTime() - 30 * 24 * 60 * 60_000))
    .execute()
}
