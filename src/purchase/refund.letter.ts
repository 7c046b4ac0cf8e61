/** Tells a customer that money of an invoice is given back. */
import type { Transaction } from 'kysely'
import { personOf } from '#accounts'
import type { DB } from '#db'
import { sendMail } from '#mail'
import type { Invoice } from './invoice.ts'

/** Queues the letter, which carries the credit note, in the transaction of the refund; without an address there is none. */
export async function tellRefund(
  tx: Transaction<DB>,
  { accountId, number, pool, method, language }: Invoice,
  { refundedMicros, takenBackBytes }: { refundedMicros: bigint; takenBackBytes: bigint },
): Promise<void> {
  const { email } = await personOf(tx, accountId)
  if (email === null || refundedMicros === 0n) return
  await sendMail(tx, {
    template: 'payment_refunded',
    to: email,
    language,
    data: {
      invoice: number,
      pool,
      refunded_micros: String(refundedMicros),
      taken_back_bytes: String(takenBackBytes),
      to_balance: method === 'referral',
    },
  })
}
