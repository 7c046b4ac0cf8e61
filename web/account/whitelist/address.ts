import { canonicalIpv4 } from '#contract/ipv4'

/**
 * The IPv4 address of a client as a server sees it, also when it is mapped: `::ffff:203.0.113.7`. Null for
 * IPv6.
 */
export function ipv4Of(clientAddress: string): string | null {
  return canonicalIpv4(clientAddress.replace(/^::ffff:/i, ''))
}
