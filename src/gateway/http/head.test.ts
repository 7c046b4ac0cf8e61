import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyReader, BodyFault } from './body.ts'
import { requestFraming, responseFraming, WITHOUT_BODY } from './framing.ts'
import { HeadCollector } from './head.collector.ts'
import { HeadFault, parseRequestHead, parseResponseHead, type RequestHead } from './head.ts'
import { readAbsoluteForm, rewriteRequest, rewriteResponse } from '../forwarding/rewrite.ts'
import { httpDate } from '../responses/responses.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

function collect(text: string, cuts: number[] = [], bareLf = false): { head: Buffer | null; rest: string } {
  const whole = bytes(text)
  const collector = new HeadCollector({ limitBytes: 32 * 1024, bareLf })
  const edges = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
  for (let at = 0; at < edges.length - 1; at++) {
    const end = edges[at + 1] ?? 0
    const head = collector.push(whole.subarray(edges[at], end))
    if (head !== null)
      return { head, rest: Buffer.concat([collector.rest, whole.subarray(end)]).toString('latin1') }
  }
  return { head: null, rest: '' }
}

function request(text: string): RequestHead {
  const { head } = collect(text)
  if (head === null) throw new Error('no head')
  return parseRequestHead(head)
}

function statusOf(text: string): number {
  try {
    requestFraming(request(text))
    return 200
  } catch (fault) {
    if (fault instanceof HeadFault) return fault.status
    throw fault
  }
}

const start = 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n'

describe('a request head', () => {
  it('is parsed identically for any segmentation', () => {
    const text = `POST http://a.example/x?y HTTP/1.1\r\nHost: a.example\r\nX-Bytes: caf\xe9 \r\nContent-Length: 3\r\n\r\nabcGET`
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const { head, rest } = collect(text, cuts)
        expect(rest).toBe('abcGET')
        const parsed = parseRequestHead(head ?? Buffer.alloc(0))
        expect(parsed.fields[1]).toMatchObject({ name: 'X-Bytes', key: 'x-bytes', value: 'caf\xe9' })
        expect(requestFraming(parsed)).toEqual({ kind: 'length', length: 3 })
        expect(parsed.bytes).toBe(text.length - 6)
      }),
    )
    const one = collect(
      text,
      Array.from(text, (_char, index) => index),
    )
    expect(one.rest).toBe('abcGET')
  })

  it('may follow empty lines', () => {
    expect(request(`\r\n\r\n${start}\r\n`).method).toBe('GET')
  })

  it('is refused where two parsers could disagree', () => {
    const refused: [string, number][] = [
      [`${start}Transfer-Encoding : chunked\r\n\r\n`, 400],
      [`${start}X: a\r\n folded\r\n\r\n`, 400],
      [`GET http://a/ HTTP/1.1\r\n Host: a\r\n\r\n`, 400],
      [`${start}X: a\rb\r\n\r\n`, 400],
      [`${start}X: a\0b\r\n\r\n`, 400],
      [`${start}X: a\x7fb\r\n\r\n`, 400],
      [`${start}no colon\r\n\r\n`, 400],
      [`${start}: empty\r\n\r\n`, 400],
      [`${start}Host: b.example\r\n\r\n`, 400],
      ['GET http://a/ HTTP/1.1\r\n\r\n', 400],
      ['GET http://a/ HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
      ['GET  http://a/ HTTP/1.1\r\nHost: a\r\n\r\n', 400],
      ['GET http://a/ HTTP/1.1 \r\nHost: a\r\n\r\n', 400],
      ['GET http://a/\tHTTP/1.1\r\nHost: a\r\n\r\n', 400],
      ['GET http://a/ http/1.1\r\nHost: a\r\n\r\n', 400],
      ['GET http://a/\r\nHost: a\r\n\r\n', 400],
      ['G\0T http://a/ HTTP/1.1\r\nHost: a\r\n\r\n', 400],
      ['PRI * HTTP/2.0\r\n\r\n', 505],
      [`${start}Connection: Content-Length\r\nContent-Length: 5\r\n\r\n`, 400],
      [`${start}Content-Length: 5\r\nContent-Length: 5\r\n\r\n`, 400],
      [`${start}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n`, 400],
      ['POST http://a/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ]
    for (const length of ['5, 6', '5,5', '0x5', '-1', '+5', '5 5', '', '18446744073709551621', '1e3', '5;']) {
      refused.push([`${start}Content-Length: ${length}\r\n\r\n`, 400])
    }
    // RFC 9112 section 6.3: without "chunked" at the end it is 400; section 6.1: other codings before it are
    // 501.
    const codings: [string, number][] = [
      ['chunked, identity', 400],
      ['chunked;q=1', 400],
      ['xchunked', 400],
      ['identity', 400],
      ['gzip', 400],
      ['chunked\r\nTransfer-Encoding: x', 400],
      ['chunked\r\nTransfer-Encoding: chunked', 400],
      ['cHuNkEd, cHuNkEd', 400],
      ['chunked, gzip, chunked', 400],
      ['', 400],
      [',', 400],
      ['chun\0ked', 400],
      ['chunked \f', 400],
      ['\x0bchunked', 400],
      ['identity, chunked', 501],
      ['gzip, chunked', 501],
      ['gzip\r\nTransfer-Encoding: chunked', 501],
    ]
    for (const [coding, status] of codings)
      refused.push([`${start}Transfer-Encoding: ${coding}\r\n\r\n`, status])
    for (const [text, status] of refused) expect(statusOf(text), JSON.stringify(text)).toBe(status)
    expect(statusOf(`${start}Transfer-Encoding: cHuNkEd\r\n\r\n`)).toBe(200)
  })

  it('ends in CRLF only, and is refused at the first bare LF', () => {
    for (const text of ['GET http://a/ HTTP/1.1\n', `${start}X: y\nZ`, `${start}\n`]) {
      expect(() => collect(text), JSON.stringify(text)).toThrow(HeadFault)
    }
  })

  it('is limited in size', () => {
    expect(() => collect(`${start}X: ${'a'.repeat(33_000)}`)).toThrow(/too long/)
    expect(statusOf(`${start}${'A: b\r\n'.repeat(600)}\r\n`)).toBe(431)
  })

  it('is refused with the status of the part that is too long', () => {
    const long = 'a'.repeat(33_000)
    const unfinished: [string, number][] = [
      [`GET http://a/${long}`, 414],
      [`GET http://a/${long} HTTP/1.1\r\nHost: a\r\n\r\n`, 414],
      [long.toUpperCase(), 501],
      [`${start}X: ${long}\r\n\r\n`, 431],
    ]
    for (const [text, status] of unfinished) expect(statusOf(text), text.slice(0, 40)).toBe(status)
    const method = (length: number) => `${'M'.repeat(length)} http://a/ HTTP/1.1\r\nHost: a\r\n\r\n`
    expect([statusOf(method(32)), statusOf(method(33))]).toEqual([200, 501])
  })

  it('throws only HeadFault, for any bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (noise) => {
        for (const text of [noise, `${noise}\r\n\r\n`, `${start}${noise}\r\n\r\n`]) {
          try {
            const { head } = collect(text)
            if (head !== null) requestFraming(parseRequestHead(head))
          } catch (fault) {
            expect(fault).toBeInstanceOf(HeadFault)
          }
        }
      }),
    )
  })
})

