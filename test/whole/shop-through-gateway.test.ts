/**
 * The shop as a target of its own gateway: customers may test a line at the echo, and reach nothing else of
 * it.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MemoryFeed } from '#feed/testing'
import { app, type App } from '#test/app'
import { type GatewayOptions, parseAllow } from '../../src/gateway/gateway.ts'
import { basic, startBench, type Bench } from '../../src/gateway/testing/bench.ts'
import { RawClient } from '../../src/gateway/testing/client.ts'
import { namesOf } from '../../src/gateway/testing/names.ts'
import { gatewaySource, shopOf } from '../../src/main/gateway/shop.ts'

let shop: App
let port: number
let bench: Bench
let upstream: Bench | null = null
const clients: RawClient[] = []

beforeAll(async () => {
  shop = await app({ trustProxy: ['127.0.0.1'] })
  port = Number(new URL(shop.origin).port)
}, 60_000)
afterAll(() => shop.close())
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await bench.close()
  await upstream?.close()
  upstream = null
  expect(bench.errors).toEqual([])
})

const names = { 'shop.test': ['127.0.0.1'], 'six.test': ['::1'], 'other.test': ['127.0.0.1'] }

/** A gateway of a shop at this address, with a direct exit, or with another proxy on the same machine. */
async function start(
  host: string,
  by: 'direct' | 'http' | 'socks5' = 'direct',
  more: Partial<GatewayOptions> = {},
) {
  const memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1_000_000_000n)
  if (by === 'direct') memory.addExit()
  else {
    upstream = await startBench({ allow: parseAllow('127.0.0.1') })
    const login = { username: 'alice1', password: 'secret' }
    memory.addExit('residential', { kind: by, host: '127.0.0.1', port: upstream.port, ...login })
  }
  const shopAt = shopOf(`${host}:${port}`)
  bench = await startBench({ memory, allow: [], shop: shopAt, names: await namesOf(names), ...more })
}

function open(): RawClient {
  const client = new RawClient(bench.port)
  clients.push(client)
  return client
}

/** The status of the answer to a request, over a connection that may be reused. */
async function statusOf(client: RawClient): Promise<number> {
  const before = client.text.length
  const answer = () => client.text.slice(before)
  const isWhole = () => {
    const [head = '', ...body] = answer().split('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    return answer().includes('\r\n\r\n') && body.join('\r\n\r\n').length >= length
  }
  await client.until(isWhole, 'an answer')
  return Number(answer().slice(9, 12))
}

async function get(url: string, client = open(), fields = ''): Promise<number> {
  client.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n${basic()}${fields}\r\n`)
  return await statusOf(client)
}

async function connectTo(host: string): Promise<{ client: RawClient; status: number }> {
  const client = open()
  client.write(`CONNECT ${host}:${port} HTTP/1.1\r\n${basic()}\r\n`)
  return { client, status: await statusOf(client) }
}

async function socksTo(host: string): Promise<{ client: RawClient; reply: number | undefined }> {
  const client = open()
  client.write('\x05\x01\x02\x01\x06alice1\x06secret')
  const request = Buffer.from([5, 1, 0, 3, host.length, ...Buffer.from(host), port >> 8, port & 255])
  client.write(request)
  await client.until(() => client.bytes.length >= 14, 'a reply')
  return { client, reply: client.bytes[5] }
}

async function inside(
  client: RawClient,
  path: string,
  { method = 'GET', fields = '' } = {},
): Promise<number> {
  client.write(`${method} ${path} HTTP/1.1\r\nHost: shop\r\n${fields}\r\n`)
  return await statusOf(client)
}

/** All paths but the echo, including similar ones. */
const elsewhere = [
  '/metrics',
  '/',
  '/readyz',
  '/api/rpc/prices',
  '/api/echo/',
  '/api/echo/../../metrics',
  '/api/echo%2f..%2f..%2fmetrics',
  '/api/echo;x',
  '/api/echox',
  '/API/echo',
  '//api/echo',
  '/x/../api/echo',
  '/%61pi/echo',
]

const forged = 'X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\nX-Real-Ip: 127.0.0.1\r\n'

describe('a request over http', () => {
  it.each(['direct', 'http', 'socks5'] as const)('gets the echo and nothing else (%s)', async (by) => {
    await start('shop.test', by)
    for (const path of ['/api/echo', '/api/echo?bytes=10', '/api/echo?format=text'])
      expect(await get(`http://shop.test:${port}${path}`), path).toBe(200)
    for (const path of elsewhere) expect(await get(`http://shop.test:${port}${path}`), path).toBe(403)
    const refused = open()
    await get(`http://shop.test:${port}/metrics`, refused)
    expect(refused.text).toContain('target_forbidden: through this proxy the shop answers /api/echo only')
  })

  it('is checked by its path on a kept connection, too', async () => {
    await start('shop.test')
    const client = open()
    for (const [path, status] of [
      ['/api/echo', 200],
      ['/metrics', 403],
      ['/api/echo?format=text', 200],
      ['/', 403],
    ] as const)
      expect(await get(`http://shop.test:${port}${path}`, client), path).toBe(status)
  })

  it('has to name the shop as PUBLIC_URL does; otherwise it is a private target', async () => {
    await start('shop.test')
    for (const host of ['127.0.0.1', 'other.test', '[::ffff:127.0.0.1]', '127.1'])
      expect(await get(`http://${host}:${port}/api/echo`), host).toBe(403)
    await bench.close()
    await start('127.0.0.1')
    for (const host of ['127.0.0.1', '127.1', '[::ffff:7f00:1]']) {
      expect(await get(`http://${host}:${port}/api/echo`), host).toBe(200)
      expect(await get(`http://${host}:${port}/metrics`), host).toBe(403)
    }
    expect(await get(`http://shop.test:${port}/api/echo`)).toBe(403)
    // Another port of the same host.
    expect(await get(`http://127.0.0.1:${port + 1}/api/echo`)).toBe(403)
  })
})

