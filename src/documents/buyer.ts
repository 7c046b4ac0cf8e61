/** What customers want documents to say of them. */
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

/** What these customers have entered, those who have. */
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

/** Keeps the details, for documents that are made from now on; null removes them. */
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
