/** Direct exits: their own addresses, over IPv4 and IPv6; and each pool at its own port. */
import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { FeedExit } from '#feed'
import { parseAllow } from '../gateway.ts'
import { RawClient } from '../testing/client.ts'
import { MemoryFeed } from '#feed/testing'
import { basic, startBench, type Bench } from '../testing/bench.ts'
import { namesOf } from '../testing/names.ts'

/** Targets that record the address of each client. */
const servers: Server[] = []
let four: number
let six: number
let bench: Bench
const clients: RawClient[] = []

async function listen(host: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(`you are ${socket.remoteAddress}`)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  four = await listen('127.0.0.1')
  six = await listen('::1')
})
afterAll(() => {
  for (const server of servers) server.close()
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await bench.close()
  expect(bench.errors).toEqual([])
})

async function leaveFrom(...exits: Partial<FeedExit>[]): Promise<void> {
  const memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1_000_000_000n)
  for (const exit of exits) memory.addExit('residential', exit)
  bench = await startBench({
    memory,
    allow: parseAllow('127.0.0.1,::1,both.test'),
    names: await namesOf(() => ['::1', '127.0.0.1']),
  })
}

async function ask(target: string): Promise<string> {
  const client = new RawClient(bench.port)
  clients.push(client)
  client.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${basic()}\r\n`)
  await client.until(() => /you are \S+$|\w: .+\n$/.test(client.text), 'an answer')
  return /you are (\S+)$|\r\n\r\n(\w+): /.exec(client.text)?.slice(1).join('') ?? ''
}

describe('a direct exit', () => {
  it('connects from its own address, and without one from the address that the system chooses', async () => {
    await leaveFrom({ bind_address: '127.0.0.77' })
    expect(await ask(`127.0.0.1:${four}`)).toBe('127.0.0.77')
    await bench.close()
    await leaveFrom({})
    expect(await ask(`127.0.0.1:${four}`)).toBe('127.0.0.1')
  })

  it('reaches IPv6, and of a name with both families the addresses of its own family', async () => {
    await leaveFrom({ bind_address: '::1' })
    expect(await ask(`[::1]:${six}`)).toBe('::1')
    expect(await ask(`127.0.0.1:${four}`)).toBe('target_unreachable')
    await bench.close()
    await leaveFrom({ bind_address: '127.0.0.77' })
    expect(await ask(`both.test:${four}`)).toBe('127.0.0.77')
    expect(await ask(`[::1]:${six}`)).toBe('target_unreachable')
    await bench.close()
    // Nothing listens at the first address: the second one is tried.
    await leaveFrom({})
    expect(await ask(`both.test:${four}`)).toBe('127.0.0.1')
    expect(await ask(`both.test:${six}`)).toBe('::1')
  })

  it('with an address that this machine does not have is skipped for one that works', async () => {
    await leaveFrom({ bind_address: '192.0.2.1', weight: 1_000_000 }, { weight: 1 })
    for (let count = 0; count < 5; count++) expect(await ask(`127.0.0.1:${four}`)).toBe('127.0.0.1')
    expect(bench.gateway.stats().exits.map(({ succeeded }) => succeeded)).toEqual([0, 5])
  })

  it('is chosen among several according to its weight', async () => {
    const [rare, often] = ['127.0.0.2', '127.0.0.3']
    await leaveFrom({ bind_address: rare, weight: 1 }, { bind_address: often, weight: 9 })
    const seen = { [rare]: 0, [often]: 0 }
    for (let count = 0; count < 200; count++) {
      const from = await ask(`127.0.0.1:${four}`)
      if (from === rare || from === often) seen[from]!++
    }
    expect(seen[rare]! + seen[often]!).toBe(200)
    expect(seen[rare]).toBeGreaterThan(0)
    expect(seen[often]).toBeGreaterThan(3 * seen[rare]!)
  })
})

it('SOCKS5 accepts IPv6 addresses, and its reply discloses no address', async () => {
  await leaveFrom({})
  const client = new RawClient(bench.port)
  clients.push(client)
  const address = Buffer.from('00000000000000000000000000000001', 'hex')
  client.write('\x05\x01\x02\x01\x06alice1\x06secret')
  client.write(Buffer.concat([Buffer.from([5, 1, 0, 4]), address, Buffer.from([six >> 8, six & 255])]))
  await client.until(() => client.text.endsWith('you are ::1'), 'the target')
  expect(client.text).toBe(`\x05\x02\x01\x00\x05\x00\x00\x01${'\0'.repeat(6)}you are ::1`)
})

it('each pool has its own port, passwords and exits, and accepts no other’s', async () => {
  const memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1_000_000n, 'mobile')
  memory.addAccount('alice1', 'other', 1_000_000n, 'datacenter')
  memory.addExit('mobile', { bind_address: '127.0.0.2' })
  memory.addExit('datacenter', { bind_address: '127.0.0.3' })
  const ports = ['mobile', 'datacenter', 'residential'].map((pool) => ({ pool, port: 0 }))
  bench = await startBench({ memory, ports })
  const answers: Record<string, string> = {}
  for (const { pool, port } of bench.gateway.addresses)
    for (const password of ['secret', 'other']) {
      const client = new RawClient(port)
      clients.push(client)
      client.write(`CONNECT 127.0.0.1:${four} HTTP/1.1\r\n${basic('alice1', password)}\r\n`)
      await client.until(() => /you are \S+$|\w: .+\n$/.test(client.text), 'an answer')
      answers[`${pool} ${password}`] = /\d{3}/.exec(client.text)?.[0] + client.text.slice(-9)
    }
  expect(answers).toEqual({
    'mobile secret': '200127.0.0.2',
    'mobile other': expect.stringMatching(/^407/),
    'datacenter secret': expect.stringMatching(/^407/),
    'datacenter other': '200127.0.0.3',
    'residential secret': expect.stringMatching(/^407/),
    'residential other': expect.stringMatching(/^407/),
  })
})
