/**
 * Document numbers that customers have received but this database lost in a restore from an older backup.
 */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'

export const numberedSeries = ['invoice', 'credit_note', 'specimen'] as const
export type Series = (typeof numberedSeries)[number]

export interface LostNumbers {
  first: bigint
  last: bigint
}

/**
 * Records that customers already have the numbers up to `last`: the next document gets the number after it.
 * Refuses with `document_numbers_given` a number that this database has issued itself.
 */
export async function noteLostNumbers(
  tx: Transaction<DB>,
  { series, last }: { series: Series; last: bigint },
  { by, reason, at }: { by: string; reason: string; at: Date },
): Promise<LostNumbers> {
  const { last_number: given } = await tx
    .selectFrom('document_series')
    .select('last_number')
    .where('series', '=', series)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (last <= given) throw new Refusal('document_numbers_given', { last: String(given) })
  const lost = { first: given + 1n, last }
  await sql`
    insert into document_lost (series, first_number, last_number, noted_by, reason, noted_at)
    values (${series}, ${lost.first}, ${last}, ${by}, ${reason}, ${at})`.execute(tx)
  await tx.updateTable('document_series').set({ last_number: last }).where('series', '=', series).execute()
  return lost
}
