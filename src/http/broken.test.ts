import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refusals } from '#contract/refusals'
import { type App, app } from '#test/app'
import { answerBroken } from './broken.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

/** Sends raw bytes and reads until the connection ends. */
function send(
  bytes: string,
  port = Number(new URL(shop.origin).port),
): Promise<{ status: number; requestId: string | null; body: unknown }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', body = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n')
      resolve({
        status: Number(head.split(' ')[1]),
        requestId: /\nx-request-id: (\S+)/.exec(head)?.[1] ?? null,
        body: JSON.parse(body) as unknown,
      })
    })
  })
}

const idPattern = /^[0-9a-f-]{36}$/

it.each([
  ['no HTTP at all', 'HELO shop\r\n\r\n', 'malformed_request', 'ru'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'malformed_request',
    'ru',
  ],
  [
    'a length together with chunks, in English',
    'POST / HTTP/1.1\r\nHost: a\r\nAccept-Language: en\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'malformed_request',
    'en',
  ],
  ['no host', 'GET /api/rpc/prices HTTP/1.1\r\nConnection: close\r\n\r\n', 'malformed_request', 'ru'],
  [
    'two hosts',
    'GET /api/rpc/prices HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
    'malformed_request',
    'ru',
  ],
  [
    'headers that are too long',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    'headers_too_large',
    'ru',
  ],
] as const)('answers %s in the one shape', async (_what, bytes, code, language) => {
  const { status, requestId, body } = await send(bytes)
  expect(status).toBe(refusals[code].status)
  expect(requestId).toMatch(idPattern)
  expect(body).toEqual({ code, message: refusals[code][language] })
})

it('reports that a request did not arrive in full', async () => {
  // The error that Node.js emits half a minute after a request began.
  const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const server = createServer((socket) => answerBroken(late, socket))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { status, body } = await send('GET / HTTP/1.1', (server.address() as AddressInfo).port)
  server.close()
  expect([status, body]).toEqual([408, { code: 'request_timeout', message: refusals.request_timeout.ru }])
})

it('answers a path that cannot be decoded with 404', async () => {
  const answer = await fetch(`${shop.origin}/api/rpc/%zz`)
  expect([answer.status, answer.headers.get('x-request-id')]).toEqual([404, expect.stringMatching(idPattern)])
  expect(await answer.json()).toEqual({ code: 'not_found', message: refusals.not_found.ru })
})
