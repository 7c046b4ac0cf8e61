/**
 * Sends a notice by the channels that its customer has not switched off: a letter, and a message in Telegram.
 */
import type { Transaction } from 'kysely'
import { addressesOf } from '#accounts'
import { ownerInTelegram } from '#accounts/telegram'
import { languageOfCode } from '#contract/language'
import type { DB } from '#db'
import { addJob } from '#db/jobs'
import { type Letters, sendMail } from '#mail'
import { noticeSettings } from './choices.ts'

type TrafficNotice = Letters['traffic_low'] & { kind: 'traffic' }
type CapNotice = Letters['cap_reached'] & { kind: 'cap' }
type TopUpNotice = Letters['top_up'] & { kind: 'topup' }
type TroubleNotice = Letters['exit_trouble'] & { kind: 'trouble' }
type BillNotice = Letters['bill_month'] & { kind: 'bill' }
export type Notice = TrafficNotice | CapNotice | TopUpNotice | TroubleNotice | BillNotice

/** The job that sends a notice in Telegram; the bot runs it. */
export const telegramNoticeTask = 'telegram_notice'

/** The job's payload. */
export type TelegramNotice = Notice & { account_id: string }

/** Two hours of retries: a later notice would report an outdated balance. */
const noticeAttempts = 9
const noticeMs = 2 * 60 * 60_000
const moneyMs = 48 * 60 * 60_000
/** The notice of a bill may arrive a week late: its hash does not become outdated. */
const billMs = 7 * 24 * 60 * 60_000

/**
 * Queues the notice for when the transaction commits. False: the customer has switched off all channels.
 * Letters are sent to confirmed addresses only.
 */
export async function tell(
  tx: Transaction<DB>,
  accountId: bigint,
  notice: Notice,
  now: Date,
): Promise<boolean> {
  const { email, lang, isClosed } = await addressesOf(tx, accountId)
  if (isClosed) return false
  const { [notice.kind]: isOn } = (await noticeSettings(tx, accountId)).choices
  const isMailed = isOn.email && email !== null
  if (isMailed) {
    const letter = {
      to: email,
      language: languageOfCode(lang),
      expiresAt: new Date(now.getTime() + noticeMs),
    }
    const { kind, ...data } = notice
    if (kind === 'traffic')
      await sendMail(tx, { ...letter, template: 'traffic_low', data: data as Letters['traffic_low'] })
    else if (kind === 'cap')
      await sendMail(tx, { ...letter, template: 'cap_reached', data: data as Letters['cap_reached'] })
    else if (kind === 'trouble')
      await sendMail(tx, { ...letter, template: 'exit_trouble', data: data as Letters['exit_trouble'] })
    else if (kind === 'bill') {
      const expiresAt = new Date(now.getTime() + billMs)
      await sendMail(tx, {
        ...letter,
        expiresAt,
        template: 'bill_month',
        data: data as Letters['bill_month'],
      })
    } else {
      // The outcome of a charge is worth reporting later too.
      const expiresAt = new Date(now.getTime() + moneyMs)
      await sendMail(tx, { ...letter, expiresAt, template: 'top_up', data: data as Letters['top_up'] })
    }
  }
  const isSaid = isOn.telegram && (await ownerInTelegram(tx, accountId)) !== null
  if (isSaid)
    await addJob(
      tx,
      telegramNoticeTask,
      { ...notice, account_id: String(accountId) } satisfies TelegramNotice,
      {
        maxAttempts: noticeAttempts,
        to: 'telegram',
      },
    )
  return isMailed || isSaid
}
