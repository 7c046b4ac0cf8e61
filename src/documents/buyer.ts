/** Customers' billing details for documents. */
import type { Kysely } from 'kysely'
import type { DB } from '#db'

export interface BuyerDetails {
  name: string
  address: string
  taxId: string
}

/** What the customer has entered; null: nothing. */
export async function buyerDetails(db: Kysely<DB>, accountId: bigint): Promise<BuyerDetails | null> {
  const row = await db
    .selectFrom('buyer_details')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row === undefined ? null : { name: row.name, address: row.address, taxId: row.tax_id }
}

/** The details of those of these customers who have entered any. */
export async function buyersOf(
  db: Kysely<DB>,
  accountIds: readonly bigint[],
): Promise<Map<bigint, BuyerDetails>> {
  if (accountIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('buyer_details')
    .selectAll()
    .where('account_id', 'in', [...new Set(accountIds)])
    .execute()
  return new Map(
    rows.map((row) => [row.account_id, { name: row.name, address: row.address, taxId: row.tax_id }]),
  )
}

/** Stores the details for future documents; null removes them. */
export async function setBuyerDetails(
  db: Kysely<DB>,
  accountId: bigint,
  details: BuyerDetails | null,
  now: Date,
): Promise<void> {
  if (details === null) return eraseBuyer(db, accountId)
  const row = { name: details.name, address: details.address, tax_id: details.taxId, updated_at: now }
  await db
    .insertInto('buyer_details')
    .values({ account_id: accountId, ...row })
    .onConflict((known) => known.column('account_id').doUpdateSet(row))
    .execute()
}

/** Removes what the customer has entered. */
export async function eraseBuyer(db: Kysely<DB>, accountId: bigint): Promise<void> {
  await db.deleteFrom('buyer_details').where('account_id', '=', accountId).execute()
}
