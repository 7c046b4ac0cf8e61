/** A gateway that takes over from another one on the same DATA_DIR, as it does in an upgrade. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { seedDemoExits } from '#exits'
import { app, type App, type Customer, testSecretKey } from '#test/app'
import { type Origin, startOrigin } from '#test/origin'
import { freePort, freePortBases } from '#test/ports'
import { inherited, lineOf, until } from '#test/stack'
import { parseJournal } from '../../src/gateway/metering/journal.ts'
import { shopEnv } from '../promises/machines.ts'
import { tunnel } from './tunnel.ts'
import type { Way } from './visitor.ts'

const main = path.join(import.meta.dirname, '../../src/main/commands/turnpike.ts')
const patienceMs = 120_000
/** The intervals of polling: a customer's calls are rate-limited. */
const slowly = { interval: 1000, timeout: 60_000 }

interface Started {
  child: ChildProcess
  said: () => string
  listens: () => boolean
  ended: Promise<number | null>
}

let shop: App
let origin: Origin
let customer: Customer
let dataDir: string
let portBase: number
let metricsPort: number
const started: Started[] = []

beforeAll(async () => {
  ;[shop, origin] = await Promise.all([app(), startOrigin()])
  await seedDemoExits(shop.database.db)
  customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 1 })
  dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-take-over-'))
  ;[portBase = 0] = await freePortBases(1)
  metricsPort = await freePort()
}, patienceMs)
afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL')
  await Promise.all(started.splice(0).map(({ ended }) => ended))
})
afterAll(async () => {
  await shop.close()
  await origin.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function startGateway(words: string[] = [], env: Record<string, string> = {}): Promise<Started> {
  const child = spawn(process.execPath, [main, 'gateway', ...words], {
    env: {
      ...inherited(),
      ...shopEnv(shop.database.url),
      SECRET_KEY: testSecretKey,
      DATA_DIR: dataDir,
      GATEWAY_PORT_BASE: String(portBase),
      GATEWAY_DRAIN_SECONDS: '600',
      METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const one = { child, said: () => said, listens: () => said.includes('The gateway listens'), ended }
  started.push(one)
  await until(() => one.listens() || child.exitCode !== null, 30_000, 'the gateway to listen')
  return one
}

async function way(): Promise<Way> {
  const { login, password } = await lineOf(customer.call, 'residential')
  return { port: portBase, login, password, target: { host: origin.host, port: origin.echoPort } }
}

const charged = async () => {
  const { total } = await customer.call('legacy_get_statistic', { period: 'week', pool: 'residential' })
  return bytesFromWire(total.traffic)
}
const balance = async () => {
  const [profile] = await customer.call('legacy_profile', {})
  return bytesFromWire(profile?.residential.balance ?? 0)
}
const ready = () =>
  fetch(`http://127.0.0.1:${metricsPort}/readyz`).then(
    async (page) => `${page.status} ${await page.text()}`,
    () => 'nobody',
  )

it(
  'the new gateway serves new tunnels, leaves open ones to the gateway before, and every byte is charged once',
  async () => {
    const to = await way()
    const before = await charged()
    const old = await startGateway()
    const open = await tunnel(to)
    await open.echo('a'.repeat(1000))

    const refused = await startGateway([], { METRICS_LISTEN: '' })
    expect(refused.said()).toContain('A gateway runs on')
    expect(await refused.ended).toBe(1)

    const next = await startGateway(['--replace'])
    expect(next.said()).toContain('the one before ends its tunnels')
    await until(() => old.said().includes('another gateway has taken over'), 60_000, 'the old one to drain')
    const third = await startGateway(['--replace'])
    expect(third.said()).toContain('Two gateways run on')
    expect(await third.ended).toBe(1)

    await open.echo('b'.repeat(1000))
    const later = await tunnel(to)
    await later.echo('c'.repeat(1000))
    // The metrics are the new gateway's, and it is ready.
    await until(async () => (await ready()) === '200 ready\n', 60_000, 'the page of the new one')

    open.end()
    expect(await old.ended).toBe(0)
    await later.echo('d'.repeat(1000))
    later.end()
    await expect.poll(charged, slowly).toBe(before + 8000n)

    // The next one takes the slot that is free now; a plain restart later takes that same one.
    const last = await startGateway(['--replace'])
    expect(await next.ended).toBe(0)
    last.child.kill('SIGTERM')
    expect(await last.ended).toBe(0)
    const again = await startGateway()
    expect(again.listens()).toBe(true)
    expect(await balance()).toBe(1_000_000_000n - before - 8000n)
  },
  patienceMs,
)

it(
  'the new gateway settles what the gateway before could not, when that is killed while it drains',
  async () => {
    const to = await way()
    const before = await charged()
    const old = await startGateway()
    const open = await tunnel(to)
    await open.echo('a'.repeat(1000))
    const next = await startGateway(['--replace'])
    await until(() => old.said().includes('another gateway has taken over'), 60_000, 'the old one to drain')
    // No report is settled, so that what is relayed now stays in the journal of the old one.
    const held = await shop.database.pool.connect()
    try {
      await held.query('begin; lock table gateway_boot in exclusive mode')
      const written = journalled()
      await open.echo('b'.repeat(1000))
      await until(() => journalled() === written + 2000n, 60_000, 'the reports in a journal')
      const workers = old.child.pid === undefined ? [] : childrenOf(old.child.pid)
      for (const pid of [old.child.pid ?? 0, ...workers]) process.kill(pid, 'SIGKILL')
      await old.ended
    } finally {
      await held.query('rollback')
      held.release()
    }
    await until(() => next.said().includes('are settled'), 30_000, 'the reports of the killed one')
    await expect.poll(charged, slowly).toBe(before + 4000n)
    await expect.poll(balance, slowly).toBe(1_000_000_000n - before - 4000n)
    next.child.kill('SIGTERM')
    expect(await next.ended).toBe(0)
  },
  patienceMs,
)

/** The bytes of all reports in the journals of both slots. */
function journalled(): bigint {
  const folders = ['gateway', 'gateway-b'].map((slot) => path.join(dataDir, slot))
  const files = folders.flatMap((folder) => readdirSync(folder).map((file) => path.join(folder, file)))
  const reports = files
    .filter((file) => file.endsWith('.journal'))
    .flatMap((file) => parseJournal(readFileSync(file, 'utf8')))
  return reports.flatMap(({ lines }) => lines).reduce((sum, { charged_bytes: bytes }) => sum + bytes, 0n)
}

function childrenOf(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.filter((name) => parentOf(name) === pid).map(Number)
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}
