import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, type StackCustomer, startStack, turnpike, until } from '#test/stack'
import { certificateFolder, type CertificateFolder } from '../../src/gateway/testing/certificates.ts'
import { type Tunnel, tunnel } from './tunnel.ts'
import { promisedMs } from '../size.ts'
import type { Way } from './visitor.ts'

/**
 * Changes by a pool's owner or the operator apply to tunnels that are open through two workers, without and
 * with TLS.
 */

const pool = 'residential'
let stack: Stack
let origin: Origin
let folder: CertificateFolder
let customer: StackCustomer
let way: Way
let tunnels: Tunnel[] = []

beforeAll(async () => {
  folder = certificateFolder()
  const { cert, key } = folder.make('live', ['127.0.0.1'])
  ;[stack, origin] = await Promise.all([
    startStack({ GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key, GATEWAY_DRAIN_SECONDS: '0' }),
    startOrigin(),
  ])
})
afterAll(async () => {
  await stack.close()
  await origin.close()
  folder.remove()
})
beforeEach(async () => {
  for (const one of tunnels) one.end()
  customer = await stack.signIn()
  const none = { hour_bytes: null, day_bytes: null, month_bytes: null, connections: null }
  await customer.call('set_pool_limits', { pool, ...none, denied_hosts: [], allowed_hosts: [] })
  const target = { host: origin.host, port: origin.echoPort }
  way = { port: stack.portBase, target, ...(await customer.proxy(pool)) }
  await until(
    async () => (await openMany(1))[0]?.status.includes(' 200 ') === true,
    60_000,
    'a tunnel to be granted',
  )
  for (const one of tunnels) one.end()
})

async function openMany(count: number): Promise<Tunnel[]> {
  tunnels = await Promise.all(
    Array.from({ length: count }, (_, index) => tunnel(way, { tls: index % 2 === 1 })),
  )
  return tunnels
}

/** Twelve active tunnels: enough that both workers have some. */
async function openTwelve(): Promise<Tunnel[]> {
  const open = await openMany(12)
  await Promise.all(open.map((one) => one.echo('hello')))
  return open
}

const allClosed = (within: Tunnel[]) => within.every((one) => one.closed())

describe('P24: within two seconds, on every worker, bare and in TLS', () => {
  it('a new password cuts tunnels opened with the old one', async () => {
    const open = await openTwelve()
    await customer.call('reset_password', { pool })
    await until(() => allClosed(open), promisedMs(2000), 'all tunnels to be cut')
    expect((await openMany(1))[0]?.status).toBe('HTTP/1.1 407 Proxy Authentication Required')
  })

  it('a denied host cuts tunnels to it', async () => {
    const open = await openTwelve()
    await customer.call('set_pool_limits', { pool, denied_hosts: [origin.host] })
    await until(() => allClosed(open), promisedMs(2000), 'all tunnels to be cut')
    expect((await openMany(1))[0]?.status).toBe('HTTP/1.1 403 Forbidden')
  })

  it('a lower cap cuts excess connections, and no more can be opened', async () => {
    const open = await openTwelve()
    await customer.call('set_pool_limits', { pool, connections: 5 })
    await until(
      () => open.filter((one) => !one.closed()).length <= 5,
      promisedMs(2000),
      'seven tunnels to be cut',
    )
    for (const one of open) one.end()
    await until(
      async () => {
        const statuses = (await openMany(15)).map(({ status }) => status)
        const granted = statuses.filter((status) => status.includes(' 200 ')).length
        expect(granted).toBeLessThanOrEqual(5)
        for (const one of tunnels) one.end()
        return granted === 5
      },
      60_000,
      'five tunnels to be granted',
    )
  })

  it('a cap on bytes is used to its last byte on two workers, and then refused with 402', async () => {
    const charged = async () => bytesFromWire((await customer.usage(pool)).total.traffic)
    let before = await charged()
    await until(
      async () => {
        const now = await charged()
        const isSame = now === before
        before = now
        return isSame
      },
      60_000,
      'the charge to come to rest',
    )
    const { used } = await customer.call('get_pool_limits', { pool })
    await customer.call('set_pool_limits', { pool, day_bytes: used.day_bytes + 5_000_000 })
    const httpWay = { ...way, target: { host: origin.host, port: origin.httpPort } }
    tunnels = await Promise.all([0, 1, 2, 3].map((index) => tunnel(httpWay, { tls: index % 2 === 1 })))
    const request = 'GET /bytes/9000000 HTTP/1.1\r\nHost: x\r\n\r\n'
    for (const one of tunnels) one.send(request)
    await until(async () => (await charged()) === before + 5_000_000n, 60_000, 'exactly 5 MB to be charged')
    expect((await openMany(1))[0]?.status).toBe('HTTP/1.1 402 Payment Required')
  })

  // The last test: the customer stays blocked.
  it('a blocked customer’s tunnels are cut', async () => {
    const open = await openTwelve()
    const people = path.join(stack.dataDir, 'demo.json')
    const { customer: person } = (await import(people, { with: { type: 'json' } })).default
    await turnpike({ DATA_DIR: stack.dataDir }, 'customers', 'block', person.username)
    await until(() => allClosed(open), promisedMs(2000), 'all tunnels to be cut')
    expect((await openMany(1))[0]?.status).toBe('HTTP/1.1 403 Forbidden')
  }, 90_000)
})
