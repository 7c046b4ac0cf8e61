/** Proxy users, and the usage by host, through a whole shop with two gateway processes. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { press } from '#test/app'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, type StackCustomer, startStack, until } from '#test/stack'
import { promisedMs } from '../size.ts'
import { type Tunnel, tunnel } from './tunnel.ts'
import { get, post, run, type Way } from './visitor.ts'

const pool = 'mobile'
const gb = 1_000_000_000n
const limitBytes = 10_000_000

let stack: Stack
let origin: Origin
let customer: StackCustomer
/** The bytes of the tunnels of the second test, in both directions. */
let echoedBytes = 0

beforeAll(async () => {
  ;[stack, origin] = await Promise.all([
    startStack({ METRICS_TOKEN: 'prometheus', GATEWAY_ALLOW: '127.0.0.1,localhost' }),
    startOrigin(),
  ])
  customer = await stack.signIn()
  const order = { payment_method: 'sandbox', amount: 1, pool } as const
  const url = await customer.call('create_invoice_web', order)
  await press(stack.origin, url.split('/').at(-1) ?? '', 'paid')
  expect(await balance()).toBe(gb)
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})

async function balance(): Promise<bigint> {
  const [profile] = await customer.call('legacy_profile', {})
  return bytesFromWire(profile?.[pool].balance ?? 0)
}

/** A new proxy user of the pool, and its way through the gateway. */
async function proxyUser(label: string, settings: { total_bytes?: number } = {}) {
  const user = await customer.call('create_proxy_user', { pool, label, ...settings })
  const target = { host: origin.host, port: origin.httpPort }
  const way: Way = {
    port: stack.portBase + 3000,
    login: user.login,
    password: user.password ?? '',
    target,
  }
  return { ...user, way }
}

/** The open connections of each worker process. */
async function connections(): Promise<number[]> {
  const headers = { authorization: 'Bearer prometheus' }
  const text = await (await fetch(`${stack.origin}/metrics`, { headers })).text()
  const found = text.matchAll(/^turnpike_gateway_connections_open\{worker="\d+"\} (\d+)$/gm)
  return Array.from(found, ([, count]) => Number(count))
}

/** Opens `count` tunnels; the kernel divides them, and each of the two processes must get at least one. */
async function openOnBoth(way: Way, count: number): Promise<Tunnel[]> {
  let open: Tunnel[] = []
  await until(
    async () => {
      for (const one of open) one.end()
      await until(async () => (await connections()).every((held) => held === 0), 20_000, 'no tunnel')
      open = await Promise.all(Array.from({ length: count }, () => tunnel(way)))
      for (const { status } of open) expect(status).toContain(' 200 ')
      await until(
        async () => (await connections()).reduce((sum, held) => sum + held, 0) === count,
        20_000,
        'the tunnels to be counted',
      )
      return (await connections()).filter((held) => held > 0).length === 2
    },
    60_000,
    'both processes to have tunnels',
  )
  return open
}

/** Expects that both processes refuse eight tunnels with this status. */
async function refused(way: Way, status: string): Promise<void> {
  const tunnels = await Promise.all(Array.from({ length: 8 }, () => tunnel(way)))
  for (const one of tunnels) {
    expect(one.status).toContain(status)
    one.end()
  }
}

it('ten megabytes of a proxy user hold to the byte for four racing tunnels on two processes, inside 1 GB', async () => {
  expect(stack.workers()).toHaveLength(2)
  const { way, number } = await proxyUser('racer', { total_bytes: limitBytes })
  const before = await balance()
  const tunnels = await openOnBoth(way, 4)
  const request = Buffer.concat(get('connect', way, '/bytes/100000000').request).toString('latin1')
  for (const one of tunnels) one.send(request)
  await until(() => tunnels.every((one) => one.closed()), 60_000, 'the tunnels to be cut')
  const relayed = tunnels.reduce((sum, one) => sum + request.length + one.received(), 0)
  expect(relayed).toBe(limitBytes)

  const usedBytes = async () => {
    const { users } = await customer.call('get_proxy_users', { pool })
    return users.find((one) => one.number === number)?.used.total_bytes
  }
  await until(async () => (await usedBytes()) === limitBytes, 60_000, 'the last report to be settled')
  await refused(way, ' 402 ')
  expect(await usedBytes()).toBe(limitBytes)
  await until(async () => (await balance()) === before - BigInt(limitBytes), 60_000, 'the balance')
})

it('freezing a proxy user cuts its tunnels on both processes within two seconds', async () => {
  const { way, number } = await proxyUser('frozen soon')
  const target = { host: origin.host, port: origin.echoPort }
  const tunnels = await openOnBoth({ ...way, target }, 12)
  await Promise.all(tunnels.map((one) => one.echo('hello')))
  echoedBytes = 2 * 'hello'.length * tunnels.length
  const from = performance.now()
  await customer.call('freeze_proxy_user', { pool, number, frozen: true })
  await until(() => tunnels.every((one) => one.closed()), promisedMs(2000), 'all tunnels to be cut')
  expect(performance.now() - from).toBeLessThan(promisedMs(2000))
  await refused(way, ' 403 ')
})

it('usage by host sums to the day to the byte when all requests have ended', async () => {
  const { way } = await proxyUser('many sites')
  const doubled = { ...way, login: `${way.login}-cc-us-st-us_ca` }
  const named = { ...way, target: { host: 'localhost', port: origin.httpPort } }
  const counts = await Promise.all([
    run('connect', way, get('connect', way, '/bytes/1234567')),
    run('http', way, post('http', way, '/count', 345_678)),
    run('socks5', way, get('socks5', way, '/truncated/1000001')),
    run('connect', doubled, get('connect', doubled, '/bytes/7')),
    run('http', named, get('http', named, '/bytes/89')),
  ])
  const tariff = (index: number) => (index === 3 ? 2 : 1)
  const charged = counts.reduce((sum, { sent, received }, at) => sum + tariff(at) * (sent + received), 0)

  // Two days, should it become midnight meanwhile.
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const period = { from: dayOf(Date.now() - 86_400_000), to: dayOf(Date.now() + 60_000) }
  const usage = (by: 'day' | 'hour' | 'host' | 'user' | 'code' | 'country' | 'exit_country') =>
    customer.call('get_usage', { ...period, by, pool })
  await until(
    async () => {
      const { rows } = await usage('user')
      return rows.some(({ label, charged_bytes: bytes }) => label === 'many sites' && bytes === charged)
    },
    60_000,
    'all records to be kept',
  )
  const spent = limitBytes + echoedBytes + charged
  await until(async () => (await usage('day')).total.charged_bytes === spent, 60_000, 'the books')
  await until(async () => gb - (await balance()) === BigInt(spent), 60_000, 'the balance')
  for (const by of ['day', 'hour', 'host', 'user', 'code', 'country', 'exit_country'] as const) {
    const { rows, total } = await usage(by)
    const sum = rows.reduce((bytes, row) => bytes + row.charged_bytes, 0)
    expect([by, sum, total.charged_bytes]).toEqual([by, spent, spent])
    expect(rows.filter(({ kind }) => kind === 'difference')).toEqual([])
  }
  const hosts = (await usage('host')).rows.map(({ target }) => target)
  expect(hosts).toEqual(expect.arrayContaining(['127.0.0.1', 'localhost']))
})
