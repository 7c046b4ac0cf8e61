import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pattern, startOrigin, type Origin } from '#test/origin'
import { eventually } from '#test/eventually'
import { RawClient } from './testing/client.ts'
import { mostUnreadBytes } from './testing/unread.ts'
import { basic, startBench, type Bench } from './testing/bench.ts'

let origin: Origin
let bench: Bench
const clients: RawClient[] = []

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(async () => origin.close())
beforeEach(async () => {
  origin.seen.length = 0
  bench = await startBench({ limits: { silentMs: 300, headMs: 400, answerMs: 500, keepAliveMs: 5000 } })
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await bench.close()
  expect(bench.errors).toEqual([])
  expect(bench.feed.faults).toEqual([])
})

function open(): RawClient {
  const client = new RawClient(bench.port)
  clients.push(client)
  return client
}

async function exchange(text: string): Promise<RawClient> {
  const client = open()
  client.write(text)
  await client.until(() => answered(client) || client.ended || client.closed, 'an answer')
  return client
}

/** Whether a whole response with Content-Length, or a head without one, was received. */
function answered(client: RawClient): boolean {
  const at = client.text.indexOf('\r\n\r\n')
  if (at < 0) return false
  const length = /content-length: ([0-9]+)/i.exec(client.text)?.[1]
  return client.bytes.length >= at + 4 + Number(length ?? 0)
}

const get = (path: string, more = '', method = 'GET') =>
  `${method} http://127.0.0.1:${origin.httpPort}${path} HTTP/1.1\r\nHost: x\r\n${basic()}${more}\r\n`

/** A target that answers every connection with fixed bytes. */
async function canned(
  answer: (socket: Socket, request: Buffer) => void,
): Promise<{ port: number; close: () => void }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (request: Buffer) => answer(socket, request))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

