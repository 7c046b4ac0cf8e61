/**
 * /api/echo: a target for testing a new proxy line. It answers with the client's address, as JSON or
 * (`?format=text`) as plain text; `?bytes=n` answers with n bytes instead, so that traffic can be observed.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { echoPath } from '#contract/wire'
import { Refusal } from '#lib/refusal'
import { Pace, subjectOf } from './admission/pace.ts'

const demoLimitBytes = 64 * 1024 * 1024
const limitBytes = 1024 * 1024

/**
 * Bytes are counted in blocks: 4 MB a second for one address, which may be an exit's, with a burst of 64 MB.
 */
const blockBytes = 64 * 1024
const pace = { perSecond: 64, atOnce: demoLimitBytes / blockBytes }

export function mountEcho(server: FastifyInstance, { demo, now }: { demo: boolean; now: () => Date }): void {
  const blocks = new Pace(pace)
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body is counted and discarded as it arrives, never stored.
    scope.addContentTypeParser('*', (_request, payload, done) => {
      let received = 0
      payload.on('data', (chunk: Buffer) => (received += chunk.length))
      payload.on('end', () => done(null, { received }))
      payload.on('error', done)
    })
    scope.route<{ Querystring: { bytes?: string; format?: string } }>({
      method: ['GET', 'POST', 'PUT'],
      url: echoPath,
      bodyLimit: demoLimitBytes,
      handler: (request, reply) => {
        reply.header('cache-control', 'no-store')
        const wanted = /^\d{1,9}$/.test(request.query.bytes ?? '') ? Number(request.query.bytes) : null
        if (wanted !== null) {
          const size = Math.min(wanted, demo ? demoLimitBytes : limitBytes)
          const seconds = blocks.take(subjectOf(request.ip), now(), Math.ceil(size / blockBytes))
          if (seconds !== null) throw new Refusal('too_many_requests', { seconds }, seconds)
          return reply.type('application/octet-stream').header('content-length', size).send(pattern(size))
        }
        if (request.query.format === 'text')
          return reply.type('text/plain; charset=utf-8').send(`${request.ip}\n`)
        const body = request.body as { received?: number } | undefined
        return reply.send({
          ip: request.ip,
          method: request.method,
          user_agent: request.headers['user-agent'] ?? null,
          bytes_received: body?.received ?? 0,
          request_id: request.id,
        })
      },
    })
  })
}

const block = Buffer.alloc(blockBytes, 'Turnpike: bytes on the road. ')

/** `size` bytes of a repeating text, made as they are read. */
function pattern(size: number): Readable {
  let left = size
  return new Readable({
    read() {
      const next = Math.min(left, block.length)
      left -= next
      this.push(next === 0 ? null : block.subarray(0, next))
    },
  })
}
