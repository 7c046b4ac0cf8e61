/**
 * The shop itself as a target. Customers may try a line at its echo and reach nothing else of the shop
 * through a gateway: on this machine the shop treats connections from loopback as the operator's own.
 *
 * The path of a forwarded request is checked here. A tunnel may carry anything, so a tunnel to loopback comes
 * from an address of its own, to which the web server answers with the echo only. Other tunnels reach the
 * shop from an address that has no rights there, as any visitor does.
 */

import { isLoopback, type Ip } from '#lib/ip'
import { refusal } from '../responses/refusal.ts'
import type { Target } from './target.ts'

export interface Shop {
  /** Host and port of its public address. */
  target: Target
  /** The path that customers may request. */
  path: string
  /** The local IPv4 address of connections to the shop on loopback. */
  loopbackSource: string
}

const isSameIp = (one: Ip | null, other: Ip | null) =>
  one?.family === other?.family && one?.value === other?.value

/** Whether the customer named the shop, by its host and its port. */
export function isShop({ target: shop }: Shop, { name, ip, port }: Target): boolean {
  return port === shop.port && name === shop.name && isSameIp(ip, shop.ip)
}

/** Refuses a request to the shop for anything else than its echo; `path` has the query as well. */
export function judgeShopPath(shop: Shop, path: string): void {
  if (path === shop.path || path.startsWith(`${shop.path}?`)) return
  throw refusal('target_forbidden', `through this proxy the shop answers ${shop.path} only`)
}

/** The addresses to which a tunnel to the shop may be opened. Refuses when there are none. */
export function shopTunnelAddresses(shop: Shop, ips: readonly Ip[]): readonly Ip[] {
  // IPv6 has only one loopback address, so none that could distinguish customers.
  const usable = ips.filter((ip) => ip.family === 4 || !isLoopback(ip))
  if (usable.length > 0) return usable
  throw refusal('target_forbidden', `the shop is here for requests to http://…${shop.path} only`)
}
