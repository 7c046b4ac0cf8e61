/** The notices to a customer whose address another has proven: a letter, and a message in Telegram. */
import type { Kysely } from 'kysely'
import { addressNoticeLimits, personOf, tryCount } from '#accounts'
import { ownerInTelegram } from '#accounts/telegram'
import { languageOfCode } from '#contract/language'
import type { Pool } from '#contract/wire'
import { databaseTime, type DB } from '#db'
import { addJob } from '#db/jobs'
import { sendMail } from '#mail'

/** The job that sends it in Telegram; the bot runs it. */
export const addressTakenTask = 'telegram_address_taken'

/** The job's payload. */
export interface AddressTaken {
  account_id: string
  pool: Pool
  address: string
}

/** An hour of attempts, as for other notices: the account shows it as well. */
const noticeAttempts = 8

/**
 * Notifies the customer, when the transaction commits, that another has proven an address of theirs; at most
 * ten times a day, since the account's mailbox may belong to a different person.
 */
export async function tellTaken(
  tx: Kysely<DB>,
  { accountId, pool, address }: { accountId: bigint; pool: Pool; address: string },
): Promise<void> {
  if ('waitSeconds' in (await tryCount(tx, addressNoticeLimits(accountId), await databaseTime(tx)))) return
  const { email, lang } = await personOf(tx, accountId)
  if (email !== null) {
    const language = languageOfCode(lang)
    await sendMail(tx, { template: 'address_taken', to: email, language, data: { pool, address } })
  }
  if ((await ownerInTelegram(tx, accountId)) === null) return
  const notice = { account_id: String(accountId), pool, address } satisfies AddressTaken
  await addJob(tx, addressTakenTask, notice, { maxAttempts: noticeAttempts, to: 'telegram' })
}
