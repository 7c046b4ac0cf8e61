/** Refunds by a processor that does not report their worth in the currency of the invoice. */
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'
import { findInvoice, type Invoice, type PurchaseDeps, settleReturn } from '#purchase'
import { type Author, record } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'
import { amount } from '../lists/page.ts'

interface Wish {
  number: string
  refundId: string
  micros: bigint
  reason: string | null
}

/**
 * Counts such a refund with the amount that an operator states, and records the operator. Refuses with
 * `invoice_not_found`, and with `return_not_found` when the invoice has no such refund.
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
      takesBack: await takesBack(),
      note: (tx, { accountId, receivedMicros, refundedMicros, takenBackBytes }) =>
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
            // If the stated amount is too small, the customer keeps what the invoice bought.
            stake: { micros: receivedMicros },
          },
          now,
        ),
    },
    now,
  )
}

export const returnCalls = (deps: Pick<PurchaseDeps, 'takesBack'>) =>
  ({
    settle_return: async ({ number, id, micros, reason }, context) => {
      const { database, now } = context
      const before = await findInvoice(database.db, number)
      if (before === null) throw new Refusal('invoice_not_found')
      const wish = { number, refundId: id, micros: BigInt(micros), reason }
      const after = await sayReturned(database, deps, authorOf(context), wish, now())
      return {
        refunded_micros: amount(after.refundedMicros - before.refundedMicros),
        taken_back_bytes: amount(after.takenBackBytes - before.takenBackBytes),
      }
    },
  }) satisfies Partial<DeskHandlers>
