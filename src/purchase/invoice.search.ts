/** Invoices of all customers, for the operator. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { invoiceNeeds } from '#contract/desk/choices'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import type { Price } from '#payments'
import { isDisputeOpen } from './disputes.ts'
import { type Invoice, invoiceRows, readRow } from './invoice.ts'
import type { InvoiceState } from './payment.effect.ts'

export interface InvoiceFilter {
  /** The number of an invoice, or one of these customers. */
  number?: string | undefined
  accountIds?: readonly bigint[] | undefined
  state?: InvoiceState | undefined
  pool?: Pool | undefined
  method?: string | undefined
  promocode?: string | undefined
  disputed?: boolean | undefined
  /** What has to be looked at, as `needyInvoices` counts it. */
  need?: (typeof invoiceNeeds)[number] | undefined
  /** Test purchases only. */
  test?: boolean | undefined
  /** When it was made. */
  from?: Date | undefined
  until?: Date | undefined
  /** When its money came. */
  settledFrom?: Date | undefined
  settledUntil?: Date | undefined
}

/** The conditions under which an invoice needs attention. */
const needing = {
  dispute: isDisputeOpen,
  paid_without_traffic: sql`state = 'paid' and credited_bytes = 0`,
  refund_unclear: sql`id in (select invoice_id from processor_refund where state = 'unclear')`,
}

function conditionsOf(filter: InvoiceFilter): RawBuilder<unknown>[] {
  const { number, accountIds, state, pool, method, promocode } = filter
  const { from, until, settledFrom, settledUntil } = filter
  const where: RawBuilder<unknown>[] = []
  if (number !== undefined || accountIds !== undefined)
    where.push(
      sql`(number = ${number ?? ''} or account_id = any(${(accountIds ?? []).map(String)}::bigint[]))`,
    )
  if (state !== undefined) where.push(sql`state = ${state}`)
  if (pool !== undefined) where.push(sql`pool = ${pool}`)
  if (method !== undefined) where.push(sql`method = ${method}`)
  if (promocode !== undefined) where.push(sql`lower(promocode) = ${promocode.toLowerCase()}`)
  if (filter.test === true) where.push(sql`is_test`)
  if (filter.disputed === true) where.push(sql`disputed_at is not null`)
  if (filter.need !== undefined) where.push(needing[filter.need])
  if (from !== undefined) where.push(sql`created_at >= ${from}`)
  if (until !== undefined) where.push(sql`created_at < ${until}`)
  if (settledFrom !== undefined) where.push(sql`settled_at >= ${settledFrom}`)
  if (settledUntil !== undefined) where.push(sql`settled_at < ${settledUntil}`)
  return where
}

/** The time by which invoices are filtered; null: by none. */
function timeOf({ from, until, settledFrom, settledUntil }: InvoiceFilter): RawBuilder<unknown> | null {
  if (from !== undefined || until !== undefined) return sql`created_at`
  return settledFrom !== undefined || settledUntil !== undefined ? sql`settled_at` : null
}

/**
 * Invoices that match, the newest first, before the invoice with the id `before`. Those of a time are in the
 * order of their times, others in that of their numbers in the database, which is the same but for invoices
 * that were made side by side.
 */
export async function searchInvoices(
  db: Kysely<DB>,
  filter: InvoiceFilter,
  { before, limit }: { before: bigint | null; limit: number },
): Promise<Invoice[]> {
  const time = timeOf(filter)
  let query = invoiceRows(db).limit(limit)
  if (time !== null) query = query.orderBy(time, 'desc')
  query = query.orderBy('id', 'desc')
  if (before !== null)
    query =
      time === null
        ? query.where('id', '<', before)
        : query.where(sql<boolean>`(${time}, id) < (select ${time}, id from invoice where id = ${before})`)
  for (const condition of conditionsOf(filter)) query = query.where(sql<boolean>`${condition}`)
  return (await query.execute()).map(readRow)
}

