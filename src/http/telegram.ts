/** /api/telegram/webhook: receives the bot's updates from Telegram, when configured. */
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#lib/refusal'
import { sameBytes, sha256 } from '#lib/secret'

export interface TelegramDesk {
  /** The secret in Telegram's header; never empty. */
  secret: string
  /** Handles an update; when it throws, Telegram sends the update again. */
  receive: (update: { update_id: number }) => Promise<void>
}

export const telegramWebhookPath = '/api/telegram/webhook'

/** The limit of bodies: a message with quotes and forwards may be longer than any body of ours. */
const bodyLimitBytes = 1024 * 1024

export function mountTelegram(server: FastifyInstance, current: () => TelegramDesk | null): void {
  const deskNow = (): TelegramDesk => {
    const desk = current()
    if (desk === null) throw new Refusal('not_found')
    if (desk.secret === '') throw new RangeError('a Telegram webhook without a secret is refused')
    return desk
  }
  server.post(telegramWebhookPath, {
    bodyLimit: bodyLimitBytes,
    // Before the body is read.
    onRequest: async (request) => {
      const expected = sha256(deskNow().secret)
      const given = request.headers['x-telegram-bot-api-secret-token']
      // Digests have equal lengths, so that the time of the comparison reveals nothing.
      if (typeof given !== 'string' || !sameBytes(sha256(given), expected))
        throw new Refusal('invalid_webhook_signature')
    },
    handler: async (request, reply) => {
      if (!isUpdate(request.body)) throw new Refusal('malformed_json')
      await deskNow().receive(request.body)
      return reply.type('text/plain').send('ok\n')
    },
  })
}

function isUpdate(body: unknown): body is { update_id: number } {
  return (
    typeof body === 'object' && body !== null && 'update_id' in body && Number.isSafeInteger(body.update_id)
  )
}
