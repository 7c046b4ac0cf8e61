/**
 * Two messages on one kept connection, the first with generated framing fields: the gateway's verdict is that
 * of a strict reference, and no byte of one message ever appears in the other. Over both kinds of sockets.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sized } from '#test/size'
import { basic, type Bench, startBench } from '../../src/gateway/testing/bench.ts'
import { RawClient } from '../../src/gateway/testing/client.ts'
import {
  type Message,
  readMessages,
  type Received,
  requestVerdict,
  responseVerdict,
  valuesOf,
  type Verdict,
} from './reference.ts'

const runs = sized(150, 4000)

const blanks = fc.constantFrom('', ' ', '\t', ' \t ')
const spelled = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase())
const listOf = (items: fc.Arbitrary<string>) =>
  fc
    .array(
      fc.tuple(blanks, items, blanks).map((parts) => parts.join('')),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => parts.join(','))
const coding = fc.constantFrom(
  'chunked',
  'Chunked',
  '',
  'gzip',
  'identity',
  'chunked\xa0',
  'chunked;q=1',
  'x y',
)
const length = fc.constantFrom('5', '3', '0', '05', '', '+5', '5.0', '0x5', '5\xa0', '5;x', '9'.repeat(20))
/** `beforeColon`: in some lines a blank precedes the colon. */
const framingLine = fc.oneof(
  { weight: 3, arbitrary: fc.constant('Content-Length: 5') },
  { weight: 3, arbitrary: fc.constant('Transfer-Encoding: chunked') },
  {
    weight: 6,
    arbitrary: fc
      .oneof(
        fc.tuple(spelled('Transfer-Encoding'), listOf(coding)),
        fc.tuple(spelled('Content-Length'), listOf(length)),
      )
      .chain(([name, value]) =>
        fc
          .tuple(fc.constantFrom('', '', '', ' ', '\t'), blanks)
          .map(([before, after]) => `${name}${before}:${after}${value}`),
      ),
  },
)
const otherLine = fc.constantFrom('X-Filler: 1', 'Connection: X-Filler', 'Connection: close', 'Accept: */*')
const received = (versions: Received['version'][]) =>
  fc.record({
    lines: fc
      .tuple(fc.array(framingLine, { maxLength: 3 }), fc.array(otherLine, { maxLength: 2 }))
      .map(([framing, others]) => [...others, ...framing]),
    version: fc.constantFrom(...versions),
  })

/** The content of message A as its framing carries it. */
function bodyFor(verdict: Verdict): string {
  if (typeof verdict === 'number') return 'A'.repeat(Math.min(verdict, 50))
  if (verdict === 'chunked') return '4\r\nAAAA\r\n1\r\nA\r\n0\r\n\r\n'
  return verdict === 'none' ? '' : 'AAAAA'
}
const contentFor = (verdict: Verdict, body: string) => (verdict === 'chunked' ? 'AAAAA' : body)

/** The kinds of sockets to test: those that this Node.js allows, usually raw sockets, and ordinary ones. */
const kinds = [
  ['chosen', {}],
  ['ordinary', { socketKind: 'stream' }],
] as const

