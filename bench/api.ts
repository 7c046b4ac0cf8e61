/**
 * Measures the requests per second of one web server, the CPU per request, and the time of the lists of
 * places on a million rows: `npm run bench:api`. docs/bench-api.md has the method; `--write` puts the tables
 * there.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { signUp } from '#accounts'
import { seedDemoCatalog } from '#catalog'
import { migrate, openDatabase, transaction } from '#db'
import { migrateJobs } from '#db/jobs'
import { loadSecretKey } from '#lib/secret'
import { ensureAccess } from '#proxies'
import { creditTraffic, openMeter } from '#traffic'
import { freePort } from '#test/ports'
import { readSettings } from '../src/main/settings/settings.ts'
import { people, targetsOn } from './api.targets.ts'
import { loadGeo, markdown, measureLists } from './geo.ts'
import { type Processes, round, type Round } from './load.ts'
import { Report } from './report.ts'

const usage = `npm run bench:api -- [--parts import,lists,calls] [--only <text>] [--rows 1000000] [--rounds 5] [--seconds 1.5] [--write]

  --parts    what to measure: a second import, the lists one at a time, the load on the calls
  --only     only the calls and lists whose names hold the text
  --rows     how many rows of inventory there are
  --rounds, --seconds
             how many rounds each call has, and how long one is; all of it ends within four minutes
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
const isWanted = (name: string) => name.toLowerCase().includes(values.only.toLowerCase())

/**
 * The whole bench ends within four minutes: on a slow or busy machine there are fewer rounds, and no second
 * import.
 */
const secondsLeft = () => 220 - performance.now() / 1000

const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-bench-'))
const port = await freePort()
const settings = readSettings({ DATA_DIR: dataDir, PORT: String(port) }, dataDir)
const database = await openDatabase({ dataDir, role: 'owner' })
const report = new Report()
let server: ChildProcess | null = null
try {
  await prepare()
  if (parts.has('import') && secondsLeft() > 160) {
    const again = await loadGeo(database, rows)
    report.say(`The same rows again, in the place of the first: ${again.toFixed(1)} s.`)
  }
  const origin = new URL(`http://127.0.0.1:${port}`)
  if (parts.has('lists') || parts.has('calls')) server = await startServer()
  if (parts.has('lists')) {
    report.say('Lists of places, one question at a time, up to 200 of each, in milliseconds:')
    report.table(markdown(await measureLists(database, origin, isWanted)))
  }
  if (parts.has('calls')) {
    await measureCalls(origin, {
      server: server?.pid ?? 0,
      database: Number(readFileSync(path.join(dataDir, 'postgres/18/postmaster.pid'), 'utf8').split('\n')[0]),
    })
  }
  if (values.write) report.write(path.join(import.meta.dirname, '../docs/bench-api.md'))
} finally {
  if (server !== null) await stop(server)
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
}

/** A shop with prices, places, and customers with traffic in the pool of the calls. */
async function prepare(): Promise<void> {
  const { db } = database
  await migrate(database)
  await migrateJobs(database.url)
  await seedDemoCatalog(db)
  report.machine()
  report.say(`${rows} rows of inventory imported in ${(await loadGeo(database, rows)).toFixed(1)} s.`)
  const codes = { referralCode: null, adminReferralCode: null }
  const secrets = loadSecretKey(settings)
  for (const person of people) {
    const { id: accountId } = await signUp(db, { ...person, lang: 'rus', ...codes })
    await transaction(db, async (tx) => {
      const { id: accessId } = await ensureAccess(tx, secrets, { accountId, pool: 'residential' })
      await openMeter(tx, { accessId, accountId, pool: 'residential' })
      const credit = { accessId, bytes: 100_000_000_000n, part: 'paid' as const }
      await creditTraffic(tx, { ...credit, kind: 'bench', reference: `bench ${accountId}` })
    })
  }
}

/** One web server as a separate process, as on a dedicated machine. */
async function startServer(): Promise<ChildProcess> {
  const main = path.join(import.meta.dirname, '../src/main/commands/turnpike.ts')
  const env = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn', NODE_ENV: 'production' }
  const child = spawn(process.execPath, [main, 'api'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the web server ended with ${code}`)))
  })
  return child
}

function stop(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null) return Promise.resolve()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  return ended
}

async function measureCalls(origin: URL, processes: Processes): Promise<void> {
  report.say(
    `Calls under load: medians of ${rounds} rounds of ${seconds} s (fewer where four minutes were not enough), with the lowest and the highest; CPU in milliseconds for one request.`,
  )
  const table = [
    '| call | requests/s | server CPU, ms | PostgreSQL CPU, ms | p50, ms | p99, ms | answer, bytes |',
    '|---|---:|---:|---:|---:|---:|---:|',
  ]
  for (const target of (await targetsOn(origin)).filter(({ name }) => isWanted(name))) {
    const inFlight = target.name === 'signin' ? 4 : 16
    await round(origin, target, processes, { seconds: Math.min(0.5, seconds), inFlight })
    const done: Round[] = []
    while (done.length < rounds && (done.length === 0 || secondsLeft() > 0))
      done.push(await round(origin, target, processes, { seconds, inFlight }))
    const cell = (key: keyof Round, digits: number) =>
      middle(
        done.map((one) => one[key]),
        digits,
      )
    const cells = [
      cell('requestsPerSecond', 0),
      cell('serverCpuMs', 2),
      cell('databaseCpuMs', 2),
      cell('p50Ms', 1),
      cell('p99Ms', 1),
      String(done.at(-1)?.bytes ?? 0),
    ]
    process.stderr.write(`${target.name}: ${cells[0]} requests/s\n`)
    table.push(`| ${target.name} | ${cells.join(' | ')} |`)
  }
  report.table(table.join('\n'))
}

/** "median (lowest–highest)". */
function middle(numbers: number[], digits: number): string {
  const sorted = numbers.toSorted((a, b) => a - b)
  const text = (index: number) => (sorted[index] ?? 0).toFixed(digits)
  return `${text(sorted.length >> 1)} (${text(0)}–${text(sorted.length - 1)})`
}
