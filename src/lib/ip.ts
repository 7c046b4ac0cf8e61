/**
 * Internet addresses as numbers: parsing, one canonical spelling, ranges, and which of them are public.
 *
 * All judgements use the parsed bits, never the text: `127.1`, `0x7f000001`, `::ffff:7f00:1` are one address.
 *
 * Node.js's BlockList only answers whether an address is in a list; finding the address behind a translator's
 * prefix, and the networks used for counting, requires the bits. ipaddr.js has bits, but it parses every
 * spelling and zone alike, and considers 168.63.129.16 and 4000::/3 public.
 */

export interface Ip {
  family: 4 | 6
  value: bigint
}

/** A range: every address whose first `prefix` bits equal those of `ip`. */
export interface Cidr {
  ip: Ip
  prefix: number
}

const MAPPED = 0xffffn

function widthOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128
}

/** `::ffff:a.b.c.d` (RFC 4291 2.5.5.2) becomes the IPv4 address it wraps; any other address is unchanged. */
function unmap(ip: Ip): Ip {
  if (ip.family === 6 && ip.value >> 32n === MAPPED) return { family: 4, value: ip.value & 0xffff_ffffn }
  return ip
}

function parseQuad(text: string): bigint | null {
  const parts = text.split('.')
  if (parts.length !== 4) return null
  let value = 0n
  for (const part of parts) {
    if (!/^(0|[1-9][0-9]{0,2})$/.test(part)) return null
    const octet = Number(part)
    if (octet > 255) return null
    value = (value << 8n) | BigInt(octet)
  }
  return value
}

function parseGroups(text: string): bigint[] | null {
  if (text === '') return []
  const groups: bigint[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const quad = index === parts.length - 1 ? parseQuad(part) : null
      if (quad === null) return null
      groups.push(quad >> 16n, quad & 0xffffn)
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(part)) return null
      groups.push(BigInt(`0x${part}`))
    }
  }
  return groups
}

function parseSix(text: string): bigint | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const head = parseGroups(halves[0] ?? '')
  const tail = parseGroups(halves[1] ?? '')
  if (head === null || tail === null) return null
  // A dotted quad is allowed only at the very end, so never before '::'.
  if (halves.length === 2 && (halves[0] ?? '').includes('.')) return null
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  const groups = [...head, ...Array<bigint>(missing).fill(0n), ...tail]
  return groups.reduce((value, group) => (value << 16n) | group, 0n)
}

/**
 * Parses a plain spelling: dotted quad without leading zeros, or RFC 4291 text without a zone. An IPv4-mapped
 * IPv6 address is returned as the IPv4 address. Null for anything else.
 */
export function parseIp(text: string): Ip | null {
  if (text.includes(':')) {
    const value = parseSix(text)
    return value === null ? null : unmap({ family: 6, value })
  }
  const value = parseQuad(text)
  return value === null ? null : { family: 4, value }
}

function parseLooseNumber(text: string): bigint | null {
  if (/^0x[0-9a-f]*$/i.test(text)) return text.length === 2 ? 0n : BigInt(text)
  if (/^0[0-7]*$/.test(text)) return BigInt(`0o${text}`.replace(/^0o0?$/, '0'))
  return /^[1-9][0-9]*$/.test(text) ? BigInt(text) : null
}

/**
 * Parses every spelling that an operating system's `inet_aton` would dial: `127.1`, `0177.0.0.1`,
 * `0x7f000001`,
 * `2130706433`, in addition to all of `parseIp`. Used to judge targets in any spelling.
 */
export function parseIpAnySpelling(text: string): Ip | null {
  if (text.includes(':')) return parseIp(text)
  if (text.length > 64) return null
  const parts = text.split('.')
  if (parts.length > 4) return null
  let value = 0n
  for (const [index, part] of parts.entries()) {
    const number = parseLooseNumber(part)
    if (number === null) return null
    const last = index === parts.length - 1
    const bits = last ? BigInt(8 * (4 - index)) : 8n
    if (number >= 1n << bits) return null
    value = (value << bits) | number
  }
  return { family: 4, value }
}

