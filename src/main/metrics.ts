/** /healthz, /readyz and /metrics of processes without a web server. */
import { createServer, type IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { readyPage } from '#http/ready-page'
import { sameBytes, sha256 } from '#lib/secret'
import type { Readiness } from './health/readiness.ts'
import { SettingFault, type Settings } from './settings/settings.ts'
import { type MetricsPart, metricsPorts } from './settings/settings.feed.ts'
import { replacedSignal, type Stopper } from './process/stop.ts'

/** The registry of this process, to which other modules add metrics. */
export function processMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

const tryAgainMs = 500

/**
 * Listens at METRICS_LISTEN, at the part's own port when it names none; returns the registry, or null when it
 * is not set. `waits`: the gateway that this one is about to replace still listens there, and stops when it
 * is asked to drain.
 */
export async function startMetrics(
  settings: Settings,
  part: MetricsPart,
  stopper: Stopper,
  readiness: Readiness,
  { waits }: { waits: boolean } = { waits: false },
): Promise<Registry | null> {
  const { metricsListen, metricsToken: token } = settings
  if (metricsListen === null) return null
  const { host, port = metricsPorts[part] } = metricsListen
  const registry = processMetrics()
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url === '/healthz') {
        response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n')
      } else if (request.url === '/readyz') {
        const { status, text } = readyPage(readiness.faults())
        response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
      } else if (request.url === '/metrics' && mayRead(request, token)) {
        const text = await registry.metrics()
        response.writeHead(200, { 'content-type': registry.contentType }).end(text)
      } else {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n')
      }
    })()
  })
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  let isClosed = false
  const listenLater = () => {
    if (!isClosed) setTimeout(() => void listen().catch(listenLater), tryAgainMs).unref()
  }
  await listen().catch((error: NodeJS.ErrnoException) => {
    const isTaken = error.code === 'EADDRINUSE'
    if (!isTaken) throw new SettingFault(`METRICS_LISTEN: cannot listen on ${host}:${port} (${error.code}).`)
    if (!waits)
      throw new SettingFault(
        `METRICS_LISTEN: ${host}:${port} is taken by another part or program. Without a port (METRICS_LISTEN=${host}) each part has its own; a second ${part} on this machine needs a METRICS_LISTEN of its own.`,
      )
    listenLater()
  })
  const close = async () => {
    isClosed = true
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  process.once(replacedSignal, () => void close())
  stopper.add('the metrics', close)
  return registry
}

/**
 * Whether the request is authorized: with a token set, by that token; without one, when it comes from this
 * machine.
 */
function mayRead({ headers, socket }: IncomingMessage, token: string | null): boolean {
  if (token !== null) return sameBytes(sha256(headers.authorization ?? ''), sha256(`Bearer ${token}`))
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}
