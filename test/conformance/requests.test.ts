import { createHash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Origin, pattern, startOrigin } from '#test/origin'
import { basic } from '../../src/gateway/testing/bench.ts'
import { fieldsOf, ok, request, startTarget, Talks, withTarget } from './talk.ts'
import { startWay, type Way, wayNames } from './ways.ts'

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

let origin: Origin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

/** Node's own client over an open connection, for bodies too large to collect piece by piece. */
function transfer(socket: Socket, method: string, url: string, body?: Buffer): Promise<Buffer> {
  const credentials = basic().replace('Proxy-Authorization: ', '').trim()
  return new Promise((resolve, reject) => {
    const headers = { host: 'x', 'proxy-authorization': credentials, 'content-length': body?.length ?? 0 }
    const outgoing = httpRequest({ createConnection: () => socket, method, path: url, headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => void parts.push(part))
      answer.on('end', () => resolve(Buffer.concat(parts)))
      answer.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

describe.each(wayNames)('a request %s', (name) => {
  let way: Way
  const talks = new Talks(() => way)
  const url = (path: string) => `http://127.0.0.1:${origin.httpPort}${path}`

  beforeAll(async () => {
    way = await startWay(name)
  })
  afterEach(() => talks.close())
  afterAll(() => way.close())

  /** The bytes that the target received for a request, after an answer of 200. */
  const heardOf = (make: (url: string) => string) =>
    withTarget(ok, async (target) => {
      expect((await talks.ask(make(target.url))).status).toBe(200)
      return { heard: target.heard[0] ?? '', port: target.port }
    })

  it('H01, H02: is forwarded in origin-form, with the Host of its target', async () => {
    const { heard, port } = await heardOf(
      (to) => `GET ${to}/path HTTP/1.1\r\nHost: other.example\r\n${basic()}\r\n`,
    )
    expect(heard).toMatch(/^GET \/path HTTP\/1\.1\r\n/)
    expect(fieldsOf(heard, 'Host')).toEqual([`127.0.0.1:${port}`])
  })

  it('H04, H05: with two Hosts, or in origin-form, is 400 and is not forwarded', async () => {
    const { status } = await talks.ask(request(url('/'), 'Host: other.example\r\n'))
    expect(status).toBe(400)
    const made = origin.made()
    expect(
      (await talks.ask(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${origin.httpPort}\r\n${basic()}\r\n`)).status,
    ).toBe(400)
    expect(origin.made()).toBe(made)
  })

  it('H70, H71: with a target or a method that is too long is refused accordingly, and the connection ends', async () => {
    const made = origin.made()
    for (const [text, status] of [
      [request(url(`/${'a'.repeat(40_000)}`)), 414],
      [request(url('/'), '', 'M'.repeat(40)), 501],
      [request(url('/'), '', 'M'.repeat(40_000)), 501],
      [request(url('/'), `X-Long: ${'a'.repeat(40_000)}\r\n`), 431],
    ] as const) {
      const answer = await talks.ask(text)
      expect([answer.status, fieldsOf(answer.head, 'Connection')]).toEqual([status, ['close']])
    }
    expect(origin.made()).toBe(made)
  })

  it('H07, H08, H10: only Basic, in any letter case, with the right password is accepted', async () => {
    const asking = (credentials: string) => `GET ${url('/')} HTTP/1.1\r\nHost: x\r\n${credentials}\r\n`
    const made = origin.made()
    expect((await talks.ask(asking(basic('alice1', 'wrong')))).status).toBe(407)
    expect((await talks.ask(asking('Proxy-Authorization: Bearer token\r\n'))).status).toBe(407)
    expect(origin.made()).toBe(made)
    expect((await talks.ask(asking(basic().replace('Basic', 'bAsIc')))).status).toBe(200)
  })

  it('H11, H14, H16: loses its credentials and hop-by-hop fields, and nothing discloses a proxy', async () => {
    const fields =
      'Keep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\nConnection: TE, Upgrade\r\nUpgrade: h2c\r\n'
    // Each field twice: named by Connection, and on its own.
    for (const sent of [fields, 'Keep-Alive: timeout=5\r\nTE: trailers\r\nUpgrade: h2c\r\n']) {
      const { heard } = await heardOf((to) => request(`${to}/`, sent))
      expect(heard).not.toMatch(/\r\n(proxy-[\w-]*|keep-alive|te|upgrade|via|x-[\w-]*|forwarded):/i)
    }
  })

  it('H12: keeps end-to-end fields', async () => {
    const guarded = (socket: Socket, heard: string) =>
      void socket.write(
        heard.includes('Authorization: Basic bWU6bWU=')
          ? ok
          : 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="theirs"\r\nContent-Length: 0\r\n\r\n',
      )
    await withTarget(guarded, async (target) => {
      const talk = await talks.open(request(`${target.url}/`))
      const first = await talk.answer()
      expect([first.status, fieldsOf(first.head, 'WWW-Authenticate')]).toEqual([
        401,
        ['Basic realm="theirs"'],
      ])
      talk.say(request(`${target.url}/`, 'Authorization: Basic bWU6bWU=\r\n'))
      expect((await talk.answer()).status).toBe(200)
    })
  })

  it('H24: with Expect is answered before its body is sent', async () => {
    const talk = await talks.open(
      request(url('/echo'), 'Expect: 100-continue\r\nContent-Length: 4\r\n', 'POST'),
    )
    expect((await talk.answer()).status).toBe(100)
    talk.say('body')
    expect(await talk.answer()).toMatchObject({ status: 200, body: 'body' })
  })

  it('H27: on a kept connection goes to its own target', async () => {
    const [one, two] = [await startTarget(ok.replace('ok', '11')), await startTarget(ok.replace('ok', '22'))]
    const talk = await talks.open(request(`${one.url}/`))
    expect((await talk.answer()).body).toBe('11')
    talk.say(request(`${two.url}/`))
    expect((await talk.answer()).body).toBe('22')
    expect([one.connections(), two.connections()]).toEqual([1, 1])
    for (const target of [one, two]) target.close()
  })

  it('H28: of many pipelined ones is answered in order', async () => {
    const talk = await talks.open([1, 2, 3, 4].map((size) => request(url(`/bytes/${size}`))).join(''))
    for (const size of [1, 2, 3, 4]) expect((await talk.answer()).body).toHaveLength(size)
  })

  it('H32, H33: twenty megabytes down and up arrive unchanged', async () => {
    const data = pattern(20_000_000)
    expect(sha(await transfer((await way.open()).socket, 'GET', url('/bytes/20000000')))).toBe(
      sha(await (await fetch(url('/bytes/20000000'))).bytes().then((bytes) => Buffer.from(bytes))),
    )
    expect(sha(await transfer((await way.open()).socket, 'POST', url('/echo'), data))).toBe(sha(data))
  })

  it('H34, H35, H64, H65: keeps its path, its bytes, the order, case and repetition of its fields', async () => {
    const path = '/%2e/./a/../%41//b/{|}?x=%2e&y=//|'
    const fields = 'X-Zebra: 1\r\nuser-AGENT: me\r\nX-Bytes: caf\xe9\r\nx-zebra: 2\r\naccept: */*\r\n'
    const { heard } = await heardOf((to) => request(to + path, fields))
    expect(heard.split('\r\n')[0]).toBe(`GET ${path} HTTP/1.1`)
    expect(heard).toContain(`\r\n${fields}`)
    expect(heard).not.toMatch(/\r\naccept-encoding:/i)
  })

  it('H37: OPTIONS without a path is sent for "*"', async () => {
    const { heard } = await heardOf((to) => request(to, '', 'OPTIONS'))
    expect(heard).toMatch(/^OPTIONS \* HTTP\/1\.1\r\n/)
  })

  it('H52: goes to an IPv6 literal', async () => {
    const target = await startTarget(ok, '::1')
    expect(await talks.ask(request(`${target.url}/`))).toMatchObject({ status: 200, body: 'ok' })
    expect(fieldsOf(target.heard[0] ?? '', 'Host')).toEqual([`[::1]:${target.port}`])
    target.close()
  })

  it('H53, H39: to an impossible port, or an invalid name, is refused', async () => {
    for (const port of ['0', '65536', '99999', '-1', 'abc'])
      expect([400, 403]).toContain((await talks.ask(request(`http://127.0.0.1:${port}/`))).status)
    expect((await talks.ask(request('http://nowhere.invalid/'))).status).toBe(502)
  })

  it('H56: TRACE, and TRACE with Max-Forwards 0, never reach the target', async () => {
    const made = origin.made()
    expect((await talks.ask(request(url('/'), 'Max-Forwards: 0\r\n', 'TRACE'))).status).toBe(405)
    expect((await talks.ask(request(url('/'), '', 'TRACE'))).status).toBe(405)
    expect(origin.made()).toBe(made)
  })

  it('H58: keeps any method', async () => {
    for (const method of ['PROPFIND', 'get', 'X-Own']) {
      const { heard } = await heardOf((to) => request(`${to}/`, '', method))
      expect(heard.split(' ')[0]).toBe(method)
    }
  })

  it('H60: may arrive byte by byte', async () => {
    const talk = await talks.open()
    for (const byte of request(url('/bytes/3'))) {
      talk.say(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await talk.answer()).body).toHaveLength(3)
  })

  it('H66: Transfer-Encoding is chunked in any case', async () => {
    const talk = await talks.open(request(url('/echo'), 'Transfer-Encoding: Chunked\r\n', 'POST'))
    talk.say('5\r\nhello\r\n6;x="y"\r\n world\r\n0\r\n\r\n')
    expect(await talk.answer()).toMatchObject({ status: 200, body: 'hello world', complete: true })
  })

  it('H67: no answer of the gateway repeats a secret', async () => {
    const secrets =
      'Cookie: s=tasty\r\nAuthorization: Bearer hidden\r\nProxy-Authorization: Basic Zm9vOmJhcg==\r\n'
    const texts = [
      request('http://127.0.0.1:1/', secrets.replace(/Proxy.*\r\n/, '')),
      request('http://10.0.0.1/', secrets.replace(/Proxy.*\r\n/, '')),
      request(url('/'), 'Folded:\r\n tasty\r\n'),
      `GET ${url('/')} HTTP/1.1\r\nHost: x\r\n${secrets}\r\n`,
    ]
    for (const text of texts) {
      const { status, head, body } = await talks.ask(text)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(head + body).not.toMatch(/tasty|hidden|secret|Zm9v|foo|YWxpY2Ux/)
    }
  })

  it('H68: no port of the gateway serves a page', async () => {
    const own = `127.0.0.1:${way.port}`
    const texts = ['/metrics', '/status', '/squid-internal-mgr/menu', '/%2e%2e/metrics', '/api/echo'].flatMap(
      (path) => [
        `GET ${path} HTTP/1.1\r\nHost: ${own}\r\n${basic()}\r\n`,
        `GET ${path} HTTP/1.1\r\nHost: tinyproxy.stats\r\n${basic()}\r\n`,
        request(`http://${own}${path}`),
        request(`http://tinyproxy.stats${path}`),
        request(`cache_object://${own}${path}`),
      ],
    )
    for (const text of texts) expect((await talks.ask(text)).status).toBeGreaterThanOrEqual(400)
  })
})
