/** The rows of receipts, as payments and refunds write them. */
import type { Selectable, Transaction } from 'kysely'
import type { DB } from '#db'
import type { FiscalReceipt, Price } from '#payments'
import { contentOf, type Registrar } from './content.ts'
import type { ReceiptKind } from './list.ts'

export type Row = Selectable<DB['receipt']>

interface Started {
  invoiceNumber: string
  kind: 'payment' | 'refund'
  /** The name of the refund; empty: of the payment. */
  of: string
  /** The processor's id of the payment or the refund. */
  objectId: string
}

/** Records that the processor received the prepared receipt. Null: none was prepared. */
export async function startPending(
  tx: Transaction<DB>,
  { invoiceNumber, kind, of, objectId }: Started,
  now: Date,
): Promise<{ content: FiscalReceipt | null; registrar: Registrar; description: string } | null> {
  const row = await tx
    .updateTable('receipt')
    .set({ state: 'pending', object_id: objectId, pending_since: now })
    .where('invoice_number', '=', invoiceNumber)
    .where('kind', '=', kind)
    .where('payment_id', '=', of)
    .where('state', '=', 'prepared')
    .returning(['content', 'registrar', 'description'])
    .executeTakeFirst()
  if (row === undefined) return null
  return { content: contentOf(row), registrar: row.registrar as Registrar, description: row.description }
}

interface Added {
  kind: ReceiptKind
  registrar: Registrar
  description: string
  state: 'prepared' | 'due' | 'pending' | 'failed'
  price: Price
  content?: FiscalReceipt | null
  object_id?: string
  payment_id?: string
  due_at?: Date
  pending_since?: Date
  fault?: string
  created_at: Date
}

export const soldOf = ({ invoice_number: invoiceNumber, account_id: accountId, method }: Row) => ({
  invoiceNumber,
  accountId,
  method,
})

export async function insertReceipt(
  tx: Transaction<DB>,
  { invoiceNumber, accountId, method }: { invoiceNumber: string; accountId: bigint; method: string },
  { price, content = null, ...added }: Added,
): Promise<void> {
  await tx
    .insertInto('receipt')
    .values({
      ...added,
      invoice_number: invoiceNumber,
      account_id: accountId,
      method,
      currency: price.currency,
      amount_micros: price.micros,
      content: content === null ? null : JSON.stringify(content),
    })
    // A recorded payment or refund must not fail because of its receipt.
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
