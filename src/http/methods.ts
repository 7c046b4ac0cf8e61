/**
 * Unsupported methods of existing paths: answered with 405 and an `Allow` field that lists the supported
 * ones, as RFC 9110 requires (section 15.5.6). 404 would mean that the path is wrong.
 */
import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#lib/refusal'

/**
 * Records every path mounted from now on. The returned function, called after the last one, answers their
 * other methods.
 */
export function refuseOtherMethods(server: FastifyInstance): () => Promise<void> {
  const mounted = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ method, url }) => {
    mounted.set(url, new Set([...(mounted.get(url) ?? []), ...[method].flat()]))
  })
  return async () => {
    // Registered plugins are mounted only when the server is awaited.
    await server.after()
    // CONNECT has no path: Node.js closes such a connection itself.
    const all = METHODS.filter((method) => method !== 'CONNECT')
    for (const method of all) {
      if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
    }
    // A copy: paths mounted here are recorded too.
    for (const [url, methods] of new Map(mounted)) {
      if (url.includes('*')) continue
      server.route({
        method: all.filter((method) => !methods.has(method)),
        url,
        // Before the body is read, which would not be used.
        onRequest: async (_request, reply) => {
          reply.header('allow', [...methods].toSorted().join(', '))
          throw new Refusal('method_not_allowed', { allowed: namesOf(methods) })
        },
        handler: () => undefined,
      })
    }
  }
}

/** The methods of interest to a caller: HEAD accompanies GET, and OPTIONS requests this list. */
const namesOf = (methods: ReadonlySet<string>) =>
  [...methods].filter((method) => method !== 'HEAD' && method !== 'OPTIONS').join(', ')
