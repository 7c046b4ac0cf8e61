/** Targets as clients name them: parsing and printing of hosts, ports and authorities. */

import { formatIp, hostAndPort, parseIp, parseIpAnySpelling, type Ip } from '#lib/ip'
import { memoized } from '#lib/memo'
import { ProxyRefusal, refusal } from '../responses/refusal.ts'
import { hostName } from './dns.name.ts'

export interface Target {
  /** A lower-case name without a trailing dot; null when the client named an address. */
  name: string | null
  ip: Ip | null
  port: number
}

function badTarget(sentence: string): ProxyRefusal {
  return refusal('bad_target', sentence)
}

function readHost(text: string): { name: string | null; ip: Ip | null } {
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1]
  if (bracketed !== undefined || text.includes(':')) {
    const ip = (bracketed ?? text).includes(':') ? parseIp(bracketed ?? text) : null
    if (ip === null) throw badTarget('the host is no IPv6 address')
    return { name: null, ip }
  }
  const ip = parseIpAnySpelling(text.replace(/\.$/, ''))
  if (ip !== null) return { name: null, ip }
  const name = hostName(text)
  if (name === null) throw badTarget('the host is no proper name and no address')
  return { name, ip: null }
}

/** Parses a host: an address in any spelling, or a name of letters, digits, hyphens and underscores. */
export const parseHost = memoized(10_000, readHost)

/** Parses a port: 1 to 65535 in decimal digits. */
export function parsePort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65535) throw badTarget('the port is not between 1 and 65535')
  return port
}

function readAuthority(text: string, defaultPort: number | null): Target {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text)
  if (match === null || match[1] === undefined || match[1] === '')
    throw badTarget('the target is not host:port')
  // An empty port means the default (RFC 3986 3.2.3).
  const port = match[2] === undefined || match[2] === '' ? defaultPort : parsePort(match[2])
  if (port === null) throw badTarget('the target has no port')
  return { ...parseHost(match[1]), port }
}

const withPort = memoized(10_000, (text) => readAuthority(text, null))
const orPort80 = memoized(10_000, (text) => readAuthority(text, 80))

/**
 * Parses `host:port` or `[address]:port`; without a port the default applies, and without a default it is
 * refused.
 */
export function parseAuthority(text: string, defaultPort: 80 | null): Target {
  return defaultPort === null ? withPort(text) : orPort80(text)
}

/** The key is the port, a blank, and the host. */
const ofParts = memoized(10_000, (text): Target => {
  const space = text.indexOf(' ')
  return { ...parseHost(text.slice(space + 1)), port: parsePort(text.slice(0, space)) }
})

/** A target whose host, in any spelling, and port were sent apart. */
export const targetAt = (host: string, port: number): Target => ofParts(`${port} ${host}`)

const texts = new WeakMap<Target, string>()

/** The target as `host:port`, for logs and for the Host field. */
export function printTarget(target: Target): string {
  let text = texts.get(target)
  if (text === undefined) {
    const { name, ip, port } = target
    text = hostAndPort(ip === null ? (name ?? '') : formatIp(ip), port)
    texts.set(target, text)
  }
  return text
}

/** Whether an authority, in any spelling, names this target. One without a port names it at any port. */
export function isSameTarget(authority: string, target: Target): boolean {
  try {
    const { name, ip, port } = readAuthority(authority, target.port)
    return printTarget({ name, ip, port }) === printTarget(target)
  } catch (error) {
    if (error instanceof ProxyRefusal) return false
    throw error
  }
}
