/**
 * The operator's desk of a full shop: fills an empty database with customers, invoices, a month of usage and
 * as many connection records as fit in `--fill` seconds, then times every list, search and figure of the desk
 * over HTTP, what a gateway's batches of records cost, and a download of all invoices. `npm run bench:desk`.
 * docs/bench-desk.md has the method and the results.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { noteHeld } from '#accounts'
import { addUpPostings } from '#ledger'
import { noteCustomerMargins } from '#margin'
import { addUpConnections, type ConnectionQuery, findConnections } from '#requests'
import type { StaffMember } from '#test/desk'
import { addUpHours } from '#traffic'
import { fillRecords, keepBatches } from './desk.records.ts'
import { fillDesk, openDesk } from './desk.shop.ts'
import { costsOf, statementsOf, watchStatements } from './desk.statements.ts'
import { Report } from './report.ts'
import { type OpenShop, withShop } from './scale.shop.ts'

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '100000' },
    invoices: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '30' },
    records: { type: 'string', default: '50000000' },
    fill: { type: 'string', default: '600' },
    times: { type: 'string', default: '40' },
    keep: { type: 'string' },
    only: { type: 'string' },
    csv: { type: 'string', default: '3600' },
    statements: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const [customers, invoices, days] = [Number(values.customers), Number(values.invoices), Number(values.days)]
const dayMs = 86_400_000
/** The goals for the 95th percentile, in milliseconds: of lists, and of the page of today. */
const aims = { list: 200, today: 300 }
const searchesOfEach = Number(values.times)
/** Reports that take longer are cancelled. */
const mostReportMs = 60_000
const mib = 1_048_576

const report = new Report()
watchStatements()
report.machine()
const size = { customers, days, gateways: ['bench-0'] }
async function fill(shop: OpenShop): Promise<string> {
  await fillDesk(shop, { invoices, days })
  const records = { rows: Number(values.records), days, seconds: Number(values.fill) }
  return `${customers} customers with ${days} days of usage and ${invoices} invoices. ${await fillRecords(shop, records)}`
}
await withShop({ size, keptIn: values.keep, fill }, async (shop, said) => {
  report.say(said)
  // In production a job adds up the hours.
  await addUpHours(shop.database.db)
  await addUpConnections(shop.database.db)
  await noteHeld(shop.database.db)
  await noteCustomerMargins(shop.database.db, shop.database.clock.now())
  const began = performance.now()
  const postings = await addUpPostings(shop.database.db)
  if (postings > 0)
    report.say(
      `${postings} transactions of the ledger were added up in ${((performance.now() - began) / 1000).toFixed(0)} s.`,
    )
  await shop.database.pool.query(
    'analyze connection_hour, connection_day, usage_hour, usage_sum, account_held, account_margin, ledger_booked_sum, ledger_house_sum, ledger_usage_sum',
  )
  if (values.keep === undefined) report.say(await takingBatches(shop))
  const office = await openDesk(shop)
  const owner = await office.staff('owner', `owner${Date.now()}`)
  report.table(await calls(shop, owner))
  report.table(await searches(shop))
  if (values.only === undefined || values.only === 'download') report.say(await download(shop, owner))
  await office.close()
})
report.judge()
if (values.write) report.write(new URL('../docs/bench-desk.md', import.meta.url).pathname)

/** The CPU time of PostgreSQL and of the server per record of a gateway's batch. */
async function takingBatches(shop: OpenShop): Promise<string> {
  const rows = 2000
  const cost = await keepBatches(shop, { rows, isOver: (batches) => batches === 40 })
  const us = (ms: number) => ((ms * 1000) / cost.records).toFixed(1)
  return `A record in a batch of ${rows} costs PostgreSQL ${us(cost.postgresCpuMs)} µs of CPU and the server ${us(cost.ownCpuMs)} µs, its making here included; ${Math.round((cost.records * 1000) / cost.tookMs)} a second, one batch at a time.`
}

interface Timed {
  name: string
  aimMs: number
  /** Returns the number of rows; null: the rate limit refused the call. */
  run: (index: number) => Promise<number | null>
}

