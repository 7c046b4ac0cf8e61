/**
 * Where a client wants to go, and whether it may. A name is resolved once, every address it has is judged by its bits,
 * and exactly the judged addresses are dialled, so that no spelling and no second answer of the DNS gets past.
 */

import { lookup } from 'node:dns/promises'
import {
  contains,
  formatIp,
  isPublic,
  parseCidr,
  parseIp,
  parseIpAnySpelling,
  type Cidr,
  type Ip,
} from '#lib/ip'
import { deniesAddress, deniesName, deniesPort, type DenyList } from './deny.list.ts'
import { remembered } from '#lib/memo'
import { ProxyRefusal, SOCKS_REPLY } from '../responses/refusal.ts'

export interface Target {
  /** A lower-case name without a trailing dot, or null when the client named an address. */
  name: string | null
  ip: Ip | null
  port: number
}

/** An exception from what is refused: a host or a range, at one port or at all. */
export type AllowRule = { host: string; port: number | null } | { cidr: Cidr; port: number | null }

function badTarget(sentence: string): ProxyRefusal {
  return new ProxyRefusal({
    status: 400,
    code: 'bad_target',
    sentence,
    error: 'http_request_error',
    reply: SOCKS_REPLY.hostUnreachable,
  })
}

function forbidden(code: string, sentence: string, error: string): ProxyRefusal {
  return new ProxyRefusal({ status: 403, code, sentence, error, reply: SOCKS_REPLY.forbidden })
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

function readHost(text: string): { name: string | null; ip: Ip | null } {
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1]
  if (bracketed !== undefined || text.includes(':')) {
    const ip = (bracketed ?? text).includes(':') ? parseIp(bracketed ?? text) : null
    if (ip === null) throw badTarget('the host is no IPv6 address')
    return { name: null, ip }
  }
  const name = text.toLowerCase().replace(/\.$/, '')
  const ip = parseIpAnySpelling(name)
  if (ip !== null) return { name: null, ip }
  const labels = name.split('.')
  if (name.length > 253 || !labels.every((label) => LABEL.test(label)))
    throw badTarget('the host is no proper name')
  // No top-level domain is a number, so this is a misspelt address that some resolver might still understand.
  if (/^(0x[0-9a-f]*|[0-9]+)$/.test(labels.at(-1) ?? '')) throw badTarget('the host is no proper address')
  return { name, ip: null }
}

/** Reads a host: an address in any spelling, or a name of letters, digits and hyphens. */
export const parseHost = remembered(10_000, readHost)

/** Reads a port: 1 to 65535 in decimal digits. */
export function parsePort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65535) throw badTarget('the port is not between 1 and 65535')
  return port
}

function readAuthority(text: string, defaultPort: number | null): Target {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text)
  if (match === null || match[1] === undefined || match[1] === '')
    throw badTarget('the target is not host:port')
  // An empty port stands for the default (RFC 3986 3.2.3).
  const port = match[2] === undefined || match[2] === '' ? defaultPort : parsePort(match[2])
  if (port === null) throw badTarget('the target has no port')
  return { ...parseHost(match[1]), port }
}

const explicit = remembered(10_000, (text) => readAuthority(text, null))
const orHttp = remembered(10_000, (text) => readAuthority(text, 80))

/** Reads `host:port` or `[address]:port`; without a port the default applies, and without a default it is refused. */
export function parseAuthority(text: string, defaultPort: 80 | null): Target {
  return defaultPort === null ? explicit(text) : orHttp(text)
}

/**
 * Reads the list of exceptions (GATEWAY_ALLOW): comma-separated, each a host, host:port, address, address:port or
 * CIDR. Throws with a sentence naming the part that is none of these.
 */
export function parseAllow(text: string): AllowRule[] {
  const parts = text.split(',').map((part) => part.trim())
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const range = parseCidr(part)
      if (range !== null) return { cidr: range, port: null }
      const match = /^(\[[^\]]*\]|[^:]*?)(?::([0-9]+))?$/.exec(part)
      try {
        const { name, ip } = parseHost(match?.[1] ?? part)
        const port = match?.[2] === undefined ? null : parsePort(match[2])
        if (ip !== null) return { cidr: { ip, prefix: ip.family === 4 ? 32 : 128 }, port }
        return { host: name ?? part, port }
      } catch (fault) {
        if (!(fault instanceof ProxyRefusal)) throw fault
        throw new Error(`"${part}" is no host, host:port, address or CIDR: ${fault.parts.sentence}`, {
          cause: fault,
        })
      }
    })
}

