import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyFault, bodyReader } from './http/body.ts'
import { requestFraming } from './http/framing.ts'
import { HeadCollector } from './http/head.collector.ts'
import { HeadFault, parseRequestHead } from './http/head.ts'
import { readAbsoluteForm, rewriteRequest } from './forwarding/rewrite.ts'
import { ProxyRefusal } from './responses/refusal.ts'
import { parseGreeting, parseSocksRequest, parseUserPassword, SocksFault } from './socks/messages.ts'

/** Parts of requests, valid and invalid ones. */
const words = [
  'GET',
  'CONNECT',
  'OPTIONS',
  ' ',
  '  ',
  '\t',
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  ':',
  ': ',
  ' :',
  'http://a/',
  'http://a:80/x?y#z',
  'a:443',
  '[::1]:80',
  '/',
  '*',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'Host',
  'host',
  'Content-Length',
  'Transfer-Encoding',
  'chunked',
  'identity',
  '5',
  '+5',
  '0x5',
  '-1',
  '99999999999999999999',
  'Connection',
  'close',
  'Upgrade',
  'Proxy-Authorization',
  'Basic',
  'YWxpY2UxOnNlY3JldA==',
  '\0',
  'é',
  'x'.repeat(300),
]
const noise: fc.Arbitrary<Buffer> = fc.oneof(
  fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((list) => Buffer.from(list.join(''), 'latin1')),
  fc
    .array(fc.constantFrom(...words), { maxLength: 20 })
    .map((list) => Buffer.from(`GET http://a/ HTTP/1.1\r\nHost: a\r\n${list.join('')}\r\n\r\n`, 'latin1')),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
)

/** The result of parsing a request that is received in these pieces. */
function read(pieces: readonly Buffer[]): unknown {
  const collector = new HeadCollector({ limitBytes: 4096, bareLf: false })
  try {
    for (const [index, piece] of pieces.entries()) {
      const bytes = collector.push(piece)
      if (bytes === null) continue
      const rest = Buffer.concat([collector.rest, ...pieces.slice(index + 1)])
      const head = parseRequestHead(bytes)
      const framing = requestFraming(head)
      const forwarding = head.method === 'CONNECT' ? null : readAbsoluteForm(head)
      const rewritten =
        forwarding === null
          ? ''
          : rewriteRequest(head, forwarding, { framing, upgrade: false, forwardedFor: null }).toString(
              'latin1',
            )
      return { head, framing, rewritten, rest: rest.toString('latin1') }
    }
    return 'more'
  } catch (fault) {
    if (fault instanceof HeadFault || fault instanceof ProxyRefusal) return fault.message
    throw fault
  }
}

const everySplit = (bytes: Buffer): Buffer[][] =>
  Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)])

describe('the head parser', () => {
  it('parses identically for any segmentation, and throws only its own errors', () => {
    fc.assert(
      fc.property(noise, (bytes) => {
        const whole = read([bytes])
        for (const pieces of everySplit(bytes.subarray(0, 400)))
          expect(read([...pieces, bytes.subarray(400)])).toEqual(whole)
        const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
        expect(read(single)).toEqual(whole)
      }),
      { numRuns: 300 },
    )
  })

  it('passes on nothing that another parser could read as two requests', () => {
    fc.assert(
      fc.property(noise, (bytes) => {
        const result = read([bytes])
        if (typeof result === 'string' || result === null) return
        const { rewritten } = result as { rewritten: string }
        if (rewritten === '') return
        const [head = '', ...more] = rewritten.split('\r\n\r\n')
        expect(more).toEqual([''])
        expect(head.replaceAll('\r\n', '')).not.toMatch(/[\r\n\0]/)
        expect(head).not.toMatch(/^(?:proxy-|connection:|te:)/im)
        expect(head.match(/^host:/gim)).toHaveLength(1)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('the reader of chunked bodies', () => {
  const parts = [
    '5',
    'a',
    '0',
    '\r\n',
    '\n',
    '\r',
    'hello',
    ';x=y',
    ' ',
    '+',
    '0x',
    'ffffffffffffffffff',
    'X: y',
    '\0',
  ]
  const body = fc
    .array(fc.constantFrom(...parts), { maxLength: 25 })
    .map((list) => Buffer.from(list.join(''), 'latin1'))

  function drain(pieces: readonly Buffer[]): unknown {
    const reader = bodyReader({ kind: 'chunked', codings: ['chunked'] }, { lenient: false })
    if (reader === null) throw new Error('chunked bodies have a reader')
    const payload: Buffer[] = []
    let used = 0
    try {
      for (const piece of pieces) {
        const taken = reader.take(piece, payload)
        used += taken.used
        if (taken.done) return { used, payload: Buffer.concat(payload).toString('latin1') }
      }
      return 'more'
    } catch (fault) {
      if (fault instanceof BodyFault) return 'fault'
      throw fault
    }
  }

  it('reads identically for any segmentation', () => {
    fc.assert(
      fc.property(body, (bytes) => {
        const whole = drain([bytes])
        for (const pieces of everySplit(bytes)) expect(drain(pieces)).toEqual(whole)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('the SOCKS parsers', () => {
  const parsers = { parseGreeting, parseUserPassword, parseSocksRequest } as const
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.uint8Array({ maxLength: 300 }).map((rest) => Uint8Array.of(5, 1, 0, 3, ...rest)),
    fc.uint8Array({ maxLength: 30 }).map((rest) => Uint8Array.of(5, 1, 0, 1, ...rest)),
    fc.uint8Array({ maxLength: 600 }).map((rest) => Uint8Array.of(1, ...rest)),
  )
  const outcome = (parse: (bytes: Buffer) => { used: number } | null, input: Buffer): unknown => {
    try {
      return parse(input)
    } catch (fault) {
      if (fault instanceof SocksFault) return fault.message
      throw fault
    }
  }

  it.each(Object.entries(parsers))(
    '%s requires more bytes, or gives the same result for a part as for the whole',
    (_name, parse) => {
      fc.assert(
        fc.property(bytes, (list) => {
          const input = Buffer.from(list)
          const whole = outcome(parse, input)
          if (whole !== null && typeof whole === 'object')
            expect((whole as { used: number }).used).toBeLessThanOrEqual(input.length)
          for (let length = 0; length < input.length; length += 1) {
            const part = outcome(parse, input.subarray(0, length))
            if (part !== null) expect(part).toEqual(whole)
          }
        }),
        {
          numRuns: 500,
          examples: [
            [5, 1, 0, 9, 1, 2],
            [5, 1, 0, 3, 1, 97, 0, 80],
            [1, 1, 97, 1, 98],
            [5, 2, 0, 2, 7],
          ].map((list): [Uint8Array<ArrayBuffer>] => [Uint8Array.from(list)]),
        },
      )
    },
  )
})
