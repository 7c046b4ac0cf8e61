/** Letters: queued in the transaction of their cause, rendered and sent by a job. */
import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { addJob } from '#db/jobs'
import type { Mail, Template } from './kinds.ts'

export type { Letters, Mail } from './kinds.ts'
export { eraseLetters, mailParts } from './export.and.erase.ts'
export { moveWords } from './letters.moves.ts'
export { payoutWords } from './letters.payouts.ts'
export { securityWords } from './letters.security.ts'
export { sealedLetterTokens, sealToken } from './seal.ts'
export { mailTestedAt, noteMailTest, type TestedServer } from './tested.ts'

/** Retries for almost two days, longer than a mail server is usually down. */
const maxAttempts = 16

/** Letters with a link that somebody waits for, and that is valid for an hour or a few days. */
const awaited: ReadonlySet<Template> = new Set([
  'confirm_email',
  'reset_password',
  'confirm_new_email',
  'approve_new_email',
  'team_invitation',
])

/**
 * Queues a letter, which is sent when the transaction commits. It is sent at least once: after a crash of the
 * worker between sending and recording it, it is sent again with the same Message-ID.
 */
export async function sendMail(tx: Kysely<DB>, mail: Mail): Promise<void> {
  const id = randomUUID()
  const holder = sql<bigint | null>`(select id from account where email_key = ${mail.to.toLowerCase()})`
  await tx
    .insertInto('mail')
    .values({
      id,
      account_id: mail.accountId === undefined ? holder : mail.accountId,
      template: mail.template,
      language: mail.language,
      recipient: mail.to,
      data: JSON.stringify(mail.data),
      expires_at: mail.expiresAt ?? null,
    })
    .execute()
  const isAwaited = awaited.has(mail.template)
  await addJob(tx, 'send_mail', { mail_id: id }, { maxAttempts, to: 'mail', isAwaited })
}

/** Deletes letters older than `keptDays`, with their recipients and outcomes. */
export async function forgetOldMail(
  db: Kysely<DB>,
  { now, keptDays }: { now: Date; keptDays: number },
): Promise<void> {
  await db
    .deleteFrom('mail')
    .where('created_at', '<', new Date(now.getTime() - keptDays * 24 * 60 * 60_000))
    .execute()
}

interface SentLetter {
  id: string
  template: string
  language: string
  createdAt: Date
  sentAt: Date | null
  failedAt: Date | null
  failure: string | null
}

/** The stored letters to an address, newest first, after the cursor `after`. */
export async function lettersTo(
  db: Kysely<DB>,
  email: string,
  { after, limit }: { after: { createdAt: string; id: string } | null; limit: number },
): Promise<SentLetter[]> {
  const behind =
    after === null
      ? sql`true`
      : sql`(date_trunc('milliseconds', created_at), id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
  const { rows } = await sql<SentLetter>`
    select id, template, language, created_at as "createdAt", sent_at as "sentAt", failed_at as "failedAt", failure
    from mail where lower(recipient) = ${email.toLowerCase()} and ${behind}
    order by date_trunc('milliseconds', created_at) desc, id desc limit ${limit}`.execute(db)
  return rows
}

/** The number of letters abandoned since this time. */
export async function countFailedMail(db: Kysely<DB>, since: Date): Promise<number> {
  const { count } = await db
    .selectFrom('mail')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('failed_at', '>=', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The number of letters that have been waiting since before this time. */
export async function countStuckMail(db: Kysely<DB>, since: Date): Promise<number> {
  const { count } = await db
    .selectFrom('mail')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('sent_at', 'is', null)
    .where('failed_at', 'is', null)
    .where('created_at', '<', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}
