/**
 * The searches of the operator's desk over connection records: fills an empty database with `--rows` records of `--days` days, times
 * what a gateway's batches cost PostgreSQL, then every kind of search. `node bench/connections.ts --rows 3000000`.
 * docs/bench-desk.md has the method and the results.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import { printConnection } from '#feed/connection.record'
import {
  type ConnectionQuery,
  connectionSums,
  findConnections,
  forgetOldRequests,
  keepRequests,
} from '#requests'
import { usageBy } from '#traffic'
import { Report } from './report.ts'
import { type OpenShop, withShop } from './scale.shop.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '3000000' },
    days: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '240' },
  },
})
const [rows, days, fillSeconds] = [Number(values.rows), Number(values.days), Number(values.seconds)]
const customers = 2000
const aimMs = 200
const dayMs = 86_400_000
const perFilling = 50_000
const batchRows = 2000
const searchesOfEach = 40

const report = new Report()
report.machine()
await withShop({ customers, days: 1, gateways: ['bench-0'] }, 0, async (shop) => {
  const filled = await fill(shop)
  report.say(filled)
  report.say(await takingBatches(shop))
  report.table(await searches(shop))
})
report.judge()

/** Records in the order of their ends, hosts as uneven as they are: the host of rank n about 1/n as often as the first. */
async function fill({ database: { db, clock } }: OpenShop): Promise<string> {
  for (let back = days; back >= 0; back--)
    await forgetOldRequests(db, { now: new Date(clock.now().getTime() - back * dayMs), keptDays: 365 })
  const started = performance.now()
  let made = 0
  while (made < rows && performance.now() - started < fillSeconds * 1000) {
    await unhurried(
      db,
      sql`
      insert into connection_record
      select ended, ended - make_interval(secs => took / 1000.0), m.account_id, m.subuser_id, 1 + n % 20, took * 3, took * 40,
        took * 3, took * 40, gen_random_uuid(), took, 443, 1024 + n % 60000, 1, 2, 30, 60, 1, null, null,
        '10.0.0.0'::inet + (n * 7919 % 200000), 'connect', 'host' || floor(exp(random() * ln(20000)))::int || '.example',
        'cc-us', 'us', 'done', null, null, null
      from (
        select n, now() - make_interval(secs => ${days * 86_400}::float8 * (1 - n / ${rows}::float8)) as ended,
          (200 + 2000 * random() * random())::int as took
        from generate_series(${made}::bigint, ${made + perFilling - 1}::bigint) n
      ) one join (
        select subuser_id, account_id, row_number() over (order by subuser_id) - 1 as place from meter
      ) m on m.place = n * 31 % ${customers}::bigint
      order by n`,
    )
    made += perFilling
  }
  await unhurried(db, sql`analyze connection_record`)
  // As autovacuum does in time.
  await unhurried(
    db,
    sql`select brin_summarize_new_values(i.inhrelid) from pg_inherits i where i.inhparent = 'connection_record_time'::regclass`,
  )
  const seconds = Math.round((performance.now() - started) / 1000)
  const { rows: sizes } = await sql<{ heap: bigint; indexes: bigint }>`
    select sum(pg_relation_size(inhrelid))::bigint as heap, sum(pg_indexes_size(inhrelid))::bigint as indexes
    from pg_inherits where inhparent = 'connection_record'::regclass`.execute(db)
  const { heap = 0n, indexes = 0n } = sizes[0] ?? {}
  return `${made} records of ${days} days and ${customers} customers were made in ${seconds} s, with all indexes: ${heap / BigInt(made)} B of heap and ${indexes / BigInt(made)} B of indexes each.`
}

/** A statement may take as long as it does. */
async function unhurried(db: OpenShop['database']['db'], statement: RawBuilder<unknown>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    await statement.execute(tx)
  })
}