/** The sums of all invoices that match, counted as `soldByHour` counts them. */
export async function sumInvoices(db: Kysely<DB>, filter: InvoiceFilter) {
  const { rows } = await sql<{
    count: bigint
    receivedMicros: bigint
    referralMicros: bigint
    refundedMicros: bigint
    creditedBytes: bigint
  }>`
    select count(*) as count,
      coalesce(sum(received_micros) filter (where method <> 'referral'), 0)::bigint as "receivedMicros",
      coalesce(sum(received_micros) filter (where method = 'referral'), 0)::bigint as "referralMicros",
      coalesce(sum(refunded_micros), 0)::bigint as "refundedMicros",
      coalesce(sum(credited_bytes), 0)::bigint as "creditedBytes"
    from invoice where ${sql.join([sql`true`, ...conditionsOf(filter)], sql` and `)}`.execute(db)
  const [sums] = rows
  if (sums === undefined) throw new Error('the sums came without their row')
  return sums
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

/**
 * Real money received and bytes sold, without test purchases, in each hour from `from` to `until`, by the
 * hour of settlement.
 */
export async function soldByHour(db: Kysely<DB>, { from, until }: { from: Date; until: Date }) {
  const { rows } = await sql<{ hour: Date; micros: bigint; bytes: bigint }>`
    select date_trunc('hour', settled_at, 'UTC') as hour,
      coalesce(sum(received_micros) filter (where method <> 'referral'), 0)::bigint as micros,
      sum(credited_bytes)::bigint as bytes
    from invoice where settled_at >= ${from} and settled_at < ${until} and not is_test group by 1 order by 1`.execute(
    db,
  )
  return rows
}

/** What a transaction of the ledger was for. */
export interface OrderOf {
  number: string
  accountId: bigint
  promocode: string | null
}

const referencesAtOnce = 10_000

/**
 * The orders of purchases (`method:id of the payment`), refunds (number of the invoice, or `method:id` of one
 * that a processor made) and fees (`method:kind:subject`) by these references of the ledger.
 */
export async function ordersByReference(
  db: Kysely<DB>,
  references: readonly string[],
): Promise<Map<string, OrderOf>> {
  const orders = new Map<string, OrderOf>()
  for (let from = 0; from < references.length; from += referencesAtOnce) {
    const some = references.slice(from, from + referencesAtOnce)
    const { rows } = await sql<OrderOf & { reference: string }>`
      with asked as (
        select reference, split_part(reference, ':', 1) as method, substr(reference, strpos(reference, ':') + 1) as id
        from unnest(${some}::text[]) as given(reference)
      )
      select a.reference, i.number, i.account_id as "accountId", i.promocode
      from asked a join payment p on p.method = a.method and p.external_payment_id = a.id
        join invoice i on i.id = p.invoice_id
      union all
      select a.reference, i.number, i.account_id, i.promocode
      from asked a join processor_refund r on r.method = a.method
          and r.refund_id = regexp_replace(a.id, ':(reversed|rest:[0-9]+)$', '')
        join invoice i on i.id = r.invoice_id
      union all
      select a.reference, i.number, i.account_id, i.promocode
      from asked a join processor_fee f on f.method = a.method
          and f.kind = split_part(a.id, ':', 1) and f.subject = substr(a.id, strpos(a.id, ':') + 1)
        join invoice i on i.id = f.invoice_id
      union all
      select a.reference, i.number, i.account_id, i.promocode
      from asked a join invoice i on i.number = a.id
      where a.method = 'referral' and i.method = 'referral' or a.id = a.reference`.execute(db)
    for (const { reference, ...order } of rows) orders.set(reference, order)
  }
  return orders
}

export type Need = (typeof invoiceNeeds)[number] | 'dispute_due' | 'wrong_amount' | 'refund_failed'

/**
 * Invoices that need attention, by what for: how many, and the newest numbers, at most `most`. `dispute_due`:
 * disputes that have to be answered before `soon`; `dispute`: the others that are open.
 */
export async function needyInvoices(
  db: Kysely<DB>,
  { soon, most }: { soon: Date; most: number },
): Promise<{ need: Need; count: bigint; numbers: string[] }[]> {
  const { rows } = await sql<{ need: Need; count: bigint; numbers: string[] }>`
    select need, count(*) as count, (array_agg(number order by id desc))[1:${most}::int] as numbers from (
      select case when dispute_respond_by < ${soon} and dispute_state = 'needs_response' then 'dispute_due' else 'dispute' end as need,
        id, number
        from invoice where ${isDisputeOpen}
      union all
      select 'wrong_amount', id, number from invoice where state = 'underpaid'
      union all
      select 'refund_failed', i.id, i.number from payment_refund r join invoice i on i.id = r.invoice_id
        where r.state = 'failed'
      union all
      select 'paid_without_traffic', id, number from invoice where ${needing.paid_without_traffic}
      union all
      select 'refund_unclear', id, number from invoice where ${needing.refund_unclear}
    ) needy group by need order by need`.execute(db)
  return rows
}

/** A refund of an invoice at its processor, as the desk shows it. */
export interface ReturnedMoney {
  refundId: string
  cause: 'refund' | 'dispute'
  state: 'waiting' | 'counted' | 'own' | 'failed' | 'reversed' | 'unclear'
  price: Price
  usdMicros: bigint
  takenBackBytes: bigint
  lostBytes: bigint
  madeAt: Date
}

/** What the processor has told of refunds of an invoice, the first first. */
export async function returnedOf(db: Kysely<DB>, invoiceId: bigint): Promise<ReturnedMoney[]> {
  const rows = await db
    .selectFrom('processor_refund')
    .selectAll()
    .where('invoice_id', '=', invoiceId)
    .orderBy('made_at')
    .orderBy('refund_id')
    .execute()
  return rows.map((row) => ({
    refundId: row.refund_id,
    cause: row.cause as ReturnedMoney['cause'],
    state: row.state as ReturnedMoney['state'],
    price: { currency: row.currency, micros: row.amount_micros },
    usdMicros: row.usd_micros,
    takenBackBytes: row.taken_back_bytes,
    lostBytes: row.lost_bytes,
    madeAt: row.made_at,
  }))
}
