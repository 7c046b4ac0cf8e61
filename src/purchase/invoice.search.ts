/** Invoices of all customers, for the operator. */
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { invoiceNeeds, refundStates } from '#contract/desk/choices'
import type { Goods } from '#contract/wire'
import type { DB } from '#db'
import type { Price } from '#payments'
import { isDisputeOpen } from './disputes.ts'
import { type Invoice, invoiceRows, isNamed, readRow } from './invoices/invoice.ts'
import type { RefundWay } from './refund.ts'
import type { InvoiceState } from './rules/payment.ts'

export interface InvoiceFilter {
  /** The number of an invoice, or one of these customers. */
  number?: string | undefined
  accountIds?: readonly bigint[] | undefined
  state?: InvoiceState | undefined
  pool?: Goods | undefined
  method?: string | undefined
  promocode?: string | undefined
  disputed?: boolean | undefined
  /** The reason for which an invoice needs attention, as `needyInvoices` counts it. */
  need?: (typeof invoiceNeeds)[number] | undefined
  /** Test purchases only. */
  test?: boolean | undefined
  /** When it was made. */
  from?: Date | undefined
  until?: Date | undefined
  /** When its last money arrived. */
  settledFrom?: Date | undefined
  settledUntil?: Date | undefined
}

/** The time of an invoice's last money at its processor, else of its settlement; null: it has none. */
const paidAt = sql`coalesce(paid_at, settled_at)`

/** Money that arrives, and not what a balance pays, which arrived before or was given. */
const isCash = sql`method not in ('referral', 'balance') and not is_test`

/** The conditions under which an invoice needs attention. */
const needing = {
  dispute: isDisputeOpen,
  paid_without_traffic: sql`state = 'paid' and credited_bytes = 0 and gb > 0`,
  refund_unclear: sql`id in (select invoice_id from processor_refund where state = 'unclear')`,
}

