/**
 * Notifies a customer about a payout, by letter and in Telegram. These notices cannot be switched off.
 */
import type { Transaction } from 'kysely'
import { languageOfCode } from '#contract/language'
import type { DB } from '#db'
import { addJob } from '#db/jobs'
import { type Letters, sendMail } from '#mail'

/** The job that sends the message in Telegram; the bot runs it. */
export const payoutNoticeTask = 'telegram_payout'

/** The job's payload. */
export type PayoutNotice = Letters['payout'] & { account_id: string }

interface PayoutChange {
  event: Letters['payout']['event']
  micros: bigint
  network: string
  address?: string
  reference?: string
  reason?: string | null
}

/** Queues the letter and the message; they are sent when the transaction commits. */
export async function tellOfPayout(
  tx: Transaction<DB>,
  accountId: bigint,
  { event, micros, network, address = '', reference, reason }: PayoutChange,
  now: Date,
): Promise<void> {
  const person = await tx
    .selectFrom('account')
    .leftJoin('telegram_identity', 'telegram_identity.account_id', 'account.id')
    .select(['email', 'lang', 'telegram_user_id', 'erased_at'])
    .where('account.id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (person.erased_at !== null) return
  const data = {
    event,
    micros: String(micros),
    network,
    // Only the end of the address: others may read the letter.
    address_end: address.slice(-6),
    reference: reference ?? null,
    reason: reason ?? null,
    at: now.toISOString(),
  } satisfies Letters['payout']
  const language = languageOfCode(person.lang)
  if (person.email !== null) await sendMail(tx, { template: 'payout', to: person.email, language, data })
  if (person.telegram_user_id === null) return
  const notice = { ...data, account_id: String(accountId) } satisfies PayoutNotice
  await addJob(tx, payoutNoticeTask, notice, { maxAttempts: 8, to: 'telegram' })
}
