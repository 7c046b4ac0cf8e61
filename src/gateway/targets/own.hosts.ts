/**
 * The operator's own hosts, which no customer reaches unless an exception names them:
 *
 * - every exit of every pool at its port, so that the line of one pool cannot use another pool's exits;
 * - this machine, by every address of its interfaces and at all ports: its firewall mostly trusts it;
 * - the servers behind the shop, such as its database, which may trust this machine's address.
 *
 * Names are judged as they are and by the addresses that they have had within a day, since a seller's name
 * may have other addresses every minute.
 */

import { networkInterfaces } from 'node:os'
import type { FeedExit } from '#feed'
import {
  embeddedIpv4,
  isLoopback,
  isPublic,
  parseIp,
  parseIpAnySpelling,
  withoutZone,
  type Ip,
} from '#lib/ip'
import { withTimeout } from '#lib/timeout'
import { EXACTNESS, type Exactness } from './allow.list.ts'
import { hostName } from './dns.name.ts'
import type { Family } from './name.cache.ts'
import { NameFault, type NameResolver } from './resolver.ts'

/** A server that belongs to the operator. */
export interface OwnServer {
  /** A name or an address. */
  host: string
  port: number
  /** An exit: protected at its port. */
  isExit?: boolean
  /** A public service of others, protected only while its address is private. */
  isPublicService?: boolean
}

const REFRESH_MS = 30_000
/** The maximum time for which the start waits for names. */
const START_MS = 5000
const REMEMBERED_MS = 24 * 3_600_000
/** Concurrent lookups. */
const AT_ONCE = 8
/** The maximum number of addresses kept per name; the oldest are discarded. */
const MOST_ADDRESSES = 64

type ByFamily<T> = Readonly<Record<Family, Map<bigint, T>>>

const byFamily = <T>(): ByFamily<T> => ({ 4: new Map(), 6: new Map() })

/** The addresses of this machine's interfaces. */
function localAddresses(): Ip[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => parseIp(withoutZone(address)))
    .filter((ip) => ip !== null)
}

const LINK_LOCAL = 0xfe80n >> 6n

/** An address from which the IPv6 internet, or a network of the operator's, may be reached. */
const isRoutableIpv6 = (ip: Ip) => ip.family === 6 && !isLoopback(ip) && ip.value >> 118n !== LINK_LOCAL

export interface OwnHostsOptions {
  names: Pick<NameResolver, 'resolve'>
  /** Besides the exits. */
  servers?: readonly OwnServer[]
  /** Default: those of the interfaces. */
  localAddresses?: () => Ip[]
  now?: () => number
}

export class OwnHosts {
  /** Changes when a judgement may have changed. */
  version = 0
  /** Whether this machine has an address that can reach other machines over IPv6. */
  hasIpv6 = false
  readonly #names: Pick<NameResolver, 'resolve'>
  #servers: readonly OwnServer[]
  readonly #localAddresses: () => Ip[]
  readonly #now: () => number
  #exits: readonly OwnServer[] = []
  /** The local addresses of direct exits. */
  #bound: readonly Ip[] = []
  /** Addresses by name, each with the time of its last answer. */
  readonly #resolved = new Map<string, Map<string, { ip: Ip; at: number }>>()
  #portsByName: ReadonlyMap<string, ReadonlySet<number>> = new Map()
  #portsByAddress = byFamily<Set<number>>()
  /** Addresses that are the operator's at all ports. */
  #hosts = byFamily<true>()
  /** The addresses of this machine besides loopback, and the ports of the operator's servers on it. */
  #machine = byFamily<true>()
  #machinePorts: ReadonlySet<number> = new Set()
  #timer: NodeJS.Timeout | null = null
  #refreshing: Promise<void> | null = null
  #isStale = false

  constructor({
    names,
    servers = [],
    localAddresses: addresses = localAddresses,
    now = () => performance.now(),
  }: OwnHostsOptions) {
    this.#names = names
    this.#servers = servers
    this.#localAddresses = addresses
    this.#now = now
    this.#apply()
  }

