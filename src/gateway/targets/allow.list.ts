/** The operator's list of targets that may be reached although they are otherwise forbidden. */

import { contains, parseCidr, type Cidr, type Ip } from '#lib/ip'
import { ProxyRefusal } from '../responses/refusal.ts'
import { parseHost, parsePort, type Target } from './target.ts'

/** An exception from what is refused: a host or a network, at one port or at all ports. */
export type AllowRule = { host: string; port: number | null } | { cidr: Cidr; port: number | null }

const lengthOf = ({ family }: Ip) => (family === 4 ? 32 : 128)

/**
 * Parses the list of exceptions (GATEWAY_ALLOW): comma-separated, each a host, host:port, address,
 * address:port or CIDR. Throws an error that names the first part that is none of these.
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
        if (ip !== null) return { cidr: { ip, prefix: lengthOf(ip) }, port }
        return { host: name ?? part, port }
      } catch (error) {
        if (!(error instanceof ProxyRefusal)) throw error
        throw new Error(`"${part}" is no host, host:port, address or CIDR: ${error.parts.sentence}`, {
          cause: error,
        })
      }
    })
}

/**
 * How exactly an exception names a target. A more sensitive target of the operator requires a more exact
 * exception.
 */
export const EXACTNESS = {
  none: 0,
  /** By a network that contains its address. */
  network: 1,
  /** By its name or its address. */
  host: 2,
  /** By its name or its address, and the port. */
  port: 3,
} as const
export type Exactness = (typeof EXACTNESS)[keyof typeof EXACTNESS]

function exactnessOf(rule: AllowRule, target: Target, ip: Ip | null): Exactness {
  if (rule.port !== null && rule.port !== target.port) return EXACTNESS.none
  const isHost = 'host' in rule
  const isMatch = isHost ? rule.host === target.name : ip !== null && contains(rule.cidr, ip)
  if (!isMatch) return EXACTNESS.none
  if (!isHost && rule.cidr.prefix < lengthOf(rule.cidr.ip)) return EXACTNESS.network
  return rule.port === null ? EXACTNESS.host : EXACTNESS.port
}

/**
 * How exactly the most exact exception names the target with this address; null: its address is not known.
 */
export function exceptionFor(rules: readonly AllowRule[], target: Target, ip: Ip | null): Exactness {
  let most: Exactness = EXACTNESS.none
  for (const rule of rules) {
    const exactness = exactnessOf(rule, target, ip)
    if (exactness > most) most = exactness
  }
  return most
}
