/**
 * Finds turns of the event loop that delay other work. When a timer of ten milliseconds is late by more than
 * the limit, and this thread used as much processor time, one turn held the loop. Delays in which the machine
 * gave the process no processor time do not count.
 */
import type { FastifyInstance } from 'fastify'
import { Histogram, type Registry } from 'prom-client'
import { liveRequestsPath } from '#contract/requests/live'

/** No call may hold the loop for longer. */
export const mostHeldMs = 50
const everyMs = 10

/** The watch of each process that has metrics: its servers share one event loop. */
const watches = new WeakMap<Registry, LoopWatch>()

/**
 * Counts the turns that are too long, by the route of the request that was being answered, and logs them.
 * Servers with one registry are watched together. `registry` is null in processes without metrics.
 */
export function watchLoop(server: FastifyInstance, registry: Registry | null): void {
  const watch = (registry === null ? undefined : watches.get(registry)) ?? new LoopWatch(registry)
  if (registry !== null) watches.set(registry, watch)
  watch.add(server)
}

class LoopWatch {
  /** The number of requests being answered, by route. */
  readonly #answering = new Map<string, number>()
  readonly #held: Histogram | null
  readonly #servers = new Set<FastifyInstance>()
  #before = { atMs: 0, cpuMs: 0 }
  #timer: NodeJS.Timeout | undefined

  constructor(registry: Registry | null) {
    this.#held =
      registry === null
        ? null
        : new Histogram({
            name: 'turnpike_loop_held_seconds',
            help: `Turns of the event loop of more than ${mostHeldMs} ms, by the route that was being answered.`,
            labelNames: ['route'],
            buckets: [0.1, 0.25, 0.5, 1, 5],
            registers: [registry],
          })
  }

  add(server: FastifyInstance): void {
    // A stream is open for hours and is not a call.
    const routeOf = (url: string | undefined) => (url === liveRequestsPath ? undefined : (url ?? 'unknown'))
    server.addHook('onRequest', (request, _reply, next) => {
      const route = routeOf(request.routeOptions.url)
      if (route !== undefined) this.#count(route, 1)
      next()
    })
    server.addHook('onResponse', (request, _reply, next) => {
      const route = routeOf(request.routeOptions.url)
      if (route !== undefined) {
        this.#look()
        this.#count(route, -1)
      }
      next()
    })
    this.#servers.add(server)
    // Before the first server listens, a turn delays nobody.
    server.addHook('onListen', (done) => {
      if (this.#timer === undefined) {
        this.#before = { atMs: performance.now(), cpuMs: threadCpuMs() }
        this.#timer = setInterval(() => this.#look(), everyMs).unref()
      }
      done()
    })
    server.addHook('onClose', async () => {
      this.#servers.delete(server)
      if (this.#servers.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    })
  }

  #count(route: string, by: 1 | -1): void {
    const number = (this.#answering.get(route) ?? 0) + by
    if (number > 0) this.#answering.set(route, number)
    else this.#answering.delete(route)
  }

  #look(): void {
    if (this.#timer === undefined) return
    const after = { atMs: performance.now(), cpuMs: threadCpuMs() }
    const lateMs = after.atMs - this.#before.atMs - everyMs
    const heldMs = Math.min(lateMs, after.cpuMs - this.#before.cpuMs)
    this.#before = after
    if (heldMs <= mostHeldMs) return
    const routes = [...this.#answering.keys()].toSorted()
    const [only] = routes
    this.#held?.observe({ route: routes.length > 1 ? 'several' : (only ?? 'none') }, heldMs / 1000)
    for (const { log } of [...this.#servers].slice(0, 1))
      log.warn({ held_ms: Math.round(heldMs), routes }, 'a turn of the event loop took too long')
  }
}

/** The processor time of this thread so far. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
