/** `turnpike gateway`: the gateway as a separate process beside the database. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { transaction } from '#db'
import { seedDemoExits } from '#exits'
import { storeVariables } from '#settings'
import { app, type App, type Customer, testSecretKey } from '#test/app'
import { type Origin, startOrigin } from '#test/origin'
import { freePort, freePortBases } from '#test/ports'
import { lineOf, until } from '#test/stack'
import { type GatewayMachine, shopEnv, startGatewayMachine } from '../promises/machines.ts'
import { tunnel } from './tunnel.ts'
import type { Way } from './visitor.ts'

let shop: App
let origin: Origin
let customer: Customer
let gateway: GatewayMachine
let metricsPort: number

beforeAll(async () => {
  ;[shop, origin] = await Promise.all([app(), startOrigin()])
  await seedDemoExits(shop.database.db)
  customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 1 })
  metricsPort = await freePort()
  const [base = 0] = await freePortBases(1)
  const more = {
    SECRET_KEY: testSecretKey,
    METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
    METRICS_TOKEN: 'prometheus',
    GATEWAY_DENY: 'nobody.example.org',
  }
  gateway = await startGatewayMachine({ ...shopEnv(shop.database.url), ...more }, base)
}, 120_000)
afterAll(async () => {
  await gateway.stop()
  await shop.close()
  await origin.close()
})

async function way(): Promise<Way> {
  const { login, password } = await lineOf(customer.call, 'residential')
  return { port: gateway.portBase, login, password, target: { host: origin.host, port: origin.echoPort } }
}

const page = (token: string) =>
  fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers: { authorization: `Bearer ${token}` } })

it('turnpike gateway serves its metrics at the configured address, with the token', async () => {
  const to = await way()
  const open = await tunnel(to)
  await open.echo('hello')
  const refused = await tunnel({ ...to, target: { host: 'nobody.example.org', port: 443 } })
  expect(refused.status).toContain('403')
  const wanted = [
    'turnpike_gateway_tunnels_open{worker="0"} 1',
    'turnpike_gateway_tunnels_total{worker="0"} 2',
    'turnpike_gateway_connections_open{worker="0"} 1',
    'turnpike_gateway_refusals_total{worker="0",code="target_forbidden"} 1',
    // A lease is kept for a minute after its last use.
    'turnpike_gateway_leases_open{worker="0"} 1',
    'turnpike_gateway_journal_healthy{worker="0"} 1',
    'turnpike_gateway_exit_state{worker="0",pool="residential",exit="1",state="closed"} 1',
  ]
  refused.end()
  const told = async () => (await (await page('prometheus')).text()).split('\n')
  const untold = async () => {
    const lines = await told()
    return wanted.filter((line) => !lines.includes(line))
  }
  await expect.poll(untold, { timeout: 60_000 }).toEqual([])
  expect((await page('guess')).status).toBe(404)
  expect((await fetch(`http://127.0.0.1:${metricsPort}/healthz`)).status).toBe(200)
  open.end()
  const ended = 'turnpike_gateway_bytes_total{worker="0",pool="residential",direction="down"} 5'
  await until(async () => (await told()).includes(ended), 60_000, 'the bytes to be told')
}, 60_000)

it('turnpike gateway does not start with an invalid list of targets, and names the invalid part', async () => {
  const main = path.join(import.meta.dirname, '../../src/main/commands/turnpike.ts')
  const env = {
    ...shopEnv(shop.database.url),
    SECRET_KEY: testSecretKey,
    DATA_DIR: `${gateway.dataDir}-other`,
    GATEWAY_DENY: '22,http://a',
  }
  const started = promisify(execFile)(process.execPath, [main, 'gateway'], { env: { PATH: '', ...env } })
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^(?!.*\n\s+at ).*GATEWAY_DENY: "http:\/\/a" is no port/s),
  })
})

it('turnpike gateway protects the mail server that staff set at the desk, from that moment on', async () => {
  const to = await way()
  const open = await tunnel(to)
  expect(open.status).toContain('200')
  open.end()
  const store = (values: Record<string, string | null>) =>
    transaction(shop.database.db, (tx) =>
      storeVariables(tx, shop.services.secrets, { values, by: 'owner', reason: 'a test' }, shop.clock.now),
    )
  await store({ SMTP_URL: `smtp://${origin.host}:${origin.echoPort}`, MAIL_FROM: 'shop@example.net' })
  const status = async () => {
    const tried = await tunnel(to)
    tried.end()
    return tried.status
  }
  await expect.poll(status, { timeout: 30_000 }).toContain('403')
  await store({ SMTP_URL: null, MAIL_FROM: null })
  await expect.poll(status, { timeout: 30_000 }).toContain('200')
}, 90_000)
