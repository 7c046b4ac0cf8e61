/**
 * Notifies both customers of a move, by letter and in Telegram. This cannot be switched off: it is about what
 * they own.
 */
import type { Transaction } from 'kysely'
import { languageOfCode } from '#contract/language'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { addJob } from '#db/jobs'
import { type Letters, sendMail } from '#mail'

/** The job that sends the message in Telegram; the bot runs it. */
export const moveNoticeTask = 'telegram_traffic_moved'

/** The job's payload. */
export type MoveNotice = Letters['traffic_moved'] & { account_id: string }

interface Side {
  accountId: bigint
  pool: Pool
  bytes: bigint
}

/** Queues letters and messages; they are sent when the transaction commits. */
export async function tellOfMove(
  tx: Transaction<DB>,
  { kind, from, to }: { kind: 'gift' | 'exchange'; from: Side; to: Side },
  now: Date,
): Promise<void> {
  const said = {
    pool: from.pool,
    bytes: String(from.bytes),
    to_pool: to.pool,
    to_bytes: String(to.bytes),
    at: now.toISOString(),
  }
  const [giver, receiver] = [await personOf(tx, from.accountId), await personOf(tx, to.accountId)]
  if (kind === 'exchange') return tell(tx, giver, { ...said, event: 'exchanged', who: null })
  await tell(tx, giver, { ...said, event: 'given', who: receiver.username })
  await tell(tx, receiver, { ...said, event: 'received', who: giver.username })
}

const personOf = (tx: Transaction<DB>, accountId: bigint) =>
  tx
    .selectFrom('account')
    .leftJoin('telegram_identity', 'telegram_identity.account_id', 'account.id')
    .select(['account.id', 'username', 'email', 'lang', 'telegram_user_id'])
    .where('account.id', '=', accountId)
    .executeTakeFirstOrThrow()

async function tell(
  tx: Transaction<DB>,
  person: Awaited<ReturnType<typeof personOf>>,
  data: Letters['traffic_moved'],
): Promise<void> {
  const language = languageOfCode(person.lang)
  if (person.email !== null)
    await sendMail(tx, { template: 'traffic_moved', to: person.email, language, data })
  if (person.telegram_user_id === null) return
  const notice = { ...data, account_id: String(person.id) } satisfies MoveNotice
  await addJob(tx, moveNoticeTask, notice, { maxAttempts: 8, to: 'telegram' })
}
