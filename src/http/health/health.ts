/** /healthz, /readyz and /metrics. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { Counter, Histogram, type Registry } from 'prom-client'
import { liveRequestsPath } from '#contract/requests/live'
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'
import { sameBytes, sha256 } from '#lib/secret'
import { isThisMachine } from '../admission/pace.ts'
import { readyPage } from './ready.page.ts'

export interface HealthOptions {
  database: Database
  metrics: { registry: Registry; token: string | null }
  /** Other faults of the process, as sentences that contain nothing secret. */
  faults?: () => string[]
}

export function mountHealth(
  server: FastifyInstance,
  { database, metrics, faults = () => [] }: HealthOptions,
): void {
  /** The process runs. */
  server.get('/healthz', (_request, reply) => reply.type('text/plain').send('ok\n'))
  /** The process can do its work: the database answers, and nothing else is wrong. */
  server.get('/readyz', async (_request, reply) => {
    await sql`select 1`.execute(database.db)
    const { status, text } = readyPage(faults())
    return reply.status(status).type('text/plain').send(text)
  })
  server.get('/metrics', async (request, reply) => {
    if (!mayRead(request, metrics.token)) {
      throw new Refusal('not_found')
    }
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}

/**
 * With a token set, only requests that carry it are served; without one, only direct requests from this
 * machine, not those that a reverse proxy on it forwards. Others get 404.
 */
function mayRead({ headers, socket }: FastifyRequest, token: string | null): boolean {
  if (token === null) {
    const isForwarded = forwardingFields.some((name) => headers[name] !== undefined)
    return isThisMachine(socket.remoteAddress ?? '') && !isForwarded
  }
  return sameBytes(sha256(headers.authorization ?? ''), sha256(`Bearer ${token}`))
}

const forwardingFields = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'via']

/**
 * Counts and times every request by route, not by path: ids in paths would create an unbounded number of
 * series.
 */
export function measureRequests(server: FastifyInstance, registry: Registry): void {
  const seconds = new Histogram({
    name: 'turnpike_http_request_seconds',
    help: 'Time to answer, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  const failures = new Counter({
    name: 'turnpike_http_failures_total',
    help: 'Answers with a status of 500 or more, by route.',
    labelNames: ['route'],
    registers: [registry],
  })
  server.addHook('onResponse', (request, reply, next) => {
    const route = request.routeOptions.url ?? 'unknown'
    const labels = { method: request.method, route, status: String(reply.statusCode) }
    // A stream lasts as long as the page is open, so its duration is not a response time.
    if (route !== liveRequestsPath) seconds.observe(labels, reply.elapsedTime / 1000)
    if (reply.statusCode >= 500) failures.inc({ route })
    next()
  })
}