describe('a forwarded head', () => {
  const forwarded = (text: string, forwardedFor: string | null = null) => {
    const head = request(text)
    const options = { framing: requestFraming(head), upgrade: false, forwardedFor }
    return rewriteRequest(head, readAbsoluteForm(head), options).toString('latin1')
  }

  it('keeps order, case and repetitions, and loses hop-by-hop fields', () => {
    const text =
      'GET http://A.example:8080/%2e/./b//{|}?q HTTP/1.1\r\nhOST: other\r\nUser-Agent: u\r\nX-a: 1\r\nCookie: c\r\n' +
      'X-A: 2\r\nProxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive, x-drop\r\nConnection: X-Gone, TE\r\n' +
      'X-Gone: 1\r\nX-Drop: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nKeep-Alive: 5\r\nAuthorization: B\r\n\r\n'
    expect(forwarded(text)).toBe(
      'GET /%2e/./b//{|}?q HTTP/1.1\r\nhOST: A.example:8080\r\nUser-Agent: u\r\nX-a: 1\r\nCookie: c\r\nX-A: 2\r\n' +
        'Authorization: B\r\n\r\n',
    )
  })

  it('gets a Host and a path where they are missing', () => {
    expect(forwarded('GET http://a.example?q HTTP/1.0\r\n\r\n')).toBe(
      'GET /?q HTTP/1.1\r\nHost: a.example\r\n\r\n',
    )
    expect(forwarded('OPTIONS http://a.example HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(
      /^OPTIONS \* HTTP\/1.1\r\n/,
    )
  })

  it('discloses the client only when the customer turned anonymity off', () => {
    expect(forwarded(`${start}\r\n`, '192.0.2.7')).toContain(
      'Via: 1.1 turnpike\r\nX-Forwarded-For: 192.0.2.7\r\n',
    )
    expect(forwarded(`${start}\r\n`)).not.toMatch(/via|forwarded/i)
  })

  it('passes the judged address in its canonical spelling to the next proxy', () => {
    const told = (url: string) => {
      const head = request(`GET ${url} HTTP/1.1\r\nHost: other\r\n\r\n`)
      const options = {
        framing: WITHOUT_BODY,
        upgrade: false,
        forwardedFor: null,
        forwards: { authorization: null },
      }
      return rewriteRequest(head, readAbsoluteForm(head), options).toString('latin1')
    }
    // Octal here, and 10.0.0.1 to a parser that ignores the zero.
    for (const [url, authority] of [
      ['http://010.0.0.1/p', '8.0.0.1:80'],
      ['http://0x08080808:8080/p', '8.8.8.8:8080'],
      ['http://8.8.8.8./p', '8.8.8.8:80'],
      ['http://[2606:4700:0:0::1111]/p', '[2606:4700::1111]:80'],
      ['http://A.example/p', 'A.example'],
    ] as const)
      expect(told(url)).toBe(`GET http://${authority}/p HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  })

  it('loses a fragment, and its bytes above ASCII are percent-encoded', () => {
    for (const [target, path] of [
      ['http://a/x?y#z', '/x?y'],
      ['http://a#@b/', '/'],
      ['ws://a/chat', '/chat'],
      ['http://a/\xd1\x8f?\xff', '/%D1%8F?%FF'],
    ] as const) {
      const text = forwarded(`GET ${target} HTTP/1.1\r\nHost: other\r\n\r\n`)
      expect(text, target).toBe(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    }
  })

  it('must name a whole http address', () => {
    for (const target of [
      '/',
      '*',
      'https://a/',
      'ftp://a/',
      'wss://a/',
      'http://\xd1\x8f/',
      'urn:x',
      'http://',
      'http:///x',
      'http://u:p@a/',
      'http://#f',
      'http://a:0/',
      'http://a:65536/',
      'http://a:-1/',
      'http://a:abc/',
      'http://a_b.%00/',
      'a:80',
    ]) {
      const head = request(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)
      expect(() => readAbsoluteForm(head), target).toThrow(/bad_target/)
    }
  })
})

describe('a response head', () => {
  const response = (text: string) => {
    const { head } = collect(text, [], true)
    return parseResponseHead(head ?? Buffer.alloc(0))
  }

  it('may end its lines in LF alone, and is forwarded with CRLF', () => {
    const head = response('HTTP/1.0 200 OK\nServer: old\nContent-Length: 3\n\nabc')
    expect(responseFraming(head, 'GET')).toEqual({ kind: 'length', length: 3 })
    const how = { connection: 'close', framing: responseFraming(head, 'GET'), applied: null } as const
    expect(rewriteResponse(head, how).toString()).toBe(
      'HTTP/1.1 200 OK\r\nServer: old\r\nContent-Length: 3\r\nConnection: close\r\n\r\n',
    )
  })

  it('gets the gateway’s member after those of earlier proxies, and keeps the target’s own request id', () => {
    const nothing = { session: null, country: null, balance: null, understood: null }
    const applied = { requestId: 'r-1', multiplier: 1, ...nothing } as const
    const how = { connection: null, applied } as const
    const signed = (lines: string) => rewriteResponse(response(`HTTP/1.1 ${lines}\r\n\r\n`), how).toString()
    const date = 'Date: Tue, 15 Nov 1994 08:12:31 GMT'
    expect(signed(`204 No Content\r\n${date}`)).toBe(
      `HTTP/1.1 204 No Content\r\n${date}\r\nProxy-Status: turnpike; multiplier=1; request-id="r-1"\r\nX-Request-Id: r-1\r\n\r\n`,
    )
    expect(signed(`200 OK\r\nx-request-id: theirs\r\nProxy-Status: cdn; error=x\r\n${date}`)).toBe(
      `HTTP/1.1 200 OK\r\nx-request-id: theirs\r\nProxy-Status: cdn; error=x\r\n${date}\r\n` +
        'Proxy-Status: turnpike; multiplier=1; request-id="r-1"\r\n\r\n',
    )
  })

  it('without a Date gets the time of its receipt, unless it is interim', () => {
    const nothing = { session: null, country: null, balance: null, understood: null }
    const applied = { requestId: 'r-1', multiplier: 1, ...nothing } as const
    const how = { connection: null, applied } as const
    const dateOf = (lines: string) =>
      /\r\nDate: (.+)\r\n/.exec(rewriteResponse(response(`HTTP/1.1 ${lines}\r\n\r\n`), how).toString())?.[1]
    expect(dateOf('101 Switching Protocols')).toBeUndefined()
    const added = dateOf('200 OK') ?? ''
    expect(added).toMatch(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/)
    expect(Math.abs(Date.now() - Date.parse(added))).toBeLessThan(60_000)
    expect(httpDate(1_000_000_000_000)).toBe('Sun, 09 Sep 2001 01:46:40 GMT')
    expect(httpDate(1_000_000_001_999)).toBe('Sun, 09 Sep 2001 01:46:41 GMT')
  })

  it('determines how its body ends', () => {
    const framing = (lines: string, method = 'GET') =>
      responseFraming(response(`HTTP/1.1 ${lines}\r\n\r\n`), method)
    expect(framing('200 OK')).toEqual({ kind: 'close', codings: [] })
    expect(framing('200 OK\r\nContent-Length: 7', 'HEAD')).toEqual({ kind: 'none', announced: 7 })
    expect(framing('304 Not Modified\r\nContent-Length: 7')).toEqual({ kind: 'none', announced: 7 })
    expect(framing('204 No Content\r\nContent-Length: 7')).toEqual({ kind: 'none', announced: null })
    expect(framing('200 OK\r\nContent-Length: , 7,,')).toEqual({ kind: 'length', length: 7 })
    expect(framing('200 OK\r\nContent-Length: 7, 7')).toEqual({ kind: 'length', length: 7 })
    expect(framing('200 OK\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 7')).toEqual({
      kind: 'chunked',
      codings: ['gzip', 'chunked'],
    })
    expect(framing('200 OK\r\nTransfer-Encoding: gzip')).toEqual({ kind: 'close', codings: ['gzip'] })
    expect(() => framing('200 OK\r\nContent-Length: 7\r\nContent-Length: 8')).toThrow(HeadFault)
    expect(() => framing('200 OK\r\nTransfer-Encoding: chunked, gzip')).toThrow(HeadFault)
    for (const field of [
      'Transfer-Encoding:',
      'Transfer-Encoding: ,',
      'Content-Length:',
      'Content-Length: ,',
    ])
      expect(() => framing(`200 OK\r\n${field}\r\nX: 1`), field).toThrow(HeadFault)
    expect(() => framing('200 OK\r\nX: a\r\n b')).toThrow(HeadFault)
    expect(() => framing('20 OK')).toThrow(HeadFault)
  })
})

describe('a chunked body', () => {
  const chunked = { kind: 'chunked', codings: ['chunked'] } as const
  const read = (text: string, cuts: number[] = [], lenient = false) => {
    const reader = bodyReader(chunked, { lenient })
    const whole = bytes(text)
    const payload: Buffer[] = []
    const edges = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
    for (let at = 0; at < edges.length - 1; at++) {
      const from = edges[at] ?? 0
      const taken = reader?.take(whole.subarray(from, edges[at + 1]), payload)
      if (taken?.done === true)
        return { used: from + taken.used, payload: Buffer.concat(payload).toString('latin1') }
    }
    return null
  }

  it('is read identically for any segmentation, to its last byte and no further', () => {
    const parts = fc.array(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 }), { maxLength: 5 })
    const extension = fc.constantFrom('', ';a=b', ';x="y z"')
    fc.assert(
      fc.property(parts, extension, fc.array(fc.nat(400), { maxLength: 10 }), (pieces, ext, cuts) => {
        const body = `${pieces.map((piece) => `${piece.length.toString(16)}${ext}\r\n${piece}\r\n`).join('')}0${ext}\r\nX-T: v\r\n\r\n`
        const inside = cuts.filter((cut) => cut < body.length + 4)
        expect(read(`${body}NEXT`, inside)).toEqual({ used: body.length, payload: pieces.join('') })
      }),
    )
  })

  it('is refused where two parsers could disagree', () => {
    for (const size of ['+5', '0x5', '5_', ' 5', '-5', '', 'g', '10000000000000005', '5 ', '5\t;x']) {
      expect(() => read(`${size}\r\nhello\r\n0\r\n\r\n`), size).toThrow(BodyFault)
    }
    for (const body of [
      '5\nhello\r\n0\r\n\r\n',
      '5;a\nhello\r\n0\r\n\r\n',
      '5\r\nhello!\r\n',
      '5\r\nhello\n0\r\n\r\n',
      '5\rhello\r\n',
      '0\r\nContent-Length: 3\r\n\r\n',
      '0\r\nX : y\r\n\r\n',
      '0\r\nX: y\n\r\n',
      `5;${'a'.repeat(17_000)}`,
      `0\r\n${'X: y\r\n'.repeat(5000)}`,
    ]) {
      expect(() => read(body), JSON.stringify(body.slice(0, 40))).toThrow(BodyFault)
    }
    expect(read('5  \r\nhello\r\n0\r\n\r\n', [], true)).toEqual({ used: 17, payload: 'hello' })
  })
})
