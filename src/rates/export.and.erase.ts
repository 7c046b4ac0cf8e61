/** What is held about a person's currency, and its erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'

export const rateParts: readonly PersonalPart[] = [
  {
    name: 'currency_of_prices',
    tables: ['account_currency'],
    atErasure: 'removed',
    rows: (id) => sql`select account_id, currency, chosen_at from account_currency where account_id = ${id}`,
    key: { account_id: 'bigint' },
  },
]

/** Removes the choice. */
export async function eraseCurrency(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  await tx.deleteFrom('account_currency').where('account_id', '=', accountId).execute()
}