/** The CPU of PostgreSQL for a record that comes in a gateway's batch. */
async function takingBatches({ database: { db, clock }, postgresCpuMs }: OpenShop): Promise<string> {
  const { rows: meters } = await sql<{ subuser_id: bigint; account_id: bigint; pool: string }>`
    select subuser_id, account_id, pool from meter limit 1000`.execute(db)
  const batchOf = (number: number) => {
    const lines = Array.from({ length: batchRows }, (_, index) => {
      const { subuser_id: subuser, account_id: account, pool } = meters[index % meters.length] ?? never()
      return printConnection({
        id: randomUUID(),
        account,
        subuser,
        pool,
        client: `192.0.2.${index % 256}`,
        client_port: 40_000,
        at_ms: clock.now().getTime() - 500,
        protocol: 'connect',
        target: `host${index % 700}.example:443`,
        settings: 'cc-us',
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
        up_bytes: 900n,
        down_bytes: 12_000n,
        charged_up_bytes: 900n,
        charged_down_bytes: 12_000n,
      })
    }).join('\n')
    return { records: [], unkept: [], batch: { gateway: 'bench-0', run: 'bench', number, lines } }
  }
  const batches = 40
  await keepRequests(db, batchOf(1), { now: clock.now() })
  const [cpu, own, began] = [postgresCpuMs(), process.cpuUsage().user, performance.now()]
  for (let number = 2; number < batches + 2; number++)
    await keepRequests(db, batchOf(number), { now: clock.now() })
  const each = (ms: number) => ((ms * 1000) / (batches * batchRows)).toFixed(1)
  return `A record in a batch of ${batchRows} costs PostgreSQL ${each(postgresCpuMs() - cpu)} µs of CPU and the server ${each((process.cpuUsage().user - own) / 1000)} µs, its making here included; ${Math.round((batches * batchRows * 1000) / (performance.now() - began))} a second, one batch at a time.`
}

function never(): never {
  throw new Error('the bench has no customers')
}

async function searches({ database: { db, clock } }: OpenShop): Promise<string> {
  const now = clock.now()
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const whole = { from: ago(days * dayMs), to: now }
  const { rows: samples } = await sql<{
    id: string
    account_id: bigint
    host: string
    client: string
    ended_at: Date
  }>`
    select id, account_id, host, host(client) as client, ended_at from connection_record
    tablesample system (0.05) where host is not null limit ${searchesOfEach}`.execute(db)
  const around = ({ ended_at }: { ended_at: Date }, ms: number) => ({
    from: new Date(ended_at.getTime() - ms),
    to: new Date(ended_at.getTime() + ms),
  })
  const kinds: [string, (sample: (typeof samples)[number]) => ConnectionQuery][] = [
    ['request id', ({ id }) => ({ ...whole, requestId: id })],
    ['host ± 1 minute', (one) => ({ ...around(one, 60_000), host: one.host })],
    ['host, all days', ({ host }) => ({ ...whole, host })],
    ['most frequent host ± 1 minute', (one) => ({ ...around(one, 60_000), host: 'host1.example' })],
    ['target ± 1 minute', (one) => ({ ...around(one, 60_000), target: `${one.host}:443` })],
    ['client, all days', ({ client }) => ({ ...whole, client })],
    ['customer, all days', ({ account_id }) => ({ ...whole, account: account_id })],
    ['exit ± 1 minute', (one) => ({ ...around(one, 60_000), exit: 3n })],
    ['time alone: the latest', () => whole],
    ['host that nobody asked for', () => ({ ...whole, host: 'nowhere.example' })],
  ]
  const lines = ['| search | p50, ms | p95, ms | rows |', '|---|---:|---:|---:|']
  const time = async (name: string, run: (sample: (typeof samples)[number]) => Promise<number>) => {
    const took: number[] = []
    let found = 0
    for (const sample of samples) {
      const began = performance.now()
      found += await run(sample)
      took.push(performance.now() - began)
    }
    const sorted = took.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    lines.push(
      `| ${name} | ${at(0.5).toFixed(1)} | ${at(0.95).toFixed(1)} | ${Math.round(found / samples.length)} |`,
    )
    if (at(0.95) > aimMs) report.miss(`${name}: ${at(0.95).toFixed(0)} ms at p95, the aim is ${aimMs} ms`)
  }
  for (const [name, queryOf] of kinds)
    await time(name, async (sample) => (await findConnections(db, queryOf(sample))).rows.length)
  await time('sums by country, all days', async () => {
    return (await connectionSums(db, { by: 'country', ...whole })).length
  })
  await time(
    'usage by exit, one day',
    async () => (await usageBy(db, { by: 'exit', from: ago(dayMs), to: now })).length,
  )
  return lines.join('\n')
}
