/** Refunds at a processor of which it does not tell what they are worth in the currency of the invoice. */
import type { Database } from '#db'
import { type Invoice, type PurchaseDeps, settleReturn } from '#purchase'
import { type Author, record } from '#staff'

interface Wish {
  number: string
  refundId: string
  micros: bigint
  reason: string | null
}

/**
 * Counts such a refund as an operator says, and records who said it. Refuses with `invoice_not_found`, and with `return_not_found` when
 * the invoice has no such refund.
 */
export async function sayReturned(
  database: Database,
  { takesBack }: Pick<PurchaseDeps, 'takesBack'>,
  author: Author,
  { number, refundId, micros, reason }: Wish,
  now: Date,
): Promise<Invoice> {
  return settleReturn(
    database,
    {
      number,
      refundId,
      micros,
      takesBack: (await takesBack?.()) ?? true,
      note: (tx, { accountId, refundedMicros, takenBackBytes }) =>
        record(
          tx,
          author,
          {
            action: 'settle_return',
            subject: { kind: 'invoice', id: number },
            accountId,
            before: { refund: refundId },
            after: { micros, refunded_micros: refundedMicros, taken_back_bytes: takenBackBytes },
            reason,
          },
          now,
        ),
    },
    now,
  )
}
