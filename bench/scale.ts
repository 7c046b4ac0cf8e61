/**
 * A big shop on one machine: how many customers a second are settled, what buying, the profile and the statistics take
 * meanwhile, and how that grows: `npm run bench:scale`. docs/bench-scale.md has the method and what it measured.
 * `--customers`, `--days`, `--rows`, `--seconds` make it smaller; `--write` puts the tables into that page.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { pathOf } from '#contract/wire'
import { seedDemoCatalog } from '#catalog'
import { migrate, openDatabase } from '#db'
import { migrateJobs } from '#db/jobs'
import { freePort } from '#test/stack'
import { loadGeo } from './geo.ts'
import { cpuMs, family, quantiles } from './load.ts'
import { Report } from './report.ts'
import { fillShop, openSessions, scalePool, type ScaleShop } from './scale.rows.ts'
import type { SettleOrder } from './scale.settle.ts'

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '50000' },
    days: { type: 'string', default: '30' },
    rows: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '15' },
    write: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds)
const underLoad = 20_000
const gateways = ['bench-0', 'bench-1']
const shop: ScaleShop = { customers: Number(values.customers), days: Number(values.days), gateways }
const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-bench-scale-'))
const database = await openDatabase({ dataDir, role: 'owner' })
const postgres = Number(readFileSync(path.join(dataDir, 'postgres/18/postmaster.pid'), 'utf8').split('\n')[0])
const servers: ChildProcess[] = []
const report = new Report()
try {
  report.machine()
  const took = await prepare()
  report.say(
    `${shop.customers} customers, ${shop.days} days of usage, ${values.rows} rows of inventory: filled in ${took} s.`,
  )
  report.table(await settlement())
  report.table(await latencies())
  if (values.write) report.write(path.join(import.meta.dirname, '../docs/bench-scale.md'))
} finally {
  for (const server of servers) {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGTERM')
    await ended
  }
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
}

async function prepare(): Promise<number> {
  const started = performance.now()
  await migrate(database)
  await migrateJobs(database.url)
  await seedDemoCatalog(database.db)
  if (Number(values.rows) > 0) await loadGeo(database, Number(values.rows))
  await fillShop(database, shop)
  return Math.round((performance.now() - started) / 1000)
}

/** Customers settled a second, by the size of a settlement and the number of gateway processes. */
async function settlement(): Promise<string> {
  const rows = [
    '| gateway processes | customers in a settlement | customers settled/s | PostgreSQL CPU, µs each | process CPU, µs each |',
    '|---:|---:|---:|---:|---:|',
  ]
  const wanted = [
    { processes: 1, batch: 1000 },
    { processes: 1, batch: 5000 },
    { processes: 1, batch: 20_000 },
    { processes: 2, batch: 5000 },
    { processes: 2, batch: 10_000 },
  ]
  for (const { processes, batch } of wanted) {
    const { settled, cpu, postgresCpu, perSecond } = await settleFor(
      gateways.slice(0, processes).map((gateway) => ({ dataDir, gateway, batch, perSecond: null })),
      () => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
    )
    const us = (ms: number) => ((ms * 1000) / settled).toFixed(1)
    rows.push(`| ${processes} | ${batch} | ${Math.round(perSecond)} | ${us(postgresCpu)} | ${us(cpu)} |`)
  }
  return rows.join('\n')
}

/** Runs settlements in processes of their own while something else is done. */
async function settleFor(
  orders: SettleOrder[],
  meanwhile: () => Promise<unknown>,
): Promise<{ settled: number; cpu: number; postgresCpu: number; perSecond: number }> {
  const children = await Promise.all(orders.map(begin))
  const pids = children.map(({ pid = 0 }) => pid)
  const before = { cpu: cpuMs(pids), postgres: cpuMs(family(postgres)) }
  await meanwhile()
  // What a process used to start does not count, and so neither does what it is told when it stops.
  const cpu = cpuMs(pids) - before.cpu
  const postgresCpu = cpuMs(family(postgres)) - before.postgres
  const ends = await Promise.all(
    children.map((child) => {
      const said = new Promise<{ settled: number; seconds: number }>((resolve) => {
        child.once('message', (message) => resolve(message as { settled: number; seconds: number }))
      })
      child.send('stop')
      return said
    }),
  )
  const sum = (of: (end: (typeof ends)[number]) => number) => ends.reduce((total, end) => total + of(end), 0)
  return {
    settled: sum((end) => end.settled),
    cpu,
    postgresCpu,
    perSecond: sum((end) => end.settled / end.seconds),
  }
}

