import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pattern, startOrigin, type Origin } from '#test/origin'
import { eventually } from '#test/eventually'
import { parseReply } from './chain.socks5.ts'
import { ExitFailure } from './failure.ts'
import type { FeedExit } from '#feed'
import { basic, startBench, type Bench } from '../testing/bench.ts'
import { MemoryFeed } from '#feed/testing'
import { RawClient } from '../testing/client.ts'
import { certificateFolder } from '../testing/certificates.ts'
import { namesOf } from '../testing/names.ts'
import {
  httpAnswer,
  socksReply,
  startUpstream,
  type FakeUpstream,
  type UpstreamOptions,
} from '../testing/proxy.ts'

const folder = certificateFolder()
let origin: Origin
let bench: Bench
let upstreams: FakeUpstream[] = []
let clients: RawClient[] = []

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(async () => {
  await origin.close()
  folder.remove()
})
beforeEach(async () => {
  const memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1_000_000_000n)
  bench = await startBench({
    memory,
    limits: { exitMs: 300, exitsMs: 600 },
    names: await namesOf((name) =>
      name === 'inside.test' ? ['10.1.2.3'] : name === 'there.test' ? ['127.0.0.1'] : ['192.0.2.1'],
    ),
    allow: [
      { cidr: { ip: { family: 4, value: 0x7f000001n }, prefix: 32 }, port: null },
      { host: 'there.test', port: null },
    ],
  })
})
afterEach(async () => {
  for (const client of clients) client.destroy()
  await bench.close()
  await Promise.all(upstreams.map((upstream) => upstream.close()))
  expect(bench.errors).toEqual([])
  upstreams = []
  clients = []
})

/** Adds a fake proxy as an exit; resolves when the gateway has loaded it. */
async function leaveBy(options: UpstreamOptions, parts: Partial<FeedExit> = {}): Promise<FakeUpstream> {
  const upstream = await startUpstream(options)
  upstreams.push(upstream)
  bench.feed.addExit('residential', { kind: options.kind, host: '127.0.0.1', port: upstream.port, ...parts })
  const before = bench.feed.exitsAsked
  bench.feed.emit({ type: 'exits_changed' })
  await eventually(() => bench.feed.exitsAsked > before, 'the exits to be asked for')
  await new Promise((resolve) => setImmediate(resolve))
  return upstream
}

function say(text: string): RawClient {
  const client = new RawClient(bench.port)
  clients.push(client)
  client.write(text)
  return client
}

const connectTo = (target: string, line = 'alice1') => say(`CONNECT ${target} HTTP/1.1\r\n${basic(line)}\r\n`)

/** The head of the response to a CONNECT. */
async function answerTo(target: string, line?: string): Promise<string> {
  const client = connectTo(target, line)
  await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
  return client.text
}

const echoAt = () => `127.0.0.1:${origin.echoPort}`
const login = (username: string, password: string) => username === 'shop' && password === 'p@ss: word'
const shop = { username: 'shop', password: 'p@ss: word' }

