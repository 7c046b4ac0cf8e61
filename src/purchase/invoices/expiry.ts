/** The end of unpaid invoices. */
import type { Kysely } from 'kysely'
import type { DB } from '#db'

/** Closes the invoices whose time has ended; a payment that arrives later is still credited. */
export async function expireInvoices(db: Kysely<DB>, now: Date): Promise<number> {
  const result = await db
    .updateTable('invoice')
    .set({ state: 'expired' })
    .where('state', '=', 'pending')
    .where('expires_at', '<', now)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}
