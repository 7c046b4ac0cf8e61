/**
 * Questions to the name servers, over several c-ares channels (`dns.Resolver`). Each channel has one UDP socket per
 * server, whose receive buffer overflows when some 400 answers arrive at once, so each gets few questions at a time.
 * Channels are replaced often: with a new one comes a new source port, which a forger has to guess besides the id
 * (RFC 5452 9.2), and the servers that /etc/resolv.conf names by then.
 */

import { Resolver, type RecordWithTtl } from 'node:dns'
import { formatIp, parseIp, type Ip } from '#lib/ip'
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
  now?: () => number
}

/** Together 384 questions; 48 answers fit the usual 208 KiB buffer even if each takes a page of the kernel's memory. */
const CHANNELS = 8
const CHANNEL_QUESTIONS = 48
/** How many questions should be with the name servers at once at most. */
export const MOST_QUESTIONS = CHANNELS * CHANNEL_QUESTIONS

const CHANNEL_LIFE_MS = 60_000
const CHANNEL_LIFE_QUESTIONS = 5000

/**
 * A question is sent again every second or so. c-ares learns from a near server to wait 250 ms at first, however long
 * `timeout` is, so it is the number of tries that gives slow names their five seconds.
 */
const TIMEOUT_MS = 1000
const MOST_TIMEOUT_MS = 1500
const TRIES = 4

/** More addresses of one answer are of no use: no connection attempt gets that far. */
const MOST_ADDRESSES = 8
/** An answer over TCP can hold 4000; Node tells the time to live of the first 256. */
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
    if (ip !== null && ips.size < MOST_ADDRESSES) ips.set(formatIp(ip), ip)
    ttlSeconds = Math.min(ttlSeconds, ttl)
  }
  if (ips.size === 0) return { outcome: 'no_data' }
  return { outcome: 'addresses', ips: [...ips.values()], ttlSeconds, records: records.length }
}

/** The code is Node's, null when there are addresses. */
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
      // Node throws what c-ares refuses at once, such as for want of memory.
      queueMicrotask(() => answered(fault as NodeJS.ErrnoException, []))
    }
  }

  /** Asks for what every server knows, so that c-ares finds out which of them answer. */
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

/** Channels that ask the same servers in the same order. */
class Channels {
  readonly #servers: () => readonly string[] | null
  readonly #now: () => number
  readonly #current: Channel[] = []
  /** Those whose successor is being probed. */
  readonly #ending = new Set<Channel>()
  /** Those that are being probed, and those that were replaced and still have questions. */
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

  /** The old channel goes on until the new one knows which of its servers answer: else every question would wait. */
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
  /** They begin with the second server. */
  readonly #second: Channels
  #rotated: { from: readonly string[] | null; servers: readonly string[] | null } = {
    from: null,
    servers: null,
  }

  constructor({
    resolvConf = '/etc/resolv.conf',
    port = 53,
    servers,
    now = performance.now.bind(performance),
  }: NameServersOptions) {
    const file = new WatchedFile(resolvConf, (text) => parseNameServers(text, port), now)
    this.#servers = () => servers ?? file.content
    this.#channels = new Channels(this.#servers, now)
    this.#second = new Channels(() => this.#fromSecond(), now)
  }

  /**
   * Asks for the addresses of one family. `done` is called later, exactly once, within some six seconds. The name goes
   * out as it is: no search domain is ever appended.
   */
  ask(name: string, family: Family, done: Asked): void {
    this.#channels.pick().ask(name, family, (answer, code) => {
      // c-ares asks the next server only when one is silent. One that refuses or fails may be the only such one.
      const isFailure = answer.outcome === 'server_failed' && code !== 'ECANCELLED'
      if (isFailure && (this.#servers()?.length ?? 0) > 1) this.#second.pick().ask(name, family, done)
      else done(answer, code)
    })
  }

  /** Ends all questions: they are answered as failed. */
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
