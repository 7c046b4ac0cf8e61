/**
 * The sums of the records by hour and day, for dimensions that the books do not have: countries and outcomes.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'

const dimensions = {
  hour: sql`hour`,
  day: sql`day`,
  pool: sql`pool`,
  exit: sql`exit_id`,
  country: sql`country`,
  code: sql`code`,
} satisfies Record<string, RawBuilder<unknown>>

const dayMs = 86_400_000

type Dimension = keyof typeof dimensions

export interface ConnectionSum {
  /** The value of the dimension as text: an ISO time, a day, a name or a number; '' or 0: not known. */
  key: string
  connections: bigint
  /** Those of the connections that were refused. */
  refused: bigint
  upBytes: bigint
  downBytes: bigint
  chargedBytes: bigint
}

interface SumFilter {
  /** Whole hours, `to` excluded. */
  from: Date
  to: Date
  pool?: string | undefined
  exit?: bigint | undefined
}

/**
 * Ended connections by one dimension, from `from` to `to` (excluded), whole hours; the largest first, times
 * in their order. Counted from records, which may be lost; `usageBy` of #traffic has the figures of the
 * ledger.
 */
export async function connectionSums(
  db: Kysely<DB>,
  { by, ...asked }: SumFilter & { by: Dimension },
): Promise<ConnectionSum[]> {
  const isTime = by === 'hour' || by === 'day'
  const key =
    by === 'hour'
      ? sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
      : sql`${dimensions[by]}::text`
  const { rows } = await sql<ConnectionSum>`
    select ${key} as key, sum(connections)::bigint as connections, sum(refused)::bigint as refused,
      bounded(sum(up_bytes)) as "upBytes",
      bounded(sum(down_bytes)) as "downBytes", bounded(sum(charged_bytes)) as "chargedBytes"
    from (${sumRows(asked, by === 'hour')}) ended
    group by ${dimensions[by]} order by ${isTime ? sql`key` : sql`"chargedBytes" desc, connections desc, key`}`.execute(
    db,
  )
  return rows
}

/**
 * The bytes that passed through an exit on a UTC day by direction, and the part that belonged to refused
 * attempts.
 */
export interface ExitDirections {
  exitId: bigint
  /** YYYY-MM-DD */
  day: string
  upBytes: bigint
  downBytes: bigint
  failedUpBytes: bigint
  failedDownBytes: bigint
}

/**
 * The directions of each exit and UTC day from `from` to `to` (both included), by records, which may be lost.
 */
export async function directionsByExit(
  db: Kysely<DB>,
  { from, to }: { from: string; to: string },
): Promise<ExitDirections[]> {
  const period = { from: new Date(from), to: new Date(Date.parse(to) + dayMs) }
  // A row is of one code: all of its connections were refused, or none was.
  const { rows } = await sql<ExitDirections>`
    select exit_id as "exitId", day::text as day, bounded(sum(up_bytes)) as "upBytes", bounded(sum(down_bytes)) as "downBytes",
      bounded(coalesce(sum(up_bytes) filter (where refused > 0 and refused = connections), 0)) as "failedUpBytes",
      bounded(coalesce(sum(down_bytes) filter (where refused > 0 and refused = connections), 0)) as "failedDownBytes"
    from (${sumRows(period, false)}) ended where exit_id <> 0 group by exit_id, day`.execute(db)
  return rows
}

/**
 * Reads whole UTC days from the rows of days and the hours not added to them yet, and the remaining hours
 * from rows of hours. By hour it reads only rows of hours.
 */
function sumRows({ from, to, pool, exit }: SumFilter, byHour: boolean): RawBuilder<unknown> {
  const given: RawBuilder<unknown>[] = []
  if (pool !== undefined) given.push(sql`pool = ${pool}`)
  if (exit !== undefined) given.push(sql`exit_id = ${exit}`)
  const columns = sql`pool, exit_id, country, code, connections, refused, up_bytes, down_bytes, charged_bytes`
  const rowsOf = (source: RawBuilder<unknown>, conditions: RawBuilder<unknown>[]) =>
    sql`select ${source} where ${sql.join([...conditions, ...given], sql` and `)}`
  const ofHours = sql`hour, (hour at time zone 'UTC')::date as day, ${columns} from connection_hour`
  const between = (begin: Date, end: Date) => [sql`hour >= ${begin}`, sql`hour < ${end}`]
  const first = new Date(Math.ceil(from.getTime() / dayMs) * dayMs)
  const end = new Date(Math.floor(to.getTime() / dayMs) * dayMs)
  if (byHour || first >= end) return rowsOf(ofHours, between(from, to))
  const ofDays = sql`day::timestamp at time zone 'UTC' as hour, day, ${columns} from connection_day`
  const [firstDay, endDay] = [first, end].map((at) => at.toISOString().slice(0, 10))
  return sql.join(
    [
      rowsOf(ofDays, [sql`day >= ${firstDay}::date`, sql`day < ${endDay}::date`]),
      rowsOf(ofHours, [...between(first, end), sql`not in_day`]),
      rowsOf(ofHours, between(from, first)),
      rowsOf(ofHours, between(end, to)),
    ],
    sql` union all `,
  )
}

