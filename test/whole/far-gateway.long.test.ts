/** A gateway as on another machine: no database, the feed over TLS, a separate disk. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { connectFeed } from '#feed/client'
import { dialFeed } from '#feed/dial'
import { type Origin, startOrigin } from '#test/origin'
import { freePort, freePortBase } from '#test/ports'
import { inherited, type Stack, type StackCustomer, startStack, until } from '#test/stack'
import { tunnel } from './tunnel.ts'

const main = path.join(import.meta.dirname, '../../src/main/commands/turnpike.ts')
const token = 'a-secret-that-both-machines-know-well'

let folder: string
let stack: Stack
let origin: Origin
let customer: StackCustomer
let gateway: { child: ChildProcess; said: () => string } | undefined
let feedPort: number
let metricsPort: number
let portBase: number

const at = (file: string) => path.join(folder, file)

/** A private certificate authority and the server's certificate issued by it. */
function makeCertificate(): void {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  openssl('req', '-x509', ...curve, '-subj', '/CN=ours', '-keyout', at('ca.key'), '-out', at('ca.crt'))
  const ours = [
    '-CA',
    at('ca.crt'),
    '-CAkey',
    at('ca.key'),
    '-keyout',
    at('feed.key'),
    '-out',
    at('feed.crt'),
  ]
  openssl('req', '-x509', ...curve, '-subj', '/CN=feed', '-addext', 'subjectAltName=IP:127.0.0.1', ...ours)
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-far-'))
  makeCertificate()
  ;[feedPort, metricsPort, portBase] = await Promise.all([freePort(), freePort(), freePortBase()])
  const feed = {
    FEED_LISTEN: `tls://127.0.0.1:${feedPort}`,
    FEED_TLS_CERT: at('feed.crt'),
    FEED_TLS_KEY: at('feed.key'),
    FEED_TOKEN: token,
  }
  ;[stack, origin] = await Promise.all([startStack(feed), startOrigin()])
  customer = await stack.signIn()
})
afterAll(async () => {
  await stopGateway()
  await stack.close()
  await origin.close()
  rmSync(folder, { recursive: true, force: true })
})

async function startGateway(env: Record<string, string> = {}): Promise<void> {
  const child = spawn(process.execPath, [main, 'gateway'], {
    env: {
      ...inherited(),
      DATA_DIR: at('far'),
      PUBLIC_URL: stack.origin,
      FEED_URL: `tls://127.0.0.1:${feedPort}`,
      FEED_CA: at('ca.crt'),
      FEED_TOKEN: token,
      METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      GATEWAY_PORT_BASE: String(portBase),
      GATEWAY_WORKERS: '1',
      GATEWAY_SLOTS: '0',
      GATEWAY_ALLOW: '127.0.0.1',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  gateway = { child, said: () => said }
  await until(() => isUp() || child.exitCode !== null, 60_000, 'the gateway to listen').catch(
    (error: unknown) => {
      throw new Error(`${String(error)}\n${said}`)
    },
  )
}

const isUp = () => gateway?.said().includes('The gateway listens') === true

async function stopGateway(): Promise<void> {
  const child = gateway?.child
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

const charged = async () => bytesFromWire((await customer.usage('datacenter')).total.traffic)

it('a remote gateway serves, continues and restarts while the server is unreachable, and every byte is charged once', async () => {
  const { login, password } = await customer.proxy('datacenter')
  const way = {
    port: portBase + 2000,
    login,
    password,
    target: { host: origin.host, port: origin.echoPort },
  }
  await startGateway()
  const first = await tunnel(way)
  expect(first.status).toContain('200')
  await first.echo('a'.repeat(5000))
  await until(async () => (await charged()) === 10_000n, 60_000, 'the first bytes to be charged')

  // The machine's metrics, under the names of the server's own page.
  expect(await (await fetch(`http://127.0.0.1:${metricsPort}/healthz`)).text()).toBe('ok\n')
  const metrics = async () => await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  await until(
    async () => (await metrics()).includes('turnpike_gateway_tunnels_open{worker="0"} 1'),
    60_000,
    'the worker to tell of itself',
  )
  expect((await fetch(`http://127.0.0.1:${metricsPort}/`)).status).toBe(404)

  await stack.killAll()
  await first.echo('b'.repeat(5000))
  const second = await tunnel(way)
  expect(second.status).toContain('200')
  await second.echo('c'.repeat(5000))
  second.end()
  first.end()
  expect((await tunnel({ ...way, password: 'wrong' })).status).toContain('503')

  await stopGateway()
  await startGateway()
  expect(gateway?.said()).toContain('serving what was leased')
  const third = await tunnel(way)
  expect(third.status).toContain('200')
  await third.echo('d'.repeat(5000))

  await stack.restart()
  await third.echo('e'.repeat(5000))
  await until(async () => (await charged()) === 50_000n, 60_000, 'all bytes to be charged')
  third.end()
  await stopGateway()
  await until(
    async () => {
      const [profile] = await customer.call('legacy_profile', {})
      return bytesFromWire(profile?.datacenter.balance ?? 0) === 10_000_000_000n - 50_000n
    },
    60_000,
    'the balance to be what is left',
  )
}, 120_000)

it('a remote gateway is served over a unix socket by a separate part, which stops on request', async () => {
  const address = { path: at('feed.sock') }
  const part = spawn(process.execPath, [main, 'feed'], {
    env: {
      ...inherited(),
      DATA_DIR: stack.dataDir,
      PUBLIC_URL: stack.origin,
      FEED_LISTEN: `unix:${address.path}`,
      FEED_TOKEN: token,
      METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      METRICS_TOKEN: 'prometheus',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(part, 'exit')
  let said = ''
  part.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await until(() => said.includes(`The feed listens on unix:${address.path}`), 60_000, 'the feed to listen')
  await expect(dialFeed({ address, token: `${token}-not`, ca: null })).rejects.toThrow('FEED_TOKEN')
  const feed = connectFeed({ connect: () => dialFeed({ address, token, ca: null }) })
  expect((await feed.exits()).length).toBeGreaterThan(0)
  feed.close()
  const page = `http://127.0.0.1:${metricsPort}/metrics`
  expect((await fetch(page)).status).toBe(404)
  const told = await fetch(page, { headers: { authorization: 'Bearer prometheus' } })
  expect(await told.text()).toContain('process_cpu_seconds_total')
  part.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
}, 60_000)

it('a remote gateway waits for a server that does not accept it, and states the reason', async () => {
  const other = { FEED_TOKEN: `${token}-not`, DATA_DIR: at('stranger') }
  const starting = startGateway(other)
  await until(
    () => gateway?.said().includes('is FEED_TOKEN the same on both?') === true,
    60_000,
    'the reason in the log',
  )
  expect(isUp()).toBe(false)
  await stopGateway()
  await starting
})
