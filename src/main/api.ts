/** The web server as a process part. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { brandOnPages } from '#content'
import { buildServer } from '#http'
import { sandboxDesk } from '#payments/adapters'
import { findInvoice, receiveWebhook } from '#purchase'
import { telegramDesk } from './bot.ts'
import { gatewaySource } from './gateway/shop.ts'
import { jsonAnswersOf } from './json.answers.ts'
import type { Readiness } from './health/readiness.ts'
import { handlersOf, openLink } from './handlers.ts'
import { authenticateWith, openDownload, purchaseDeps, type Services } from './services.ts'
import { renewed } from './renewal.ts'
import { SettingFault } from './settings/settings.ts'
import { onSecondAsking, type Stopper } from './process/stop.ts'

const webRoot = path.resolve(import.meta.dirname, '../../dist/web')

/** How long slow readers of responses may delay the end of the process. */
const closeWithinMs = 5_000

/** Resolves after so many seconds, or at once when the process is asked to end again. */
async function drained(seconds: number): Promise<void> {
  if (seconds === 0) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    const calm = onSecondAsking(() => {
      clearTimeout(timer)
      calm()
      resolve()
    })
  })
}

/** Starts the web server; returns where it listens. */
export async function startApi(
  services: Services,
  stopper: Stopper,
  { registry, readiness }: { registry: Registry; readiness: Readiness },
): Promise<string> {
  const { settings, database, log } = services
  const now = () => database.clock.now()
  let origin = ''
  const server = await buildServer({
    database,
    handlers: renewed(services, () => handlersOf(services)),
    jsonAnswers: jsonAnswersOf(services),
    secrets: services.secrets,
    admission: services.admission,
    authenticate: authenticateWith(database),
    download: openDownload(database),
    link: openLink(services),
    webhooks: {
      receive: async (webhook, proved) => {
        const receive = () => receiveWebhook(database, purchaseDeps(services), webhook, now(), proved)
        const { method } = webhook
        // Clients can send any method name: only known ones become labels.
        const verdict = await (services.methods.find(method) === null
          ? receive()
          : services.counts.webhook(method, receive))
        log.info({ method, verdict }, 'payment notification')
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
          brand: () => brandOnPages(database.db),
          now,
        })
      : null,
    telegram: telegramDesk(services),
    publicUrl: settings.publicUrl,
    trustProxy: settings.trustProxy,
    countryHeader: settings.countryHeader,
    gatewaySource,
    webRoot: existsSync(path.join(webRoot, 'index.html')) ? webRoot : null,
    metrics: { registry, token: settings.metricsToken },
    faults: () => readiness.faults(),
    demo: settings.demo,
    log,
  })
  let isStopping = false
  readiness.add(() => (isStopping ? 'The web server drains: send requests to another one.' : null))
  stopper.add('the web server', async () => {
    isStopping = true
    await drained(settings.apiDrainSeconds)
    const timer = setTimeout(() => server.server.closeAllConnections(), closeWithinMs)
    await server.close().finally(() => clearTimeout(timer))
  })
  const listening = await listenOrFault(server, settings, { host: 'HOST', port: 'PORT' })
  origin = listening.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]')
  return origin
}

/** Starts listening; an unavailable port is refused with a sentence that names the setting. */
export async function listenOrFault(
  server: FastifyInstance,
  { host, port }: { host: string; port: number },
  names: { host: string; port: string },
): Promise<string> {
  return server.listen({ host, port }).catch((error: unknown) => {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE')
      throw new SettingFault(
        `Port ${port} is in use by another program. Stop it, or set ${names.port} to a free one.`,
      )
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
      const settings = [...new Set([names.host, names.port])].join(' and ')
      throw new SettingFault(`Cannot listen on ${host}:${port} (${code}). Check ${settings}.`)
    }
    throw error
  })
}