describe('the gateway’s own answers', () => {
  it('state the fault in three places, and never repeat what the client sent', async () => {
    const cases: [string, RegExp, string][] = [
      ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1.1 400 /, 'bad_target'],
      ['GET http://a/ HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1.1 407 /, 'credentials_missing'],
      [
        `GET http://a/ HTTP/1.1\r\nHost: x\r\n${basic('alice1', 'wr0ng')}\r\n`,
        /^HTTP\/1.1 407 /,
        'wrong_credentials',
      ],
      [
        `GET http://a/ HTTP/1.1\r\nHost: x\r\n${basic('nobody', 'wr0ng')}\r\n`,
        /^HTTP\/1.1 407 /,
        'wrong_credentials',
      ],
      [
        'GET http://a/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Bearer t0ken\r\n\r\n',
        /^HTTP\/1.1 407 /,
        'cred',
      ],
      [
        `GET http://a/ HTTP/1.1\r\nHost: x\r\n${basic('alice1-ccc-us')}\r\n`,
        /^HTTP\/1.1 400 .*"cc"/s,
        'bad_username',
      ],
      [`GET http://10.0.0.1/ HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`, /^HTTP\/1.1 403 /, 'target_forbidden'],
      [`CONNECT 1.1.1.1:25 HTTP/1.1\r\n${basic()}\r\n`, /^HTTP\/1.1 403 /, 'port_forbidden'],
      [`CONNECT 127.0.0.1:1 HTTP/1.1\r\n${basic()}\r\n`, /^HTTP\/1.1 502 /, 'connection_refused'],
      [`CONNECT 127.0.0.1 HTTP/1.1\r\n${basic()}\r\n`, /^HTTP\/1.1 400 /, 'bad_target'],
      [`CONNECT nowhere.invalid:80 HTTP/1.1\r\n${basic()}\r\n`, /^HTTP\/1.1 502 /, 'dns_error'],
      [get('/', 'Max-Forwards: 0\r\n', 'TRACE'), /^HTTP\/1.1 405 /, 'method_not_allowed'],
    ]
    const failures: [string, RegExp, string][] = [
      [get('/reset'), /^HTTP\/1.1 502 /, 'target_closed'],
      [get('/hang'), /^HTTP\/1.1 504 /, 'target_timeout'],
    ]
    for (const [text, status, code] of [...cases, ...failures]) {
      const client = await exchange(text)
      expect(client.text, text).toMatch(status)
      expect(client.text).toMatch(new RegExp(`Proxy-Status: turnpike; error=[a-z_]+; details="${code}`))
      expect(client.text).toMatch(/X-Request-Id: [0-9a-f-]{36}\r\n/)
      expect(client.text).toMatch(new RegExp(`\r\n\r\n${code}[a-z_]*: .*\n$`))
      expect(client.text).not.toMatch(/secret|wr0ng|t0ken|YWxpY2Ux/)
      if (status.source.includes('407'))
        expect(client.text).toContain('Proxy-Authenticate: Basic realm="turnpike"')
    }
    // Refusals are free; bytes accepted by a target that did not answer are not.
    const taken = failures.reduce((sum, [text]) => sum + text.length, 0)
    await bench.gateway.stop({ graceMs: 1000 })
    expect(bench.feed.charged.get(1n)).toBe(BigInt(taken))
  })

  it('leave the connection usable after a 407, whose body is never taken for a request', async () => {
    const hidden = get('/hidden')
    const client = open()
    client.write(
      `POST ${`http://127.0.0.1:${origin.httpPort}`}/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n`,
    )
    client.write(hidden)
    client.write(get('/second'))
    await client.until(() => client.text.includes('"/second"'), 'the second answer')
    expect(client.text).toMatch(/^HTTP\/1.1 407 /)
    const chunked = await exchange(
      `POST http://a/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
    )
    await chunked.untilEnd()
    expect(chunked.text).toMatch(/^HTTP\/1.1 407 .*Connection: close\r\n/s)
    const tunnel = await exchange(`CONNECT 127.0.0.1:${origin.echoPort} HTTP/1.1\r\n\r\n${hidden}`)
    await tunnel.untilEnd()
    expect(tunnel.text).toMatch(/^HTTP\/1.1 407 .*Connection: close\r\n/s)
    expect(origin.seen.map((request) => request.url)).toEqual(['/second'])
  })

  it('follow invalid bytes immediately, and silence in time', async () => {
    expect((await exchange('GET http://a/ HTTP/1.1\nHost: x')).text).toMatch(/^HTTP\/1.1 400 /)
    expect((await exchange(`GET http://a/ HTTP/1.1\r\nX: ${'a'.repeat(40_000)}`)).text).toMatch(
      /^HTTP\/1.1 431 /,
    )
    const slow = open()
    slow.write('GET http://a/ HT')
    await slow.untilEnd(2000)
    expect(slow.text).toMatch(/^HTTP\/1.1 408 .*Connection: close/s)
    const silent = open()
    await silent.untilEnd(2000)
    expect(silent.text).toBe('')
    const tls = open()
    tls.write(Buffer.from([0x16, 3, 1, 0, 5]))
    await tls.untilEnd(2000)
    const socks4 = open()
    socks4.write(Buffer.from([4, 1, 0, 80, 1, 1, 1, 1, 0]))
    await socks4.untilEnd(2000)
    expect([...socks4.bytes]).toEqual([0, 0x5b, 0, 0, 0, 0, 0, 0])
  })
})