export type Resolve = (name: string) => Promise<string[]>

const RESOLVE_MS = 10_000

/** The system's resolver: the hosts file, then DNS; all addresses in the order it prefers. */
export async function systemResolve(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true, order: 'verbatim' })
  return found.map((entry) => entry.address)
}

export interface TargetRules {
  allow: readonly AllowRule[]
  refusePorts: readonly number[]
  /** What the operator refuses besides; exceptions hold for that too. */
  deny?: DenyList
  resolve: Resolve
}

function ruleNames(rule: AllowRule, target: Target, ip: Ip | null): boolean {
  if (rule.port !== null && rule.port !== target.port) return false
  if ('host' in rule) return rule.host === target.name
  return ip !== null && contains(rule.cidr, ip)
}

function judge(target: Target, ips: readonly Ip[], rules: TargetRules): void {
  const { allow, deny } = rules
  for (const ip of ips) {
    const isDenied = deny !== undefined && deniesAddress(deny, ip)
    if ((isPublic(ip) && !isDenied) || allow.some((rule) => ruleNames(rule, target, ip))) continue
    if (isDenied) throw denied()
    throw forbidden(
      'target_forbidden',
      'this target is not on the public internet',
      'destination_ip_prohibited',
    )
  }
}

const denied = () =>
  forbidden(
    'target_forbidden',
    'the operator of this proxy lets nobody reach this target',
    'http_request_denied',
  )

async function resolveOnce(name: string, resolve: Resolve): Promise<Ip[]> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(failed(504, 'dns_timeout', 'the name was not resolved in time', 'dns_timeout')),
      RESOLVE_MS,
    )
  })
  try {
    const texts = await Promise.race([resolve(name), tooLate])
    const ips = texts.map((text) => parseIp(text.replace(/%.*$/, '')))
    return ips.filter((ip) => ip !== null)
  } catch (fault) {
    if (fault instanceof ProxyRefusal) throw fault
    throw failed(502, 'dns_error', 'the name does not resolve', 'dns_error')
  } finally {
    clearTimeout(timer)
  }
}

function failed(status: 502 | 504, code: string, sentence: string, error: string): ProxyRefusal {
  return new ProxyRefusal({ status, code, sentence, error, reply: SOCKS_REPLY.hostUnreachable })
}

/** Targets that are addresses: by the same rules they are judged the same every time. */
const judged = new WeakMap<Target, { rules: TargetRules; ips: readonly Ip[] }>()

/**
 * The addresses to dial for a target, all of them judged. Refuses forbidden ports, what the operator denies and any
 * target with an address outside of the public internet, unless a rule allows it; 502 for a name that does not resolve,
 * 504 after 10 s.
 */
export async function resolveTarget(target: Target, rules: TargetRules): Promise<readonly Ip[]> {
  const known = judged.get(target)
  if (known?.rules === rules) return known.ips
  const { allow, deny } = rules
  const portNamed = allow.some((rule) => rule.port !== null && ruleNames(rule, target, target.ip))
  const isPortRefused =
    rules.refusePorts.includes(target.port) || (deny !== undefined && deniesPort(deny, target.port))
  if (isPortRefused && !portNamed) {
    throw forbidden(
      'port_forbidden',
      `connections to port ${target.port} are not allowed`,
      'http_request_denied',
    )
  }
  if (target.ip !== null) {
    const ips = [target.ip]
    judge(target, ips, rules)
    judged.set(target, { rules, ips })
    return ips
  }
  const name = target.name ?? ''
  if (deny !== undefined && deniesName(deny, name) && !allow.some((rule) => ruleNames(rule, target, null)))
    throw denied()
  const ips = await resolveOnce(name, rules.resolve)
  if (ips.length === 0) throw failed(502, 'dns_error', 'the name has no address', 'dns_error')
  judge(target, ips, rules)
  return ips
}

const printed = new WeakMap<Target, string>()

/** The target as text, for logs and for the Host field. */
export function printTarget(target: Target): string {
  let text = printed.get(target)
  if (text === undefined) {
    text = print(target)
    printed.set(target, text)
  }
  return text
}

function print(target: Target): string {
  if (target.ip === null) return `${target.name ?? ''}:${target.port}`
  const text = formatIp(target.ip)
  return target.ip.family === 6 ? `[${text}]:${target.port}` : `${text}:${target.port}`
}
