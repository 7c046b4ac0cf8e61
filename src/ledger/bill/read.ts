import { type Kysely, sql } from 'kysely'
import { billStart } from '#contract/bill/bill'
import type { DB } from '#db'

export interface BillPage {
  /** As they are written in the file, with their hashes. */
  lines: string[]
  /** All lines of the customer. */
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
  /** Of the last line, as it stands in the file. */
  hour: string
  /** Charged in all lines, of all pools. */
  chargedBytes: bigint
  /** Hex. */
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