/** The canonical text: dotted quad, or RFC 5952 for IPv6. */
export function formatIp(ip: Ip): string {
  if (ip.family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => String((ip.value >> shift) & 0xffn)).join('.')
  }
  const groups = Array.from({ length: 8 }, (_, index) => (ip.value >> BigInt(112 - 16 * index)) & 0xffffn)
  let bestStart = -1
  let bestLength = 1
  for (let start = 0; start < 8; start++) {
    let length = 0
    while (start + length < 8 && groups[start + length] === 0n) length++
    if (length > bestLength) {
      bestStart = start
      bestLength = length
    }
  }
  const hex = (part: bigint[]) => part.map((group) => group.toString(16)).join(':')
  if (bestStart < 0) return hex(groups)
  return `${hex(groups.slice(0, bestStart))}::${hex(groups.slice(bestStart + bestLength))}`
}

/** An address without its zone (RFC 4007 section 11): `fe80::1` of `fe80::1%eth0`. */
export const withoutZone = (text: string): string => text.split('%', 1)[0] ?? ''

/** A name or an address with a port, as URLs and the Host field have it: `[2001:db8::1]:443`. */
export function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** One spelling per address (`::ffff:1.2.3.4` gives `1.2.3.4`), or null when the text is no address. */
export function canonicalIp(text: string): string | null {
  const ip = parseIp(text)
  return ip === null ? null : formatIp(ip)
}

/**
 * The network under which an address is counted: for IPv6 its /64, which belongs to one holder as a whole.
 */
export function networkOf(text: string): string {
  const ip = parseIp(text)
  return ip === null || ip.family === 4 ? text : `${(ip.value >> 64n).toString(16)}::/64`
}

/** The network that one holder can rent cheaply: a /24 of IPv4, a /48 of IPv6. */
export function neighbourhoodOf(text: string): string {
  const ip = parseIp(text)
  if (ip === null) return text
  return ip.family === 4 ? `${ip.value >> 8n}.0/24` : `${(ip.value >> 80n).toString(16)}::/48`
}

/**
 * The network under which a holder's addresses are counted where many holders send: the address for IPv4, the
 * /48 for IPv6, which is the allocation of a site (RFC 6177).
 */
export function siteOf(text: string): string {
  const ip = parseIp(text)
  return ip === null || ip.family === 4 ? text : neighbourhoodOf(text)
}

/**
 * The networks that contain an address, the widest first: /16, /24 and the address for IPv4; /32, /48 and /64
 * for IPv6.
 */
export function networksOf(text: string): [wide: string, neighbourhood: string, network: string] {
  const ip = parseIp(text)
  if (ip === null) return [text, text, text]
  const wide = ip.family === 4 ? `${ip.value >> 16n}.0.0/16` : `${(ip.value >> 96n).toString(16)}::/32`
  return [wide, neighbourhoodOf(text), networkOf(text)]
}

/** Parses `10.0.0.0/8`, `fc00::/7`, or a single address (a range of one). Null for any other text. */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf('/')
  const address = slash < 0 ? text : text.slice(0, slash)
  const ip = parseIp(address)
  if (ip === null) return null
  if (slash < 0) return { ip, prefix: widthOf(ip.family) }
  const digits = text.slice(slash + 1)
  if (!/^(0|[1-9][0-9]{0,2})$/.test(digits)) return null
  // A mapped address was converted to IPv4, so its prefix loses the 96 bits before it.
  const prefix = ip.family === 4 && address.includes(':') ? Number(digits) - 96 : Number(digits)
  return prefix < 0 || prefix > widthOf(ip.family) ? null : { ip, prefix }
}

/**
 * An address or a network in its canonical spelling, without bits beyond its prefix; null for any other text.
 */
