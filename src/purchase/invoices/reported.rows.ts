/** Reports of processors about refunds, one row each, so that each is counted once. */
import type { Selectable, Transaction } from 'kysely'
import type { DB } from '#db'
import type { FoundRefund, Price } from '#payments'
import type { Invoice } from './invoice.ts'

/** A report of a refund, as it was last kept. */
export type Row = Selectable<DB['processor_refund']>

/** A refund as it is reported, or a dispute that returned the money as one does. */
export type Returned = FoundRefund & { cause?: 'refund' | 'dispute' }

/** A refund, or a dispute that was lost, as it is kept. */
export interface ToKeep {
  refundId: string
  cause: 'refund' | 'dispute'
  price: Price
  madeAt: Date
}

export const toKeep = ({ refundId, cause = 'refund', price, madeAt }: Returned): ToKeep => ({
  refundId,
  cause,
  price,
  madeAt,
})

export const rowsOf = (tx: Transaction<DB>, invoiceId: bigint): Promise<Row[]> =>
  tx.selectFrom('processor_refund').selectAll().where('invoice_id', '=', invoiceId).execute()

/** Whether the refund is booked on another invoice already, because its name was changed at the processor. */
export async function isOfAnother(
  tx: Transaction<DB>,
  { id, method }: Invoice,
  refundId: string,
): Promise<boolean> {
  const row = await tx
    .selectFrom('processor_refund')
    .select('invoice_id')
    .where('method', '=', method)
    .where('refund_id', '=', refundId)
    .executeTakeFirst()
  return row !== undefined && row.invoice_id !== id
}

interface Counted {
  state: 'waiting' | 'counted' | 'own' | 'failed' | 'unclear'
  usd_micros?: bigint
  taken_back_bytes?: bigint
  lost_bytes?: bigint
  own_refund?: bigint
  is_sent?: boolean
  counted_at?: Date
}

export async function keep(
  tx: Transaction<DB>,
  { id, method }: Invoice,
  { refundId, cause, price, madeAt, ...counted }: ToKeep & Counted,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('processor_refund')
    .values({
      method,
      refund_id: refundId,
      invoice_id: id,
      cause,
      currency: price.currency,
      amount_micros: price.micros,
      made_at: madeAt,
      changed_at: now,
      ...counted,
    })
    .onConflict((conflict) =>
      conflict.columns(['method', 'refund_id']).doUpdateSet({
        ...counted,
        // A claim may change until it is sent; an operator states the amount of an unclear refund.
        currency: price.currency,
        amount_micros: price.micros,
        changed_at: now,
      }),
    )
    .execute()
}

export const madeOf = (row: Row): ToKeep => ({
  refundId: row.refund_id,
  cause: row.cause as ToKeep['cause'],
  price: { currency: row.currency, micros: row.amount_micros },
  madeAt: row.made_at,
})
