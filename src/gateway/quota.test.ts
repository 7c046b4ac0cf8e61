import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pattern, startOrigin, type Origin } from '#test/origin'
import { eventually } from '#test/eventually'
import { RawClient } from './testing/client.ts'
import { basic, startBench, type Bench } from './testing/bench.ts'
import { MemoryFeed } from '#feed/testing'

let origin: Origin

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(async () => origin.close())

function ask(bench: Bench, request: string): RawClient {
  const client = new RawClient(bench.port)
  client.write(request)
  return client
}

const tunnelRequest = (port = origin.echoPort) => `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n${basic()}\r\n`
const forwardRequest = (path: string) =>
  `GET http://127.0.0.1:${origin.httpPort}${path} HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`

async function opened(bench: Bench, port = origin.echoPort): Promise<{ client: RawClient; head: number }> {
  const client = ask(bench, tunnelRequest(port))
  await client.until(() => client.text.includes('\r\n\r\n'), 'the answer')
  return { client, head: client.text.indexOf('\r\n\r\n') + 4 }
}

async function pair(
  balance: bigint,
): Promise<{ feed: MemoryFeed; benches: [Bench, Bench]; close: () => Promise<void> }> {
  const feed = new MemoryFeed()
  feed.addAccount('alice1', 'secret', balance)
  feed.addExit()
  const benches: [Bench, Bench] = [
    await startBench({ memory: feed, gateway: 'g1' }),
    await startBench({ memory: feed, gateway: 'g2' }),
  ]
  return {
    feed,
    benches,
    async close() {
      for (const bench of benches) {
        await bench.close()
        expect(bench.errors).toEqual([])
      }
      expect(feed.faults).toEqual([])
      expect(feed.leases.size).toBe(0)
    },
  }
}

describe('the end of a balance', () => {
  it('is reached to the byte by four concurrent downloads on two gateways, and the next connection gets 402', async () => {
    const balance = 9_000_001
    const { feed, benches, close } = await pair(BigInt(balance))
    feed.latencyMs = 2
    // Each gateway has to request more until the end.
    feed.largestGrant = 262_144n
    const clients = [0, 1, 0, 1].map((index) =>
      ask(benches[index as 0 | 1], forwardRequest('/bytes/8000000')),
    )
    for (const client of clients) await client.untilEnd(20_000)
    const received = clients.reduce((total, client) => total + client.bytes.length, 0)
    const sent = clients.length * forwardRequest('/bytes/8000000').length
    expect(received + sent).toBe(balance)
    for (const bench of benches) {
      const next = await opened(bench)
      expect(next.client.text).toMatch(/^HTTP\/1.1 402 Payment Required\r\n.*no_traffic/s)
      next.client.destroy()
    }
    for (const client of clients) client.destroy()
    await close()
    expect(feed.charged.get(1n)).toBe(BigInt(balance))
    expect(feed.balances.get(1n)).toBe(0n)
  })

  it('is reached to the byte by echoing tunnels, and the charge equals the relayed bytes', async () => {
    const balance = 2_500_003
    const { feed, benches, close } = await pair(BigInt(balance))
    feed.largestGrant = 262_144n
    const tunnels = await Promise.all([0, 1, 0, 1].map((index) => opened(benches[index as 0 | 1])))
    for (const { client } of tunnels) client.write(pattern(3_000_000))
    for (const { client } of tunnels) await client.untilEnd(20_000)
    for (const { client } of tunnels) client.destroy()
    await close()
    expect(feed.charged.get(1n)).toBe(BigInt(balance))
    const stats = benches.map((bench) => bench.gateway.stats())
    expect(stats.reduce((total, each) => total + each.bytesUp + each.bytesDown, 0)).toBe(balance)
  })

  it('leaves an odd byte of the double tariff unspent, and a single one can still spend it', async () => {
    const { feed, benches, close } = await pair(1001n)
    const double = new RawClient(benches[0].port)
    const line = basic('alice1-city-us_ca_los_angeles')
    double.write(`CONNECT 127.0.0.1:${origin.echoPort} HTTP/1.1\r\n${line}\r\n`)
    await double.until(() => double.text.includes('\r\n\r\n'), 'the answer')
    const head = double.text.indexOf('\r\n\r\n') + 4
    double.write(pattern(2000))
    await double.untilEnd()
    // The remaining 500 payload bytes were used upstream; none were left for the response.
    expect(double.bytes.length - head).toBe(0)
    const single = await opened(benches[1])
    single.client.write('xy')
    await single.client.untilEnd()
    single.client.destroy()
    double.destroy()
    await close()
    expect(feed.charged.get(1n)).toBe(1001n)
  })

  it('is not reached while another gateway holds the rest: idle leases are returned within 2 s', async () => {
    const { feed, benches, close } = await pair(10_000n)
    const first = await opened(benches[0])
    first.client.write('x')
    await first.client.until(() => first.client.text.endsWith('x'), 'the echo')
    const started = performance.now()
    const second = await opened(benches[1])
    expect(second.client.text).toMatch(/^HTTP\/1.1 200 /)
    second.client.write(pattern(6000))
    await second.client.untilEnd()
    expect(performance.now() - started).toBeLessThan(2000)
    expect(second.client.bytes.length - second.head).toBe(10_000 - 2 - 6000)
    first.client.destroy()
    second.client.destroy()
    await close()
    expect(feed.charged.get(1n)).toBe(10_000n)
  })

  it('refuses a head too long for the balance with 402, free of charge', async () => {
    const { feed, benches, close } = await pair(50n)
    const client = ask(benches[0], forwardRequest('/bytes/1'))
    await client.until(() => client.text.includes('no_traffic'), 'the answer')
    expect(client.text).toMatch(/^HTTP\/1.1 402 /)
    client.destroy()
    await close()
    expect(feed.charged.get(1n) ?? 0n).toBe(0n)
    expect(feed.balances.get(1n)).toBe(50n)
  })
})

