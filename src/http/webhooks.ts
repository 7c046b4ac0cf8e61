/** /api/webhooks/<method>: the exact bytes a processor sent, handed on unparsed, for their signature is over them. */
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#lib/refusal'

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

export function mountWebhooks(server: FastifyInstance, desk: WebhookDesk): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post<{ Params: { method: string } }>('/api/webhooks/:method', async (request, reply) => {
      if (!Buffer.isBuffer(request.body)) throw new Refusal('malformed_json')
      const { method } = request.params
      await desk.receive({ method, headers: request.headers, body: request.body, ip: request.ip })
      return reply.type('text/plain').send('ok\n')
    })
  })
}
