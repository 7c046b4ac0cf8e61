/** The web server: the contract under /api, webhooks, the pages, and the operator's endpoints. */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Caller, Handlers, JsonAnswers } from '#db/call'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import type { Admission } from './admission/admission.ts'
import { bareServer, countryReader, secure } from './base.ts'
import { mountBanners } from './brand/banner.ts'
import { mountBrand } from './brand/brand.ts'
import { mountDocs } from './docs.ts'
import { mountDownload, type OpenDownload } from './blob.ts'
import { mountEcho } from './echo.ts'
import { languageOf } from './errors.ts'
import { codingFor } from './document.ts'
import { mountFirstReads } from './first-reads/first.reads.ts'
import { guardFromGateways } from './gateway.visits.ts'
import { type HealthOptions, measureRequests, mountHealth } from './health/health.ts'
import { linkPace, mountLinks, type OpenLink } from './links/links.ts'
import { mountLive } from './live/live.ts'
import { refuseOtherMethods } from './methods.ts'
import { watchLoop } from './loop.ts'
import { mountContract } from './mount.ts'
import { Pace, publicPace, subjectOf } from './admission/pace.ts'
import { mountPages } from './pages.ts'
import { mountSandbox, type SandboxDesk } from './sandbox.ts'
import { mountStatusFeed } from './status.feed.ts'
import { mountTelegram, type TelegramDesk } from './telegram.ts'
import { mountView } from './view/view.ts'
import { mountWebhooks, type WebhookDesk } from './webhooks.ts'

export { type TelegramDesk, telegramWebhookPath } from './telegram.ts'

export interface ServerOptions extends HealthOptions {
  handlers: Handlers
  jsonAnswers: JsonAnswers
  /** They seal the answers that are stored for repeated calls. */
  secrets: Secrets
  authenticate: (token: string, from: { ip: string; now: Date }) => Promise<Caller | null>
  webhooks: WebhookDesk
  /** Downloads of customers' data. */
  download: OpenDownload
  /** Secret links that answer with lines. */
  link: OpenLink
  /** The demo's payment page; absent outside of a demo. */
  sandbox: SandboxDesk | null
  /** Receives the bot's updates; null while there is no bot, or it polls for them. */
  telegram?: () => TelegramDesk | null
  publicUrl: URL
  /** Addresses of reverse proxies whose X-Forwarded-For is used. */
  trustProxy: string[]
  /** The header in which they give the client's country; null: none. */
  countryHeader: string | null
  /** The address from which a gateway of this machine connects customers. */
  gatewaySource: string
  /** The built web application; null serves the API alone. */
  webRoot: string | null
  /** A demo's echo may send megabytes, so that a customer can observe traffic. */
  demo: boolean
  log: FastifyBaseLogger
  admission: Admission
  now?: () => Date
}

/** Builds the server; the caller starts and closes it. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const server = bareServer(options)
  guardFromGateways(server, options.gatewaySource)
  measureRequests(server, options.metrics.registry)
  watchLoop(server, options.metrics.registry)
  secure(server, options.publicUrl)

  refuseOtherMethods(server)
  const now = options.now ?? (() => options.database.clock.now())
  const { admission } = options
  const admit = mountContract(server, { ...options, countryOf: countryReader(options), now })
  mountLive(server, { ...options, now, admit })
  const pace = new Pace(publicPace)
  const links = new Pace(linkPace)
  const take = (from: Pace, subject: string | null) => {
    const seconds = from.take(subject, now())
    if (seconds !== null) throw new Refusal('too_many_requests', { seconds }, seconds)
  }
  const admitAddress = (ip: string) => take(pace, subjectOf(ip))
  mountDownload(server, { open: options.download, now, admit: async ({ ip }) => admitAddress(ip) })
  mountLinks(server, {
    open: options.link,
    now,
    languageOf,
    admitAddress,
    admitLink: (id) => take(links, id),
    admission,
  })
  mountView(server, { ...options, now })
  mountDocs(server, options)
  mountEcho(server, { demo: options.demo, now })
  mountHealth(server, options)
  mountWebhooks(server, options.webhooks, now)
  if (options.sandbox !== null) mountSandbox(server, options.sandbox, options.webRoot)
  if (options.telegram !== undefined) mountTelegram(server, options.telegram)
  mountBrand(server, options.database)
  mountBanners(server, options.database)
  mountStatusFeed(server, { ...options, now })
  const rendering = await mountPages(server, options)
  if (rendering !== null) mountFirstReads(server, { ...rendering, languageOf, codingFor })
  return server
}
