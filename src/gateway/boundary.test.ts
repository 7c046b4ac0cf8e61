/** A pool is a boundary: no line reaches an exit of any pool, over any protocol and through any exit. */
import { networkInterfaces } from 'node:os'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { FeedExit } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { startOrigin, type Origin } from '#test/origin'
import { parseAllow } from './gateway.ts'
import { basic, startBench, type Bench } from './testing/bench.ts'
import { RawClient } from './testing/client.ts'
import { namesOf } from './testing/names.ts'
import { type FakeUpstream, startUpstream } from './testing/proxy.ts'

const names = {
  'mobile.exit.test': ['127.0.0.1'],
  'alias.test': ['127.0.0.1'],
  'both.test': ['::1', '127.0.0.1'],
  'machine.test': ['127.0.0.1'],
}

let origin: Origin
/** The exit of the pool `mobile`, which requires no password. */
let mobile: FakeUpstream
let bench: Bench
const clients: RawClient[] = []
const upstreams: FakeUpstream[] = []

beforeAll(async () => {
  origin = await startOrigin()
  mobile = await startUpstream({ kind: 'http' })
})
afterAll(async () => {
  await origin.close()
  await mobile.close()
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await bench.close()
  for (const upstream of upstreams.splice(0)) await upstream.close()
  expect(bench.errors).toEqual([])
})

/**
 * A gateway with an exit of the pool `datacenter`, for whose customer everything on loopback is an exception.
 */
async function start(exit: Partial<FeedExit>, allow = '127.0.0.1, ::1'): Promise<void> {
  const memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1_000_000_000n, 'datacenter')
  memory.addExit('datacenter', exit)
  memory.addExit('mobile', { kind: 'http', host: 'mobile.exit.test', port: mobile.port })
  const ports = ['datacenter', 'mobile'].map((pool) => ({ pool, port: 0 }))
  bench = await startBench({ memory, ports, allow: parseAllow(allow), names: await namesOf(names) })
}

async function startChained(kind: 'http' | 'socks5', parts: Partial<FeedExit> = {}): Promise<FakeUpstream> {
  const upstream = await startUpstream({ kind })
  upstreams.push(upstream)
  await start({ kind, host: '127.0.0.1', port: upstream.port, ...parts })
  return upstream
}

function say(bytes: string | Buffer): RawClient {
  const client = new RawClient(bench.port)
  clients.push(client)
  client.write(bytes)
  return client
}

async function statusOf(client: RawClient): Promise<string> {
  await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
  return client.text.slice(9, 12)
}

const connect = (host: string, port: number) =>
  statusOf(say(`CONNECT ${host}:${port} HTTP/1.1\r\n${basic()}\r\n`))
const get = (host: string, port: number) =>
  statusOf(say(`GET http://${host}:${port}/ HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`))

/** The SOCKS5 reply to a request with an address (type 1 or 4) or a name (type 3). */
async function socks(type: 1 | 3 | 4, host: Buffer, port: number): Promise<number | undefined> {
  const named = type === 3 ? Buffer.from([host.length]) : Buffer.alloc(0)
  const request = Buffer.concat([
    Buffer.from([5, 1, 0, type]),
    named,
    host,
    Buffer.from([port >> 8, port & 255]),
  ])
  const client = say('\x05\x01\x02\x01\x06alice1\x06secret')
  client.write(request)
  await client.until(() => client.bytes.length >= 6, 'a reply')
  return client.bytes[5]
}

const MAPPED = Buffer.from('00000000000000000000ffff7f000001', 'hex')

/** All spellings of the exit's address. */
async function answers(port: number): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  const hosts = [
    'mobile.exit.test',
    'MOBILE.exit.test.',
    'alias.test',
    'both.test',
    '127.0.0.1',
    '127.1',
    '2130706433',
  ]
  for (const host of [...hosts, '[::ffff:127.0.0.1]', '[::ffff:7f00:1]']) {
    found[`CONNECT ${host}`] = await connect(host, port)
    found[`GET ${host}`] = await get(host, port)
  }
  for (const host of hosts) found[`SOCKS ${host}`] = await socks(3, Buffer.from(host), port)
  found['SOCKS 127.0.0.1 as an address'] = await socks(1, Buffer.from([127, 0, 0, 1]), port)
  found['SOCKS ::ffff:127.0.0.1 as an address'] = await socks(4, MAPPED, port)
  return found
}

