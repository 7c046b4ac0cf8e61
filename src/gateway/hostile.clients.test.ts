/** Hostile clients: slow ones, too many from one address, guessed passwords, and clients that do not read. */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startOrigin, type Origin } from '#test/origin'
import { eventually } from '#test/eventually'
import { defaultLimits } from './gateway.options.ts'
import { RawClient } from './testing/client.ts'
import { mostUnreadBytes } from './testing/unread.ts'
import { certificateFolder, shake, type CertificateFolder } from './testing/certificates.ts'
import { basic, silentLog, startBench, type Bench } from './testing/bench.ts'

let origin: Origin
let folder: CertificateFolder
let bench: Bench
/** All logged lines. */
const logged: string[] = []

beforeAll(async () => {
  origin = await startOrigin()
  folder = certificateFolder()
  folder.make('door', ['127.0.0.1'])
})
afterAll(async () => {
  await origin.close()
  folder.remove()
})

type BenchOptions = Parameters<typeof startBench>[0]
async function begin(options: BenchOptions = {}): Promise<void> {
  const note = (fields: object, message: string) => {
    const text = JSON.stringify(fields, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    )
    logged.push(`${message} ${text}`)
  }
  const log = { ...silentLog, debug: note, info: note, warn: note, error: note }
  bench = await startBench({ certificates: [folder.files('door')], log, ...options })
}
beforeEach(() => void (logged.length = 0))
afterEach(async () => {
  await bench.close()
  expect(logged.filter((line) => line.includes('on a bug'))).toEqual([])
  expect(bench.feed.faults).toEqual([])
})

const account = () => [...bench.feed.accounts.values()][0] ?? expect.unreachable()
const proxyRequest = (url: string, credentials = basic()) =>
  `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${credentials}\r\n`
const connectRequest = (target: string, credentials = basic()) =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`

/** Sends the text, optionally over TLS, and returns all bytes received until the end. */
async function ask(text: string, socket?: Socket): Promise<string> {
  const client = new RawClient(socket ?? bench.port)
  client.write(text)
  await client.untilEnd()
  client.destroy()
  return client.text
}

describe('P14: slow clients', () => {
  it('get no more time by default than documented', async () => {
    await begin()
    expect(defaultLimits.silentMs).toBeLessThanOrEqual(10_000)
    expect(defaultLimits.handshakeMs).toBeLessThanOrEqual(10_000)
    expect(defaultLimits.headMs).toBeLessThanOrEqual(30_000)
    expect(defaultLimits.answerMs).toBeLessThanOrEqual(60_000)
  })

  it('300 incomplete heads cost nothing but their sockets, delay no other client, and end with 408', async () => {
    await begin({ limits: { headMs: 1500 } })
    const slow = Array.from({ length: 300 }, () => new RawClient(bench.port))
    for (const client of slow) client.write('GET http://slow.test/ HTTP/1.1\r\nHost: slow.test\r\nX-A: ')
    await eventually(() => bench.gateway.stats().connectionsOpen === 300, 'all of them to be there')
    expect(await ask(proxyRequest(`http://127.0.0.1:${origin.httpPort}/bytes/5`))).toMatch(/^HTTP\/1.1 200/)
    expect(slow.filter(({ ended }) => ended)).toHaveLength(0)
    for (const client of slow) await client.untilEnd()
    expect(new Set(slow.map(({ text }) => text.split('\r\n')[0]))).toEqual(
      new Set(['HTTP/1.1 408 Request Timeout']),
    )
    expect(bench.gateway.stats()).toMatchObject({ tunnelsTotal: 1 })
    for (const client of slow) client.destroy()
  })

  it('that send single bytes get no more time for it', async () => {
    await begin({ limits: { headMs: 400 } })
    const client = new RawClient(bench.port)
    const head = proxyRequest('http://slow.test/').slice(0, 40).split('')
    const drip = setInterval(() => client.socket.writable && client.write(head.shift() ?? 'x'), 20)
    await client.until(() => client.text.startsWith('HTTP/1.1 408'), 'the answer')
    clearInterval(drip)
    client.destroy()
  })

  it('that stay silent, begin a SOCKS handshake or keep a connection idle are closed', async () => {
    await begin({ limits: { silentMs: 200, handshakeMs: 200, keepAliveMs: 200 } })
    const [silent, socks, kept] = [1, 2, 3].map(() => new RawClient(bench.port))
    socks?.write(Buffer.from([5]))
    kept?.write(`GET http://127.0.0.1:${origin.httpPort}/bytes/5 HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`)
    for (const client of [silent, socks, kept]) await client?.untilEnd()
    expect([silent?.text, socks?.text]).toEqual(['', ''])
    expect(kept?.text).toMatch(/^HTTP\/1.1 200/)
    for (const client of [silent, socks, kept]) client?.destroy()
  })

  it('silent targets end with 504, and the bytes they accepted are charged', async () => {
    await begin({ limits: { answerMs: 200 } })
    const answer = await ask(proxyRequest(`http://127.0.0.1:${origin.httpPort}/hang`))
    expect(answer).toMatch(/^HTTP\/1.1 504 /)
    await bench.gateway.stop({ graceMs: 1000 })
    const sent = proxyRequest(`http://127.0.0.1:${origin.httpPort}/hang`)
    expect(bench.feed.chargedTo(account())).toBe(BigInt(sent.length))
  })
})

