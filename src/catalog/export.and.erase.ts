/** What is held about a person's prices, and its erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'

export const catalogParts: readonly PersonalPart[] = [
  {
    name: 'price_list',
    tables: ['account_price_list'],
    atErasure: 'removed',
    rows: (id) => sql`
      select a.account_id, l.name, a.assigned_at from account_price_list a join price_list l on l.id = a.list_id
      where a.account_id = ${id}`,
    key: { account_id: 'bigint' },
  },
]

/** Removes the assignment of a price list. */
export async function erasePriceList(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  await tx.deleteFrom('account_price_list').where('account_id', '=', accountId).execute()
}
