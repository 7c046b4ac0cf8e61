/**
 * A gateway without the database while every server of FEED_URL is unreachable: decision 9, and its behaviour
 * when one returns.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedDemoExits } from '#exits'
import { listGateways, setDrained } from '#traffic'
import { app, type App, testSecretKey } from '#test/app'
import { type Origin, startOrigin } from '#test/origin'
import { freePort, freePortBases } from '#test/ports'
import { lineOf, until } from '#test/stack'
import {
  type GatewayMachine,
  type Machine,
  shopEnv,
  startFeedMachine,
  startGatewayMachine,
} from '../promises/machines.ts'
import { tunnel } from './tunnel.ts'
import type { Way } from './visitor.ts'

const token = 'a-secret-that-both-machines-know-well'
let folder: string
let shop: App
let origin: Origin
let gateway: GatewayMachine | undefined
let feed: Machine | undefined
let way: Way
let env: Record<string, string>
let metricsPort: number

const socket = (name: string) => `unix:${path.join(folder, `${name}.sock`)}`

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-away-'))
  ;[shop, origin, metricsPort] = await Promise.all([app(), startOrigin(), freePort()])
  await seedDemoExits(shop.database.db)
  const customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 1 })
  const [base = 0] = await freePortBases(1)
  const { login, password } = await lineOf(customer.call, 'residential')
  way = { port: base, login, password, target: { host: origin.host, port: origin.echoPort } }
  env = {
    FEED_URL: `${socket('a')},${socket('b')}`,
    FEED_TOKEN: token,
    PUBLIC_URL: 'http://127.0.0.1:3000',
    METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
    GATEWAY_WORKERS: '1',
    GATEWAY_SLOTS: '0',
    GATEWAY_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'fatal',
  }
}, 300_000)
afterAll(async () => {
  await gateway?.stop()
  await feed?.stop()
  await shop.close()
  await origin.close()
  rmSync(folder, { recursive: true, force: true })
})

const startFeed = (name: string) =>
  startFeedMachine(
    shopEnv(shop.database.url, {
      SECRET_KEY: testSecretKey,
      FEED_LISTEN: socket(name),
      FEED_TOKEN: token,
    }),
  )
const page = async (name: string) =>
  fetch(`http://127.0.0.1:${metricsPort}/${name}`).then(
    ({ status }) => status,
    () => 0,
  )
const isOpen = () =>
  new Promise<boolean>((resolve) => {
    const client = createConnection({ host: '127.0.0.1', port: way.port })
    client.once('connect', () => resolve(true)).once('error', () => resolve(false))
    client.once('connect', () => client.destroy())
  })
const charged = async () => {
  const { rows } = await shop.database.pool.query<{ bytes: string }>(
    'select coalesce(sum(charged_bytes), 0)::text as bytes from usage_hour',
  )
  return Number(rows[0]?.bytes)
}

it('a gateway waits without any data, and serves as soon as one of them is reachable', async () => {
  const starting = startGatewayMachine(env, way.port)
  await until(async () => (await page('readyz')) === 503, 90_000, 'the gateway to say that it does not serve')
  expect([await page('healthz'), await isOpen()]).toEqual([200, false])
  feed = await startFeed('b')
  gateway = await starting
  const first = await tunnel(way)
  expect(first.status).toContain('200')
  await first.echo('a'.repeat(5000))
  await until(async () => (await charged()) === 10_000, 60_000, 'the bytes to be charged')
  first.end()
  await until(async () => (await page('readyz')) === 200, 60_000, 'it to be ready')
}, 300_000)

it('a gateway serves from its leases when it is started meanwhile, and settles them when the other one is reachable', async () => {
  const open = await tunnel(way)
  await open.echo('b'.repeat(5000))
  await until(async () => (await charged()) === 20_000, 60_000, 'the bytes to be charged')
  await feed?.kill()
  // The gateway saves its leases every two seconds, with the bytes relayed since the last time.
  await open.echo('c'.repeat(5000))
  await gateway?.kill()
  await gateway?.start()
  const again = await tunnel(way)
  expect(again.status).toContain('200')
  await again.echo('d'.repeat(5000))
  feed = await startFeed('a')
  await until(async () => (await charged()) >= 30_000, 60_000, 'what was relayed meanwhile to be charged')
  // Bytes relayed within 50 ms before the kill were not recorded: they are the house's loss.
  expect([30_000, 40_000]).toContain(await charged())
  again.end()
}, 300_000)

it('a gateway is drained through its feed, and stays drained when it is started while all feeds are unreachable', async () => {
  const { db } = shop.database
  const told = async () => (await listGateways(db)).find(({ version }) => version !== null)
  await until(async () => (await told())?.state === 'running', 60_000, 'the gateway to tell of itself')
  const name = (await told())?.name ?? ''
  await setDrained(db, { name, isDrained: true })
  await until(async () => (await told())?.state === 'drained', 60_000, 'it to be drained')
  expect(await isOpen()).toBe(false)
  await feed?.kill()
  await gateway?.kill()
  await gateway?.start()
  expect(await isOpen()).toBe(false)
  await setDrained(db, { name, isDrained: false })
  feed = await startFeed('b')
  await until(isOpen, 60_000, 'it to serve again')
}, 300_000)