describe('many from one address', () => {
  it('are refused above the limit, until one is closed', async () => {
    await begin({ limits: { connectionsPerAddress: 3 } })
    const clients = [1, 2, 3].map(() => new RawClient(bench.port))
    await eventually(() => bench.gateway.stats().connectionsOpen === 3, 'three connections')
    const fourth = new RawClient(bench.port)
    await fourth.untilEnd()
    expect(bench.gateway.stats().refusals).toEqual({ too_many_from_address: 1 })
    clients[0]?.destroy()
    await eventually(() => bench.gateway.stats().connectionsOpen === 2, 'one to leave')
    expect(await ask(proxyRequest(`http://127.0.0.1:${origin.httpPort}/`))).toMatch(/^HTTP\/1.1 200/)
    for (const client of clients) client.destroy()
  })

  it('may be more when they are authenticated', async () => {
    await begin({ limits: { unauthenticatedPerAddress: 2 } })
    const tunnels: RawClient[] = []
    for (let count = 0; count < 6; count++) {
      const client = new RawClient(bench.port)
      client.write(connectRequest(`127.0.0.1:${origin.echoPort}`))
      await client.until(() => client.text.includes(' 200 '), 'the tunnel')
      tunnels.push(client)
    }
    const strangers = [new RawClient(bench.port), new RawClient(bench.port)]
    await eventually(() => bench.gateway.stats().connectionsOpen === 8, 'two strangers')
    const third = new RawClient(bench.port)
    await third.untilEnd()
    expect(third.text).toBe('')
    for (const client of [...tunnels, ...strangers]) client.destroy()
  })
})

describe('P18: guessing passwords', () => {
  const guess = (password: string, from = '127.0.0.1') =>
    ask(
      connectRequest(`127.0.0.1:${origin.echoPort}`, `Connection: close\r\n${basic('alice1', password)}`),
      connect({ host: '127.0.0.1', port: bench.port, localAddress: from, allowHalfOpen: true }),
    )

  it('is 429 with Retry-After after 30 in a minute from one address, without effect on other addresses', async () => {
    await begin()
    for (let count = 0; count < 30; count++) expect(await guess(`wrong${count}`)).toMatch(/^HTTP\/1.1 407/)
    const throttled = await guess('wrong')
    expect(throttled).toMatch(/^HTTP\/1.1 429/)
    expect(throttled).toMatch(/\r\nRetry-After: ([1-9]|[1-5]\d|60)\r\n/)
    expect(await guess('secret')).toMatch(/^HTTP\/1.1 429/)
    expect(await ask(proxyRequest(`http://127.0.0.1:${origin.httpPort}/`, basic('no login', 'x')))).toMatch(
      /^HTTP\/1.1 429/,
    )
    // SOCKS5 has no reply for it: the connection is closed instead.
    expect(await ask('\x05\x01\x02\x01\x06alice1\x06secret')).toBe('\x05\x02')
    const client = new RawClient(
      connect({ host: '127.0.0.1', port: bench.port, localAddress: '127.0.0.2', allowHalfOpen: true }),
    )
    client.write(connectRequest(`127.0.0.1:${origin.echoPort}`))
    await client.until(() => client.text.startsWith('HTTP/1.1 200'), 'the tunnel from elsewhere')
    client.destroy()
  })

  it('never locks out credentials that were right from there before', async () => {
    await begin()
    const right = () => ask(proxyRequest(`http://127.0.0.1:${origin.httpPort}/`))
    expect(await right()).toMatch(/^HTTP\/1.1 200/)
    // The same password with a login that is misspelled.
    const misspelled = `Connection: close\r\n${basic('alice2')}`
    expect(await ask(connectRequest(`127.0.0.1:${origin.echoPort}`, misspelled))).toMatch(/^HTTP\/1.1 407/)
    for (let count = 0; count < 40; count++) await guess(`wrong${count}`)
    expect(await right()).toMatch(/^HTTP\/1.1 200/)
  })

  it('gets the same answer for an unknown login and a wrong password', async () => {
    await begin()
    const answers = await Promise.all(
      ['alice1', 'nobody1'].map((login) =>
        ask(proxyRequest('http://127.0.0.1/', basic(login, 'not the password'))),
      ),
    )
    const same = answers.map((text) =>
      text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id').replace(/\r\nDate: [^\r]+/, ''),
    )
    expect(same[0]).toBe(same[1])
    expect(same[0]).toMatch(/^HTTP\/1.1 407/)
  })

  it('gets no faster answer for a cached login than for one that is looked up, over HTTP and SOCKS', async () => {
    await begin()
    expect(await ask(proxyRequest(`http://127.0.0.1:${origin.httpPort}/`))).toMatch(/^HTTP\/1.1 200/)
    for (const login of ['alice1', 'nobody1'])
      for (const text of [
        proxyRequest('http://127.0.0.1/', basic(login, 'wrong')),
        `\x05\x01\x02\x01${String.fromCharCode(login.length)}${login}\x05wrong`,
      ]) {
        const startedAt = performance.now()
        expect((await ask(text)).slice(0, 12)).toBe(
          text.startsWith('GET') ? 'HTTP/1.1 407' : '\x05\x02\x01\x01',
        )
        // Every refusal waits at least 50 ms, less what timers are imprecise; a busy machine may take longer.
        expect(performance.now() - startedAt).toBeGreaterThanOrEqual(45)
      }
  })
})

