/** A customer's own list of requests. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { accountKey } from './usage.by.part.ts'
import { hereAndNow } from './position.ts'
import { listedColumns, type ListedRequest, type ListedRow, listedOf, withOwners } from './row.ts'

/** The number of requests that a list examines: a busy customer has millions, and a filter may match none. */
export const mostListed = 10_000

/** The filters; an omitted filter matches everything. */
export interface ListQuery {
  accountId: bigint
  pool?: string | undefined
  /** The target's host, as the client wrote it. */
  host?: string | undefined
  country?: string | undefined
  /** The code of its refusal. */
  code?: string | undefined
  outcome?: 'done' | 'refused' | 'failed' | undefined
  /** The login of a proxy user, or `accountKey`. */
  user?: string | undefined
  /** When it ended. */
  from?: Date | undefined
  to?: Date | undefined
  /** Where the page begins: the `next` of the one before. */
  after?: string | undefined
  limit: number
}

export interface RequestPage {
  requests: ListedRequest[]
  /** Where the next page begins; null: there is none. */
  next: string | null
  /** The position from which a stream of new requests continues, see `LiveRequests`. */
  position: string
}

const cursorFormat = /^(\d{1,15})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_(\d{1,15})$/

/** Where a page begins, and up to when the list reaches of which it is a page. */
interface Cursor {
  endedAt: Date
  id: string
  until: Date
}

const printCursor = ({ endedAt, id, until }: Cursor) => `${endedAt.getTime()}_${id}_${until.getTime()}`

function readCursor(after: string): Cursor {
  const [, endedMs, id, untilMs] = cursorFormat.exec(after) ?? []
  if (id === undefined) throw new Refusal('invalid_field', { field: 'after' })
  return { endedAt: new Date(Number(endedMs)), id, until: new Date(Number(untilMs)) }
}

/**
 * The requests of a customer that match, the last to end first, among the last 10,000 that ended in the
 * requested period, or until the first page was read: later ones do not move what further pages are of. Refuses
 * with `invalid_field` when `after` is not a `next`.
 */
export async function listRequests(db: Kysely<DB>, query: ListQuery): Promise<RequestPage> {
  const { accountId, from, to, limit } = query
  const after = query.after === undefined ? null : readCursor(query.after)
  const until = after?.until ?? to
  const times = [sql`account_id = ${accountId}`]
  if (from !== undefined) times.push(sql`ended_at >= ${from}`)
  if (until !== undefined) times.push(sql`ended_at <= ${until}`)
  const conditions = conditionsOf(query)
  if (after !== null) conditions.push(sql`(r.ended_at, r.id) < (${after.endedAt}, ${after.id}::uuid)`)
  const { rows } = await sql<{ position: string; at: Date } & (ListedRow | { id: null })>`
    select at.position, at.at, page.* from (select ${hereAndNow} as position, clock_timestamp() as at) at left join lateral (
      select ${listedColumns} from (
        select * from connection_record where ${sql.join(times, sql` and `)} order by ended_at desc limit ${mostListed}
      ) r ${withOwners}
      where ${sql.join(conditions, sql` and `)}
      order by r.ended_at desc, r.id desc limit ${limit}
    ) page on true order by "endedAt" desc, id desc`.execute(db)
  const requests = rows.flatMap(({ position: _position, at: _at, ...row }) =>
    row.id === null ? [] : [listedOf(row)],
  )
  const last = requests.at(-1)
  const [first] = rows
  const isFull = last !== undefined && first !== undefined && requests.length === limit
  return {
    requests,
    next: isFull ? printCursor({ endedAt: last.endedAt, id: last.id, until: until ?? first.at }) : null,
    position: first?.position ?? '',
  }
}

function conditionsOf({ pool, host, country, code, outcome, user }: ListQuery): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [sql`true`]
  if (pool !== undefined) conditions.push(sql`s.pool = ${pool}`)
  if (host !== undefined) conditions.push(sql`r.host = ${host.toLowerCase()}`)
  if (country !== undefined) conditions.push(sql`r.country = ${country}`)
  if (code !== undefined) conditions.push(sql`r.code = ${code}`)
  if (user !== undefined)
    conditions.push(user === accountKey ? sql`r.proxy_user_id is null` : sql`u.login = ${user}`)
  if (outcome === 'done') conditions.push(sql`r.outcome = 'done'`)
  if (outcome === 'refused') conditions.push(sql`r.code is not null`)
  if (outcome === 'failed') conditions.push(sql`r.code is null and r.outcome <> 'done'`)
  return conditions
}
