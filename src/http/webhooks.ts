/**
 * /api/webhooks/<method>: passes on the exact bytes that a processor sent, unparsed, since the signature
 * covers them.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { networkOf, siteOf } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { isThisMachine, Pace } from './admission/pace.ts'

export interface Webhook {
  method: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  ip: string
}

export interface WebhookDesk {
  /**
   * Verifies and settles; calls `proved` once it is verified as genuine, and throws a `Refusal` otherwise.
   */
  receive: (webhook: Webhook, proved: () => void) => Promise<void>
}

/**
 * The limit of unverified notifications from one site: enough for a processor whose secret is being changed,
 * too few to keep a server busy. A place is taken on arrival, before the body is read, and returned when the
 * notification is verified: of a thousand concurrent ones from one site, sixty are read.
 */
const unproved = { perSecond: 0.1, atOnce: 60 }

/** The maximum number of networks recorded as the source of a genuine notification. */
const maxGenuine = 1000

export function mountWebhooks(server: FastifyInstance, desk: WebhookDesk, now: () => Date): void {
  const pace = new Pace(unproved)
  const genuine = new Set<string>()
  const takenFrom = new WeakMap<FastifyRequest, string | null>()

  /**
   * The subject that a notification is counted to: its site. A forger may share the site with the processor,
   * so a network that has sent a genuine notification is counted separately.
   */
  const senderOf = (ip: string): string | null => {
    if (isThisMachine(ip)) return null
    const network = networkOf(ip)
    return genuine.has(network) ? `sender ${network}` : siteOf(ip)
  }

  const remember = (network: string): void => {
    genuine.delete(network)
    genuine.add(network)
    const [oldest] = genuine
    if (genuine.size > maxGenuine && oldest !== undefined) genuine.delete(oldest)
  }

  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post<{ Params: { method: string } }>('/api/webhooks/:method', {
      onRequest: async (request) => {
        const sender = senderOf(request.ip)
        const seconds = pace.take(sender, now())
        if (seconds !== null) throw new Refusal('too_many_requests', { seconds }, seconds)
        takenFrom.set(request, sender)
      },
      handler: async (request, reply) => {
        const { body, headers, ip } = request
        if (!Buffer.isBuffer(body)) throw new Refusal('malformed_json')
        await desk.receive({ method: request.params.method, headers, body, ip }, () => {
          pace.giveBack(takenFrom.get(request) ?? null, now())
          remember(networkOf(ip))
        })
        return reply.type('text/plain').send('ok\n')
      },
    })
  })
}