/** Retries while the rate limit refuses; returns the number of rows, and the milliseconds of the last run. */
async function accepted(run: Timed['run'], index: number): Promise<{ rows: number; ms: number }> {
  for (;;) {
    const began = performance.now()
    const rows = await run(index)
    if (rows !== null) return { rows, ms: performance.now() - began }
    await pause(1000)
  }
}

/**
 * A line of a table: the name, p50, p95, the average number of rows, the execution time in PostgreSQL alone,
 * and the number of statements.
 */
async function timed({ database: { pool } }: OpenShop, { name, aimMs, run }: Timed): Promise<string> {
  const took: number[] = []
  let found = 0
  for (let index = 0; index < searchesOfEach; index++) {
    const { rows, ms } = await accepted(run, index)
    found += rows
    took.push(ms)
  }
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const isMissed = at(0.95) > aimMs
  if (isMissed) report.miss(`${name}: ${at(0.95).toFixed(0)} ms at p95, the aim is ${aimMs} ms`)
  const costs = await costsOf(pool, await statementsOf(() => accepted(run, searchesOfEach)))
  const executed = costs.reduce((sum, { ms }) => sum + ms, 0)
  if (values.statements)
    for (const { text, ms, pages } of costs
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, 3)
      .filter((one) => one.ms > 1))
      process.stdout.write(
        `  ${name}: ${ms.toFixed(1)} ms, ${pages} pages: ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}\n`,
      )
  const cells = [
    name,
    at(0.5).toFixed(1),
    at(0.95).toFixed(1) + (isMissed ? ' (missed)' : ''),
    String(Math.round(found / searchesOfEach)),
    executed.toFixed(1),
    String(costs.length),
    String(costs.reduce((sum, { pages }) => sum + pages, 0)),
  ]
  return `| ${cells.join(' | ')} |`
}

function heading(what: string): string[] {
  return [
    `| ${what} | p50, ms | p95, ms | rows | executed, ms | statements | pages |`,
    '|---|---:|---:|---:|---:|---:|---:|',
  ]
}