describe.each(kinds)('two messages on one kept connection, over %s sockets', (_kind, options) => {
  let bench: Bench
  let port = 0
  /** The target's handler of each connection. */
  let serve: (socket: Socket) => void = () => undefined
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    serve(socket)
  })

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    bench = await startBench(options)
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await bench.close()
    expect(bench.errors).toEqual([])
  })

  const url = (path: string) => `http://127.0.0.1:${port}${path}`
  const plain = (method: string, path: string) =>
    `${method} ${url(path)} HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`

  /**
   * Sends the text; resolves with what came back when both answers are complete, or the connection has ended.
   */
  async function exchange(
    text: string,
    methods: readonly string[],
  ): Promise<{ messages: Message[]; rest: string }> {
    const client = new RawClient(bench.port)
    const read = () => readMessages(client.text, methods)
    client.write(text)
    const isDone = () => {
      if (client.ended || client.closed) return true
      const { messages } = read()
      const last = messages.at(-1)
      const isDelimited =
        last !== undefined &&
        ['content-length', 'transfer-encoding'].some((name) => valuesOf(last, name).length > 0)
      return messages.length === methods.length && last?.complete === true && isDelimited
    }
    try {
      await client.until(isDone, 'both answers')
      return read()
    } finally {
      client.destroy()
    }
  }

  it('S51, S52: from a target: the answer to one request holds no byte of the other’s', async () => {
    const first = fc.record({
      head: received(['1.1', '1.1', '1.1', '1.0', '1.2']),
      status: fc.constantFrom(200, 200, 200, 204, 304, 404),
      method: fc.constantFrom('GET', 'GET', 'HEAD'),
      excess: fc.constantFrom('', '', 'AA', '\r\n'),
    })
    await fc.assert(
      fc.asyncProperty(first, async ({ head, status, method, excess }) => {
        const verdict = responseVerdict(head, status, method)
        const body = bodyFor(verdict)
        const answer = `HTTP/${head.version} ${status} Sent\r\nX-Message: A\r\n${head.lines.map((line) => `${line}\r\n`).join('')}\r\n${body}${excess}`
        serve = (socket) => {
          let text = ''
          socket.on('data', (chunk: Buffer) => {
            text += chunk.toString('latin1')
            for (let cut = text.indexOf('\r\n\r\n'); cut >= 0; cut = text.indexOf('\r\n\r\n')) {
              const isFirst = text.includes(' /a ')
              text = text.slice(cut + 4)
              if (isFirst) socket.write(answer, 'latin1')
              else socket.write('HTTP/1.1 200 OK\r\nX-Message: B\r\nContent-Length: 5\r\n\r\nBBBBB')
              if (isFirst && verdict === 'close') socket.end()
            }
          })
        }
        const { messages, rest } = await exchange(plain(method, '/a') + plain('GET', '/b'), [method, 'GET'])
        expect(rest).toBe('')
        const [a, b] = messages
        if (verdict === 'fault') expect(a?.first).toMatch(/^HTTP\/1\.1 502 /)
        else {
          expect(a?.first).toBe(`HTTP/1.1 ${status} Sent`)
          const whole = contentFor(verdict, body)
          expect(a && [valuesOf(a, 'x-message'), a.body]).toEqual([
            ['A'],
            verdict === 'close' ? whole + excess : whole,
          ])
        }
        if (b === undefined) return
        expect([b.first, valuesOf(b, 'x-message'), b.body]).toEqual(['HTTP/1.1 200 OK', ['B'], 'BBBBB'])
      }),
      { numRuns: runs },
    )
  })

  it('from a client: the target reads the same two requests, or the first one is refused and the second never served', async () => {
    await fc.assert(
      fc.asyncProperty(received(['1.1', '1.1', '1.1', '1.0', '1.2']), async (head) => {
        const verdict = requestVerdict(head)
        const body = bodyFor(verdict)
        const first = `POST ${url('/a')} HTTP/${head.version}\r\nHost: x\r\n${basic()}${head.lines.map((line) => `${line}\r\n`).join('')}\r\n${body}`
        const heard: string[] = []
        serve = (socket) => {
          const at = heard.push('') - 1
          let answered = 0
          socket.on('data', (chunk: Buffer) => {
            heard[at] += chunk.toString('latin1')
            const { messages } = readMessages(heard[at] ?? '', null)
            for (const { complete } of messages.slice(answered)) {
              if (!complete) break
              answered++
              socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
            }
          })
        }
        const { messages, rest } = await exchange(first + plain('GET', '/b'), ['POST', 'GET'])
        expect(rest).toBe('')
        const read = heard.flatMap((text) => {
          const all = readMessages(text, null)
          expect(all.rest).toBe('')
          return all.messages
        })
        if (verdict === 'fault') {
          expect(messages).toHaveLength(1)
          expect(messages[0]?.first).toMatch(/^HTTP\/1\.1 (?:400|501) /)
          expect(read).toEqual([])
          return
        }
        expect(messages.map((message) => message.first)).toEqual(messages.map(() => 'HTTP/1.1 200 OK'))
        expect(read).toHaveLength(messages.length)
        expect(read.map((message) => [message.first, message.body])).toEqual(
          [
            ['POST /a HTTP/1.1', contentFor(verdict, body)],
            ['GET /b HTTP/1.1', ''],
          ].slice(0, messages.length),
        )
      }),
      { numRuns: runs },
    )
  })
})
