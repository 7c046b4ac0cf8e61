/** The web server: the contract under /api, webhooks, the pages, and the operator's endpoints. */
import { randomUUID } from 'node:crypto'
import helmet from '@fastify/helmet'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Caller, Handlers } from '#db/call'
import { Refusal } from '#lib/refusal'
import { answerBroken, refuseWithoutHost, sendUnroutable } from './broken.ts'
import { mountDocs } from './docs.ts'
import { mountEcho } from './echo.ts'
import { sendError } from './errors.ts'
import { guardFromGateways } from './gateway.visits.ts'
import { type HealthOptions, measureRequests, mountHealth } from './health.ts'
import { refuseOtherMethods } from './methods.ts'
import { mountContract } from './mount.ts'
import type { PaceOptions } from './pace.ts'
import { mountPages } from './pages.ts'
import { mountSandbox, type SandboxDesk } from './sandbox.ts'
import { mountTelegram, type TelegramDesk } from './telegram.ts'
import { mountWebhooks, type WebhookDesk } from './webhooks.ts'

export { readyPage } from './health.ts'
export { notBuilt } from './mount.ts'
export { type TelegramDesk, telegramWebhookPath } from './telegram.ts'

export interface ServerOptions extends HealthOptions {
  handlers: Partial<Handlers>
  authenticate: (token: string, now: Date) => Promise<Caller | null>
  webhooks: WebhookDesk
  /** The demo's payment page; absent outside of a demo. */
  sandbox: SandboxDesk | null
  /** Receives the bot's updates; absent when there is no bot, or the bot polls for them. */
  telegram?: TelegramDesk | null
  publicUrl: URL
  /** Addresses of reverse proxies whose X-Forwarded-For is used. */
  trustProxy: string[]
  /** The address from which a gateway of this machine connects customers. */
  gatewaySource: string
  /** The built web application; null serves the API alone. */
  webRoot: string | null
  /** A demo's echo may send megabytes, so that a customer can observe traffic. */
  demo: boolean
  log: FastifyBaseLogger
  /** The rate limit of calls in the name of one account. Default: the usual one. */
  accountPace?: PaceOptions | undefined
  now?: () => Date
}

const bodyLimitBytes = 64 * 1024

/** Builds the server; the caller starts and closes it. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const server = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimitBytes,
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    genReqId: () => randomUUID(),
    requestTimeout: 30_000,
    http: { requireHostHeader: false },
    frameworkErrors: sendUnroutable,
    clientErrorHandler: answerBroken,
    routerOptions: { maxParamLength: 256 },
  })
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    refuseWithoutHost(request)
  })
  guardFromGateways(server, options.gatewaySource)
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  measureRequests(server, options.metrics.registry)
  readJson(server)
  await server.register(helmet, securityHeaders(options.publicUrl))

  const refuseOthers = refuseOtherMethods(server)
  const now = options.now ?? (() => options.database.clock.now())
  mountContract(server, { ...options, now })
  mountDocs(server, options)
  mountEcho(server, { demo: options.demo, now })
  mountHealth(server, options)
  mountWebhooks(server, options.webhooks, now)
  if (options.sandbox !== null) mountSandbox(server, options.sandbox)
  if (options.telegram != null) mountTelegram(server, options.telegram)
  await mountPages(server, options)
  await refuseOthers()
  server.setNotFoundHandler((request, reply) => sendError(new Refusal('not_found'), request, reply))
  return server
}

/** JSON bodies, parsed once; an empty body of a call without fields counts as `{}`. */
function readJson(server: FastifyInstance): void {
  server.removeContentTypeParser(['application/json', 'text/plain'])
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, {})
    try {
      done(null, JSON.parse(body as string))
    } catch {
      done(new Refusal('malformed_json'))
    }
  })
}

function securityHeaders(publicUrl: URL) {
  const isHttps = publicUrl.protocol === 'https:'
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        ...(isHttps ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    strictTransportSecurity: isHttps ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    referrerPolicy: { policy: 'same-origin' as const },
    crossOriginEmbedderPolicy: false,
  }
}
