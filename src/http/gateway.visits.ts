/**
 * Customers who come through a gateway of this machine. It connects them from a loopback address of its own, which is known
 * by no header and cannot be made up: from there the echo is all there is, and nothing counts as this machine's own.
 */
import type { FastifyInstance } from 'fastify'
import { echoPath } from '#contract/wire'
import { Refusal } from '#lib/refusal'

/** `source` is that IPv4 address. */
export function guardFromGateways(server: FastifyInstance, source: string): void {
  // As it looks on a socket that takes both families.
  const mapped = `::ffff:${source}`
  server.addHook('onRequest', async ({ socket, ip, url }) => {
    const { remoteAddress } = socket
    // A reverse proxy on this machine names the address that it was connected from.
    const isFromGateway = [remoteAddress, ip].some((one) => one === source || one === mapped)
    if (!isFromGateway) return
    if (url !== echoPath && !url.startsWith(`${echoPath}?`)) throw new Refusal('not_found')
  })
}
