/** The personal data in receipts, the obstacles to an erasure, and the erasure itself. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'

export const receiptParts: readonly PersonalPart[] = [
  {
    name: 'email_for_receipts',
    tables: ['receipt_email'],
    atErasure: 'removed',
    rows: (id) => sql`select account_id, email, set_at from receipt_email where account_id = ${id}`,
    key: { account_id: 'bigint' },
  },
  {
    name: 'receipts',
    tables: ['receipt'],
    atErasure: 'anonymised',
    rows: (id) => sql`
      select id, invoice_number as invoice, kind, state, created_at, currency, amount_micros as amount_millionths,
        content->'customer'->>'email' as email, registered_at, fiscal_document_number, fiscal_storage_number,
        fiscal_attribute, marked_as as number, link
      from receipt where account_id = ${id}`,
    key: { id: 'bigint' },
  },
]

/** The invoices whose closing receipt is still to be sent to the customer. */
export async function receiptObstacles(db: Kysely<DB>, accountId: bigint): Promise<string[]> {
  const { rows } = await sql<{ number: string }>`
    select distinct invoice_number as number from receipt
    where account_id = ${accountId} and state = 'due' and kind = 'closing' order by 1`.execute(db)
  return rows.map(({ number }) => number)
}

/** Removes the recipients of receipts; numbers and amounts are kept for accounting. */
export async function eraseReceipts(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  await sql`delete from receipt_email where account_id = ${accountId}`.execute(tx)
  await sql`
    update receipt set content = content - 'customer' where account_id = ${accountId} and content ? 'customer'`.execute(
    tx,
  )
}
