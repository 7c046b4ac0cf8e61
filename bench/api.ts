/**
 * How many requests a second one web server answers, and the CPU that a request costs: `node bench/api.ts`.
 * docs/bench-api.md has the method and what it measured. `--rows`, `--seconds`, `--rounds` make it smaller.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from '#contract/client'
import { pathOf } from '#contract/wire'
import { signUp } from '#accounts'
import { seedDemoCatalog } from '#catalog'
import { migrate, openDatabase, transaction } from '#db'
import { migrateJobs } from '#db/jobs'
import { loadSecretKey } from '#lib/secret'
import { ensureSubuser } from '#proxies'
import { creditTraffic, openMeter } from '#traffic'
import { readSettings } from '../src/main/settings.ts'
import { loadGeo } from './geo.ts'
import { type Processes, round, type Round, type Target } from './load.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '7' },
  },
})
const person = { username: 'bench_customer', email: 'bench@example.com', password: 'a password of the bench' }

const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-bench-'))
const port = await freePort()
const settings = readSettings({ DATA_DIR: dataDir, PORT: String(port) }, dataDir)
const database = await openDatabase({ dataDir, role: 'owner' })
let server: ChildProcess | null = null
try {
  await prepare()
  server = await startServer()
  await measure(new URL(`http://127.0.0.1:${port}`), {
    server: server.pid ?? 0,
    database: Number(readFileSync(path.join(dataDir, 'postgres/18/postmaster.pid'), 'utf8').split('\n')[0]),
  })
} finally {
  if (server !== null) await stop(server)
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const asked = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = asked.address() as AddressInfo
      asked.close(() => resolve(free))
    })
  })
}

/** A shop with prices, places, and a customer who has traffic in every pool that is asked of. */
async function prepare(): Promise<void> {
  const { db } = database
  await migrate(database)
  await migrateJobs(database.url)
  await seedDemoCatalog(db)
  const started = performance.now()
  await loadGeo(database, Number(values.rows))
  console.log(`${values.rows} rows of inventory in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  const codes = { referralCode: null, adminReferralCode: null }
  const { id: accountId } = await signUp(db, { ...person, lang: 'rus', ...codes })
  const secrets = loadSecretKey(settings)
  await transaction(db, async (tx) => {
    const { id: subuserId } = await ensureSubuser(tx, secrets, { accountId, pool: 'residential' })
    await openMeter(tx, { subuserId, accountId, pool: 'residential' })
    const credit = { subuserId, bytes: 100_000_000_000n, part: 'paid' as const }
    await creditTraffic(tx, { ...credit, kind: 'bench', reference: 'bench' })
  })
}

/** One web server as a process of its own, as on a machine that does nothing else. */
async function startServer(): Promise<ChildProcess> {
  const main = path.join(import.meta.dirname, '../src/main/turnpike.ts')
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

async function measure(origin: URL, processes: Processes): Promise<void> {
  const [cpu] = cpus()
  console.log(`Node ${process.version}, ${availableParallelism()} cores of ${cpu?.model ?? 'unknown'}`)
  console.log(`medians of ${values.rounds} rounds of ${values.seconds} s, with the lowest and highest\n`)
  console.log(
    '| call | requests/s | server CPU, ms | PostgreSQL CPU, ms | p50, ms | p99, ms | answer, bytes |',
  )
  console.log('|---|---:|---:|---:|---:|---:|---:|')
  for (const target of await targets(origin)) {
    const inFlight = target.name === 'signin' ? 4 : 16
    const seconds = Number(values.seconds)
    await round(origin, target, processes, { seconds: Math.min(1, seconds), inFlight })
    const rounds: Round[] = []
    for (let left = Number(values.rounds); left > 0; left--)
      rounds.push(await round(origin, target, processes, { seconds, inFlight }))
    const cell = (key: keyof Round, digits: number) =>
      middle(
        rounds.map((one) => one[key]),
        digits,
      )
    const cells = [
      cell('requestsPerSecond', 0),
      cell('serverCpuMs', 2),
      cell('databaseCpuMs', 2),
      cell('p50Ms', 1),
      cell('p99Ms', 1),
      String(rounds.at(-1)?.bytes ?? 0),
    ]
    console.log(`| ${target.name} | ${cells.join(' | ')} |`)
  }
}

/** "median (lowest–highest)". */
function middle(numbers: number[], digits: number): string {
  const sorted = numbers.toSorted((a, b) => a - b)
  const text = (index: number) => (sorted[index] ?? 0).toFixed(digits)
  return `${text(sorted.length >> 1)} (${text(0)}–${text(sorted.length - 1)})`
}

async function targets(origin: URL): Promise<Target[]> {
  const anyone = createClient({ baseUrl: origin.origin, token: () => null, language: () => 'en' })
  const token = await anyone('signin', { username: person.username, password: person.password })
  const headers = { authorization: `Bearer ${token}` }
  const lines = (quantity: number) =>
    JSON.stringify({
      anonymous: 'true',
      type: 'sticky',
      protocol: 'http',
      format: 'login:password:hostname:port',
      quantity,
      sessionttl: 10,
      pool: 'residential',
      countries: ['us', 'de'],
    })
  const geo = (
    name: string,
    call: 'proxy_states' | 'proxy_cities' | 'proxy_asns' | 'proxy_zipcodes',
    asked: object,
  ) =>
    ({
      name,
      method: 'POST',
      path: pathOf(call),
      body: JSON.stringify({ pool: 'residential', ...asked }),
    }) as const
  const states = await anyone('proxy_states', { provider: 'gateway', pool: 'residential', countries: ['us'] })
  const someStates = states.slice(0, 3).map(({ code }) => code)
  return [
    { name: 'prices', method: 'GET', path: pathOf('prices') },
    {
      name: 'signin',
      method: 'POST',
      path: pathOf('signin'),
      body: JSON.stringify({ username: person.username, password: person.password }),
    },
    { name: 'legacy_profile', method: 'GET', path: pathOf('legacy_profile'), headers },
    { name: 'get_proxy, 10 lines', method: 'POST', path: pathOf('get_proxy'), headers, body: lines(10) },
    {
      name: 'get_proxy, 10,000 lines',
      method: 'POST',
      path: pathOf('get_proxy'),
      headers,
      body: lines(10_000),
    },
    { name: 'countries', method: 'GET', path: `${pathOf('proxy_countries')}?pool=residential` },
    geo('states of 1 country', 'proxy_states', { countries: ['us'] }),
    geo('cities of 1 country', 'proxy_cities', { countries: ['us'] }),
    geo('cities of 3 states', 'proxy_cities', { countries: ['us'], states: someStates }),
    geo('ASNs of 1 country', 'proxy_asns', { countries: ['us'] }),
    geo('ASNs of 3 states', 'proxy_asns', { countries: ['us'], states: someStates }),
    geo('zip codes of 1 country', 'proxy_zipcodes', { countries: ['us'] }),
    geo('zip codes of 3 states', 'proxy_zipcodes', { countries: ['us'], states: someStates }),
  ]
}
