/**
 * The queue of invoices that need a document. The transaction that changes the money adds the invoice, so
 * that none is lost.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { addJob } from '#db/jobs'
import type { InvoiceState } from '../rules/payment.ts'

/** The task that makes the documents of one invoice. */
export const makeDocumentTask = 'make_document'

/**
 * How long an underpaid invoice waits for the rest of its money, so that it gets one document instead of two.
 */
const restMs = 3 * 24 * 60 * 60_000

/**
 * Notes that the money of an invoice has changed. The row is the invoice's own: settlements of other invoices
 * do not wait for it. A top-up of the money balance gets no document: what is bought from the balance does.
 */
export async function needDocument(
  tx: Transaction<DB>,
  { id, state }: { id: bigint; state: InvoiceState },
  now: Date,
): Promise<void> {
  const dueAt = state === 'underpaid' ? new Date(now.getTime() + restMs) : now
  const { rows } = await sql`
    insert into document_due (invoice_id, due_at)
    select id, ${dueAt} from invoice where id = ${id} and pool <> 'balance'
    on conflict (invoice_id) do update set due_at = least(document_due.due_at, excluded.due_at)
    returning invoice_id`.execute(tx)
  if (rows.length > 0 && dueAt === now) await addJob(tx, makeDocumentTask, { invoice_id: String(id) })
}

/** The invoices whose documents are due, the longest waiting first, at most `limit`. */
export async function dueInvoices(db: Kysely<DB>, now: Date, limit: number): Promise<bigint[]> {
  const rows = await db
    .selectFrom('document_due')
    .select('invoice_id')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('invoice_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.invoice_id)
}

/** Whether a document of the invoice is due that is not made yet. */
export async function isDue(db: Kysely<DB>, invoiceId: bigint, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('document_due')
    .select('invoice_id')
    .where('invoice_id', '=', invoiceId)
    .where('due_at', '<=', now)
    .executeTakeFirst()
  return row !== undefined
}

/** How many invoices wait for a document that is due. */
export async function countDue(db: Kysely<DB>, now: Date): Promise<bigint> {
  const { count } = await db
    .selectFrom('document_due')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('due_at', '<=', now)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Deletes an invoice's row from the queue. A concurrent caller waits for the transaction and then finds no
 * row. False: the documents are made, or not due yet.
 */
export async function claimDue(tx: Transaction<DB>, invoiceId: bigint, now: Date): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('document_due')
    .where('invoice_id', '=', invoiceId)
    .where('due_at', '<=', now)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