function conditionsOf(filter: InvoiceFilter): RawBuilder<unknown>[] {
  const { number, accountIds, state, pool, method, promocode } = filter
  const { from, until, settledFrom, settledUntil } = filter
  const where: RawBuilder<unknown>[] = []
  if (number !== undefined || accountIds !== undefined)
    where.push(
      sql`(${isNamed(number ?? '')} or account_id = any(${(accountIds ?? []).map(String)}::bigint[]))`,
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
  if (settledFrom !== undefined) where.push(sql`${paidAt} >= ${settledFrom}`)
  if (settledUntil !== undefined) where.push(sql`${paidAt} < ${settledUntil}`)
  return where
}

/** The time column by which the filter selects; null: the filter has no time. */
function timeOf({ from, until, settledFrom, settledUntil }: InvoiceFilter): RawBuilder<unknown> | null {
  if (from !== undefined || until !== undefined) return sql`created_at`
  return settledFrom !== undefined || settledUntil !== undefined ? paidAt : null
}

/**
 * Invoices that match, the newest first, before the invoice with the id `before`. With a time filter they are
 * ordered by that time, otherwise by id; the two differ only for invoices made concurrently.
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

/** The sums of all invoices that match, counted as `soldByHour` counts them; test purchases only in `count`. */
export async function sumInvoices(db: Kysely<DB>, filter: InvoiceFilter) {
  const { rows } = await sql<{
    count: bigint
    receivedMicros: bigint
    referralMicros: bigint
    balanceMicros: bigint
    refundedMicros: bigint
    creditedBytes: bigint
  }>`
    select count(*) as count,
      coalesce(sum(received_micros) filter (where ${isCash}), 0)::bigint as "receivedMicros",
      coalesce(sum(received_micros) filter (where method = 'referral'), 0)::bigint as "referralMicros",
      coalesce(sum(received_micros) filter (where method = 'balance'), 0)::bigint as "balanceMicros",
      coalesce(sum(refunded_micros) filter (where not is_test), 0)::bigint as "refundedMicros",
      coalesce(sum(credited_bytes) filter (where not is_test), 0)::bigint as "creditedBytes"
    from invoice where ${sql.join([sql`true`, ...conditionsOf(filter)], sql` and `)}`.execute(db)
  const [sums] = rows
  if (sums === undefined) throw new Error('the sums came without their row')
  return sums
}

/** The payments that were counted for an invoice, the oldest first. */
export function paymentsOf(db: Kysely<DB>, invoiceId: bigint) {
  return db
    .selectFrom('payment')
    .select([
      'external_payment_id',
      'received_micros',
      sql<Date>`coalesce(paid_at, received_at)`.as('received_at'),
    ])
    .where('invoice_id', '=', invoiceId)
    .orderBy('received_at')
    .execute()
}

/**
 * The sales in each hour from `from` to `until`, by the time of the money at its processor, without test
 * purchases. `micros`: money taken for traffic, at the time of the purchase for what a money balance pays;
 * `receivedMicros`: money that arrived, into money balances as well.
 */
export async function soldByHour(db: Kysely<DB>, { from, until }: { from: Date; until: Date }) {
  const { rows } = await sql<{ hour: Date; micros: bigint; receivedMicros: bigint; bytes: bigint }>`
    select date_trunc('hour', ${paidAt}, 'UTC') as hour,
      coalesce(sum(received_micros) filter (where method <> 'referral' and pool <> 'balance'), 0)::bigint as micros,
      coalesce(sum(received_micros) filter (where ${isCash}), 0)::bigint as "receivedMicros",
      sum(credited_bytes)::bigint as bytes
    from invoice where settled_at is not null and ${paidAt} >= ${from} and ${paidAt} < ${until} and not is_test group by 1 order by 1`.execute(
    db,
  )
  return rows
}

/** The order that a ledger transaction belongs to. */
export interface OrderOf {
  number: string
  accountId: bigint
  promocode: string | null
}

const referencesAtOnce = 10_000

/**
 * The orders of purchases (`method:id of the payment`), refunds (their names, or `method:id` of one that a
 * processor made) and fees (`method:kind:subject`) by these references of the ledger.
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
      from asked a join refund r on r.name = regexp_replace(a.reference, ':reversed$', '')
        join invoice i on i.id = r.invoice_id
      union all
      select a.reference, i.number, i.account_id, i.promocode
      from asked a join processor_fee f on f.method = a.method
          and f.kind = split_part(a.id, ':', 1) and f.subject = substr(a.id, strpos(a.id, ':') + 1)
        join invoice i on i.id = f.invoice_id
      union all
      select a.reference, i.number, i.account_id, i.promocode
      from asked a join invoice i on i.number = a.id
      where a.method in ('referral', 'balance') and i.method = a.method`.execute(db)
    for (const { reference, ...order } of rows) orders.set(reference, order)
  }
  return orders
}

export type Need =
  | (typeof invoiceNeeds)[number]
  | 'dispute_due'
  | 'wrong_amount'
  | 'refund_failed'
  | 'refund_by_hand'

/**
 * Invoices that need attention, by reason: their count and at most `most` of the newest numbers.
 * `dispute_due`: disputes that have to be answered before `soon`; `dispute`: other open disputes.
 * `refund_failed`: the last refund failed recently, and no other was made since. `refund_by_hand`: one is
 * planned and not sent.
 */
export async function needyInvoices(
  db: Kysely<DB>,
  { now, soon, most }: { now: Date; soon: Date; most: number },
): Promise<{ need: Need; count: bigint; numbers: string[] }[]> {
  const { rows } = await sql<{ need: Need; count: bigint; numbers: string[] }>`
    select need, count(*) as count, (array_agg(number order by id desc))[1:${most}::int] as numbers from (
      select case when dispute_respond_by < ${soon} and dispute_state = 'needs_response' then 'dispute_due' else 'dispute' end as need,
        id, number
        from invoice where ${isDisputeOpen}
      union all
      select 'wrong_amount', id, number from invoice where state = 'underpaid'
      union all
      select distinct 'refund_failed', i.id, i.number from refund r join invoice i on i.id = r.invoice_id
        where r.state = 'failed' and r.ended_at > ${new Date(now.getTime() - failedMs)}
          and not exists (select from refund later where later.invoice_id = r.invoice_id and later.id > r.id)
      union all
      select distinct 'refund_by_hand', i.id, i.number from refund r join invoice i on i.id = r.invoice_id
        where r.state = 'planned'
      union all
      select 'paid_without_traffic', id, number from invoice where ${needing.paid_without_traffic}
      union all
      select 'refund_unclear', id, number from invoice where ${needing.refund_unclear}
    ) needy group by need order by need`.execute(db)
  return rows
}

/** A refund of an invoice that the shop makes. */
export interface MadeRefund {
  id: bigint
  /** Its name outside the database. */
  name: string
  way: RefundWay
  state: RefundState
  /** In the currency of the invoice's price. */
  price: Price
  usdMicros: bigint
  /** It was planned as a refund of the unused traffic. */
  isUnused: boolean
  takenBackBytes: bigint
  /** The processor's id of it, or what staff wrote down. */
  reference: string | null
  /** The page on which the customer claims the money; null: the money returns by itself. */
  claimUrl: string | null
  fault: string | null
  attempts: number
  askedAt: Date
  triedAt: Date | null
  sentAt: Date | null
  endedAt: Date | null
}

/** See the table `refund`. */
export type RefundState = (typeof refundStates)[number]

const madeRefund = (row: Selectable<DB['refund']>): MadeRefund => ({
  id: row.id,
  name: row.name,
  way: row.way as RefundWay,
  state: row.state as RefundState,
  price: { currency: row.currency, micros: row.amount_micros },
  usdMicros: row.usd_micros,
  isUnused: row.is_unused,
  takenBackBytes: row.taken_back_bytes,
  reference: row.reference,
  claimUrl: row.claim_url,
  fault: row.fault,
  attempts: row.attempts,
  askedAt: row.created_at,
  triedAt: row.tried_at,
  sentAt: row.sent_at,
  endedAt: row.ended_at,
})

/** The refunds of an invoice that the shop made, the oldest first. */
export async function refundsOf(db: Kysely<DB>, invoiceId: bigint): Promise<MadeRefund[]> {
  const rows = await db
    .selectFrom('refund')
    .selectAll()
    .where('invoice_id', '=', invoiceId)
    .orderBy('id')
    .execute()
  return rows.map(madeRefund)
}

/**
 * The time of the last counted refund of an invoice, by the processor's clock, else the time of booking.
 * Null: no refund is counted.
 */
export async function lastRefundedAt(db: Kysely<DB>, invoiceId: bigint): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(at) as at from (
      select booked_at as at from refund
      where invoice_id = ${invoiceId} and booked_at is not null and state <> 'failed' and usd_micros > 0
      union all
      select case cause when 'refund' then least(made_at, counted_at) else counted_at end from processor_refund
      where invoice_id = ${invoiceId} and state = 'counted' and usd_micros > 0
    ) given`.execute(db)
  return rows[0]?.at ?? null
}

export interface ListedRefund extends MadeRefund {
  invoiceNumber: string
  accountId: bigint
  method: string
}

/** Refunds that the shop made, the newest first, before the refund with the id `before`. */
export async function listRefunds(
  db: Kysely<DB>,
  filter: { state?: RefundState | undefined; method?: string | undefined },
  { before, limit }: { before: bigint | null; limit: number },
): Promise<ListedRefund[]> {
  let query = db
    .selectFrom('refund')
    .innerJoin('invoice', 'invoice.id', 'refund.invoice_id')
    .selectAll('refund')
    .select(['invoice.number', 'invoice.account_id'])
    .orderBy('refund.id', 'desc')
    .limit(limit)
  if (before !== null) query = query.where('refund.id', '<', before)
  if (filter.state !== undefined) query = query.where('refund.state', '=', filter.state)
  if (filter.method !== undefined) query = query.where('refund.method', '=', filter.method)
  return (await query.execute()).map((row) => ({
    ...madeRefund(row),
    invoiceNumber: row.number,
    accountId: row.account_id,
    method: row.method,
  }))
}

/** How many refunds wait for their processors, and how many failed since, by method. */
export async function countRefunds(
  db: Kysely<DB>,
  now: Date,
): Promise<{ method: string; due: bigint; failed: bigint }[]> {
  const { rows } = await sql<{ method: string; due: bigint; failed: bigint }>`
    select method, count(*) filter (where state = 'due') as due,
      count(*) filter (where state = 'failed' and ended_at > ${new Date(now.getTime() - failedMs)}) as failed
    from refund where state in ('due', 'failed') group by method`.execute(db)
  return rows
}

/** How long a failed refund needs attention. */
const failedMs = 14 * 24 * 60 * 60_000

/** A refund of an invoice as its processor reports it, as the desk shows it. */
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

/** The refunds of an invoice that the processor has reported, the oldest first. */
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

/** Whether any payment has arrived from a processor; the sandbox is none. */
export async function hasSold(db: Kysely<DB>): Promise<boolean> {
  // The latest ones are enough, and are found by their index in a shop of any size.
  const { rows } = await sql`
    select from (select method, received_micros from invoice where settled_at is not null
      order by settled_at desc limit 1000) latest
    where received_micros > 0 and method not in ('sandbox', 'referral', 'balance') limit 1`.execute(db)
  return rows.length > 0
}
