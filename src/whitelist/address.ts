/** The addresses that may be put on a whitelist. */
import { canonicalIpv4 } from '#contract/ipv4'
import { contains, type Ip, isPublic, parseCidr, parseIp } from '#lib/ip'

export type ListableRule = (ip: Ip) => boolean

/** Global unicast: no range of the IANA IPv4 Special-Purpose Address Registry. */
export const isGlobalUnicast: ListableRule = isPublic

const loopback = parseCidr('127.0.0.0/8')

/** For a demo, whose customer is on the same machine: 127.0.0.0/8 in addition. */
export const isGlobalUnicastOrLoopback: ListableRule = (ip) =>
  isPublic(ip) || (loopback !== null && contains(loopback, ip))

/** The canonical address, or null when the text is invalid or the rule does not allow it. */
export function listableAddress(text: string, isListable: ListableRule): string | null {
  const address = canonicalIpv4(text)
  const ip = address === null ? null : parseIp(address)
  return ip !== null && isListable(ip) ? address : null
}
