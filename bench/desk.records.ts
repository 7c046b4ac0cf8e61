/** Connection records in bulk, and as gateways send them. */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { allowLongStatements } from '#db'
import type { RecordBatch } from '#feed'
import { printConnection } from '#feed/connection.record'
import { forgetOldRequests, keepRequests } from '#requests'
import type { OpenShop } from './scale.shop.ts'

const dayMs = 86_400_000
/** The number of database connections that fill days concurrently. */
const atOnce = 2

type Db = OpenShop['database']['db']

/**
 * Inserts `rows` records over the last `days` days, one UTC day at a time, the latest first, as many days as
 * fit in `seconds`. Rows are in the order of their ends. The host of rank n is about 1/n as frequent as the
 * first. Also inserts the hourly sums of all days. Returns a sentence for the report.
 */
export async function fillRecords(
  { size: { customers }, database: { db, clock } }: OpenShop,
  { rows, days, seconds }: { rows: number; days: number; seconds: number },
): Promise<string> {
  const now = clock.now().getTime()
  for (let back = days; back >= 0; back--)
    await forgetOldRequests(db, { now: new Date(now - back * dayMs), keptDays: 365 })
  const started = performance.now()
  const periods = daysBefore(now, days).map(({ from, to }) => ({
    from: new Date(from),
    to: new Date(to),
    rows: Math.round((rows * (to - from)) / (days * dayMs)),
    customers,
  }))
  let [next, made, filled] = [0, 0, 0]
  const fillDays = async () => {
    for (;;) {
      const period = periods[next++]
      if (period === undefined || performance.now() - started > seconds * 1000) return
      await fillDay(db, period)
      made += period.rows
      filled++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, fillDays))
  for (const { from } of periods.slice(filled)) await copySums(db, from)
  await atLength(db, sql`analyze connection_record, connection_hour`)
  const took = Math.round((performance.now() - started) / 1000)
  const { rows: sizes } = await sql<{ heap: bigint; indexes: bigint }>`
    select sum(pg_relation_size(inhrelid))::bigint as heap, sum(pg_indexes_size(inhrelid))::bigint as indexes
    from pg_inherits where inhparent = 'connection_record'::regclass`.execute(db)
  const { heap = 0n, indexes = 0n } = sizes[0] ?? {}
  const less = filled < periods.length ? `, of ${rows} that were wanted,` : ''
  return `${made} records of the last ${filled} days${less} were made in ${took} s, the indexes of each day after its rows: ${heap / BigInt(made)} B of heap and ${indexes / BigInt(made)} B of indexes each.`
}

/** Splits the last `days` times 24 hours at UTC midnights; the latest part comes first. */
function daysBefore(now: number, days: number): { from: number; to: number }[] {
  const begin = now - days * dayMs
  const parts = []
  for (let from = Math.floor(now / dayMs) * dayMs; from + dayMs > begin; from -= dayMs)
    parts.push({ from: Math.max(from, begin), to: Math.min(from + dayMs, now) })
  return parts
}

interface Day {
  from: Date
  to: Date
  rows: number
  customers: number
}

/** Replaces the day's empty partition by a table whose indexes are made after its rows, which is faster. */
async function fillDay(db: Db, day: Day): Promise<void> {
  const date = day.from.toISOString().slice(0, 10)
  const table = sql.id(`connection_record_${date.replaceAll('-', '')}`)
  await sql`drop table if exists ${table}`.execute(db)
  await atLength(
    db,
    sql`create table ${table} (like connection_record including defaults including constraints)`,
  )
  await atLength(db, sql`insert into ${table} ${recordsOf(day)}`)
  const { rows: indexes } = await sql<{ text: string }>`
    select pg_get_indexdef(indexrelid) as text from pg_index where indrelid = 'connection_record'::regclass`.execute(
    db,
  )
  for (const { text } of indexes) {
    const [head = '', tail = ''] = text.split(/INDEX \S+ ON ONLY \S+/)
    await atLength(db, sql`${sql.raw(head)} index on ${table} ${sql.raw(tail)}`)
  }
  await atLength(
    db,
    sql`
    alter table connection_record attach partition ${table}
    for values from (${sql.lit(`${date}T00:00:00Z`)}) to (${sql.lit(new Date(Date.parse(date) + dayMs).toISOString())})`,
  )
  await atLength(
    db,
    sql`
    insert into connection_hour (hour, pool, exit_id, country, code, connections, up_bytes, down_bytes, charged_bytes, refused)
    select date_trunc('hour', ended_at, 'UTC'), 'residential', exit_id, country, coalesce(code, outcome), count(*), sum(up_bytes), sum(down_bytes),
      sum(charged_up_bytes + charged_down_bytes), count(code)
    from ${table} group by 1, 3, 4, 5 order by 1, 3, 4, 5`,
  )
}