describe('the record of a request', () => {
  const upload = (bytes: number, path = '/') =>
    `POST http://127.0.0.1:${origin.httpPort}${path} HTTP/1.1\r\nHost: x\r\n${basic()}Content-Length: ${bytes}\r\n\r\n`

  it('distinguishes a refusal from an exhausted balance and from a failure of the target', async () => {
    const { feed, benches, close } = await pair(3000n)
    const asked = async (text: string, answer: string) => {
      const client = ask(benches[0], text)
      await client.until(() => client.text.includes(answer), answer)
      client.destroy()
    }
    await asked(forwardRequest('/reset'), 'target_closed')
    await asked(forwardRequest(`/${'x'.repeat(4000)}`), 'no_traffic')
    await asked(upload(6000) + 'x'.repeat(6000), 'no_traffic')
    await asked(forwardRequest('/bytes/1'), 'no_traffic')
    await asked(tunnelRequest(), 'no_traffic')
    await close()
    const records = feed.records.flatMap((batch) => batch.records)
    expect(records.map(({ protocol, outcome, code }) => [protocol, outcome, code])).toEqual([
      ['http', 'target_failed', 'target_closed'],
      ['http', 'refused', 'no_traffic'],
      ['http', 'no_traffic', 'no_traffic'],
      ['http', 'refused', 'no_traffic'],
      ['connect', 'refused', 'no_traffic'],
    ])
  })

  it.each(['day', 'user_total'] as const)(
    'is that of a refusal where the limit %s is reached',
    async (capped) => {
      const { feed, benches, close } = await pair(0n)
      feed.capped.set(1n, capped)
      const client = ask(benches[0], forwardRequest('/bytes/1'))
      const code = capped === 'day' ? 'cap_reached' : 'user_limit_reached'
      await client.until(() => client.text.includes(code), code)
      client.destroy()
      await close()
      expect(feed.records.flatMap(({ records }) => records)).toMatchObject([{ outcome: 'refused', code }])
    },
  )
})