describe('P23: secrets', () => {
  it('are in no answer and no log line, for any refusal', async () => {
    await begin({ allow: [] })
    const cookie = 'Cookie: session=tasty\r\nAuthorization: Bearer hidden\r\n'
    const encoded = Buffer.from('alice1:secret').toString('base64')
    const texts = [
      `${proxyRequest('http://10.0.0.1/').slice(0, -2)}${cookie}\r\n`,
      proxyRequest('http://10.0.0.1/', basic('alice1', 'mistaken')),
      connectRequest('10.0.0.1:443', `Connection: close\r\n${basic()}`),
      connectRequest('bad_:host:443', `Connection: close\r\n${basic()}`),
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${basic()}${cookie}\r\n`,
      `GET http://x/ HTTP/1.1\r\nHost: x\r\n Folded: ${encoded}\r\n${basic()}\r\n`,
    ]
    for (const text of texts) {
      const answer = await ask(text)
      expect(answer).toMatch(/^HTTP\/1.1 4/)
      expect(answer).not.toMatch(new RegExp(`secret|mistaken|tasty|hidden|${encoded}`))
    }
    expect(logged.join('\n')).not.toMatch(new RegExp(`secret|mistaken|tasty|hidden|${encoded}`))
  })
})

describe('P15: a client that stops reading', () => {
  /** A target that sends without end, and counts the bytes that its kernel accepted. */
  async function endless() {
    let sent = 0
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const more = () => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length
      }
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n')
        more()
      })
      socket.on('drain', more)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      port: (server.address() as AddressInfo).port,
      /** The bytes it has sent once no more are accepted. */
      async settled() {
        for (
          let last = -1;
          last !== sent || sent === 0;
          await new Promise((resolve) => setTimeout(resolve, 250))
        )
          last = sent
        return sent
      },
      close: () => {
        for (const socket of sockets) socket.destroy()
        server.close()
      },
    }
  }

  it.each(['a tunnel', 'a tunnel inside TLS', 'a forwarded request'])(
    'takes at most 16 MB from the target through %s, and more only where kernel buffers are larger',
    async (how) => {
      await begin()
      const target = await endless()
      const client = new RawClient(how.includes('TLS') ? await shake(bench.port) : bench.port)
      if (how.includes('tunnel')) {
        client.write(connectRequest(`127.0.0.1:${target.port}`))
        await client.until(() => client.text.includes('\r\n\r\n'), 'the tunnel')
        client.write('go')
      } else {
        client.write(proxyRequest(`http://127.0.0.1:${target.port}/`))
      }
      await client.until(() => client.text.includes('xxx'), 'the first bytes')
      client.socket.pause()
      expect(await target.settled()).toBeLessThan(mostUnreadBytes())
      client.destroy()
      target.close()
    },
  )
})
