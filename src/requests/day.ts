/** The outcomes of a customer's requests in the last day. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { printTarget } from './target.ts'

/** The maximum number of requests counted: a busy customer has millions. */
const mostCounted = 10_000
const mostCodes = 5

export interface LastDay {
  counted: number
  /** The number of counted requests that succeeded. */
  done: number
  refused: number
  /** Whether the day had more requests than were counted. */
  isCapped: boolean
  /** By code, the latest first. */
  refusals: {
    code: string
    requests: number
    lastAt: Date
    lastId: string
    lastPool: string | null
    lastTarget: string | null
  }[]
}

/** The last 10,000 requests of a customer that ended in the 24 hours before `now`. */
export async function lastDayOf(
  db: Kysely<DB>,
  { accountId, now }: { accountId: bigint; now: Date },
): Promise<LastDay> {
  const from = new Date(now.getTime() - 86_400_000)
  const { rows } = await sql<{
    code: string | null
    isDone: boolean
    requests: number
    lastAt: Date
    lastId: string
    lastPool: string | null
    host: string | null
    port: number | null
  }>`
    select newest.*, s.pool as "lastPool" from (
    select code, outcome = 'done' as "isDone", count(*)::int as requests, max(ended_at) as "lastAt",
      (array_agg(id order by ended_at desc))[1] as "lastId", (array_agg(access_id order by ended_at desc))[1] as access, (array_agg(host order by ended_at desc))[1] as host,
      (array_agg(port order by ended_at desc))[1] as port
    from (
      select * from connection_record where account_id = ${accountId} and ended_at >= ${from}
      order by ended_at desc limit ${mostCounted}
    ) newest group by 1, 2
    ) newest left join access s on s.id = newest.access order by "lastAt" desc`.execute(db)
  const counted = rows.reduce((sum, { requests }) => sum + requests, 0)
  return {
    counted,
    done: rows.reduce((sum, { isDone, requests }) => sum + (isDone ? requests : 0), 0),
    refused: rows.reduce((sum, { code, requests }) => sum + (code === null ? 0 : requests), 0),
    isCapped: counted === mostCounted,
    refusals: rows
      .flatMap(({ code, isDone: _isDone, requests, lastAt, lastId, lastPool, host, port }) =>
        code === null
          ? []
          : [{ code, requests, lastAt, lastId, lastPool, lastTarget: printTarget({ host, port }) }],
      )
      .slice(0, mostCodes),
  }
}

/** Whether a record of the customer is kept. */
export async function hasRequests(db: Kysely<DB>, accountId: bigint): Promise<boolean> {
  const { rows } = await sql`select from connection_record where account_id = ${accountId} limit 1`.execute(
    db,
  )
  return rows.length > 0
}
