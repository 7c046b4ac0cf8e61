/**
 * Methods that an address does not have: answered with 405 and an `Allow` field that names those it has, as RFC 9110
 * asks (section 15.5.6). 404 would say that the address is wrong.
 */
import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#lib/refusal'

/**
 * Notes every address that is mounted from now on. The returned function, called when all of them are, answers their
 * other methods.
 */
export function refuseOtherMethods(server: FastifyInstance): () => Promise<void> {
  const mounted = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ method, url }) => {
    mounted.set(url, new Set([...(mounted.get(url) ?? []), ...[method].flat()]))
  })
  return async () => {
    // What was registered is mounted only when it is waited for.
    await server.after()
    // CONNECT asks for no address: Node.js closes such a connection by itself.
    const all = METHODS.filter((method) => method !== 'CONNECT')
    for (const method of all) {
      if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
    }
    // A copy: what is mounted here is noted too.
    for (const [url, methods] of new Map(mounted)) {
      if (url.includes('*')) continue
      server.route({
        method: all.filter((method) => !methods.has(method)),
        url,
        // Before the body is read: nobody would look at it.
        onRequest: async (_request, reply) => {
          reply.header('allow', [...methods].toSorted().join(', '))
          throw new Refusal('method_not_allowed', { allowed: namesOf(methods) })
        },
        handler: () => undefined,
      })
    }
  }
}

/** What a person would use: HEAD comes with GET, and OPTIONS asks about the others. */
const namesOf = (methods: ReadonlySet<string>) =>
  [...methods].filter((method) => method !== 'HEAD' && method !== 'OPTIONS').join(', ')
