/** Access of gateways to the shop itself, so that a customer can try a line. */
import { echoPath } from '#contract/wire'
import { parseAuthority, type Shop } from '#gateway'

/**
 * The source address of gateways that connect customers to a shop on loopback of the same machine. Only
 * gateways use it; the web server serves only /api/echo to it.
 */
export const gatewaySource = '127.77.0.1'

/** host:port of PUBLIC_URL. */
export function shopAuthority({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
}

/** The shop as a target, by its host:port. */
export function shopOf(authority: string): Shop {
  return { target: parseAuthority(authority, null), path: echoPath, loopbackSource: gatewaySource }
}