  /**
   * Looks up all names, for five seconds at most, and keeps them and the machine's addresses up to date from
   * then on.
   */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS).unref()
    await withTimeout(this.refresh(), START_MS, () => undefined)
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  /**
   * The exits of all pools. Addresses and names apply immediately, the addresses of new names once they are
   * looked up.
   */
  setExits(exits: readonly Pick<FeedExit, 'host' | 'port' | 'bind_address'>[]): void {
    this.#exits = exits.flatMap(({ host, port }) =>
      host === null || port === null ? [] : [{ host, port, isExit: true }],
    )
    // A local address by a route alone is on no interface.
    this.#bound = exits.map(({ bind_address: address }) => parseIp(address ?? '')).filter((ip) => ip !== null)
    this.#apply()
    if (this.#timer !== null) void this.refresh()
  }

  /** Replaces the servers besides the exits, as `setExits` does those. */
  setServers(servers: readonly OwnServer[]): void {
    this.#servers = servers
    this.#apply()
    if (this.#timer !== null) void this.refresh()
  }

  /** Looks up all names again and reads the machine's addresses. Never rejects. */
  refresh(): Promise<void> {
    this.#isStale = true
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = null))
    return this.#refreshing
  }

  /** Whether this name at this port is one of the operator's servers. */
  isNamed(name: string, port: number): boolean {
    return this.#portsByName.get(name)?.has(port) === true
  }

  /** How exactly an exception has to name this address at this port; none: it is not the operator's own. */
  exactnessNeeded(ip: Ip, port: number): Exactness {
    const needed = this.#exactnessNeeded(ip, port)
    if (ip.family === 4 || needed === EXACTNESS.port) return needed
    // An exception for such a network does not open the operator's own hosts behind its translator.
    const embedded = embeddedIpv4(ip)
    const inside = embedded === null ? EXACTNESS.none : this.#exactnessNeeded(embedded, port)
    return inside > needed ? inside : needed
  }

  #exactnessNeeded(ip: Ip, port: number): Exactness {
    if (this.#portsByAddress[ip.family].get(ip.value)?.has(port) === true) return EXACTNESS.port
    // A server on this machine mostly listens on all of its addresses.
    if (this.#isMachine(ip)) return this.#machinePorts.has(port) ? EXACTNESS.port : EXACTNESS.host
    return this.#hosts[ip.family].has(ip.value) ? EXACTNESS.host : EXACTNESS.none
  }

  #isMachine(ip: Ip): boolean {
    return isLoopback(ip) || this.#machine[ip.family].has(ip.value)
  }

  /** The last known addresses of a server's host; none when its name has not been looked up yet. */
  addressesOf(host: string): readonly Ip[] {
    const ip = parseIp(host)
    if (ip !== null) return [ip]
    return [...(this.#resolved.get(hostName(host) ?? '')?.values() ?? [])].map((known) => known.ip)
  }

  async #refresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      const all = [...this.#servers, ...this.#exits].map(({ host }) => hostName(host))
      const names = [...new Set(all.filter((name) => name !== null))]
      for (const name of this.#resolved.keys()) if (!names.includes(name)) this.#resolved.delete(name)
      const waiting = names.values()
      const work = async () => {
        for (const name of waiting) await this.#lookUp(name)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      this.#apply()
    }
  }

  async #lookUp(name: string): Promise<void> {
    try {
      const { addresses } = await this.#names.resolve(name, { account: null })
      const known = this.#resolved.get(name) ?? new Map<string, { ip: Ip; at: number }>()
      const at = this.#now()
      for (const ip of addresses) {
        const key = `${ip.family} ${ip.value}`
        known.delete(key)
        known.set(key, { ip, at })
      }
      for (const [key, one] of known)
        if (at - one.at > REMEMBERED_MS || known.size > MOST_ADDRESSES) known.delete(key)
      this.#resolved.set(name, known)
    } catch (fault) {
      // Known addresses stay.
      if (!(fault instanceof NameFault)) throw fault
    }
  }

  /** Recomputes the judgement from the current data. */
  #apply(): void {
    const names = new Map<string, Set<number>>()
    const ports = byFamily<Set<number>>()
    const hosts = byFamily<true>()
    const local = this.#localAddresses()
    this.#machine = byFamily<true>()
    for (const { family, value } of [...local, ...this.#bound]) this.#machine[family].set(value, true)
    const machinePorts = new Set<number>()
    for (const { host, port, isExit = false, isPublicService = false } of [
      ...this.#servers,
      ...this.#exits,
    ]) {
      const literal = parseIpAnySpelling(host)
      const name = literal === null ? hostName(host) : null
      if (name !== null && !isPublicService) names.set(name, (names.get(name) ?? new Set()).add(port))
      for (const ip of literal === null ? this.addressesOf(host) : [literal]) {
        if (isPublicService && isPublic(ip)) continue
        const { family, value } = ip
        ports[family].set(value, (ports[family].get(value) ?? new Set()).add(port))
        if (this.#isMachine(ip)) machinePorts.add(port)
        // A public address may be shared with others.
        if (!isExit && !isPublic(ip)) hosts[family].set(value, true)
      }
    }
    this.hasIpv6 = local.some(isRoutableIpv6)
    this.#portsByName = names
    this.#portsByAddress = ports
    this.#hosts = hosts
    this.#machinePorts = machinePorts
    this.version++
  }
}
