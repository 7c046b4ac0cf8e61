/**
 * A gateway that the operator drains by its name, from another machine: it stays drained over restarts until
 * the operator lets it serve again.
 */
import { createConnection } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedDemoExits } from '#exits'
import { listGateways, setDrained } from '#traffic'
import { app, type App, testSecretKey } from '#test/app'
import { type Origin, startOrigin } from '#test/origin'
import { freePort, freePortBases } from '#test/ports'
import { lineOf, until } from '#test/stack'
import { type GatewayMachine, shopEnv, startGatewayMachine } from '../promises/machines.ts'
import { tunnel } from './tunnel.ts'
import type { Way } from './visitor.ts'

let shop: App
let origin: Origin
let gateway: GatewayMachine
let way: Way
let metricsPort: number

beforeAll(async () => {
  ;[shop, origin, metricsPort] = await Promise.all([app(), startOrigin(), freePort()])
  await seedDemoExits(shop.database.db)
  const customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 1 })
  const [base = 0] = await freePortBases(1)
  const env = {
    SECRET_KEY: testSecretKey,
    METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
    GATEWAY_DRAIN_SECONDS: '600',
  }
  gateway = await startGatewayMachine(shopEnv(shop.database.url, env), base)
  const { login, password } = await lineOf(customer.call, 'residential')
  way = { port: base, login, password, target: { host: origin.host, port: origin.echoPort } }
}, 120_000)
afterAll(async () => {
  await gateway.stop()
  await shop.close()
  await origin.close()
})

const isOpen = () =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port: way.port })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
const ready = async () => (await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).status
const told = async () => (await listGateways(shop.database.db))[0]
const want = async (isDrained: boolean) =>
  setDrained(shop.database.db, { name: (await told())?.name ?? '', isDrained })

it('a drained gateway accepts nothing more, lets its tunnels end, stays drained after a restart, and serves again on request', async () => {
  const open = await tunnel(way)
  await open.echo('hello')
  await until(async () => (await told())?.connections === 1, 20_000, 'the connection to be told')
  expect(await told()).toMatchObject({ state: 'running', version: '0.1.0', workers: 1, drainAskedAt: null })
  expect((await told())?.address).toContain(`:${way.port}`)

  expect(await want(true)).toBe('changed')
  await until(async () => !(await isOpen()), 20_000, 'the port to close')
  await until(async () => (await told())?.state === 'draining', 20_000, 'the gateway to say that it drains')
  expect(await ready()).toBe(503)
  await open.echo('still there')
  open.end()
  await until(async () => (await told())?.state === 'drained', 20_000, 'the last tunnel to end')
  const leased = await shop.database.pool.query('select from lease where closed_at is null')
  expect(leased.rowCount).toBe(0)

  await gateway.kill()
  await gateway.start()
  expect(await isOpen()).toBe(false)
  expect([await ready(), (await told())?.state]).toEqual([503, 'drained'])

  expect(await want(false)).toBe('changed')
  await until(isOpen, 20_000, 'the port to open')
  const again = await tunnel(way)
  expect(again.status).toContain('200')
  await again.echo('welcome')
  again.end()
  await until(async () => (await ready()) === 200, 20_000, 'it to be ready')
}, 180_000)