/**
 * Adds the hours that have been over for an hour to their days; batches of such hours that come later are
 * added to both. Returns how many rows were added.
 */
export async function addUpConnections(db: Kysely<DB>): Promise<number> {
  const isOver = sql`hour < date_trunc('hour', now() - interval '1 hour', 'UTC')`
  let added = 0
  for (;;) {
    // A day at a time: the first time there may be a year of them. Rows that a batch is changing are left for
    // the next time, since batches lock rows in another order.
    const { rows } = await sql<{ hours: bigint }>`
      with over as (
        select hour from connection_hour where not in_day and ${isOver} order by hour limit 1
      ), free as (
        select h.ctid from connection_hour h, over
        where not h.in_day and h.hour >= over.hour and h.hour < date_trunc('day', over.hour, 'UTC') + interval '1 day' and h.${isOver}
        for update of h skip locked
      ), moved as (
        update connection_hour h set in_day = true from free where h.ctid = free.ctid
        returning h.hour, h.pool, h.exit_id, h.country, h.code, h.connections, h.refused, h.up_bytes, h.down_bytes, h.charged_bytes
      ), days as (${intoDays(sql`moved`)})
      select count(*) as hours from moved`.execute(db)
    const hours = Number(rows[0]?.hours ?? 0n)
    if (hours === 0) return added
    added += hours
  }
}

/**
 * Adds rows of hours to their days, in the order of the key, so that two that do so wait for each other and
 * do not deadlock.
 */
export const intoDays = (rows: RawBuilder<unknown>) => sql`
  insert into connection_day as known (day, pool, exit_id, country, code, connections, refused, up_bytes, down_bytes, charged_bytes)
  select (hour at time zone 'UTC')::date, pool, exit_id, country, code, sum(connections), sum(refused), bounded(sum(up_bytes)),
    bounded(sum(down_bytes)), bounded(sum(charged_bytes))
  from ${rows} group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (day, pool, exit_id, country, code) do update set
    connections = known.connections + excluded.connections, refused = known.refused + excluded.refused,
    up_bytes = bounded(known.up_bytes::numeric + excluded.up_bytes),
    down_bytes = bounded(known.down_bytes::numeric + excluded.down_bytes),
    charged_bytes = bounded(known.charged_bytes::numeric + excluded.charged_bytes)`

/** The maximum number of a customer's connections that are added up: a busy customer has millions a day. */
const mostAddedUp = 100_000
const mostKeys = 500

interface CustomerSum {
  /** Null: not kept, or not known. */
  key: string | null
  connections: bigint
  relayedBytes: bigint
  chargedBytes: bigint
}

/**
 * A customer's connections that ended from `from` to `to` (excluded), by host or country: the largest sums of
 * the newest 100,000 connections. By records, which may be lost.
 */
export async function sumsOfCustomer(
  db: Kysely<DB>,
  {
    account,
    by,
    from,
    to,
    pool,
  }: { account: bigint; by: 'host' | 'country'; from: Date; to: Date; pool?: string | undefined },
): Promise<CustomerSum[]> {
  const inPool =
    pool === undefined
      ? sql`true`
      : sql`access_id = (select id from access where account_id = ${account} and pool = ${pool})`
  const { rows } = await sql<CustomerSum>`
    select ${sql.ref(by)} as key, count(*) as connections, bounded(sum(up_bytes::numeric + down_bytes)) as "relayedBytes",
      bounded(sum(charged_up_bytes::numeric + charged_down_bytes)) as "chargedBytes"
    from (
      select * from connection_record
      where account_id = ${account} and ended_at >= ${from} and ended_at < ${to} and ${inPool}
      order by ended_at desc limit ${mostAddedUp}
    ) newest
    group by 1 order by "chargedBytes" desc, connections desc, key limit ${mostKeys}`.execute(db)
  return rows
}