describe('a tunnel', () => {
  const isEchoOnly = async (client: RawClient) => {
    expect(await inside(client, '/api/echo?format=text')).toBe(200)
    expect(client.text.endsWith(`\r\n\r\n${gatewaySource}\n`)).toBe(true)
    for (const path of elsewhere) expect(await inside(client, path), path).toBe(404)
    expect(await inside(client, '/metrics', { fields: forged })).toBe(404)
    const empty = { method: 'POST', fields: 'Content-Length: 0\r\n' }
    for (const path of ['/api/rpc/signin', '/api/webhooks/card', '/sandbox/pay/1'])
      expect(await inside(client, path, empty), path).toBe(404)
    expect(await inside(client, '/api/rpc/signin', { method: 'OPTIONS' })).toBe(404)
    expect(await inside(client, '/api/echo')).toBe(200)
  }

  it.each(['127.0.0.1', 'shop.test'])('by CONNECT gets the echo and nothing else (%s)', async (host) => {
    await start(host)
    const { client, status } = await connectTo(host)
    expect(status).toBe(200)
    await isEchoOnly(client)
  })

  it.each(['127.0.0.1', 'shop.test'])('by SOCKS5 gets the echo and nothing else (%s)', async (host) => {
    await start(host)
    const { client, reply } = await socksTo(host)
    expect(reply).toBe(0)
    await isEchoOnly(client)
  })

  it.each(['http', 'socks5'] as const)(
    'through another proxy on the shop’s machine is refused: it would come from this machine (%s)',
    async (by) => {
      await start('127.0.0.1', by)
      expect((await connectTo('127.0.0.1')).status).toBe(403)
      expect((await socksTo('127.0.0.1')).reply).toBe(2)
      expect(upstream?.gateway.stats().connectionsTotal).toBe(0)
    },
  )

  it('to IPv6 loopback is refused: there is no second address to distinguish it', async () => {
    await start('six.test')
    expect((await connectTo('six.test')).status).toBe(403)
    expect((await socksTo('six.test')).reply).toBe(2)
  })

  it('reaches all of the shop where an exception names its port', async () => {
    await start('127.0.0.1', 'direct', { allow: parseAllow(`127.0.0.1:${port}`) })
    const { client } = await connectTo('127.0.0.1')
    expect(await inside(client, '/metrics')).toBe(200)
  })
})

describe('a reverse proxy on this machine', () => {
  it('reports the gateway’s address, which gets the echo only', async () => {
    for (const address of [gatewaySource, `::ffff:${gatewaySource}`]) {
      const headers = { 'x-forwarded-for': address }
      const status = async (path: string) => (await fetch(`${shop.origin}${path}`, { headers })).status
      expect(await status('/api/echo')).toBe(200)
      for (const path of ['/metrics', '/readyz', '/api/rpc/prices'])
        expect(await status(path), path).toBe(404)
    }
    // Forging the address in a longer list has no effect.
    const forwarded = { 'x-forwarded-for': `${gatewaySource}, 203.0.113.9` }
    expect((await fetch(`${shop.origin}/api/rpc/prices`, { headers: forwarded })).status).toBe(200)
  })
})

describe('this machine itself', () => {
  it('reads the metrics from every loopback address but the gateway’s', async () => {
    await start('127.0.0.1')
    expect((await fetch(`${shop.origin}/metrics`)).status).toBe(200)
    const ask = async (localAddress: string) => {
      const socket: Socket = connect({ host: '127.0.0.1', port, localAddress })
      await once(socket, 'connect')
      const client = new RawClient(socket)
      clients.push(client)
      return await inside(client, '/metrics')
    }
    expect(await ask('127.0.0.2')).toBe(200)
    expect(await ask(gatewaySource)).toBe(404)
  })
})
