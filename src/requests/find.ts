/** Search for connections, for example by the facts of a complaint. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'
import { canonicalIp } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { printTarget, splitTarget, type StoredTarget } from './target.ts'

/** The filters; an omitted filter matches everything. */
export interface ConnectionQuery {
  /** host:port of the target. */
  target?: string | undefined
  /** The target's host: a name as the client wrote it, or an address, also one that a name resolved to. */
  host?: string | undefined
  /** The local address and port from which the exit connected to the target. */
  exitAddress?: string | undefined
  exitPort?: number | undefined
  /** The client's address. */
  client?: string | undefined
  exit?: bigint | undefined
  account?: bigint | undefined
  access?: bigint | undefined
  requestId?: string | undefined
  /** The code of its refusal. */
  code?: string | undefined
  /** Only those that were refused. */
  isRefused?: boolean | undefined
  /** The connection was open at some time in this period. */
  from: Date
  to: Date
}

/** A connection, for operators. */
export interface Connection {
  id: string
  startedAt: Date
  endedAt: Date
  durationMs: number
  /** The customer. Null: the access was unknown. */
  account: bigint | null
  /** Their access to the pool. */
  access: bigint
  login: string | null
  pool: string | null
  exit: bigint | null
  country: string | null
  protocol: string
  /** host:port, as far as it is stored. */
  target: string | null
  /** The address of a target that is a name, where the gateway knows it. */
  targetAddress: string | null
  /** The local address and port from which the exit connected to the target; null: only the exit knows. */
  exitAddress: string | null
  exitPort: number | null
  client: string | null
  clientPort: number | null
  upBytes: bigint
  downBytes: bigint
  chargedBytes: bigint
  outcome: string
  /** The gateway's refusal, and the exit's answer when the exit refused. */
  status: number | null
  code: string | null
  /** What the client was told. */
  sentence: string | null
  exitStatus: number | null
  exitWord: string | null
}

