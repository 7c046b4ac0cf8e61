/** /api/webhooks/<method>: the exact bytes a processor sent, handed on unparsed, for their signature is over them. */
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#lib/refusal'
import { PublicPace } from './pace.ts'

export interface Webhook {
  method: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  ip: string
}

export interface WebhookDesk {
  /** Verifies and settles; throws a `Refusal` for what is not genuine. */
  receive: (webhook: Webhook) => Promise<void>
}

/**
 * Every notification is kept as it came, forged ones too, since a secret that was set wrong makes forged ones of all. So
 * nobody may bring many that prove false: enough for a processor whose secret is being changed, too few to fill a disk.
 */
const forgedOnes = { perSecond: 0.1, atOnce: 60 }

export function mountWebhooks(server: FastifyInstance, desk: WebhookDesk, now: () => Date): void {
  const forgers = new PublicPace(forgedOnes)
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    // Before the body is read: it would be kept.
    scope.addHook('onRequest', async (request) => {
      const seconds = forgers.wait(request.ip, now())
      if (seconds !== null) throw new Refusal('too_many_requests', { seconds }, seconds)
    })
    scope.post<{ Params: { method: string } }>('/api/webhooks/:method', async (request, reply) => {
      if (!Buffer.isBuffer(request.body)) throw new Refusal('malformed_json')
      const { method } = request.params
      try {
        await desk.receive({ method, headers: request.headers, body: request.body, ip: request.ip })
      } catch (error) {
        if (error instanceof Refusal && error.code === 'invalid_webhook_signature')
          forgers.admit(request.ip, now())
        throw error
      }
      return reply.type('text/plain').send('ok\n')
    })
  })
}