function begin(order: SettleOrder): Promise<ChildProcess> {
  const child = fork(path.join(import.meta.dirname, 'scale.settle.ts'))
  child.send(order)
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child))
    child.once('exit', (code) => reject(new Error(`a settling process ended with ${code}`)))
  })
}

/** What customers wait, with nothing else going on and while gateways report. */
async function latencies(): Promise<string> {
  const origin = await startApi()
  const tokens = await openSessions(database, shop, 200)
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const ask = (
    token: string,
    method: 'GET' | 'POST',
    where: string,
    body?: string,
    type = 'application/json',
  ) => once(agent, new URL(where, origin), { method, token, body: body ?? null, type })
  const order = JSON.stringify({ payment_method: 'sandbox', amount: 1, pool: scalePool })
  const acts: [string, (token: string) => Promise<unknown>][] = [
    [
      'purchase, from the order to the credited payment',
      async (token) => {
        const url = await ask(token, 'POST', pathOf('create_invoice_web'), order)
        await ask(
          token,
          'POST',
          url.slice(url.indexOf('/sandbox')),
          'result=paid',
          'application/x-www-form-urlencoded',
        )
      },
    ],
    ['legacy_profile', (token) => ask(token, 'GET', pathOf('legacy_profile'))],
    [
      'statistics of a month',
      (token) => ask(token, 'GET', `${pathOf('legacy_get_statistic')}?period=month&pool=${scalePool}`),
    ],
  ]
  const rows = [
    `| call | alone: p50, ms | p99, ms | ${underLoad} customers settled a second: p50, ms | p99, ms | p99 ratio |`,
    '|---|---:|---:|---:|---:|---:|',
  ]
  for (const [name, act] of acts) {
    await timed(act, tokens, 2)
    const alone = await timed(act, tokens, seconds)
    const orders = gateways.map((gateway) => ({
      dataDir,
      gateway,
      batch: underLoad / 8,
      perSecond: underLoad / 2,
    }))
    let busy = alone
    const { perSecond } = await settleFor(orders, async () => (busy = await timed(act, tokens, seconds)))
    if (perSecond < underLoad * 0.95)
      report.say(`Only ${Math.round(perSecond)} customers were settled a second.`)
    const text = (ms: number) => ms.toFixed(1)
    rows.push(
      `| ${name} | ${text(alone.p50)} | ${text(alone.p99)} | ${text(busy.p50)} | ${text(busy.p99)} | ${(busy.p99 / alone.p99).toFixed(2)} |`,
    )
  }
  agent.destroy()
  return rows.join('\n')
}

/** Does something for one customer after another, four at a time. */
async function timed(
  act: (token: string) => Promise<unknown>,
  tokens: readonly string[],
  forSeconds: number,
): Promise<{ p50: number; p99: number }> {
  const took: number[] = []
  const until = performance.now() + forSeconds * 1000
  let next = 0
  const customer = async () => {
    while (performance.now() < until) {
      const token = tokens[next++ % tokens.length] ?? ''
      const started = performance.now()
      await act(token)
      took.push(performance.now() - started)
      // Four customers who look and think, not a machine that hammers: latency, not throughput, is measured here.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await Promise.all([customer(), customer(), customer(), customer()])
  const at = quantiles(took)
  return { p50: at(0.5), p99: at(0.99) }
}

async function startApi(): Promise<string> {
  const port = await freePort()
  const main = path.join(import.meta.dirname, '../src/main/turnpike.ts')
  const env = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn', NODE_ENV: 'production' }
  const child = spawn(process.execPath, [main, 'api'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  servers.push(child)
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the web server ended with ${code}`)))
  })
  return `http://127.0.0.1:${port}`
}

function once(
  agent: Agent,
  url: URL,
  { method, token, body, type }: { method: string; token: string; body: string | null; type: string },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...(body === null ? {} : { 'content-type': type }) }
    const sent = request(url, { agent, method, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('error', reject)
      answer.on('end', () => {
        if ((answer.statusCode ?? 500) < 400) resolve(text)
        else reject(new Error(`${method} ${url.pathname} answered ${answer.statusCode}: ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
