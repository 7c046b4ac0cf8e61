/**
 * What was posted, by quarters of an hour: sums of those transactions that were added up, and the others one
 * by one. Both are read by one statement, in which each transaction is either added up or not, so the
 * composed rows are exactly what was posted at that moment.
 */
import { type RawBuilder, sql } from 'kysely'
import { lockName, transaction, type Db } from '#db'

/** From `from` to `to` (excluded). */
export interface Span {
  from: Date
  to: Date
}

/**
 * Whose transactions a report is of: sales, refunds, or those that changed what inviters earned and spent.
 */
export type BookedKind = 'purchase' | 'refund' | 'shares'

export const bookedKinds = ['purchase', 'refund', 'shares'] as const

const quarterMs = 900_000

/**
 * Whether sums of quarters of an hour can be divided at these times. Days of a zone such as +05:21 cannot.
 */
export const beginQuarters = (times: readonly Date[]) =>
  times.every((time) => time.getTime() % quarterMs === 0)

const quarterOf = (at: RawBuilder<unknown>) => sql`date_bin('15 minutes', ${at}, 'epoch'::timestamptz)`

const sharesOnly = sql`exists (
  select from ledger_entry s join ledger_account sa on sa.id = s.account_id and sa.customer_id is null
  where s.month = t.month and s.transaction_id = t.id and sa.kind in ('referral_cost', 'referral_spent', 'referral_paid'))`

/** Whether a transaction `t` is one of the kind. */
export const ofKind = (kind: BookedKind): RawBuilder<unknown> =>
  kind === 'shares' ? sharesOnly : sql`t.kind = ${kind}`

/** The time of a transaction `t` in reports: that of its money at the processor, else of its posting. */
export const timeOf = sql`coalesce(t.value_at, t.posted_at)`

export const within = ({ from, to }: Span) => sql`${timeOf} >= ${from} and ${timeOf} < ${to}`

/**
 * SQL for real money, money of referral balances, and bytes, as sums over rows `e` (`amount`) of accounts `a`
 * of the house.
 */
export function figuresOf(kind: BookedKind) {
  const sign = kind === 'refund' ? sql`1` : sql`(-1)`
  const own = kind === 'shares' ? sql`'referral_cost'` : sql`'sales'`
  const spent = kind === 'refund' ? sql`(-1)` : sql`1`
  return {
    micros: sql`coalesce(sum(e.amount) filter (where a.kind = ${own}) * ${sign}, 0)::bigint`,
    spentMicros: sql`coalesce(sum(e.amount) filter (where a.kind in ('referral_spent', 'referral_paid')) * ${spent}, 0)::bigint`,
    bytes:
      kind === 'shares'
        ? sql`0::bigint`
        : sql`coalesce(sum(e.amount) filter (where a.kind in ('traffic_sold', 'traffic_given')) * ${sign}, 0)::bigint`,
  }
}

/** The pool and the payment method of a transaction, and its figures. */
export function divided(kind: BookedKind): RawBuilder<unknown> {
  const { micros, spentMicros, bytes } = figuresOf(kind)
  return sql`max(a.pool) as pool, max(case when a.kind like 'cash:%' then substr(a.kind, 6) when a.kind = 'advances' then 'balance' end) as method,
    ${micros} as micros, ${spentMicros} as spent_micros, ${bytes} as bytes`
}

/**
 * The entries `e` of a transaction `t` on accounts `a` of the house. They are looked up by the transaction,
 * one after the other: there are no statistics by which the planner could know how few they are, and it would
 * read all entries of the house that there ever were.
 */
const entriesOfEach = sql`
  (select * from ledger_entry e where e.month = t.month and e.transaction_id = t.id offset 0) e
  join ledger_account a on a.id = e.account_id and a.customer_id is null`

