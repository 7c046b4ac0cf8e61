import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Writable } from 'node:stream'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mountEcho } from './echo.ts'
import { sendError } from './errors.ts'

let server: FastifyInstance
/** The answers and the log lines since the server started. */
let answered: number[] = []
let lines: { msg: string }[] = []

beforeEach(async () => {
  answered = []
  lines = []
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(JSON.parse(chunk.toString()) as (typeof lines)[number])
      done()
    },
  })
  const log: FastifyBaseLogger = pino({ level: 'warn' }, sink)
  server = Fastify({ loggerInstance: log })
  server.setErrorHandler((error, request, reply) => {
    const sent = sendError(error, request, reply)
    answered.push(reply.statusCode)
    return sent
  })
  mountEcho(server, { demo: false, now: () => new Date() })
  server.post('/call', () => {
    // The error that `pg` throws when its connection breaks.
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read', errno: -104 })
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => server.close())

/** Announces a body, sends a part of it and closes the connection. */
async function cutOff(path: string): Promise<void> {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  const head = `POST ${path} HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nContent-Length: 100`
  socket.end(`${head}\r\n\r\n{"username":`)
  await once(socket.resume(), 'close')
}

it.each(['/call', '/api/echo'])(
  'an upload to %s aborted by its client is not logged as a failure',
  async (path) => {
    const uploads = 20
    for (let n = 0; n < uploads; n++) await cutOff(path)
    await expect.poll(() => answered.length).toBe(uploads)
    expect(new Set(answered)).toEqual(new Set([408]))
    expect(lines).toEqual([])
  },
)

it('a broken connection to the database is logged as a failure', async () => {
  const answer = await server.inject({ method: 'POST', url: '/call', payload: { a: 1 } })
  expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([503, 'temporarily_unavailable'])
  const real = await fetch(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(real.status).toBe(503)
  expect(lines.map(({ msg }) => msg)).toEqual(Array(2).fill('the database cannot be reached'))
})
