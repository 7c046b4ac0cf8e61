/**
 * Customers who reach the shop through a gateway of this machine. The gateway connects them from a loopback
 * address of its own, which appears in no header and cannot be forged: requests from there reach the echo
 * only, and do not count as this machine's own.
 */
import type { FastifyInstance } from 'fastify'
import { echoPath } from '#contract/wire'
import { Refusal } from '#lib/refusal'

/** `source` is that IPv4 address. */
export function guardFromGateways(server: FastifyInstance, source: string): void {
  // The form of the address on a dual-stack socket.
  const mapped = `::ffff:${source}`
  const isGateway = (address: string | undefined) => address === source || address === mapped
  server.addHook('onRequest', ({ socket, ip, url }, _reply, next) => {
    // A reverse proxy on this machine reports the address that connected to it.
    const isElsewhere = url !== echoPath && !url.startsWith(`${echoPath}?`)
    const isRefused = isElsewhere && (isGateway(socket.remoteAddress) || isGateway(ip))
    next(isRefused ? new Refusal('not_found') : undefined)
  })
}