describe('forwarding', () => {
  it('accepts a request byte by byte', async () => {
    const client = open()
    for (const char of get('/bytes/3')) {
      client.write(char)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await client.until(() => answered(client), 'the answer')
    expect(client.text).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  })

  it('serves pipelined requests in order, over one target connection', async () => {
    const client = open()
    const made = origin.made()
    client.write([1, 2, 3, 4].map((at) => get(`/bytes/${at}`)).join(''))
    await client.until(() => client.text.split('HTTP/1.1 200').length === 5, 'four answers')
    await client.until(() => client.text.endsWith(pattern(4).toString('latin1')), 'the last body')
    expect([...client.text.matchAll(/content-length: ([0-9])/gi)].map((match) => match[1])).toEqual([
      '1',
      '2',
      '3',
      '4',
    ])
    expect(origin.made() - made).toBe(1)
  })

  it('passes interim answers on, and none to HTTP/1.0', async () => {
    const client = await exchange(get('/hints'))
    await client.until(() => client.text.endsWith('after hints'), 'the answer')
    expect(client.text).toMatch(/^HTTP\/1.1 103 Early Hints\r\n.*\r\n\r\nHTTP\/1.1 200 /s)
    const old = await exchange(`GET http://127.0.0.1:${origin.httpPort}/hints HTTP/1.0\r\n${basic()}\r\n`)
    await old.untilEnd()
    expect(old.text).toMatch(/^HTTP\/1.1 200 .*\r\n\r\nafter hints$/s)
    expect(old.text).not.toMatch(/transfer-encoding/i)
    const expecting = open()
    expecting.write(get('/echo', 'Expect: 100-continue\r\nContent-Length: 4\r\n', 'POST'))
    await expecting.until(() => expecting.text.startsWith('HTTP/1.1 100'), 'the interim answer')
    expecting.write('body')
    await expecting.until(() => expecting.text.includes('body'), 'the answer')
  })

  it('handles responses without a body, and continues after them', async () => {
    const client = open()
    client.write(get('/bytes/7', '', 'HEAD') + get('/status/204') + get('/status/304') + get('/bytes/1'))
    await client.until(
      () => client.text.split('\r\n\r\n').length === 5 && !client.text.endsWith('\r\n\r\n'),
      'all answers',
    )
    expect([...client.text.matchAll(/HTTP\/1.1 ([0-9]+)/g)].map((match) => match[1])).toEqual([
      '200',
      '204',
      '304',
      '200',
    ])
  })

  it('makes a truncated response detectable', async () => {
    const client = open()
    client.write(get('/truncated/1000'))
    await client.untilEnd()
    const body = client.text.slice(client.text.indexOf('\r\n\r\n') + 4)
    expect(client.text).toContain('content-length: 2000')
    expect(body).toHaveLength(1000)
    await eventually(() => bench.gateway.stats().leasesOpen === 0, 'the lease to go back')
    expect(bench.feed.charged.get(1n)).toBe(BigInt(get('/truncated/1000').length + client.bytes.length))
  })

  it('turns into a tunnel for a websocket, and charges both directions', async () => {
    const client = open()
    const request = get('/ws', 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n')
    client.write(request)
    await client.until(() => client.text.endsWith('hello'), 'the switch')
    expect(client.text).toMatch(/^HTTP\/1.1 101 .*Connection: Upgrade\r\nUpgrade: websocket\r\n/s)
    client.write('frame')
    await client.until(() => client.text.endsWith('helloframe'), 'the echo')
    client.socket.end()
    await client.untilEnd()
    await eventually(() => bench.gateway.stats().leasesOpen === 0, 'the lease to go back')
    expect(bench.feed.charged.get(1n)).toBe(BigInt(request.length + 5 + client.bytes.length))
    // The record contains the cost of the request, heads included.
    const told = () => bench.feed.records.flatMap(({ records }) => records).at(-1)
    await eventually(() => told() !== undefined, 'the record')
    expect([told()?.charged_up_bytes, told()?.charged_down_bytes]).toEqual(
      [request.length + 5, client.bytes.length].map(BigInt),
    )
    const other = await exchange(get('/ws', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'))
    expect(other.text).toMatch(/^HTTP\/1.1 200 /)
  })

  it('closes the target’s connection when the client closes', async () => {
    const client = open()
    client.write(get('/hang'))
    await eventually(() => origin.seen.length === 1, 'the request to arrive')
    const before = origin.open()
    client.socket.resetAndDestroy()
    await eventually(() => origin.open() < before, 'the target connection to close')
    const tunnel = await exchange(`CONNECT 127.0.0.1:${origin.echoPort} HTTP/1.1\r\n${basic()}\r\n`)
    tunnel.socket.resetAndDestroy()
    await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'the end of the tunnel')
  })

  it('refuses invalid responses of targets', async () => {
    const bad = [
      'HTTP/1.1 200 OK\r\nX Bad: v\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\nContent-Length: 5\r\n\r\nhello',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: ,\r\nContent-Length: 5\r\n\r\nhello',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\xa0\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: ,\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\xa0\r\n\r\nhello',
      'HTTP/2.0 200 OK\r\n\r\n',
      'HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n',
      'hello\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'HTTP/1.1 101 X\r\n\r\n',
    ]
    for (const answer of bad) {
      const target = await canned((socket) => socket.end(answer, 'latin1'))
      const client = await exchange(
        `GET http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`,
      )
      expect(client.text, answer).toMatch(/^HTTP\/1.1 502 .*bad_answer/s)
      target.close()
    }
  })

  it('passes on an early response, and never takes the rest of a body for a request', async () => {
    const target = await canned((socket) => socket.write('HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n'))
    const hidden = get('/hidden')
    const client = open()
    client.write(
      `POST http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${basic()}Content-Length: ${hidden.length + 10}\r\n\r\n`,
    )
    await client.until(() => client.text.includes('\r\n\r\n'), 'the answer')
    client.write(hidden)
    await client.untilEnd()
    expect(client.text).toMatch(
      /^HTTP\/1.1 413 No\r\nContent-Length: 0\r\n(?:[PXD]-?\S+: [^\r]+\r\n){3}Connection: close\r\n\r\n$/,
    )
    expect(origin.seen).toEqual([])
    target.close()
  })

  it('ends a request with malformed chunks, without passing on the bytes behind them', async () => {
    const hidden = get('/hidden')
    const client = open()
    client.write(get('/echo', 'Transfer-Encoding: chunked\r\n', 'POST'))
    client.write(`5\r\nhello\r\n0x0\r\n\r\n${hidden}`)
    await client.untilEnd()
    expect(client.text).toMatch(/^HTTP\/1.1 400 .*bad_request/s)
    expect(origin.seen.map((request) => request.url)).not.toContain('/hidden')
  })

  it('stops reading a target when the client does not read', async () => {
    let sent = 0
    const target = await canned((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const more = () => {
        while (socket.write(pattern(65_536))) sent += 65_536
        sent += 65_536
      }
      socket.on('drain', more)
      more()
    })
    const client = open()
    client.socket.pause()
    client.write(`GET http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`)
    let before = -1
    await eventually(() => sent > 0, 'the first bytes')
    while (sent !== before) {
      before = sent
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(sent).toBeLessThan(mostUnreadBytes())
    client.destroy()
    target.close()
  })
})

describe('stopping', () => {
  it('accepts no more connections, lets requests end, closes idle connections, and reports all bytes', async () => {
    const idle = await exchange(get('/bytes/1'))
    const tunnel = await exchange(`CONNECT 127.0.0.1:${origin.echoPort} HTTP/1.1\r\n${basic()}\r\n`)
    const stopped = bench.gateway.stop({ graceMs: 5000 })
    await idle.untilEnd(2000)
    tunnel.write('still here')
    await tunnel.until(() => tunnel.text.endsWith('still here'), 'the echo')
    const late = new RawClient(bench.port)
    await late.until(() => late.closed, 'the refusal')
    tunnel.socket.end()
    await stopped
    expect(bench.feed.charged.get(1n)).toBe(BigInt(get('/bytes/1').length + idle.bytes.length + 20))
    expect(bench.feed.leases.size).toBe(0)
  })
})
