/**
 * Sends questions to the name servers over several c-ares channels (`dns.Resolver`). A channel has one UDP
 * socket per server, whose receive buffer overflows when some 400 answers arrive together, so each channel
 * gets few questions at a time. Channels are replaced often: a new one has a new source port, which a forger
 * has to guess besides the message id (RFC 5452 9.2), and uses the current servers of /etc/resolv.conf.
 */

import { Resolver, type RecordWithTtl } from 'node:dns'
import { parseIp, type Ip } from '#lib/ip'
import type { Answer, Family } from './name.cache.ts'
import { parseNameServers } from './system.files.ts'
import { WatchedFile } from './watched.file.ts'

export interface NameServersOptions {
  /** Default: /etc/resolv.conf. */
  resolvConf?: string
  /** The port of the servers in the file. Default: 53. */
  port?: number
  /** Used instead of the file's; `address`, `address:port` or `[address]:port`. */
  servers?: readonly string[]
}

/** 48 answers fit the usual receive buffer of 208 KiB even when each occupies a page of kernel memory. */
const CHANNELS = 8
const CHANNEL_QUESTIONS = 48
/** The most questions that should be sent and unanswered. */
export const MOST_QUESTIONS = CHANNELS * CHANNEL_QUESTIONS

const CHANNEL_LIFE_MS = 60_000
const CHANNEL_LIFE_QUESTIONS = 5000

/**
 * A question is repeated about every second: Node looks at c-ares' timeouts every TIMEOUT_MS. With a fast
 * server c-ares shortens the first timeout to 250 ms whatever TIMEOUT_MS is, so the number of tries has to
 * give slow names five seconds.
 */
const TIMEOUT_MS = 1000
const MOST_TIMEOUT_MS = 1500
const TRIES = 4

/** The maximum number of addresses that are kept of an answer: connection attempts use no more. */
const MOST_ADDRESSES = 8
/** Records that are read; Node gives the time to live of the first 256 only. */
const MOST_READ = 64

const outcomes: Readonly<Record<string, 'not_found' | 'no_data' | 'timed_out'>> = {
  ENOTFOUND: 'not_found',
  ENODATA: 'no_data',
  ETIMEOUT: 'timed_out',
}

function addressesOf(records: readonly RecordWithTtl[]): Answer {
  const ips = new Map<string, Ip>()
  let ttlSeconds = Infinity
  for (const { address, ttl } of records.slice(0, MOST_READ)) {
    const ip = parseIp(address)
    if (ip !== null && ips.size < MOST_ADDRESSES) ips.set(address, ip)
    ttlSeconds = Math.min(ttlSeconds, ttl)
  }
  if (ips.size === 0) return { outcome: 'no_data' }
  return { outcome: 'addresses', ips: [...ips.values()], ttlSeconds, records: records.length }
}

/** The code is that of Node's error, or null. */
type Asked = (answer: Answer, code: string | null) => void

/** One c-ares channel. */
class Channel {
  readonly servers: readonly string[] | null
  readonly since: number
  questions = 0
  outstanding = 0
  readonly #resolver: Resolver

  constructor(servers: readonly string[] | null, now: number) {
    this.servers = servers
    this.since = now
    const tries = Math.ceil(TRIES / (servers?.length ?? 1))
    this.#resolver = new Resolver({ timeout: TIMEOUT_MS, maxTimeout: MOST_TIMEOUT_MS, tries })
    if (servers !== null) this.#resolver.setServers(servers)
  }

  ask(name: string, family: Family, done: Asked): void {
    this.questions++
    this.outstanding++
    const answered = (fault: NodeJS.ErrnoException | null, records: RecordWithTtl[]) => {
      this.outstanding--
      if (fault === null) done(addressesOf(records), null)
      else done({ outcome: outcomes[fault.code ?? ''] ?? 'server_failed' }, fault.code ?? 'unknown')
    }
    try {
      if (family === 4) this.#resolver.resolve4(name, { ttl: true }, answered)
      else this.#resolver.resolve6(name, { ttl: true }, answered)
    } catch (fault) {
      // Node throws errors that c-ares reports before sending, such as out of memory.
      queueMicrotask(() => answered(fault as NodeJS.ErrnoException, []))
    }
  }

