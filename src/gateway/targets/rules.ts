/**
 * Whether a client may reach a target. A name is resolved once, each of its addresses is judged by its bits, and exactly
 * the judged addresses are dialled: no spelling, and no second DNS answer, gets around the judgement.
 */

import { lookup } from 'node:dns/promises'
import { contains, isPublic, parseCidr, parseIp, type Cidr, type Ip } from '#lib/ip'
import { withTimeout } from '#lib/timeout'
import { ProxyRefusal, refusal, SOCKS_REPLY } from '../responses/refusal.ts'
import { deniesAddress, deniesName, deniesPort, type DenyList } from './deny.list.ts'
import { parseHost, parsePort, type Target } from './target.ts'

/** An exception from what is refused: a host or a network, at one port or at all ports. */
export type AllowRule = { host: string; port: number | null } | { cidr: Cidr; port: number | null }

/**
 * Parses the list of exceptions (GATEWAY_ALLOW): comma-separated, each a host, host:port, address, address:port or CIDR.
 * Throws an error that names the first part that is none of these.
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
      } catch (error) {
        if (!(error instanceof ProxyRefusal)) throw error
        throw new Error(`"${part}" is no host, host:port, address or CIDR: ${error.parts.sentence}`, {
          cause: error,
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
  /** What the operator refuses besides; `allow` makes exceptions from it too. */
  deny?: DenyList
  resolve: Resolve
}

function matches(rule: AllowRule, target: Target, ip: Ip | null): boolean {
  if (rule.port !== null && rule.port !== target.port) return false
  if ('host' in rule) return rule.host === target.name
  return ip !== null && contains(rule.cidr, ip)
}

const deniedByOperator = () =>
  refusal(403, 'target_forbidden', 'the operator of this proxy lets nobody reach this target')

function judgeAddresses(target: Target, ips: readonly Ip[], { allow, deny }: TargetRules): void {
  for (const ip of ips) {
    const isDenied = deny !== undefined && deniesAddress(deny, ip)
    if ((isPublic(ip) && !isDenied) || allow.some((rule) => matches(rule, target, ip))) continue
    if (isDenied) throw deniedByOperator()
    throw refusal(403, 'target_forbidden', 'this target is not on the public internet', {
      error: 'destination_ip_prohibited',
    })
  }
}

function unresolved(status: 502 | 504, code: 'dns_error' | 'dns_timeout', sentence: string): ProxyRefusal {
  return refusal(status, code, sentence, { error: code, reply: SOCKS_REPLY.hostUnreachable })
}

/** Addresses as parsed; without the zone that a link-local one may have. */
export function parseAddresses(texts: readonly string[]): Ip[] {
  return texts.map((text) => parseIp(text.replace(/%.*$/, ''))).filter((ip) => ip !== null)
}

async function addressesOf(name: string, resolve: Resolve): Promise<Ip[]> {
  try {
    return parseAddresses(
      await withTimeout(resolve(name), RESOLVE_MS, () => {
        throw unresolved(504, 'dns_timeout', 'the name was not resolved in time')
      }),
    )
  } catch (error) {
    if (error instanceof ProxyRefusal) throw error
    throw unresolved(502, 'dns_error', 'the name does not resolve')
  }
}

/** Judged targets that are addresses: under the same rules the judgement is the same. */
const judged = new WeakMap<Target, { rules: TargetRules; ips: readonly Ip[] }>()

/**
 * The addresses to dial for a target, all of them judged. Refuses forbidden ports, what the operator denies, and a target
 * with any address outside of the public internet, unless a rule allows it; 502 for a name that does not resolve, 504
 * after 10 s.
 */
export async function resolveTarget(target: Target, rules: TargetRules): Promise<readonly Ip[]> {
  const known = judged.get(target)
  if (known?.rules === rules) return known.ips
  const { allow, deny } = rules
  const isPortAllowed = allow.some((rule) => rule.port !== null && matches(rule, target, target.ip))
  const isPortRefused =
    rules.refusePorts.includes(target.port) || (deny !== undefined && deniesPort(deny, target.port))
  if (isPortRefused && !isPortAllowed)
    throw refusal(403, 'port_forbidden', `connections to port ${target.port} are not allowed`)
  if (target.ip !== null) {
    const ips = [target.ip]
    judgeAddresses(target, ips, rules)
    judged.set(target, { rules, ips })
    return ips
  }
  const name = target.name ?? ''
  if (deny !== undefined && deniesName(deny, name) && !allow.some((rule) => matches(rule, target, null)))
    throw deniedByOperator()
  const ips = await addressesOf(name, rules.resolve)
  if (ips.length === 0) throw unresolved(502, 'dns_error', 'the name has no address')
  judgeAddresses(target, ips, rules)
  return ips
}
