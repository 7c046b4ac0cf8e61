/**
 * Turns of the event loop that others had to wait for. A timer of ten milliseconds that comes late by more
 * than the limit, while this thread used as much processor time, was held up by one turn; a machine that gave
 * the process no time does not count.
 */
import type { FastifyInstance } from 'fastify'
import { Histogram, type Registry } from 'prom-client'
import { liveRequestsPath } from '#contract/wire'

/** No call may hold the loop for longer. */
export const mostHeldMs = 50
const everyMs = 10

/** Counts the turns that are too long, by the route of the request that was being answered, and logs them. */
export function watchLoop(server: FastifyInstance, registry: Registry): void {
  const held = new Histogram({
    name: 'turnpike_loop_held_seconds',
    help: `Turns of the event loop of more than ${mostHeldMs} ms, by the route that was being answered.`,
    labelNames: ['route'],
    buckets: [0.1, 0.25, 0.5, 1, 5],
    registers: [registry],
  })
  const answering = new Map<string, number>()
  const count = (route: string, by: 1 | -1) => {
    const number = (answering.get(route) ?? 0) + by
    if (number > 0) answering.set(route, number)
    else answering.delete(route)
  }
  // A stream is open for hours, and no call.
  const routeOf = (url: string | undefined) => (url === liveRequestsPath ? undefined : (url ?? 'unknown'))
  server.addHook('onRequest', async (request) => {
    const route = routeOf(request.routeOptions.url)
    if (route !== undefined) count(route, 1)
  })
  server.addHook('onResponse', async (request) => {
    const route = routeOf(request.routeOptions.url)
    if (route === undefined) return
    look()
    count(route, -1)
  })
  let before = { atMs: performance.now(), cpuMs: threadCpuMs() }
  const look = () => {
    const after = { atMs: performance.now(), cpuMs: threadCpuMs() }
    const lateMs = after.atMs - before.atMs - everyMs
    const heldMs = Math.min(lateMs, after.cpuMs - before.cpuMs)
    before = after
    if (heldMs <= mostHeldMs) return
    const routes = [...answering.keys()].toSorted()
    const [only] = routes
    held.observe({ route: routes.length > 1 ? 'several' : (only ?? 'none') }, heldMs / 1000)
    server.log.warn({ held_ms: Math.round(heldMs), routes }, 'a turn of the event loop took too long')
  }
  const timer = setInterval(look, everyMs).unref()
  server.addHook('onClose', async () => clearInterval(timer))
}

/** The processor time of this thread so far. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