/** Copies yesterday's hourly sums to a day that has no records: sums are kept longer than records. */
const copySums = (db: Db, day: Date) =>
  atLength(
    db,
    sql`
    insert into connection_hour (hour, pool, exit_id, country, code, connections, up_bytes, down_bytes, charged_bytes, refused)
    select hour - (y.day - date_trunc('day', ${day}::timestamptz, 'UTC')), pool, exit_id, country, code, connections, up_bytes, down_bytes, charged_bytes, refused
    from connection_hour, (select date_trunc('day', now(), 'UTC') - interval '1 day' as day) y
    where hour >= y.day and hour < y.day + interval '1 day' order by 1, 2, 3, 4, 5`,
  )

/** Runs a statement for which the usual statement timeout is too short. */
const atLength = (db: Db, statement: RawBuilder<unknown>) =>
  db.transaction().execute(async (tx) => {
    await allowLongStatements(tx)
    await sql`set local maintenance_work_mem = '256MB'`.execute(tx)
    await statement.execute(tx)
  })

const countries =
  'us de gb fr nl pl br in ca it es tr ua id vn jp kr mx ar za au se no fi cz ro bg pt gr ie'.split(' ')

const recordsOf = ({ from, to, rows, customers }: Day) => sql`
  select ended, ended - make_interval(secs => took / 1000.0), m.account_id, m.access_id, 1 + n % 20, took * 3, took * 40,
    took * 3, took * 40, gen_random_uuid(), took, 443, 1024 + n % 60000, 1, 2, 30, 60, 1,
    case when n % 50 = 0 then 502 end, null,
    '10.0.0.0'::inet + (n * 7919 % 200000), 'connect', 'host' || floor(exp(random() * ln(20000)))::int || '.example',
    'cc-' || country, country, case when n % 50 = 0 then 'refused' else 'done' end,
    case when n % 50 = 0 then (array['exit_or_target_timeout', 'exit_or_target_failed', 'no_traffic'])[1 + n / 50 % 3] end, null, null
  from (
    select n, date_trunc('milliseconds', ${from}::timestamptz
        + (${to}::timestamptz - ${from}::timestamptz) * (n / ${rows}::float8)) as ended,
      (200 + 2000 * random() * random())::int as took,
      (${countries}::text[])[1 + floor(${countries.length}::int * random() * random())::int] as country
    from generate_series(0, ${rows}::bigint - 1) n
  ) one join (
    select access_id, account_id, row_number() over (order by access_id) - 1 as place from meter
  ) m on m.place = n * 31 % ${customers}::bigint
  order by n`

/** A batch as a gateway sends it, of connections that have just ended. */
export function batchOf(
  owners: readonly { access_id: bigint; account_id: bigint; pool: string }[],
  { number, rows, now }: { number: number; rows: number; now: Date },
): RecordBatch {
  const lines = Array.from({ length: rows }, (_, index) => {
    const owner = owners[index % owners.length]
    if (owner === undefined) throw new Error('the bench has no customers')
    return printConnection({
      id: randomUUID(),
      account: owner.account_id,
      access: owner.access_id,
      pool: owner.pool,
      client: `192.0.2.${index % 256}`,
      client_port: 40_000,
      at_ms: now.getTime() - 500,
      protocol: 'connect',
      target: `host${index % 700}.example:443`,
      settings: 'cc-us-sid-a1b2c3',
      multiplier: 1,
      country: 'us',
      exit: BigInt(1 + (index % 20)),
      authenticated_ms: 1,
      exit_chosen_ms: 2,
      connected_ms: 30,
      first_byte_ms: 60,
      ended_ms: 300,
      outcome: 'done',
      status: null,
      code: null,
      sentence: null,
      exit_status: null,
      exit_word: null,
      target_address: null,
      exit_address: null,
      exit_port: null,
      up_bytes: 1200n,
      down_bytes: 48_000n,
      charged_up_bytes: 1200n,
      charged_down_bytes: 48_000n,
    })
  }).join('\n')
  return { unkept: [], batch: { gateway: 'bench-0', boot: 'bench', run: 'bench', number, lines } }
}

export interface BatchCost {
  records: number
  tookMs: number
  postgresCpuMs: number
  ownCpuMs: number
}

/**
 * Stores batches of `rows` records one after the other, until `isOver` returns true for their number.
 */
export async function keepBatches(
  { database: { db, clock }, postgresCpuMs }: OpenShop,
  { rows, isOver }: { rows: number; isOver: (batches: number) => boolean },
): Promise<BatchCost> {
  const { rows: owners } = await sql<{ access_id: bigint; account_id: bigint; pool: string }>`
    select access_id, account_id, pool from meter limit 1000`.execute(db)
  const keep = (number: number) =>
    keepRequests(db, batchOf(owners, { number, rows, now: clock.now() }), { now: clock.now() })
  // Not measured: the first batch does work that later ones do not.
  await keep(1)
  const [postgres, own, began] = [postgresCpuMs(), process.cpuUsage(), performance.now()]
  let batches = 0
  while (!isOver(batches)) await keep(++batches + 1)
  const { user, system } = process.cpuUsage(own)
  return {
    records: batches * rows,
    tookMs: performance.now() - began,
    postgresCpuMs: postgresCpuMs() - postgres,
    ownCpuMs: (user + system) / 1000,
  }
}
