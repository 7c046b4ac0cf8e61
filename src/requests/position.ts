/**
 * A position in the records: what had been committed when they were read. Several gateways send records at
 * once, so neither times nor sequence numbers show which records were committed; PostgreSQL's snapshots do,
 * exactly. Written `<milliseconds>_<snapshot>`; customers' programs send it back, so it may be forged.
 */
import { sql } from 'kysely'

export interface Position {
  /** When it was taken, by the database's clock. */
  atMs: number
  /** As pg_current_snapshot() prints it. */
  snapshot: string
}

/** The maximum number of transactions in a position; a server has far fewer at once. */
const longest = 8000
const format = /^(\d{13})_(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/

/** Null for a text that no server wrote: PostgreSQL would fail on its snapshot. */
export function readPosition(text: string): Position | null {
  if (text.length > longest) return null
  const [, at, least, end, listed] = format.exec(text) ?? []
  if (at === undefined || least === undefined || end === undefined) return null
  const open = listed === undefined || listed === '' ? [] : listed.split(',').map(BigInt)
  let before = BigInt(least) - 1n
  const last = BigInt(end)
  if (before < 0n || before >= last || last > 2n ** 62n) return null
  for (const one of open) {
    if (one <= before || one >= last) return null
    before = one
  }
  return { atMs: Number(at), snapshot: text.slice(at.length + 1) }
}

/** The position of the statement that contains it. */
export const hereAndNow = sql<string>`
  (floor(extract(epoch from clock_timestamp()) * 1000)::bigint::text || '_' || pg_current_snapshot()::text)`

/**
 * Whether a record of the table `r` was committed after a snapshot. A row has the last 32 bits of the number
 * of the transaction that wrote it; no record is as old as two thousand million transactions.
 */
export const isAfter = (snapshot: ReturnType<typeof sql>) => sql`
  not pg_visible_in_snapshot(
    (pg_snapshot_xmax(pg_current_snapshot())::text::bigint
      - ((pg_snapshot_xmax(pg_current_snapshot())::text::bigint - r.xmin::text::bigint) & 4294967295))::text::xid8,
    ${snapshot})`