/** The lists and figures of the desk, as its pages ask for them. */
async function calls(shop: OpenShop, { browser }: StaffMember): Promise<string> {
  const { db, clock } = shop.database
  const now = clock.now()
  const day = (ago: number) => new Date(now.getTime() - ago * dayMs).toISOString().slice(0, 10)
  const person = (index: number) => 1 + ((index * 7919) % customers)
  const month = `from=${day(29)}&until=${day(0)}`
  const { rows: invoiceNumbers } = await sql<{ number: string }>`
    select number from invoice order by id desc limit ${searchesOfEach + 1}`.execute(db)
  const asked: [string, (index: number) => string, number?][] = [
    ['today', () => 'today', aims.today],
    ['customers, the newest', () => 'customers'],
    ['customers, the most spent', () => 'customers?sort=spent'],
    ['customers, seen last', () => 'customers?sort=last_seen'],
    ['customers, the largest balance', () => 'customers?sort=balance'],
    ['customers by state', () => 'customers?sort=state'],
    ['customers, the largest margin', () => 'customers?sort=margin'],
    ['customers who make a loss', () => 'customers?sort=least_margin&margin_to=-1'],
    ['customers by part of a name', (index) => `customers?text=ale${person(index)}`],
    ['customers by e-mail', (index) => `customers?text=scale${person(index)}%40example.com`],
    ['customers of a campaign', (index) => `customers?campaign=campaign${(index % 3) * 4}`],
    ['customers with a tag', (index) => `customers?tag=tag${index % 9}`],
    ['customers who are blocked', () => 'customers?state=blocked'],
    ['customers not seen for weeks', () => `customers?sort=last_seen&seen_to=${day(20)}`],
    ['customers who spent 1000 USD', () => 'customers?spent_from=1000000000'],
    ['find anybody', (index) => `find?text=scale${person(index)}`],
    ['a customer', (index) => `customer?id=${person(index)}`],
    ['their timeline', (index) => `customer_timeline?id=${person(index)}`],
    ['their ledger', (index) => `customer_ledger?id=${person(index)}`],
    ['their usage', (index) => `customer_usage?id=${person(index)}&${month}`],
    ['their usage by hour', (index) => `customer_usage_by?id=${person(index)}&by=hour&${month}`],
    ['their usage by country', (index) => `customer_usage_by?id=${person(index)}&by=country&${month}`],
    ['their letters', (index) => `customer_letters?id=${person(index)}`],
    ['invoices, the newest', () => 'invoices'],
    ['invoices, underpaid', () => 'invoices?state=underpaid'],
    ['invoices, disputed', () => 'invoices?disputed=true'],
    ['invoices of a customer', (index) => `invoices?customer_id=${person(index)}`],
    ['invoices of a day', (index) => `invoices?from=${day(index % 28)}&until=${day(index % 28)}`],
    ['invoices by an e-mail', (index) => `invoices?text=scale${person(index)}%40example.com`],
    ['an invoice', (index) => `invoice?number=${invoiceNumbers[index % invoiceNumbers.length]?.number}`],
    ['notifications, the newest', () => 'payment_events'],
    ['notifications, forged', () => 'payment_events?verdict=forged'],
    ['processors', () => 'processors'],
    ['refunds', () => 'payment_refunds'],
    ['traffic by day, a month', () => `traffic_sums?by=day&${month}`],
    ['traffic by pool, a month', () => `traffic_sums?by=pool&${month}`],
    ['traffic by country, a month', () => `traffic_sums?by=country&${month}`],
    ['traffic by exit, a month', () => `traffic_sums?by=exit&${month}`],
    ['traffic by hour, a day', () => `traffic_sums?by=hour&from=${day(1)}&until=${day(1)}`],
    ['exits', () => 'exits'],
    ['exits, what each carried', () => 'exit_figures'],
    ['refusals of an exit', (index) => `exit_refusals?id=${1 + (index % 20)}`],
    ['gateways', () => 'gateways'],
    ['connections, the latest', () => 'connections'],
    ['connections of a customer', (index) => `connections?customer=${person(index)}`],
    ['refusals of a customer', (index) => `customer_refusals?id=${person(index)}`],
    ['refusals by code, a month', () => `refusals?${month}`],
    ['places', () => 'places'],
    ['promo codes', () => 'promo_codes'],
    ['report: sales by day, a month', () => `report?report=sales&by=day&${month}`],
    ['report: sales by method, a month', () => `report?report=sales&by=method&${month}`],
    ['report: refunds by day, a month', () => `report?report=refunds&by=day&${month}`],
    ['postings: sales, a month', () => `postings?report=sales&${month}`],
    [
      'postings: sales of a day',
      (index) => `postings?report=sales&from=${day(index % 28)}&until=${day(index % 28)}`,
    ],
    ['report: usage by pool, a month', () => `report?report=usage&by=pool&${month}`],
    ['report: usage by day, a month', () => `report?report=usage&by=day&${month}`],
    ['report: liability', () => `report?report=liability&by=pool&${month}`],
    ['report: liability by day, a month', () => `report?report=liability&by=day&${month}`],
    ['report: referral by day, a month', () => `report?report=referral&by=day&${month}`],
    ['audit', () => 'audit'],
    ['audit of a customer', (index) => `audit?customer_id=${person(index)}`],
    ['audit by a word', () => 'audit?text=reason%2099'],
    ['audit by an act', () => 'audit?action=refund_invoice'],
  ]
  const lines = heading('call')
  for (const [name, path, aimMs = aims.list] of asked) {
    if (values.only !== undefined && !name.includes(values.only)) continue
    lines.push(
      await timed(shop, {
        name,
        aimMs,
        run: async (index) => {
          const answer = await browser.fetch(`/api/${path(index)}`)
          if (answer.status === 429) return null
          if (answer.status !== 200) throw new Error(`${path(index)}: ${await answer.text()}`)
          const body = (await answer.json()) as { rows?: unknown[] }
          return body.rows?.length ?? (Array.isArray(body) ? body.length : 1)
        },
      }),
    )
  }
  // These read each posting, which for a million takes too long to be repeated.
  const day0 = `from=${day(0)}&until=${day(0)}`
  for (const by of ['campaign', 'promo'])
    for (const [what, path] of [
      ['a day', day0],
      ['a month', month],
    ] as const) {
      if (values.only !== undefined && !`report: sales by ${by}`.includes(values.only)) continue
      const began = performance.now()
      const signal = AbortSignal.timeout(mostReportMs)
      const isDone = await browser
        .fetch(`/api/report?report=sales&by=${by}&${path}`, { signal })
        .then((answer) => answer.text())
        .then(() => true)
        .catch(() => false)
      const seconds = (performance.now() - began) / 1000
      const took = isDone ? `${seconds.toFixed(1)} s` : `given up after ${seconds.toFixed(0)} s`
      report.say(`Sales by ${by} of ${what}, once: ${took}.`)
      if (seconds * 1000 > aims.list)
        report.miss(`report: sales by ${by}, ${what}: ${seconds.toFixed(1)} s, the aim is ${aims.list} ms`)
    }
  return lines.join('\n')
}

