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
  server.addHook('onRequest', async ({ socket, ip, url }) => {
    const { remoteAddress } = socket
    // A reverse proxy on this machine reports the address that connected to it.
    const isFromGateway = [remoteAddress, ip].some((one) => one === source || one === mapped)
    if (!isFromGateway) return
    if (url !== echoPath && !url.startsWith(`${echoPath}?`)) throw new Refusal('not_found')
  })
}
