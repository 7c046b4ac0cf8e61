/**
 * Measures the requests per second of one web server, the CPU per request, and the time of the lists of
 * places on a million rows: `npm run bench:api`. docs/bench-api.md has the method; `--write` puts the tables
 * there.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { signUp } from '#accounts'
import { calibrate, type Units } from './api.calibration.ts'
import { type LimitedTarget, person, targetsOn } from './api.targets.ts'
import { loadGeo, markdown, measureLists } from './geo.ts'
import { round, type Round } from './load.ts'
import { Report } from './report.ts'
import { startApi } from './scale.calls.ts'
import { openSessions } from './scale.rows.ts'
import { type OpenShop, withShop } from './scale.shop.ts'

const usage = `npm run bench:api -- [--parts import,lists,calls] [--only <text>] [--rows 1000000] [--rounds 5] [--seconds 1.5] [--write]

  --parts    what to measure: a second import, the lists one at a time, the load on the calls
  --only     only the calls and lists whose names hold the text
  --rows     how many rows of inventory there are
  --rounds, --seconds
             how many rounds each call has, fewer on a slow machine, and how long one is
  --write    puts the tables into docs/bench-api.md
`
const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'import,lists,calls' },
    only: { type: 'string', default: '' },
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1.5' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}
const parts = new Set(values.parts.split(','))
const [rows, rounds, seconds] = [Number(values.rows), Number(values.rounds), Number(values.seconds)]
/** Before each call's first round: the server compiles the code of a call that it has made some hundred times. */
const [warmActs, warmSeconds] = [1500, 4]
/** No limit is judged by fewer rounds, however slow the machine is. */
const leastRounds = 3
const isWanted = (name: string) => name.toLowerCase().includes(values.only.toLowerCase())

/** On a slow or busy machine there are fewer rounds, and no second import. */
const secondsLeft = () => 220 - performance.now() / 1000

/** Enough that a server's whole capacity is within the rate limits of their accounts. */
const customers = 120
const report = new Report()
report.machine()
await withShop({ size: { customers, days: 30, gateways: ['bench'] } }, async (shop) => {
  const { database } = shop
  report.say(`${rows} rows of inventory imported in ${(await loadGeo(database, rows)).toFixed(1)} s.`)
  if (parts.has('import') && secondsLeft() > 160) {
    const again = await loadGeo(database, rows)
    report.say(`The same rows again, in the place of the first: ${again.toFixed(1)} s.`)
  }
  if (!parts.has('lists') && !parts.has('calls')) return
  await signUp(database.db, { ...person, lang: 'rus', referralCode: null, adminReferralCode: null })
  const tokens = await openSessions(shop, customers)
  await database.db.updateTable('session').set({ proved_at: new Date() }).execute()
  const { origin, child, close } = await startApi(shop)
  try {
    const url = new URL(origin)
    if (parts.has('lists')) {
      report.say('Lists of places, one question at a time, up to 200 of each, in milliseconds:')
      report.table(markdown(await measureLists(database, url, isWanted)))
    }
    if (parts.has('calls')) await measureCalls(shop, url, { server: child.pid ?? 0, tokens })
  } finally {
    await close()
  }
})
report.judge()
if (values.write) report.write(path.join(import.meta.dirname, '../docs/bench-api.md'))

async function measureCalls(
  { database, dataDir }: OpenShop,
  origin: URL,
  { server, tokens }: { server: number; tokens: readonly string[] },
): Promise<void> {
  report.say(
    `Calls under load: medians of ${rounds} rounds of ${seconds} s (three where the machine is slow), with the lowest and the highest; CPU in milliseconds for one act, and in parentheses behind the limit its median in turns of the JSON loop or executions of \`select 1\`.`,
  )
  const table = [
    '| call | acts/s | server CPU, ms | in turns (limit) | PostgreSQL CPU, ms | in `select 1` (limit) | p50, ms | p99, ms | answers, bytes |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---:|',
  ]
  const postmaster = readFileSync(path.join(dataDir, 'postgres/18/postmaster.pid'), 'utf8')
  const processes = { server, database: Number(postmaster.split('\n')[0]) }
  await calibrate(database, processes.database)
  const targets = (await targetsOn(origin, tokens)).filter(({ name }) => isWanted(name))
  for (const target of targets) {
    const inFlight = target.name === 'signin' ? 4 : 16
    await round(origin, target, processes, { seconds: warmSeconds, inFlight, most: warmActs })
    const done: Measured[] = []
    while (done.length < rounds && (done.length < leastRounds || secondsLeft() > 0)) {
      const units = await calibrate(database, processes.database)
      done.push({ ...(await round(origin, target, processes, { seconds, inFlight })), units })
    }
    table.push(rowOf(target, done))
  }
  report.table(table.join('\n'))
}

type Measured = Round & { units: Units }

/** One line of the table; reports a limit that is exceeded. */
function rowOf({ name, limits }: LimitedTarget, done: readonly Measured[]): string {
  const cell = (
    key: 'requestsPerSecond' | 'serverCpuMs' | 'databaseCpuMs' | 'p50Ms' | 'p99Ms',
    digits: number,
  ) =>
    middle(
      done.map((one) => one[key]),
      digits,
    )
  const hashes = limits.hashes ?? 0
  const server = median(
    done.map(({ serverCpuMs, units }) => (serverCpuMs - hashes * units.hash) / units.json),
  )
  const database = median(done.map(({ databaseCpuMs, units }) => databaseCpuMs / units.select))
  if (server > limits.server)
    report.miss(
      `${name} costs the server ${server.toFixed(1)} turns of the JSON loop; the limit is ${limits.server}.`,
    )
  if (database > limits.database)
    report.miss(
      `${name} costs PostgreSQL ${database.toFixed(1)} \`select 1\`; the limit is ${limits.database}.`,
    )
  const cells = [
    name,
    cell('requestsPerSecond', 0),
    cell('serverCpuMs', 2),
    `${server.toFixed(1)} (${limits.server})`,
    cell('databaseCpuMs', 2),
    `${database.toFixed(1)} (${limits.database})`,
    cell('p50Ms', 1),
    cell('p99Ms', 1),
    String(done.at(-1)?.bytes ?? 0),
  ]
  process.stderr.write(`${cells.join('  ')}\n`)
  return `| ${cells.join(' | ')} |`
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
}

/** "median (lowest–highest)". */
function middle(numbers: number[], digits: number): string {
  const text = (number: number) => number.toFixed(digits)
  return `${text(median(numbers))} (${text(Math.min(...numbers))}–${text(Math.max(...numbers))})`
}