  /** Asks for the root's name servers, so that c-ares learns which of the servers answer. */
  probe(done: () => void): void {
    this.outstanding++
    this.#resolver.resolveNs('.', () => {
      this.outstanding--
      done()
    })
  }

  cancel(): void {
    this.#resolver.cancel()
  }
}

/** The channels to the servers in one order. */
class Channels {
  readonly #servers: () => readonly string[] | null
  readonly #now: () => number
  readonly #current: Channel[] = []
  /** Channels whose successors are being probed. */
  readonly #ending = new Set<Channel>()
  /** Successors being probed, and replaced channels with open questions. */
  readonly #others = new Set<Channel>()

  constructor(servers: () => readonly string[] | null, now: () => number) {
    this.#servers = servers
    this.#now = now
  }

  /** The channel with the fewest questions. */
  pick(): Channel {
    let least: Channel | undefined
    for (const channel of this.#current) {
      if (this.#isOver(channel)) this.#replace(channel)
      if (least === undefined || channel.outstanding < least.outstanding) least = channel
    }
    if (least !== undefined && (least.outstanding === 0 || this.#current.length === CHANNELS)) return least
    const channel = new Channel(this.#servers(), this.#now())
    this.#current.push(channel)
    return channel
  }

  cancel(): void {
    for (const channel of [...this.#current, ...this.#others]) channel.cancel()
  }

  #isOver({ questions, since, servers }: Channel): boolean {
    return (
      questions >= CHANNEL_LIFE_QUESTIONS ||
      this.#now() - since >= CHANNEL_LIFE_MS ||
      servers !== this.#servers()
    )
  }

  /**
   * The channel stays in use until its successor knows which servers answer. Otherwise, with a silent first
   * server, every replacement would delay questions by a second.
   */
  #replace(channel: Channel): void {
    if (this.#ending.has(channel)) return
    this.#ending.add(channel)
    const successor = new Channel(this.#servers(), this.#now())
    this.#others.add(successor)
    successor.probe(() => {
      this.#ending.delete(channel)
      this.#current[this.#current.indexOf(channel)] = successor
      this.#others.delete(successor)
      for (const other of this.#others) if (other.outstanding === 0) this.#others.delete(other)
      if (channel.outstanding > 0) this.#others.add(channel)
    })
  }
}

/** The name servers of this machine, or given ones. */
export class NameServers {
  readonly #servers: () => readonly string[] | null
  readonly #channels: Channels
  /** The channels that ask the second server first. */
  readonly #second: Channels
  #rotated: { from: readonly string[] | null; servers: readonly string[] | null } = {
    from: null,
    servers: null,
  }

  constructor(options: NameServersOptions & { now: () => number }) {
    const { resolvConf = '/etc/resolv.conf', port = 53, servers, now } = options
    const file = new WatchedFile(resolvConf, (text) => parseNameServers(text, port), now)
    this.#servers = () => servers ?? file.content
    this.#channels = new Channels(this.#servers, now)
    this.#second = new Channels(() => this.#fromSecond(), now)
  }

  /**
   * Asks for the addresses of one family. `done` is called exactly once, never before `ask` returns; without
   * an answer after five to eight seconds. The name is sent as it is, without a search domain.
   */
  ask(name: string, family: Family, done: Asked): void {
    this.#channels.pick().ask(name, family, (answer, code) => {
      // In Node c-ares asks the next server when one is silent, but not when one fails or refuses.
      const isFailure = answer.outcome === 'server_failed' && code !== 'ECANCELLED'
      if (isFailure && (this.#servers()?.length ?? 0) > 1) this.#second.pick().ask(name, family, done)
      else done(answer, code)
    })
  }

  /** Ends all questions as failed. */
  cancel(): void {
    this.#channels.cancel()
    this.#second.cancel()
  }

  #fromSecond(): readonly string[] | null {
    const from = this.#servers()
    if (from !== this.#rotated.from)
      this.#rotated = { from, servers: from && [...from.slice(1), ...from.slice(0, 1)] }
    return this.#rotated.servers
  }
}
