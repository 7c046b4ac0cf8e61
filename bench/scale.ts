/**
 * A large shop on one machine: the number of customers settled per second, the latency of purchases, the
 * profile and the statistics meanwhile, and the growth of each cost: `npm run bench:scale`.
 * docs/bench-scale.md has the method and the results. `--customers`, `--days`, `--rows`, `--seconds` make it
 * smaller; `--only=reseller`, `--only=beside`, `--only=records` and `--only=starts` measure one part; `--write` puts the tables into that page.
 * Exits with 1 when a goal is missed.
 */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Report } from './report.ts'
import { measureBeside } from './scale.beside.ts'
import { measureBot } from './scale.bot.ts'
import { type Customers, withCustomers } from './scale.calls.ts'
import { type Grown, grownTable, keepingCost, measureGrown } from './scale.growth.ts'
import { measureStarts } from './scale.starts.ts'
import { measureReseller } from './scale.reseller.ts'
import { settleDuring, type SettlingLoad } from './scale.load.ts'
import { type OpenShop, withShop } from './scale.shop.ts'

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '50000' },
    days: { type: 'string', default: '30' },
    rows: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '12' },
    'proxy-users': { type: 'string', default: '100000' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const [customers, days, seconds] = [Number(values.customers), Number(values.days), Number(values.seconds)]
const gateways = ['bench-0', 'bench-1']
const aims = { settledPerSecond: 50_000, purchaseRatio: 2, readingMs: 20, underLoad: 20_000 }
const report = new Report()

report.machine()
const parts = { reseller, beside, records, starts }
if (values.only !== undefined) {
  if (!Object.hasOwn(parts, values.only)) throw new Error(`--only=${values.only} is no part`)
  await parts[values.only as keyof typeof parts]()
  report.judge()
  process.exit()
}
await reseller()
await beside()
await starts()
const grown: Grown[] = []
for (const smaller of [
  { customers: customers / 10, days: days / 10 },
  { customers: customers / 10, days },
  { customers, days: days / 10 },
])
  grown.push(
    await withShop({ size: { ...smaller, gateways } }, (shop) =>
      withCustomers(shop, (people) => measureGrown(shop, people, seconds / 3)),
    ),
  )
await withShop({ size: { customers, days, gateways }, inventoryRows: Number(values.rows) }, async (shop) => {
  report.say(
    `${customers} customers, ${days} days of usage, ${values.rows} rows of inventory: filled in ${shop.filledInSeconds} s.`,
  )
  await withCustomers(shop, async (people) => {
    // Measured before the settlements enlarge the shop beyond its nominal size.
    grown.push(await measureGrown(shop, people, seconds / 3))
    report.table(await settling(shop))
    report.table(await waiting(shop, people))
  })
  report.table(grownTable(grown))
  report.say(await keepingCost(shop, seconds / 3))
})
report.judge()
if (values.write) report.write(path.join(import.meta.dirname, '../docs/bench-scale.md'))

/** One customer with very many proxy users. */
async function reseller(): Promise<void> {
  const users = Number(values['proxy-users'])
  const miss = (what: string) => report.miss(what)
  await withShop({ size: { customers: 100, days: 1, gateways } }, async (shop) => {
    const leased = [0, users / 100, users / 10]
    for (const table of await measureReseller(shop, { users, leased, seconds, miss })) report.table(table)
  })
  await withShop({ size: { customers: 100, days: 1, gateways } }, async (shop) => {
    for (const sentence of await measureBot(shop, { users, miss })) report.say(sentence)
  })
}

/** Another customer beside a reseller's changes. */
async function beside(): Promise<void> {
  const load = { users: Number(values['proxy-users']), seconds: seconds / 2 }
  report.say(await measureBeside({ ...load, miss: (what) => report.miss(what) }))
}

/** The start and the memory of a gateway beside very many proxy users. */
async function starts(): Promise<void> {
  report.say(await measureStarts(10 * Number(values['proxy-users']), (what) => report.miss(what)))
}

/** Records of requests in a shop that does nothing else, from its first batch on. */
async function records(): Promise<void> {
  await withShop({ size: { customers: customers / 10, days: days / 10, gateways } }, async (shop) => {
    report.say(await keepingCost(shop, seconds))
  })
}

/** Customers settled per second, by settlement size and by number of gateway processes. */
async function settling(shop: OpenShop): Promise<string> {
  const rows = [
    '| gateway processes | customers in a settlement | reports in it | customers settled/s | PostgreSQL CPU, µs each | process CPU, µs each |',
    '|---:|---:|---:|---:|---:|---:|',
  ]
  const loads = [
    { processes: 1, customers: 100, reports: 1 },
    { processes: 1, customers: 1000, reports: 1 },
    { processes: 1, customers: 5000, reports: 1 },
    { processes: 1, customers: 5000, reports: 5 },
    { processes: 2, customers: 1000, reports: 1 },
    { processes: 2, customers: 5000, reports: 1 },
    { processes: 2, customers: 10_000, reports: 1 },
  ]
  let best = 0
  for (const load of loads) {
    const cost = await settleDuring(shop, { ...load, perSecond: null }, () => sleep(seconds * 1000))
    best = Math.max(best, cost.customersPerSecond)
    const numbers = [
      load.processes,
      load.customers,
      load.reports,
      Math.round(cost.customersPerSecond),
      cost.postgresCpuUs.toFixed(1),
      cost.processCpuUs.toFixed(1),
    ]
    rows.push(`| ${numbers.join(' | ')} |`)
  }
  if (best < aims.settledPerSecond)
    report.miss(
      `At most ${Math.round(best)} customers were settled a second; the aim is ${aims.settledPerSecond}.`,
    )
  return rows.join('\n')
}

/** The latency for customers, without other load and while gateways report. */
async function waiting(shop: OpenShop, people: Customers): Promise<string> {
  const { underLoad } = aims
  const rows = [
    `| call | alone: p50, ms | p99, ms | ${underLoad} customers settled a second: p50, ms | p99, ms | p99 ratio |`,
    '|---|---:|---:|---:|---:|---:|',
  ]
  // Each of the two gateways settles four times per second, as the feed does.
  const load: SettlingLoad = { processes: 2, customers: underLoad / 8, reports: 1, perSecond: underLoad }
  for (const [act, title] of [
    ['purchase', 'purchase, from the order to the credited payment'],
    ['profile', 'legacy_profile'],
    ['statistics', 'statistics of a month'],
  ] as const) {
    // There are fewer purchases in the same time, and a p99 needs many measurements.
    const forSo = act === 'purchase' ? 2 * seconds : seconds
    await people.timed(act, 2)
    const alone = await people.timed(act, forSo)
    let busy = alone
    const { customersPerSecond } = await settleDuring(
      shop,
      load,
      async () => (busy = await people.timed(act, forSo)),
    )
    if (customersPerSecond < underLoad * 0.95)
      report.miss(`Only ${Math.round(customersPerSecond)} customers were settled a second beside the ${act}.`)
    const ratio = busy.p99 / alone.p99
    if (act === 'purchase' && ratio > aims.purchaseRatio)
      report.miss(
        `A purchase's p99 under load is ${ratio.toFixed(2)} times its p99 alone; the aim is ${aims.purchaseRatio}.`,
      )
    if (act !== 'purchase' && alone.p99 > aims.readingMs)
      report.miss(`The p99 of ${title} is ${alone.p99.toFixed(1)} ms; the aim is ${aims.readingMs}.`)
    const cells = [alone.p50, alone.p99, busy.p50, busy.p99].map((ms) => ms.toFixed(1))
    rows.push(`| ${title} | ${cells.join(' | ')} | ${ratio.toFixed(2)} |`)
  }
  return rows.join('\n')
}