describe('a chained exit', () => {
  it.each([
    ['http', {}, {}],
    ['http', { login, drips: true }, shop],
    ['socks5', {}, {}],
    ['socks5', { login, drips: true }, shop],
    // A proxy that does not request a login does not get it.
    ['socks5', {}, shop],
  ] as const)(
    'over %s with %o relays bytes exactly, and its handshake is free',
    async (kind, options, credentials) => {
      const upstream = await leaveBy({ kind, early: Buffer.from('<early>'), ...options }, credentials)
      const client = connectTo(echoAt())
      await client.until(() => client.text.includes('\r\n\r\n<early>'), 'the tunnel and its first bytes')
      expect(client.text).toMatch(/^HTTP\/1.1 200 /)
      const sent = pattern(300_000)
      client.write(sent)
      client.socket.end()
      await client.untilEnd()
      const body = client.bytes.subarray(client.bytes.indexOf('\r\n\r\n') + 4)
      expect(body.equals(Buffer.concat([Buffer.from('<early>'), sent]))).toBe(true)
      const alice = bench.feed.accounts.get('residential alice1')
      if (alice === undefined) throw new Error('no account')
      await eventually(() => bench.feed.chargedTo(alice) === 600_007n, 'the exact charge')
      expect(upstream.seen).toHaveLength(1)
      expect(upstream.seen[0]).toMatchObject({ host: '127.0.0.1', port: origin.echoPort })
      expect(upstream.seen[0]?.username).toBe('login' in options ? 'shop' : kind === 'http' ? null : null)
      await eventually(() => upstream.open() === 0, 'the connection to the exit to be closed')
    },
  )

  it.each(['http', 'socks5'] as const)(
    'over %s may require TLS, verified by its own authority',
    async (kind) => {
      const files = folder.make(`exit-${kind}`, ['there.test', '127.0.0.1'])
      const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
      const ca = tls.cert.toString()
      for (const host of ['127.0.0.1', 'there.test']) {
        bench.feed.exitList = []
        await leaveBy({ kind, tls, login }, { ...shop, host, tls: true, tls_ca: ca })
        const client = connectTo(echoAt())
        await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
        expect(client.text).toMatch(/^HTTP\/1.1 200 /)
        const sent = pattern(500_000)
        client.write(sent)
        client.socket.end()
        await client.untilEnd()
        expect(client.bytes.subarray(-sent.length).equals(sent)).toBe(true)
      }
      bench.feed.exitList = []
      const stranger = await leaveBy({ kind, tls }, { tls: true })
      const refused = await answerTo(echoAt())
      expect(refused).toMatch(/^HTTP\/1.1 502 /)
      expect(refused).toContain('exit_unreachable')
      expect(stranger.seen).toEqual([])
    },
  )

  it('gets requests to http:// addresses through a tunnel', async () => {
    const upstream = await leaveBy({ kind: 'http', login }, shop)
    const url = `http://127.0.0.1:${origin.httpPort}/bytes/10`
    const client = say(
      `GET ${url} HTTP/1.1\r\nHost: x\r\n${basic()}\r\nGET ${url} HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`,
    )
    await client.until(() => client.text.split('HTTP/1.1 200').length === 3, 'two answers')
    expect(upstream.seen.map(({ line }) => line)).toEqual([`CONNECT 127.0.0.1:${origin.httpPort} HTTP/1.1`])
  })

  it('that forwards gets the requests with its own login, never the customer’s', async () => {
    const upstream = await leaveBy(
      { kind: 'http', login, answer: () => Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi') },
      { ...shop, plain_http: 'forward', names: 'exit' },
    )
    const client = say(`GET http://there.test:81/a?b=%20 HTTP/1.1\r\nHost: x\r\n${basic()}X-Mine: 1\r\n\r\n`)
    await client.until(() => client.text.endsWith('hi'), 'the answer')
    expect(client.text).toMatch(/^HTTP\/1.1 200 /)
    const [seen] = upstream.seen
    expect(seen?.line).toBe('GET http://there.test:81/a?b=%20 HTTP/1.1')
    expect(seen).toMatchObject({ username: 'shop', password: 'p@ss: word' })
    expect(seen?.fields.filter((field) => /^proxy-authorization/i.test(field))).toHaveLength(1)
    expect(seen?.fields).toContain('Host: there.test:81')
  })

  it('that forwards and rejects its login causes no 407 for the customer', async () => {
    await leaveBy({ kind: 'http', login }, { plain_http: 'forward', names: 'exit' })
    const client = say(`GET http://there.test/ HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`)
    await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
    expect(client.text).toMatch(/^HTTP\/1.1 502 /)
    expect(client.text).toContain('exit_refused')
    expect(client.text).not.toContain('Proxy-Authenticate')
  })
})

describe('the destination that a chained exit gets', () => {
  it.each([
    // A name that changes its address could lead an exit in the operator's network into that network.
    ['auto', '127.0.0.1'],
    ['gateway', '127.0.0.1'],
    ['exit', 'there.test'],
  ] as const)('with names: %s is %s', async (names, host) => {
    for (const kind of ['http', 'socks5'] as const) {
      bench.feed.exitList = []
      const upstream = await leaveBy({ kind }, { names })
      expect(await answerTo(`there.test:${origin.echoPort}`)).toMatch(/^HTTP\/1.1 200 /)
      expect(upstream.seen[0]?.host).toBe(host)
    }
  })

  it('is never a private target, in any spelling, and no exit is contacted for one', async () => {
    const upstream = await leaveBy({ kind: 'socks5' }, { names: 'exit' })
    const spellings = [
      '10.0.0.1',
      '0x0a000001',
      '167772161',
      '012.1',
      '[::ffff:10.0.0.1]',
      '[64:ff9b::a00:1]',
      'inside.test',
      'INSIDE.test.',
    ]
    for (const host of spellings) expect(await answerTo(`${host}:80`), host).toMatch(/^HTTP\/1.1 40[03] /)
    expect(upstream.made()).toBe(0)
  })
})

describe('an exit that misbehaves', () => {
  const refusals: [name: string, bytes: Buffer, status: number, code: string][] = [
    ['network unreachable', socksReply(3), 502, 'target_unreachable'],
    ['host unreachable', socksReply(4), 502, 'target_unreachable'],
    ['connection refused', socksReply(5), 502, 'connection_refused'],
    ['TTL expired', socksReply(6), 504, 'target_unreachable'],
    ['not allowed', socksReply(2), 403, 'target_refused_by_exit'],
    ['a general failure', socksReply(1), 502, 'exit_or_target_failed'],
    ['an unknown command', socksReply(7), 502, 'exit_misunderstood'],
    ['a refusal cut short', Buffer.from([5, 5]), 502, 'connection_refused'],
    ['a wrong version', Buffer.from([4, 0, 0, 1, 0, 0, 0, 0, 0, 0]), 502, 'exit_failed'],
    ['an unknown address type', Buffer.from([5, 0, 0, 9, 1, 2, 3, 4, 5, 6]), 502, 'exit_failed'],
    ['text of HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 502, 'exit_failed'],
  ]
  it.each(refusals)('over SOCKS5 with %s causes that answer', async (_name, bytes, status, code) => {
    for (const drips of [false, true]) {
      bench.feed.exitList = []
      await leaveBy({ kind: 'socks5', drips, answer: () => bytes })
      const answer = await answerTo(echoAt())
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(answer).toContain(`${code}: `)
      expect(answer).toMatch(/Proxy-Status: turnpike; error=/)
    }
  })

  it.each(['http', 'socks5'] as const)('over %s that stays silent, or closes, ends in time', async (kind) => {
    for (const [answer, status] of [
      ['hang', 504],
      ['close', 502],
    ] as const) {
      bench.feed.exitList = []
      const upstream = await leaveBy({ kind, answer: () => answer })
      expect(await answerTo(echoAt())).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      await eventually(() => upstream.open() === 0, 'the connection to the exit to be closed')
    }
  })

  it('with arbitrary bytes causes no other error', async () => {
    let bytes = Buffer.alloc(0)
    for (const kind of ['http', 'socks5'] as const) {
      bench.feed.exitList = []
      await leaveBy({ kind, answer: () => bytes })
      const answers = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 40 }), 15)
      for (const part of [
        ...answers.map((one) => Buffer.from(one)),
        Buffer.from('HTTP/1.1 2OO OK\r\n\r\n'),
      ]) {
        bytes = Buffer.concat([part, Buffer.from('\r\n\r\n')])
        // Random bytes may begin like a valid answer, which is then waited for, or be a valid refusal; none
        // opens a tunnel.
        expect(await answerTo(echoAt())).toMatch(/^HTTP\/1.1 (403|50[234]) /)
      }
    }
  })

  it('with an arbitrary reply causes a refusal and no other error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const buffer = Buffer.from(bytes)
        try {
          const read = parseReply(buffer)
          if (read !== null) expect(read.used).toBeLessThanOrEqual(buffer.length)
        } catch (fault) {
          expect(fault).toBeInstanceOf(ExitFailure)
        }
      }),
    )
  })

  it('with a wrong login causes a 502 that names the operator’s side, over both protocols', async () => {
    for (const kind of ['http', 'socks5'] as const) {
      bench.feed.exitList = []
      await leaveBy({ kind, login }, { username: 'shop', password: 'wrong' })
      const answer = await answerTo(echoAt())
      expect(answer).toMatch(/^HTTP\/1.1 502 /)
      expect(answer).toContain('exit_refused')
      expect(answer).not.toMatch(/Proxy-Authenticate|wrong/)
    }
  })

  it('is abandoned once the client has reset its connection', async () => {
    const exits = [
      await leaveBy({ kind: 'http', answer: () => 'hang' }),
      await leaveBy({ kind: 'http', answer: () => 'hang' }),
    ]
    const asked = () => exits.flatMap(({ seen }) => seen).length
    const client = connectTo(echoAt())
    await eventually(() => asked() === 1, 'an exit to be asked')
    // A FIN without a reset may be half-close: a client that sends nothing more still waits for the response.
    client.socket.resetAndDestroy()
    await eventually(() => exits.every((exit) => exit.open() === 0), 'the exit to be left')
    await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'the request to end')
    expect(asked()).toBe(1)
  })
})

it('a chained exit never discloses the operator’s account to a customer', async () => {
  const words = [
    'x-brd-err-code: client_10060',
    'x-brd-err-msg: IP not allocated to zone brd-customer-hl_1a2b3c4d-zone-residential',
  ]
  await leaveBy(
    { kind: 'http', answer: () => httpAnswer('407 Proxy Authentication hl_1a2b3c4d', words.slice(1)) },
    { preset: 'bright_data', username: 'brd-customer-hl_1a2b3c4d-zone-residential', password: 'x' },
  )
  const answer = await answerTo(echoAt())
  expect(answer).toMatch(/^HTTP\/1.1 502 /)
  expect(answer).not.toContain('hl_1a2b3c4d')
})
