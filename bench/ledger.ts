/**
 * The time to verify and close the books of a year: `npm run bench:ledger`. `--entries` lists the sizes of
 * the ledgers to measure, one after the other; `--customers` is the number of customers of each ledger.
 * docs/bench-scale.md has the method; `--write` puts the table into it. Ends with 1 when the books do not add
 * up, or when a hundred million entries would take more than half an hour of CPU.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { closeMonths } from '#ledger'
import { verifyBooks } from '../src/main/books.ts'
import { countEntries, fillMonth } from './ledger.rows.ts'
import { Report } from './report.ts'
import { type OpenShop, withShop } from './scale.shop.ts'

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000,10000000' },
    customers: { type: 'string', default: '50000' },
    write: { type: 'boolean', default: false },
  },
})
const customers = Number(values.customers)
const months = 12
const aimMinutes = 30
const report = new Report('## Measured: the books')

/** The first days of the last twelve months, oldest first. The last is the current month; it stays open. */
function yearOfMonths(): string[] {
  const now = new Date()
  return Array.from({ length: months }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months + 1 + index))
      .toISOString()
      .slice(0, 10),
  )
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}

async function measure(shop: OpenShop, count: number) {
  const { database } = shop
  const { db } = database
  const verified = (full: boolean) =>
    timed(async () => {
      const findings = await verifyBooks(db, { full })
      for (const { check, subject, detail } of findings.slice(0, 5))
        report.miss(`${check}: ${subject}: ${detail}`)
    })
  const filled = await timed(async () => {
    for (const month of yearOfMonths()) await fillMonth(database, month, count / months)
    await database.pool.query('vacuum analyze')
  })
  const closed = await timed(() => closeMonths(db))
  const usual = await verified(false)
  const before = shop.postgresCpuMs()
  const full = await verified(true)
  const fullCpu = (shop.postgresCpuMs() - before) / 1000
  return { count: await countEntries(database), filled, closed: closed / (months - 1), usual, full, fullCpu }
}

report.machine()
const rows: string[] = []
let minutes = 0
for (const count of values.entries.split(',').map(Number)) {
  await withShop({ size: { customers, days: 0, gateways: ['bench-0'] } }, async (shop) => {
    const took = await measure(shop, count)
    const cells = [took.filled, took.closed, took.usual, took.full, took.fullCpu].map((seconds) =>
      seconds.toFixed(1),
    )
    rows.push(`| ${took.count} | ${cells.join(' | ')} |`)
    minutes = ((took.fullCpu / took.count) * 100_000_000) / 60
  })
}
report.table(
  [
    '| entries in 12 months | written in bulk, s | closing a month, s | `ledger verify`, s | `ledger verify --full`, s | CPU of PostgreSQL in it, s |',
    '|---:|---:|---:|---:|---:|---:|',
    ...rows,
  ].join('\n'),
)
report.say(
  `At the same cost for each entry a hundred million take \`--full\` ${minutes.toFixed(0)} minutes of CPU, and as long on a quiet machine.`,
)
if (minutes > aimMinutes) report.miss(`That is more than ${aimMinutes}.`)
report.judge()
if (values.write) report.write(path.join(import.meta.dirname, '../docs/bench-scale.md'))