describe('a client that does not read', () => {
  const stalled = async (bench: Bench, how: 'forward' | 'tunnel') => {
    const client =
      how === 'forward'
        ? ask(bench, forwardRequest('/bytes/40000000'))
        : (await opened(bench, origin.httpPort)).client
    if (how === 'tunnel') client.write(`GET /bytes/40000000 HTTP/1.1\r\nHost: x\r\n\r\n`)
    await client.until(() => client.socket.bytesRead > 300_000, 'the first bytes')
    client.socket.pause()
    // The kernel's buffers fill up, then nothing more is accepted. A busy machine may pause for a while
    // before that.
    const charged = () => bench.feed.charged.get(1n) ?? 0n
    for (let [before, still] = [-1n, 0]; still < 5; still = charged() === before ? still + 1 : 0) {
      before = charged()
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    return client
  }

  it.each(['forward', 'tunnel'] as const)(
    'does not withhold the rest of the balance from others, and pays for no byte twice (%s)',
    async (how) => {
      const { feed, benches, close } = await pair(30_000_000n)
      const first = await stalled(benches[0], how)
      const second = await opened(benches[1])
      expect(second.client.text).toMatch(/^HTTP\/1.1 200 /)
      second.client.socket.end(pattern(5_000_000))
      await second.client.untilEnd(20_000)
      expect(second.client.bytes.length - second.head).toBe(5_000_000)
      // On a busy machine the first could ask for the last bytes before the second has given them back.
      await eventually(() => feed.leases.size <= 1, 'the lease of the second to go back')
      first.socket.resume()
      await first.untilEnd(20_000)
      first.destroy()
      second.client.destroy()
      await close()
      expect(feed.charged.get(1n)).toBe(30_000_000n)
      const relayed = benches.reduce(
        (total, { gateway }) => total + gateway.stats().bytesUp + gateway.stats().bytesDown,
        0,
      )
      expect(relayed).toBe(30_000_000)
    },
  )

  it.each(['forward', 'tunnel'] as const)('and closes leaves nothing reserved (%s)', async (how) => {
    const { feed, benches, close } = await pair(30_000_000n)
    const client = await stalled(benches[0], how)
    client.socket.resetAndDestroy()
    await eventually(() => benches[0].gateway.stats().tunnelsOpen === 0, 'the end of the tunnel')
    await eventually(() => feed.leases.size === 0, 'the lease to go back')
    const { bytesUp, bytesDown } = benches[0].gateway.stats()
    expect(feed.charged.get(1n)).toBe(BigInt(bytesUp + bytesDown))
    await close()
  })
})

describe('an intermittent feed', () => {
  it('does not interrupt leased traffic, and everything is reported once it is back', async () => {
    const { feed, benches, close } = await pair(1_000_000n)
    const { client, head } = await opened(benches[0])
    client.write('abc')
    await client.until(() => client.text.endsWith('abc'), 'the echo')
    feed.away = true
    client.write(pattern(50_000))
    await client.until(() => client.bytes.length === head + 50_003, 'the echo without a feed')
    await eventually(() => benches[0].gateway.stats().reportsWaiting > 0, 'waiting reports')
    const newcomer = ask(benches[1], tunnelRequest())
    await newcomer.until(() => newcomer.text.includes('\r\n\r\n'), 'an answer')
    expect(newcomer.text).toMatch(/^HTTP\/1.1 503 .*accounts_unavailable/s)
    feed.away = false
    client.socket.end()
    await client.untilEnd()
    await eventually(() => feed.charged.get(1n) === 100_006n, 'the charge')
    client.destroy()
    newcomer.destroy()
    await close()
  })

  it('loses nothing when the gateway is killed: its journal is settled by the next boot, once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-'))
    const feed = new MemoryFeed()
    feed.addAccount('alice1', 'secret', 1_000_000n)
    feed.addExit()
    const first = await startBench({ memory: feed, journalDir: directory })
    const { client, head } = await opened(first)
    client.write(pattern(1000))
    await eventually(() => feed.charged.get(1n) === 2000n, 'the first charge')
    // From here on nothing reaches the server, as if the process had been killed with unsent reports.
    feed.away = true
    client.write(pattern(500))
    await client.until(() => client.bytes.length === head + 1500, 'the echo')
    await eventually(() => first.gateway.stats().reportsWaiting > 0, 'a report in the journal')
    client.destroy()
    const stopped = first.gateway.stop({ graceMs: 0 })
    const files = readdirSync(directory)
    expect(files).toHaveLength(1)
    const second = startBench({ memory: feed, journalDir: directory })
    feed.away = false
    const bench = await second
    await stopped
    expect(feed.charged.get(1n)).toBe(3000n)
    expect(feed.balances.get(1n)).toBe(997_000n)
    expect(feed.leases.size).toBe(0)
    await bench.close()
    expect(readdirSync(directory)).toEqual([])
    rmSync(directory, { recursive: true })
  })
})

describe('a kept connection to a target', () => {
  it('that was closed is replaced, and the request is charged once', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
    let connections = 0
    // Answers the first request of a connection and closes it at the second, as a target does that has just
    // closed an idle connection.
    const server = createServer((socket) => {
      connections++
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write(answer)
        socket.once('data', () => socket.destroy())
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const bench = await startBench()
    const request = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`
    const client = new RawClient(bench.port)
    for (const count of [1, 2, 3]) {
      client.write(request)
      await client.until(() => client.text.split('\r\n\r\nok').length === count + 1, `answer ${count}`)
    }
    const received = client.bytes.length
    client.destroy()
    await bench.close()
    expect(connections).toBe(3)
    expect(bench.feed.charged.get(1n)).toBe(BigInt(3 * request.length + received))
    expect(bench.feed.requests.get(1n)).toBe(3)
    await new Promise((resolve) => server.close(resolve))
  })
})
