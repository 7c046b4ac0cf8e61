/**
 * Unsupported methods of existing paths: answered with 405 and an `Allow` field that lists the supported
 * ones, as RFC 9110 requires (section 15.5.6). 404 would mean that the path is wrong.
 */
import type { FastifyInstance } from 'fastify'
import findMyWay from 'find-my-way'
import { Refusal } from '#lib/refusal'
import { maxParamLength } from './base.ts'

/**
 * Records every path mounted from now on, and refuses other methods of them before the body is read. The paths
 * are in a router of their own: routes for every method of every path took a third of the server's start.
 */
export function refuseOtherMethods(server: FastifyInstance): void {
  const mounted = new Map<string, Set<string>>()
  const paths = findMyWay({ maxParamLength })
  server.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return
    const methods = mounted.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    if (mounted.has(url)) return
    mounted.set(url, methods)
    paths.on('GET', url, () => undefined, methods)
  })
  server.addHook('onRequest', (request, reply, next) => {
    const { url } = request.routeOptions
    if (url !== undefined && !url.includes('*')) return next()
    const methods = paths.find('GET', request.raw.url ?? '')?.store as Set<string> | undefined
    if (methods === undefined) return next()
    reply.header('allow', [...methods].toSorted().join(', '))
    next(new Refusal('method_not_allowed', { allowed: namesOf(methods) }))
  })
}

/** The methods of interest to a caller: HEAD accompanies GET, and OPTIONS requests this list. */
const namesOf = (methods: ReadonlySet<string>) =>
  [...methods].filter((method) => method !== 'HEAD' && method !== 'OPTIONS').join(', ')
