/** The sum of the refunds of an invoice in the currency of its price. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { Price } from '#payments'
import type { Invoice } from './invoice.ts'

/**
 * What all booked refunds of an invoice returned, those of the shop and those that its processor made, in the
 * currency of its price; with those that are planned by hand on request.
 */
export async function returnedPrice(
  db: Kysely<DB>,
  { id, price: { currency } }: Invoice,
  which: 'booked' | 'with planned' = 'booked',
): Promise<Price> {
  const states = ['due', 'sent', 'done', 'refused', ...(which === 'booked' ? [] : ['planned'])]
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(amount_micros), 0)::bigint as micros from (
      select amount_micros from refund
      where invoice_id = ${id} and currency = ${currency} and state = any(${states})
      union all
      select amount_micros from processor_refund
      where invoice_id = ${id} and currency = ${currency} and state = 'counted'
    ) returned`.execute(db)
  return { currency, micros: rows[0]?.micros ?? 0n }
}