/** A row for each of these transactions, in no order. */
export function bookedRows(kind: BookedKind, transactions: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select t.id, t.month, ${timeOf} as at, t.posted_at, t.kind, t.reference, sums.*
    from (${transactions} offset 0) t cross join lateral (select ${divided(kind)} from ${entriesOfEach}) sums`
}

/**
 * The entries of these transactions on accounts of the house, with time, kind and month of the transaction.
 */
export const houseEntries = (transactions: RawBuilder<unknown>) => sql`
  select ${timeOf} as at, t.kind, t.month, e.account_id, e.amount
  from (${transactions} offset 0) t cross join lateral (select e.* from ${entriesOfEach}) e`

/** Transactions by their ids, looked up one by one: the planner does not know how few there are. */
const byIds = (ids: RawBuilder<unknown>) => sql`
  select t.* from ${ids} u cross join lateral (select * from ledger_transaction where id = u.transaction_id offset 0) t`

/** Transactions that are not in the sums. */
export const unsummed = (which: RawBuilder<unknown>) => sql`
  select t.* from (${byIds(sql`ledger_unsummed`)}) t where ${which}`

/**
 * The rows from which reports are summed: at, pool, method, transactions, micros, spent_micros, bytes. The
 * caller divides them at `times`, the first and last of which bound the span.
 */
export function bookedParts(
  kind: BookedKind,
  times: readonly Date[],
  { from, to }: Span,
): RawBuilder<unknown> {
  const which = sql`${within({ from, to })} and ${ofKind(kind)}`
  const oneByOne = (transactions: RawBuilder<unknown>) => sql`
    select at, pool, method, 1::bigint as transactions, micros, spent_micros, bytes
    from (${bookedRows(kind, transactions)}) booked`
  if (!beginQuarters(times)) return oneByOne(sql`select t.* from ledger_transaction t where ${which}`)
  return sql`
    select quarter as at, pool, method, transactions, micros, spent_micros, bytes
    from ledger_booked_sum where kind = ${kind} and quarter >= ${from} and quarter < ${to}
    union all ${oneByOne(unsummed(which))}`
}

/**
 * Postings to accounts of the house, without division by pool and method: at, kind of the transactions,
 * account_id, amount.
 */
export function houseParts(
  times: readonly Date[],
  { from, to }: { from: Date; to: Date | null },
): RawBuilder<unknown> {
  const end = sql`coalesce(${to}::timestamptz, 'infinity')`
  const which = sql`${timeOf} >= ${from} and ${timeOf} < ${end}`
  const oneByOne = (transactions: RawBuilder<unknown>) => sql`
    select at, kind, account_id, amount from (${houseEntries(transactions)}) moved`
  if (!beginQuarters(times)) return oneByOne(sql`select t.* from ledger_transaction t where ${which}`)
  return sql`
    select quarter as at, kind, account_id, amount from ledger_house_sum where quarter >= ${from} and quarter < ${end}
    union all ${oneByOne(unsummed(which))}`
}

/** Rows of ledger_booked_sum: transactions with what `bookedRows` has of them, added up. */
export const bookedSumsOf = (kind: BookedKind, rows: RawBuilder<unknown>) => sql`
  select ${kind}::text as kind, ${quarterOf(sql`at`)} as quarter, month, pool, method, count(*) as transactions,
    sum(micros)::bigint as micros, sum(spent_micros)::bigint as spent_micros, sum(bytes)::bigint as bytes
  from (${rows}) booked group by 2, 3, 4, 5`

/**
 * Rows of ledger_house_sum: entries of accounts of the house, with the transaction's time, kind and
 * month, added up.
 */
export const houseSumsOf = (rows: RawBuilder<unknown>) => sql`
  select ${quarterOf(sql`at`)} as quarter, kind, month, account_id, sum(amount)::bigint as amount
  from (${rows}) moved group by 1, 2, 3, 4`

/** Closed hours of accounts by their keys, looked up one by one: hour, account_id, bytes. */
const usageBy = (keys: RawBuilder<unknown>) => sql`
  select q.hour, q.account_id, u.bytes from ${keys} q
    cross join lateral (select bytes from ledger_usage where hour = q.hour and account_id = q.account_id offset 0) u`

/** Closed hours of accounts that are not in the sums. */
export const unsummedUsage = usageBy(sql`ledger_usage_unsummed`)

/** Rows of ledger_usage_sum: hours of accounts, added up. */
export const usageSumsOf = (rows: RawBuilder<unknown>) => sql`
  select u.hour, a.kind, a.pool, sum(u.bytes)::bigint as bytes
  from (${rows}) u join ledger_account a on a.id = u.account_id group by 1, 2, 3`

/**
 * Traffic used from `from` to `to` (excluded), open hours too, by hours of settlement: hour, kind and pool of
 * the account, bytes.
 */
export function usageParts({ from, to }: { from: Date; to: Date | null }): RawBuilder<unknown> {
  const isIn = (column: RawBuilder<unknown>) =>
    sql`${column} >= ${from} and ${column} < coalesce(${to}::timestamptz, 'infinity')`
  return sql`
    select hour, kind, pool, bytes from ledger_usage_sum where ${isIn(sql`hour`)}
    union all ${usageSumsOf(sql`
      select * from (${unsummedUsage}) closed where ${isIn(sql`hour`)}
      union all select open_hour, account_id, open_bytes from ledger_balance where ${isIn(sql`open_hour`)}`)}`
}

/** The most transactions, or hours of accounts, that one statement adds up; it takes half a second. */
const atOnce = 10_000

/**
 * Adds up what was posted and used since the last run; returns the number of transactions. Starts no further
 * part after `forMs`, so that the first pass over a large ledger is spread over several runs.
 */
export async function addUpPostings(db: Db, { forMs = Infinity } = {}): Promise<number> {
  const began = performance.now()
  const all = async (addUp: (tx: Db) => Promise<number>) => {
    let added = 0
    for (;;) {
      const some = await transaction(db, addUp)
      added += some
      if (some < atOnce || performance.now() - began > forMs) return added
    }
  }
  await all(addUpUsage)
  return all(addUpSome)
}

async function addUpUsage(tx: Db): Promise<number> {
  await lockName(tx, 'ledger sums')
  const { rows } = await sql<{ count: bigint }>`
    with taken as materialized (
      delete from ledger_usage_unsummed where (hour, account_id) in (
        select hour, account_id from ledger_usage_unsummed order by hour, account_id limit ${atOnce})
      returning hour, account_id
    ), added as (
      insert into ledger_usage_sum as known (hour, kind, pool, bytes)
      ${usageSumsOf(usageBy(sql`taken`))}
      on conflict (hour, kind, pool) do update set bytes = known.bytes + excluded.bytes
    )
    select count(*) as count from taken`.execute(tx)
  return Number(rows[0]?.count ?? 0n)
}

async function addUpSome(tx: Db): Promise<number> {
  // One at a time: two would wait for each other's sums, and each sees what the one before left only if its
  // statement begins afterwards.
  await lockName(tx, 'ledger sums')
  const posted = sql`select t.* from posted t`
  const { rows } = await sql<{ count: bigint }>`
    with taken as materialized (
      delete from ledger_unsummed where transaction_id in (
        select transaction_id from ledger_unsummed order by transaction_id limit ${atOnce})
      returning transaction_id
    ), posted as materialized (${byIds(sql`taken`)}
    ), booked as (
      insert into ledger_booked_sum as known (kind, quarter, month, pool, method, transactions, micros, spent_micros, bytes)
      ${sql.join(
        bookedKinds.map((kind) => bookedSumsOf(kind, bookedRows(kind, sql`${posted} where ${ofKind(kind)}`))),
        sql` union all `,
      )}
      on conflict (kind, quarter, month, pool, method) do update set
        transactions = known.transactions + excluded.transactions, micros = known.micros + excluded.micros,
        spent_micros = known.spent_micros + excluded.spent_micros, bytes = known.bytes + excluded.bytes
    ), moved as (
      insert into ledger_house_sum as known (quarter, kind, month, account_id, amount)
      ${houseSumsOf(houseEntries(posted))}
      on conflict (quarter, kind, month, account_id) do update set amount = known.amount + excluded.amount
    )
    select count(*) as count from taken`.execute(tx)
  return Number(rows[0]?.count ?? 0n)
}
