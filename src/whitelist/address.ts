import { contains, type Ip, isPublic, parseCidr, parseIp } from '#lib/ip'

const pattern = /^([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})$/

/**
 * An IPv4 address as people write it: four numbers of one to three digits, each at most 255. Answers the one spelling
 * that gateways look up (`010.1.1.1` is 10.1.1.1, read as decimal like any number), or null when it is no address.
 */
export function canonicalAddress(text: string): string | null {
  const numbers = pattern.exec(text)?.slice(1).map(Number)
  return numbers?.every((number) => number <= 255) === true ? numbers.join('.') : null
}

/** Which addresses may be put on a whitelist. */
export type ListableRule = (ip: Ip) => boolean

/** Global unicast: no range of the IANA IPv4 Special-Purpose Address Registry. */
export const isGlobalUnicast: ListableRule = isPublic

const loopback = parseCidr('127.0.0.0/8')

/** For a demo, whose customer is at the same machine: besides those, 127.0.0.0/8. */
export const isGlobalUnicastOrLoopback: ListableRule = (ip) =>
  isPublic(ip) || (loopback !== null && contains(loopback, ip))

/** The canonical address, or null when the text is none or the rule does not allow it. */
export function listableAddress(text: string, isListable: ListableRule): string | null {
  const address = canonicalAddress(text)
  const ip = address === null ? null : parseIp(address)
  return ip !== null && isListable(ip) ? address : null
}
