/** Hosts that a customer allows or denies, and the shop's list of those that only cost traffic. Pure: gateways judge by it. */

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { domainToASCII } from 'node:url'
import { formatIp, parseIp } from '#lib/ip'

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const longestName = 253

/**
 * The one spelling of a pattern: a name, an address, or `*.` and a name, which stands for everything below that name.
 * Null when it is none of these. Names in other scripts become what the DNS calls them.
 */
export function readHostPattern(text: string): string | null {
  const trimmed = text.trim().toLowerCase().replace(/\.$/, '')
  const ip = parseIp(trimmed.replace(/^\[(.*)\]$/, '$1'))
  if (ip !== null) return formatIp(ip)
  const star = trimmed.startsWith('*.') ? '*.' : ''
  const written = trimmed.slice(star.length)
  // What a URL would take for something else than a name is no name.
  if (written === '' || /[\s/:@?#%[\]\\*]/.test(written)) return null
  const name = domainToASCII(written)
  const labels = name.split('.')
  const isName = name.length <= longestName && labels.every((part) => label.test(part))
  // A last label of digits is a misspelt address.
  return isName && !/^(0x[0-9a-f]*|[0-9]+)$/.test(labels.at(-1) ?? '') ? star + name : null
}

/** The name itself and everything above it: `a.b.c`, `b.c`, `c`. */
function* withParents(host: string): Generator<string> {
  yield host
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) yield host.slice(dot + 1)
}

function matches(patterns: ReadonlySet<string>, host: string): boolean {
  if (patterns.size === 0) return false
  if (patterns.has(host)) return true
  if (isAddress(host)) return false
  for (const parent of withParents(host)) if (parent !== host && patterns.has(`*.${parent}`)) return true
  return false
}

/** Addresses have nothing below them. */
const isAddress = (host: string) => host.includes(':') || /^[0-9.]+$/.test(host)

let trackers: ReadonlySet<string> | undefined

/** Advertisers and trackers: every line of the file a name that stands for itself and all below it. */
export function trackerHosts(): ReadonlySet<string> {
  trackers ??= new Set(
    readFileSync(path.join(import.meta.dirname, 'trackers.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  )
  return trackers
}

export interface HostLists {
  allowed_hosts: readonly string[]
  denied_hosts: readonly string[]
  data_saver: boolean
}

/** Why a host may not be reached. */
export type HostFault = 'denied' | 'not_allowed' | 'data_saver'

/** One customer's rules. Denied goes before allowed; what is allowed by name is allowed in spite of the data saver. */
export class HostRules {
  readonly #allowed: ReadonlySet<string>
  readonly #denied: ReadonlySet<string>
  readonly #saves: boolean

  constructor(lists: HostLists) {
    this.#allowed = new Set(lists.allowed_hosts)
    this.#denied = new Set(lists.denied_hosts)
    this.#saves = lists.data_saver
  }

  /** Judges a host in canonical form: a lower-case name without a dot at its end, or an address. */
  faultOf(host: string): HostFault | null {
    if (matches(this.#denied, host)) return 'denied'
    if (matches(this.#allowed, host)) return null
    if (this.#allowed.size > 0) return 'not_allowed'
    if (!this.#saves || isAddress(host)) return null
    for (const name of withParents(host)) if (trackerHosts().has(name)) return 'data_saver'
    return null
  }
}