export interface ConnectionPage {
  rows: Connection[]
  /** The cursor of the next page; null: there is none. */
  next: string | null
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/**
 * Connections that ended later than this after the requested period are found by the index of long
 * connections.
 */
const longMs = hourMs
/**
 * The first window of a search by time alone: short enough that few connections end in it even at a thousand
 * a second.
 */
const firstSpanMs = 100
/** Each next window is longer by this factor, even on a slow machine, so that a search progresses. */
const spanGrowth = 8
/** Before a window of this length is read, the search checks that any connection ended in it. */
const longSpanMs = 30_000
/** After this time the search returns its results so far and a cursor. */
const patienceMs = 150

/** Where a page begins: with requests that ended before this time, or at it with a smaller id. */
interface Cursor {
  endedMs: number
  id: string
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const printCursor = ({ endedMs, id }: Cursor) => `${endedMs}_${id}`

function readCursor(text: string): Cursor {
  const [, ended, id] = /^(\d{1,15})_([0-9a-f-]{36})$/.exec(text) ?? []
  if (ended === undefined || id === undefined || !uuid.test(id))
    throw new Refusal('invalid_field', { field: 'after' })
  return { endedMs: Number(ended), id }
}

/**
 * The connections that match, the last to end first, at most `limit` (100), beginning at the cursor `after`.
 * A search without target, host, client, address and port of the exit, account, access, code, request id and
 * refusals of an exit reads all connections of the period. It returns after a fraction of a second with its
 * results so far, perhaps less than a page, and a cursor. Refuses with `invalid_after` when `after` is not a
 * cursor.
 */
export async function findConnections(
  db: Kysely<DB>,
  query: ConnectionQuery,
  { limit = 100, after = null }: { limit?: number; after?: string | null } = {},
): Promise<ConnectionPage> {
  const { requestId, host, target, client, code, exit, isRefused } = query
  if (requestId !== undefined && !uuid.test(requestId)) return { rows: [], next: null }
  const cursor: Cursor =
    after === null ? { endedMs: query.to.getTime() + 30 * 365 * dayMs, id: lastId } : readCursor(after)
  const where = conditionsOf(query)
  const isIndexed =
    [requestId, host, target, client, code, query.exitAddress, query.exitPort].some(
      (one) => one !== undefined,
    ) ||
    query.account !== undefined ||
    query.access !== undefined ||
    (exit !== undefined && isRefused === true)
  if (isIndexed) {
    const rows = await search(db, { query, where, cursor, limit, fromMs: query.from.getTime() })
    return pageOf(rows, limit)
  }
  return await searchBackwards(db, { query, where, cursor, limit })
}

interface Search {
  query: ConnectionQuery
  where: RawBuilder<unknown>
  cursor: Cursor
  limit: number
}

function pageOf(rows: Connection[], limit: number): ConnectionPage {
  const last = rows.at(-1)
  const isFull = last !== undefined && rows.length === limit
  return { rows, next: isFull ? printCursor({ endedMs: last.endedAt.getTime(), id: last.id }) : null }
}

/** Searches in windows of time that become longer, the latest first. */
async function searchBackwards(
  db: Kysely<DB>,
  { query, where, cursor, limit }: Search,
): Promise<ConnectionPage> {
  const fromMs = query.from.getTime()
  const deadline = performance.now() + patienceMs
  const rows: Connection[] = []
  let at = cursor
  // Connections that ended long after the requested period are few, and are read at once.
  if (at.endedMs > query.to.getTime() + longMs) {
    rows.push(...(await search(db, { query, where, cursor: at, limit, fromMs: query.to.getTime() + longMs })))
    if (rows.length === limit) return pageOf(rows, limit)
    at = { endedMs: query.to.getTime() + longMs, id: lastId }
  }
  for (let span = firstSpanMs; at.endedMs >= fromMs && rows.length < limit; span *= spanGrowth) {
    if (span >= longSpanMs) {
      const last = await lastEnd(db, at.endedMs)
      if (last === null || last < fromMs) break
      // No connection ended in this window, so the search skips to the last connection before it.
      if (last < at.endedMs - span) {
        at = { endedMs: last, id: lastId }
        span = firstSpanMs
      }
    }
    const begin = Math.max(fromMs, at.endedMs - span)
    rows.push(...(await search(db, { query, where, cursor: at, limit: limit - rows.length, fromMs: begin })))
    if (rows.length === limit) return pageOf(rows, limit)
    at = { endedMs: begin - 1, id: lastId }
    if (performance.now() > deadline && at.endedMs >= fromMs) return { rows, next: printCursor(at) }
  }
  return { rows, next: null }
}

/** The end of the last connection that ended by this time; null: there is none. */
async function lastEnd(db: Kysely<DB>, endedMs: number): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    select ceil(extract(epoch from max(ended_at)) * 1000)::float8 as ms from connection_record
    where ended_at <= ${new Date(endedMs)}`.execute(db)
  return rows[0]?.ms ?? null
}

function conditionsOf(query: ConnectionQuery): RawBuilder<unknown> {
  const { target, host, client, exitAddress, exitPort, exit, account, access, requestId, code, isRefused } =
    query
  const conditions: RawBuilder<unknown>[] = []
  if (target !== undefined) conditions.push(targetIs(target))
  if (host !== undefined) conditions.push(hostIs(host.toLowerCase()))
  if (exitAddress !== undefined)
    conditions.push(sql`exit_address = ${exitAddress}::inet and exit_port is not null`)
  if (exitPort !== undefined) conditions.push(sql`exit_port = ${exitPort}`)
  if (client !== undefined) conditions.push(sql`client = ${client}::inet`)
  if (exit !== undefined) conditions.push(sql`exit_id = ${exit}`)
  if (account !== undefined) conditions.push(sql`account_id = ${account}`)
  if (access !== undefined) {
    conditions.push(sql`access_id = ${access}`)
    // The index is on the accounts, so the condition names them.
    if (account === undefined)
      conditions.push(sql`account_id = (select account_id from access where id = ${access})`)
  }
  if (requestId !== undefined) conditions.push(sql`id = ${requestId}::uuid`)
  if (code !== undefined) conditions.push(sql`code = ${code}`)
  if (isRefused === true) conditions.push(sql`code is not null`)
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

/** An address also matches targets whose name resolved to it. */
function hostIs(host: string): RawBuilder<unknown> {
  const address = canonicalIp(host)
  return address === null
    ? sql`host = ${host}`
    : sql`(host in (${host}, ${address}) or target_address = ${address}::inet)`
}

function targetIs(target: string): RawBuilder<unknown> {
  const { host, port } = splitTarget(target.toLowerCase())
  return port === null ? hostIs(host ?? '') : sql`(${hostIs(host ?? '')} and port = ${port})`
}

type Row = Omit<Connection, 'target'> & StoredTarget

async function search(
  db: Kysely<DB>,
  { query, where, cursor, limit, fromMs }: Search & { fromMs: number },
): Promise<Connection[]> {
  const { to } = query
  const end = Math.min(cursor.endedMs, to.getTime() + longMs)
  const common = sql`
    ${where} and ended_at >= ${new Date(fromMs)} and ended_at <= ${new Date(cursor.endedMs)}
    and (ended_at, id) < (${new Date(cursor.endedMs)}, ${cursor.id}::uuid)
    and accepted_at <= ${to}`
  const order = sql`order by ended_at desc, id desc limit ${limit}`
  const { rows } = await sql<Row>`
    select r.id, accepted_at as "startedAt", ended_at as "endedAt",
      duration_ms as "durationMs", r.account_id as account, access_id as access, s.login, s.pool, exit_id as exit, country,
      protocol, r.host, port, host(client) as client, client_port as "clientPort",
      host(target_address) as "targetAddress", host(exit_address) as "exitAddress", exit_port as "exitPort", up_bytes as "upBytes",
      down_bytes as "downBytes", charged_up_bytes + charged_down_bytes as "chargedBytes", outcome, status, code, sentence,
      exit_status as "exitStatus", exit_word as "exitWord"
    from (
      (select * from connection_record where ${common} and ended_at <= ${new Date(end)} ${order})
      union all
      (select * from connection_record
        where ${common} and ended_at > ${new Date(to.getTime() + longMs)} and duration_ms >= ${longMs}::int ${order})
    ) r left join access s on s.id = r.access_id
    ${order}`.execute(db)
  return rows.map(({ host, port, ...row }) => ({
    ...row,
    target: printTarget({ host, port }),
  }))
}