const refused = new Set<unknown>(['403', 2])
const passed = (found: Record<string, unknown>) =>
  Object.entries(found).flatMap(([how, answer]) => (refused.has(answer) ? [] : [`${how}: ${String(answer)}`]))

describe('an exit of another pool', () => {
  it('is reached by no line that leaves directly', async () => {
    await start({})
    const made = mobile.made()
    expect(passed(await answers(mobile.port))).toEqual([])
    expect(mobile.made()).toBe(made)
    // Other ports of the same host are exceptions.
    expect(await connect('127.0.0.1', origin.echoPort)).toBe('200')
    expect(await connect('alias.test', origin.echoPort)).toBe('200')
  })

  it.each([
    ['http', {}],
    ['http', { names: 'exit' }],
    ['http', { plain_http: 'forward' }],
    ['socks5', {}],
    ['socks5', { names: 'exit' }],
  ] as const)('is reached by no line that leaves by another proxy (%s %o)', async (kind, parts) => {
    const upstream = await startChained(kind, parts)
    const made = mobile.made()
    expect(passed(await answers(mobile.port))).toEqual([])
    expect(mobile.made()).toBe(made)
    expect(upstream.made()).toBe(0)
    expect(await connect('127.0.0.1', origin.echoPort)).toBe('200')
  })

  it('is protected like the exit that the line itself uses', async () => {
    const upstream = await startChained('http')
    expect(passed(await answers(upstream.port))).toEqual([])
    expect(upstream.made()).toBe(0)
  })

  it('is reached when an exception names its port', async () => {
    await start({}, `127.0.0.1, 127.0.0.1:${mobile.port}, mobile.exit.test:${mobile.port}`)
    for (const host of ['127.0.0.1', 'alias.test', 'mobile.exit.test'])
      expect(await connect(host, mobile.port), host).toBe('200')
  })

  it('is protected from the moment the gateway is notified of it', async () => {
    await start({})
    const other = await startUpstream({ kind: 'socks5' })
    upstreams.push(other)
    expect(await connect('alias.test', other.port)).toBe('200')
    bench.feed.addExit('mobile', { kind: 'socks5', host: 'alias.test', port: other.port })
    const before = bench.feed.exitsAsked
    bench.feed.emit({ type: 'exits_changed' })
    await clients[0]?.until(() => bench.feed.exitsAsked > before, 'the exits to be asked for')
    expect(await connect('alias.test', other.port)).toBe('403')
    for (let status = ''; status !== '403';) status = await connect('127.0.0.1', other.port)
  })
})

describe('this machine', () => {
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
    .map(({ family, address }) => (family === 'IPv6' ? `[${address}]` : address))

  it('cannot be reached at any of its addresses, whatever networks the exceptions contain', async () => {
    await start({}, '0.0.0.0/0, ::/0')
    const made = origin.made()
    for (const host of [
      '127.0.0.1',
      '127.0.0.9',
      '0.0.0.0',
      'machine.test',
      '[::1]',
      '[::ffff:127.0.0.1]',
      ...others,
    ]) {
      expect(await connect(host, origin.echoPort), host).toBe('403')
      expect(await get(host, origin.httpPort), host).toBe('403')
      expect(await connect(host, bench.port), host).toBe('403')
    }
    expect(await socks(4, MAPPED, origin.echoPort)).toBe(2)
    expect(origin.made()).toBe(made)
  })

  it('is reached by an exception that names it', async () => {
    await start({}, '0.0.0.0/0, 127.0.0.1')
    expect(await connect('machine.test', origin.echoPort)).toBe('200')
    expect(await connect('127.0.0.2', origin.echoPort)).toBe('403')
  })
})
