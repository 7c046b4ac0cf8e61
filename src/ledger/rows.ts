/**
 * Parts of the ledger that are checked in the same way: a month, all rows after the last verified month, or
 * an archive.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'

/** Three sets of rows, as SQL for a `from` clause. */
export interface LedgerRows {
  /** id, kind, reference, posted_at, value_at. */
  transactions: RawBuilder<unknown>
  /** transaction_id, account_id, amount. */
  entries: RawBuilder<unknown>
  /** hour, account_id, bytes. */
  usage: RawBuilder<unknown>
}

const start = (month: string) => sql`(${month}::date::timestamp at time zone 'UTC')`

/** @param month its first day, YYYY-MM-DD. */
export function rowsOfMonth(month: string): LedgerRows {
  const end = sql`((${month}::date + interval '1 month') at time zone 'UTC')`
  return {
    transactions: sql`(select * from ledger_transaction where month = ${month}::date)`,
    entries: sql`(select * from ledger_entry where month = ${month}::date)`,
    usage: sql`(select * from ledger_usage where hour >= ${start(month)} and hour < ${end})`,
  }
}

/** All rows of later months; null: all rows. */
export function rowsAfter(month: string | null): LedgerRows {
  if (month === null)
    return {
      transactions: sql`ledger_transaction`,
      entries: sql`ledger_entry`,
      usage: sql`ledger_usage`,
    }
  return {
    transactions: sql`(select * from ledger_transaction where month > ${month}::date)`,
    entries: sql`(select * from ledger_entry where month > ${month}::date)`,
    usage: sql`(select * from ledger_usage where hour >= (${month}::date + interval '1 month') at time zone 'UTC')`,
  }
}

/**
 * SQL for the changes that the rows make: account_id, amount, and used_bytes, the part of the amount that
 * settlements took for relayed bytes. Contains both sides of every hour, so the amounts of a currency sum to
 * zero.
 */
export function sumsOf({ entries, usage }: Pick<LedgerRows, 'entries' | 'usage'>): RawBuilder<unknown> {
  return sql`(
    with posted as (
      select account_id, sum(amount) as amount from ${entries} e group by account_id
    ), used as (
      select account_id, sum(bytes) as bytes from ${usage} u group by account_id
    ), relayed as (
      select h.id as account_id, sum(u.bytes) as bytes
      from used u join ledger_account a on a.id = u.account_id
      join ledger_account h on h.kind = 'traffic_used' and h.currency = a.currency and h.customer_id is null and h.pool = a.pool
      group by h.id
    )
    select account_id, sum(amount)::bigint as amount, sum(used_bytes)::bigint as used_bytes
    from (
      select account_id, amount, 0 as used_bytes from posted
      union all select account_id, -bytes, bytes from used
      union all select account_id, bytes, 0 from relayed
    ) side
    group by account_id
  )`
}

/** The last month whose sums are stored and replace its entries; null when there is none yet. */
export async function lastVerifiedMonth(db: Kysely<DB>): Promise<string | null> {
  const { rows } = await sql<{
    month: string | null
  }>`select max(month) as month from ledger_month_digest`.execute(db)
  return rows[0]?.month ?? null
}

export interface Digests {
  transactions: Buffer
  entries: Buffer
  usage: Buffer
  transaction_count: bigint
  entry_count: bigint
  usage_count: bigint
}

/**
 * SHA-256 of rows in the order of their keys, in two steps because all rows together may exceed the memory:
 * of blocks of rows, then of the blocks' digests. Numbers are 8 bytes in network byte order, times are
 * microseconds since the epoch, and texts end with a zero byte.
 */
export async function digestsOf(
  db: Kysely<DB>,
  { transactions, entries, usage }: LedgerRows,
): Promise<Digests> {
  const { rows } = await sql<Digests>`
    select * from (
      ${ofBlocks(sql`
        select id / 1024 as n, count(*) as rows, string_agg(
          int8send(id) || convert_to(kind, 'UTF8') || '\\x00' || convert_to(reference, 'UTF8') || '\\x00'
            || int8send((extract(epoch from posted_at) * 1000000)::bigint)
            || int8send((extract(epoch from coalesce(value_at, posted_at)) * 1000000)::bigint), ''::bytea order by id) as bytes
        from ${transactions} t group by 1`)}
    ) t (transactions, transaction_count), (
      ${ofBlocks(sql`
        select transaction_id / 16 as n, count(*) as rows, string_agg(
          int8send(transaction_id) || int8send(account_id) || int8send(amount), ''::bytea
          order by transaction_id, account_id) as bytes
        from ${entries} e group by 1`)}
    ) e (entries, entry_count), (
      ${ofBlocks(sql`
        select hour as n, count(*) as rows, int8send(extract(epoch from hour)::bigint) || string_agg(
          int8send(account_id) || int8send(bytes), ''::bytea order by account_id) as bytes
        from ${usage} u group by 1`)}
    ) u (usage, usage_count)`.execute(db)
  const [digests] = rows
  if (digests === undefined) throw new Error('the digests came without their row')
  return digests
}

const ofBlocks = (blocks: RawBuilder<unknown>) => sql`
  select sha256(coalesce(string_agg(sha256(bytes), ''::bytea order by n), '')), coalesce(sum(rows), 0)::bigint
  from (${blocks}) block`

/** The digest of a month's sums, in the same encoding. */
export async function digestOfSums(db: Kysely<DB>, month: string): Promise<Buffer> {
  const { rows } = await sql<{ digest: Buffer }>`
    select digest from (${ofBlocks(sql`
      select account_id / 1024 as n, count(*) as rows, string_agg(
        int8send(account_id) || int8send(amount) || int8send(used_bytes), ''::bytea order by account_id) as bytes
      from ledger_month_sum where month = ${month}::date group by 1`)}) s (digest, rows)`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the digest came without its row')
  return row.digest
}
