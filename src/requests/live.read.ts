/** Reads new records for many streams at once: one statement, one index probe per stream. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import { hereAndNow, isAfter } from './position.ts'
import { listedColumns, type ListedRequest, type ListedRow, listedOf, withOwners } from './row.ts'

/** The maximum number of records sent at once. */
export const mostAtOnce = 200
/** The number of an account's last records examined: a position may be old, and the customer busy. */
const mostScanned = 10_000

export interface NewsRequest {
  account: bigint
  /** Records that ended before this are ignored. */
  sinceMs: number
  /** The position up to which records were already read; null: all of them. */
  snapshot: string | null
}

export interface News {
  requests: ListedRequest[]
  /** Some records were omitted, or the position is no longer usable. */
  isPartial: boolean
  /** The new position. */
  position: string
}

/** One result per request, in the same order; the records that ended last come first. */
export async function readNews(db: Kysely<DB>, wanted: readonly NewsRequest[]): Promise<News[]> {
  const { rows } = await sql<
    { index: bigint; isForeign: boolean; position: string } & (ListedRow | { id: null })
  >`
    select w.index, w."isForeign", w.position, page.* from (
      select index, account, since_ms, coalesce(seen::pg_snapshot, pg_current_snapshot()) as seen, ${hereAndNow} as position,
        coalesce(pg_snapshot_xmax(seen::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()), false) as "isForeign"
      from unnest(
        ${bigintArray(wanted.map(({ account }) => account))}::bigint[],
        ${bigintArray(wanted.map(({ sinceMs }) => Math.max(0, Math.floor(sinceMs))))}::bigint[],
        ${textArray(wanted.map(({ snapshot }) => snapshot))}::text[]
      ) with ordinality as one(account, since_ms, seen, index)
    ) w left join lateral (
      select ${listedColumns} from (
        select *, xmin from connection_record
        where account_id = w.account and ended_at >= to_timestamp(w.since_ms / 1000.0)
        order by ended_at desc limit ${mostScanned}
      ) r ${withOwners}
      where ${isAfter(sql`w.seen`)}
      order by r.ended_at desc, r.id desc limit ${mostAtOnce + 1}
    ) page on true
    order by w.index, "endedAt" desc, id desc`.execute(db)
  const news: News[] = wanted.map(() => ({ requests: [], isPartial: false, position: '' }))
  for (const { index, isForeign, position, ...row } of rows) {
    const one = news[Number(index) - 1]
    if (one === undefined) continue
    one.position = position
    if (isForeign || one.requests.length === mostAtOnce) one.isPartial = true
    else if (row.id !== null) one.requests.push(listedOf(row))
  }
  return news
}
