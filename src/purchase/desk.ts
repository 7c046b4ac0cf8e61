/** Invoices of all customers, for the operator. */
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { type Invoice, invoiceRows, readRow } from './invoice.ts'
import type { InvoiceState } from './settle.ts'

export interface InvoiceFilter {
  /** The number of an invoice, or one of these customers. */
  number?: string | undefined
  accountIds?: readonly bigint[] | undefined
  state?: InvoiceState | undefined
  pool?: Pool | undefined
  method?: string | undefined
  promocode?: string | undefined
  disputed?: boolean | undefined
  from?: Date | undefined
  until?: Date | undefined
}

/** Invoices that match, the newest first, before the invoice with the id `before`. */
export async function searchInvoices(
  db: Kysely<DB>,
  filter: InvoiceFilter,
  { before, limit }: { before: bigint | null; limit: number },
): Promise<Invoice[]> {
  const { number, accountIds, state, pool, method, promocode } = filter
  let query = invoiceRows(db).orderBy('id', 'desc').limit(limit)
  if (before !== null) query = query.where('id', '<', before)
  if (number !== undefined || accountIds !== undefined)
    query = query.where((or) =>
      or.or([
        or('number', '=', number ?? ''),
        or('account_id', '=', sql<bigint>`any(${(accountIds ?? []).map(String)}::bigint[])`),
      ]),
    )
  if (state !== undefined) query = query.where('state', '=', state)
  if (pool !== undefined) query = query.where('pool', '=', pool)
  if (method !== undefined) query = query.where('method', '=', method)
  if (promocode !== undefined)
    query = query.where(sql<boolean>`lower(promocode) = ${promocode.toLowerCase()}`)
  if (filter.disputed === true) query = query.where('disputed_at', 'is not', null)
  if (filter.from !== undefined) query = query.where('created_at', '>=', filter.from)
  if (filter.until !== undefined) query = query.where('created_at', '<', filter.until)
  return (await query.execute()).map(readRow)
}

/** The payments that were counted for an invoice, the first first. */
export function paymentsOf(db: Kysely<DB>, invoiceId: bigint) {
  return db
    .selectFrom('payment')
    .select(['external_payment_id', 'received_micros', 'received_at'])
    .where('invoice_id', '=', invoiceId)
    .orderBy('received_at')
    .execute()
}

/** Real money received and bytes sold in each hour from `from` to `until`, by the hour of settlement. */
export async function soldByHour(db: Kysely<DB>, { from, until }: { from: Date; until: Date }) {
  const { rows } = await sql<{ hour: Date; micros: bigint; bytes: bigint }>`
    select date_trunc('hour', settled_at, 'UTC') as hour,
      coalesce(sum(received_micros) filter (where method <> 'referral'), 0)::bigint as micros,
      sum(credited_bytes)::bigint as bytes
    from invoice where settled_at >= ${from} and settled_at < ${until} group by 1 order by 1`.execute(db)
  return rows
}

export type Need = 'dispute' | 'wrong_amount' | 'refund_failed' | 'paid_without_traffic'

/** Invoices that somebody has to look at, by what for: how many, and the newest numbers. */
export async function needyInvoices(
  db: Kysely<DB>,
): Promise<{ need: Need; count: bigint; numbers: string[] }[]> {
  const { rows } = await sql<{ need: Need; count: bigint; numbers: string[] }>`
    select need, count(*) as count, (array_agg(number order by id desc))[1:5] as numbers from (
      select 'dispute' as need, id, number from invoice where disputed_at is not null and state in ('paid', 'underpaid')
      union all
      select 'wrong_amount', id, number from invoice where state = 'underpaid'
      union all
      select 'refund_failed', i.id, i.number from payment_refund r join invoice i on i.id = r.invoice_id
        where r.state = 'failed'
      union all
      select 'paid_without_traffic', id, number from invoice where state = 'paid' and credited_bytes = 0
    ) needy group by need order by need`.execute(db)
  return rows
}
