/**
 * Hosts that a customer allows or denies, and the shop's list of hosts that the data saver blocks. Pure:
 * gateways apply it.
 */

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { domainToASCII } from 'node:url'
import { formatIp, parseIp } from '#lib/ip'

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const longestName = 253

/**
 * The canonical spelling of a pattern: a name, an address, or `*.` and a name, which covers everything below
 * that name. Null for any other text. Internationalized names are converted to their ASCII form.
 */
export function readHostPattern(text: string): string | null {
  const trimmed = text.trim().toLowerCase().replace(/\.$/, '')
  const ip = parseIp(trimmed.replace(/^\[(.*)\]$/, '$1'))
  if (ip !== null) return formatIp(ip)
  const star = trimmed.startsWith('*.') ? '*.' : ''
  const written = trimmed.slice(star.length)
  // A text that a URL parser would not read as a bare name is refused.
  if (written === '' || /[\s/:@?#%[\]\\*]/.test(written)) return null
  const name = domainToASCII(written)
  const labels = name.split('.')
  const isName = name.length <= longestName && labels.every((part) => label.test(part))
  // A numeric last label makes it a misspelt address.
  return isName && !/^(0x[0-9a-f]*|[0-9]+)$/.test(labels.at(-1) ?? '') ? star + name : null
}

/** The name itself and all its parents: `a.b.c`, `b.c`, `c`. */
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

/** An address has no subdomains. */
const isAddress = (host: string) => host.includes(':') || /^[0-9.]+$/.test(host)

let trackers: ReadonlySet<string> | undefined

/** Advertisers and trackers: each line of the file is a name that covers itself and everything below it. */
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

/** The reason why a host is denied. */
export type HostFault = 'denied' | 'not_allowed' | 'data_saver'

/**
 * One customer's rules. A denied pattern takes precedence over an allowed one; an allowed name takes
 * precedence over the data saver.
 */
export class HostRules {
  readonly #allowed: ReadonlySet<string>
  readonly #denied: ReadonlySet<string>
  readonly #saves: boolean

  constructor(lists: HostLists) {
    this.#allowed = new Set(lists.allowed_hosts)
    this.#denied = new Set(lists.denied_hosts)
    this.#saves = lists.data_saver
  }

  /** Judges a host in canonical form: a lower-case name without a trailing dot, or an address. */
  faultOf(host: string): HostFault | null {
    if (matches(this.#denied, host)) return 'denied'
    if (matches(this.#allowed, host)) return null
    if (this.#allowed.size > 0) return 'not_allowed'
    if (!this.#saves || isAddress(host)) return null
    for (const name of withParents(host)) if (trackerHosts().has(name)) return 'data_saver'
    return null
  }
}