export function canonicalNetwork(text: string): string | null {
  const range = parseCidr(text)
  if (range === null) return null
  const { ip, prefix } = range
  const width = widthOf(ip.family)
  if (prefix === width) return formatIp(ip)
  const rest = BigInt(width - prefix)
  return `${formatIp({ ...ip, value: (ip.value >> rest) << rest })}/${prefix}`
}

/** Whether the range contains the address. */
export function contains(cidr: Cidr, ip: Ip): boolean {
  if (cidr.ip.family !== ip.family) return false
  const shift = BigInt(widthOf(ip.family) - cidr.prefix)
  return cidr.ip.value >> shift === ip.value >> shift
}

/** Whether one of the ranges contains the address; false for a text that is not an address. */
export function isWithin(ranges: readonly Cidr[], text: string): boolean {
  const ip = parseIp(text)
  return ip !== null && ranges.some((range) => contains(range, ip))
}

/** Whether a connection to the address stays on this machine: loopback, and the unspecified address. */
export function isLoopback({ family, value }: Ip): boolean {
  if (value === 0n) return true
  return family === 4 ? value >> 24n === 127n : value === 1n
}

function ranges(...texts: string[]): Cidr[] {
  return texts.map((text) => {
    const cidr = parseCidr(text)
    if (cidr === null) throw new Error(`not a range: ${text}`)
    return cidr
  })
}

/**
 * The IANA special-purpose registry for IPv4, and the one cloud metadata address that lies outside of it
 * (Azure).
 */
const REFUSED_4 = ranges(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
)

/** Only 2000::/3 is allocated for the public IPv6 internet. */
const GLOBAL_6 = ranges('2000::/3')

/**
 * Within it: protocol assignments including Teredo and ORCHID, documentation, and 6to4, which wraps any IPv4
 * address.
 */
const REFUSED_6 = ranges('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20')

/** ISATAP interface identifiers (RFC 5214) wrap an IPv4 address in the last 32 bits. */
function isatap(ip: Ip): Ip | null {
  const marker = (ip.value >> 32n) & 0xffff_ffffn
  return marker === 0x5efen || marker === 0x0200_5efen ? { family: 4, value: ip.value & 0xffff_ffffn } : null
}

const EMBEDDING_32 = ranges('64:ff9b::/96', '64:ff9b:1::/48', '::/96')
const SIX_TO_FOUR = ranges('2002::/16')

/**
 * The IPv4 address that a translator or tunnel reaches by this address: NAT64 with the prefixes of RFC 6052
 * and RFC 8215, 6to4 (RFC 3056), ISATAP (RFC 5214), IPv4-compatible (RFC 4291 2.5.5.1). Null for any other
 * form.
 */
export function embeddedIpv4(ip: Ip): Ip | null {
  if (ip.family === 4) return null
  const low: Ip = { family: 4, value: ip.value & 0xffff_ffffn }
  if (EMBEDDING_32.some((cidr) => contains(cidr, ip))) return low
  if (SIX_TO_FOUR.some((cidr) => contains(cidr, ip)))
    return { family: 4, value: (ip.value >> 80n) & 0xffff_ffffn }
  return isatap(ip)
}

/**
 * Whether the address belongs to the public internet. Private, loopback, link-local, CGNAT, multicast,
 * reserved and documentation ranges are not; nor is any IPv6 form that wraps an IPv4 address (mapped, NAT64,
 * 6to4, Teredo).
 */
export function isPublic(address: Ip): boolean {
  const ip = unmap(address)
  if (ip.family === 4) return !REFUSED_4.some((cidr) => contains(cidr, ip))
  if (!GLOBAL_6.some((cidr) => contains(cidr, ip)) || REFUSED_6.some((cidr) => contains(cidr, ip)))
    return false
  const wrapped = isatap(ip)
  return wrapped === null || isPublic(wrapped)
}
