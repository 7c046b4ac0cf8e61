/** The web server as a process part. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { buildServer } from '#http'
import { sandboxDesk } from '#payments/adapters'
import { findInvoice, receiveWebhook } from '#purchase'
import { telegramDesk } from './bot.ts'
import { gatewaySource } from './gateway.shop.ts'
import { authenticateWith, handlersOf, purchaseDeps, type Services } from './services.ts'
import { SettingFault } from './settings.ts'
import type { Stopper } from './stop.ts'

const webRoot = path.resolve(import.meta.dirname, '../../dist/web')

/** Starts the web server; returns where it listens, and its metrics for others to add to. */
export async function startApi(
  services: Services,
  stopper: Stopper,
): Promise<{ origin: string; registry: Registry }> {
  const { settings, database, log } = services
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  let origin = ''
  const server = await buildServer({
    database,
    handlers: handlersOf(services),
    authenticate: authenticateWith(database),
    webhooks: {
      receive: async (webhook, proved) => {
        const verdict = await receiveWebhook(database, purchaseDeps(services), webhook, new Date(), proved)
        log.info({ method: webhook.method, verdict }, 'payment notification')
      },
    },
    sandbox: settings.demo
      ? sandboxDesk({
          find: async (number) => {
            const invoice = await findInvoice(database.db, number)
            return invoice?.method === 'sandbox' ? invoice : null
          },
          secret: services.sandboxSecret,
          webhookUrl: () => `${origin}/api/webhooks/sandbox`,
          brand: 'Turnpike',
          now: () => new Date(),
        })
      : null,
    telegram: telegramDesk(services),
    publicUrl: settings.publicUrl,
    trustProxy: settings.trustProxy,
    gatewaySource,
    webRoot: existsSync(path.join(webRoot, 'index.html')) ? webRoot : null,
    metrics: { registry, token: settings.metricsToken },
    demo: settings.demo,
    log,
  })
  stopper.add('the web server', () => server.close())
  const listening = await server
    .listen({ host: settings.host, port: settings.port })
    .catch((error: unknown) => {
      const { code } = error as { code?: string }
      if (code === 'EADDRINUSE')
        throw new SettingFault(
          `Port ${settings.port} is in use by another program. Stop it, or set PORT to a free one.`,
        )
      if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
        throw new SettingFault(
          `Cannot listen on ${settings.host}:${settings.port} (${code}). Check HOST and PORT.`,
        )
      throw error
    })
  origin = listening.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]')
  return { origin, registry }
}