/** The searches of connections, with values of records drawn at random. */
async function searches(shop: OpenShop): Promise<string> {
  const { db, clock } = shop.database
  const now = clock.now()
  const whole = { from: new Date(now.getTime() - days * dayMs), to: now }
  const { rows: samples } = await sql<{
    id: string
    account_id: bigint
    host: string
    client: string
    ended_at: Date
  }>`
    select id, account_id, host, host(client) as client, ended_at from connection_record
    tablesample system (0.05) where host is not null limit ${searchesOfEach}`.execute(db)
  type Sample = (typeof samples)[number]
  const around = ({ ended_at: at }: Sample, ms: number) => ({
    from: new Date(at.getTime() - ms),
    to: new Date(at.getTime() + ms),
  })
  const kinds: [string, (sample: Sample) => ConnectionQuery][] = [
    ['request id', ({ id }) => ({ ...whole, requestId: id })],
    ['host ± 1 minute', (one) => ({ ...around(one, 60_000), host: one.host })],
    ['host, all days', ({ host }) => ({ ...whole, host })],
    ['most frequent host ± 1 minute', (one) => ({ ...around(one, 60_000), host: 'host1.example' })],
    ['target ± 1 minute', (one) => ({ ...around(one, 60_000), target: `${one.host}:443` })],
    ['client, all days', ({ client }) => ({ ...whole, client })],
    ['customer, all days', ({ account_id: account }) => ({ ...whole, account })],
    ['exit ± 1 minute', (one) => ({ ...around(one, 60_000), exit: 3n })],
    ['time alone: the latest', () => whole],
    ['time alone: ± 1 minute', (one) => around(one, 60_000)],
    ['host that nobody asked for', () => ({ ...whole, host: 'nowhere.example' })],
  ]
  const lines = heading('search')
  for (const [name, queryOf] of kinds) {
    if (values.only !== undefined && !name.includes(values.only)) continue
    lines.push(
      await timed(shop, {
        name,
        aimMs: aims.list,
        run: async (index) => {
          const sample = samples[index % samples.length]
          if (sample === undefined) throw new Error('the bench has no records')
          return (await findConnections(db, queryOf(sample))).rows.length
        },
      }),
    )
  }
  return lines.join('\n')
}

/** All invoices as CSV, read as they come; the server is this process. */
async function download({ postgresCpuMs }: OpenShop, { browser }: StaffMember): Promise<string> {
  const before = process.memoryUsage().rss
  const [began, ownCpu, databaseCpu] = [performance.now(), process.cpuUsage(), postgresCpuMs()]
  const answer = await browser.fetch('/api/invoices.csv')
  let [lines, bytes, most] = [0, 0, before]
  const sizes: string[] = []
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    for (const byte of chunk) if (byte === 10) lines++
    const { rss } = process.memoryUsage()
    most = Math.max(most, rss)
    if (performance.now() - began >= sizes.length * 10_000) sizes.push((rss / mib).toFixed(0))
    if (performance.now() - began > Number(values.csv) * 1000) break
  }
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(ownCpu)
  if (seconds < Number(values.csv) && lines - 1 !== invoices)
    report.miss(`the CSV had ${lines - 1} rows of ${invoices}`)
  const grown = (most - before) / mib
  if (grown > 128) report.miss(`the download took ${grown.toFixed(0)} MiB of memory`)
  const cpu = `${((user + system) / 1e6).toFixed(0)} s of CPU here and ${((postgresCpuMs() - databaseCpu) / 1000).toFixed(0)} s in PostgreSQL`
  return `${lines - 1} invoices as CSV: ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(0)} s, ${cpu}; the process, server and reader, grew by ${grown.toFixed(0)} MiB at most. Its memory every ten seconds, in MiB: ${sizes.join(', ')}.`
}
