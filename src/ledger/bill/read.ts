import { type Kysely, sql } from 'kysely'
import { billStart } from '#contract/bill/bill'
import type { DB } from '#db'
import { bigintArray } from '#lib/pg-array'

export interface BillPage {
  /** The lines as written in the bill's file, with their hashes. */
  lines: string[]
  /** The number of all lines of the customer. */
  count: bigint
  /** The hash of the last of all lines, hex. */
  head: string
}

/** Lines of a customer's bill after the one with this number, at most `limit`. */
export async function billLines(
  db: Kysely<DB>,
  { accountId, after, limit }: { accountId: bigint; after: bigint; limit: number },
): Promise<BillPage> {
  const { rows } = await sql<{ lines: string[] | null; count: bigint | null; head: string | null }>`
    with last as (
      select line, sha256 from bill_line where account_id = ${accountId} order by line desc limit 1
    )
    select (
      select array_agg(bill_text(page) || ',' || encode(page.sha256, 'hex') order by page.line) from (
        select * from bill_line where account_id = ${accountId} and line > ${after} order by line limit ${limit}
      ) page
    ) as lines, (select line from last) as count, encode((select sha256 from last), 'hex') as head`.execute(
    db,
  )
  const [{ lines, count, head } = { lines: null, count: null, head: null }] = rows
  return { lines: lines ?? [], count: count ?? 0n, head: head ?? billStart }
}

/** The end of a customer's bill, which a letter reports so that the customer keeps it. */
export interface BillHead {
  line: bigint
  /** The hour of the last line, as written in the file. */
  hour: string
  /** The bytes charged in all lines, of all pools. */
  chargedBytes: bigint
  /** The hash of the last line, hex. */
  head: string
}

/** The end of a customer's bill; null: it has no lines yet. */
export async function billHead(db: Kysely<DB>, accountId: bigint): Promise<BillHead | null> {
  const { rows } = await sql<BillHead>`
    select line, split_part(bill_text(last), ',', 2) as hour, encode(last.sha256, 'hex') as head, (
      select sum(charged_bytes)::bigint from bill_line where account_id = ${accountId} and line <= last.line
    ) as "chargedBytes"
    from bill_line last where account_id = ${accountId} order by line desc limit 1`.execute(db)
  return rows[0] ?? null
}

/** The last line of a customer's bill in a UTC month. */
export interface MonthEnd {
  accountId: bigint
  line: bigint
  /** The first day of the month, YYYY-MM-DD. */
  month: string
}

/**
 * The last line of each customer before `until` (the beginning of a UTC month), if it is in one of the two
 * months before. A page has `limit` customers, ordered by number; `next` is the `after` of the next page,
 * null on the last page.
 */
export async function monthEnds(
  db: Kysely<DB>,
  { until, after, limit }: { until: Date; after: bigint; limit: number },
): Promise<{ ends: MonthEnd[]; next: bigint | null }> {
  const since = sql`${until}::timestamptz - interval '2 months'`
  const { rows: customers } = await sql<{ id: bigint }>`
    select account_id as id from bill_pool where account_id > ${after} group by account_id
    having max(hour) >= ${since} order by account_id limit ${limit}`.execute(db)
  const ids = customers.map(({ id }) => id)
  const { rows: ends } = await sql<MonthEnd>`
    select one.id as "accountId", last.line, to_char(last.hour at time zone 'UTC', 'YYYY-MM-01') as month
    from unnest(${bigintArray(ids)}::bigint[]) one(id)
    cross join lateral (
      select line, hour from bill_line where account_id = one.id and hour < ${until} order by line desc limit 1
    ) last
    where last.hour >= ${since} order by 1`.execute(db)
  return { ends, next: customers.length < limit ? null : (ids.at(-1) ?? null) }
}

/** The bill up to the last line of a month, as the notice to the customer reports it. */
interface BillMonth extends BillHead {
  /** The bytes charged in that month, by pool: "mobile 90,residential 1200". */
  charged: string
}

export async function billMonth(db: Kysely<DB>, { accountId, line, month }: MonthEnd): Promise<BillMonth> {
  const { rows } = await sql<BillMonth>`
    select line, split_part(bill_text(last), ',', 2) as hour, encode(sha256, 'hex') as head, (
      select sum(charged_bytes)::bigint from bill_line where account_id = ${accountId} and line <= ${line}
    ) as "chargedBytes", (
      select string_agg(pool || ' ' || bytes, ',' order by pool) from (
        select pool, sum(charged_bytes)::bigint as bytes from bill_line
        where account_id = ${accountId} and line <= ${line} and hour >= ${month}::date at time zone 'UTC' group by pool
      ) used
    ) as charged
    from bill_line last where account_id = ${accountId} and line = ${line}`.execute(db)
  const [told] = rows
  if (told === undefined) throw new Error(`the bill of account ${accountId} has no line ${line}`)
  return told
}
