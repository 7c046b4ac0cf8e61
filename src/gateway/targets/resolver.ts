/**
 * Addresses of names, for many customers who share one resolver and its memory and must not wait for each other.
 *
 * - One question per name and record type is under way, however many ask (RFC 5452 5: no birthday attack either).
 * - A and AAAA are asked together and put in the order of RFC 8305.
 * - Answers are remembered (`name.cache.ts`), failures too. While the name servers fail, answers that are up to an hour
 *   past their time to live go on (RFC 8767).
 * - Accounts take turns (`name.queue.ts`), so names that never answer cost the account that asked for them.
 * - Names are asked as they are, never with a search domain. /etc/hosts goes first.
 *
 * Addresses are given as the DNS says, private ones too: whoever dials judges these very addresses, and asks no second
 * time. A customer can measure whether a name was remembered, so that somebody else had asked for it in the last
 * minutes. That is accepted: the cache of the name server behind tells the same, and a memory per account would
 * multiply the questions.
 */

import type { Ip } from '#lib/ip'
import {
  type Abortable,
  faultOf,
  interleave,
  Lookup,
  type LookupParts,
  type NameFaultCode,
  type Records,
  waitWith,
} from './lookup.ts'
import { canonicalName, isLocalhost } from './dns.name.ts'
import type { Family, NameRecord } from './name.cache.ts'
import { NameCounters, type NameFigures, type NameResult } from './name.counters.ts'
import { NameQuestions } from './name.questions.ts'
import type { Question } from './name.queue.ts'
import type { NameServersOptions } from './name.servers.ts'
import { parseHosts } from './system.files.ts'
import { WatchedFile } from './watched.file.ts'

/** Why a name gave no address. */
export class NameFault extends Error {
  readonly code: NameFaultCode

  constructor(code: NameFaultCode, name: string) {
    super(`${name}: ${code}`)
    this.name = 'NameFault'
    this.code = code
  }
}

export interface NameRequest {
  /** Who pays with turns and room; null is the operator, who goes before all customers. */
  account: bigint | null
  signal?: Abortable
  /** The families to ask for; the first one's addresses go first. Default: IPv6, then IPv4. */
  families?: readonly Family[]
}

export interface ResolverOptions extends NameServersOptions {
  /** Default: /etc/hosts. */
  hostsFile?: string
  /** Names without a dot that customers may have asked of the name servers. The operator may all. Default: none. */
  allowSingleLabel?: (name: string) => boolean
  /** Lookups of one account that may wait for answers. */
  lookupsPerAccount?: number
  /** Questions of all accounts that may wait for their turn; a name has two. */
  mostWaiting?: number
  /** Names that are remembered. */
  mostNames?: number
  /** A lookup that is not answered by then has failed. */
  deadlineMs?: number
  /** A lookup that has an old answer takes it then (RFC 8767 5: the client response timer). */
  staleAnswerMs?: number
  /** How long IPv4 addresses wait for those of IPv6 (RFC 8305 3: the resolution delay). */
  resolutionDelayMs?: number
}

const FAMILIES: readonly Family[] = [4, 6]
/** RFC 6724 prefers IPv6, and so does RFC 8305. */
const IPV6_FIRST: readonly Family[] = [6, 4]

const LOOPBACK: readonly Ip[] = [
  { family: 6, value: 1n },
  { family: 4, value: 0x7f00_0001n },
]

export interface Resolved {
  addresses: readonly Ip[]
}

/** What is known of a name before it is asked for. */
interface Known {
  /** What may be used at once. */
  records: Records
  /** Addresses to be used if the answer takes long. */
  old: Records
  /** The families to ask for. */
  missing: readonly Family[]
}

interface Ended {
  name: string
  result: NameResult
  addresses?: readonly Ip[]
  /** Why, if there are no addresses. */
  fault: NameFaultCode
  waitedMs?: number | null
}

/** Stands for a question that there was no room for. */
const NOT_ASKED: NameRecord = {
  outcome: 'server_failed',
  ips: [],
  answeredAt: 0,
  freshUntil: 0,
  staleUntil: 0,
  failures: 0,
}

/** Addresses that go on because the server fails, or that are older than they should be. */
const isAnyStale = (records: Records, now: number) =>
  [...records.values()].some(
    ({ ips, failures, freshUntil }) => ips.length > 0 && (failures > 0 || freshUntil <= now),
  )

/** The resolver of one worker. */
export class NameResolver {
  readonly #options: Required<Omit<ResolverOptions, keyof NameServersOptions | 'hostsFile'>>
  readonly #now: () => number
  readonly #hosts: WatchedFile<ReadonlyMap<string, readonly Ip[]>>
  readonly #questions: NameQuestions
  readonly #counters = new NameCounters()
  readonly #lookups = new Set<Lookup>()
  #isClosed = false

  constructor({ hostsFile = '/etc/hosts', ...options }: ResolverOptions = {}) {
    this.#options = {
      allowSingleLabel: () => false,
      lookupsPerAccount: 256,
      mostWaiting: 4000,
      mostNames: 20_000,
      deadlineMs: 5000,
      staleAnswerMs: 1800,
      resolutionDelayMs: 50,
      ...options,
    }
    this.#now = options.now ?? (() => performance.now())
    this.#hosts = new WatchedFile(hostsFile, parseHosts, this.#now)
    this.#questions = new NameQuestions({ ...this.#options, now: this.#now })
  }

  /**
   * The addresses of a name, at most eight of each family, in the order in which to try them; never none. Throws a
   * NameFault otherwise, after five seconds at most. The addresses are not judged.
   */
  async resolve(text: string, request: NameRequest): Promise<Resolved> {
    if (this.#isClosed) throw new NameFault('closed', text)
    const { account, families = IPV6_FIRST } = request
    const name = canonicalName(text)
    if (name === null) return this.#ended({ name: text, result: 'negative', fault: 'not_found' })
    const local = isLocalhost(name) ? LOOPBACK : this.#hosts.content.get(name)
    if (local !== undefined) {
      const addresses = local.filter(({ family }) => families.includes(family))
      return this.#ended({ name, result: 'hit', addresses, fault: 'no_data' })
    }
    if (!name.includes('.') && account !== null && !this.#options.allowSingleLabel(name))
      return this.#ended({ name, result: 'negative', fault: 'not_found' })

    const known = this.#known(name, families)
    const { records, missing } = known
    const delayMs = this.#options.resolutionDelayMs
    if (waitWith(records, { families, now: this.#now(), delayMs }) !== 0)
      return this.#ask(name, request, known)
    const addresses = interleave(records, families)
    if (addresses.length === 0) return this.#ended({ name, result: 'negative', fault: faultOf(records) })
    // What is missing or old comes in time for the next lookup.
    for (const family of missing) this.#questions.open(name, family, account)
    if (missing.length > 0) this.#questions.dispatch()
    const result = isAnyStale(records, this.#now()) ? 'stale' : 'hit'
    return this.#ended({ name, result, addresses, fault: 'no_data' })
  }

  figures(): NameFigures {
    return this.#counters.figures(this.#questions.figures)
  }

  /** Ends all lookups, which fail as `closed`, and all questions. */
  close(): void {
    this.#isClosed = true
    for (const lookup of this.#lookups) lookup.end('closed')
    this.#questions.close()
  }

  #known(name: string, families: readonly Family[]): Known {
    const records: Records = new Map()
    const old: Records = new Map()
    const missing: Family[] = []
    // A first: under load it is AAAA that may come too late.
    for (const family of FAMILIES.filter((one) => families.includes(one))) {
      const record = this.#questions.remembered(name, family)
      const isFresh = record !== null && this.#now() < record.freshUntil
      if (!isFresh) missing.push(family)
      // Where the last question failed, too, nobody waits for the next to fail.
      if (record !== null) (isFresh || record.failures > 0 ? records : old).set(family, record)
    }
    return { records, old, missing }
  }

  async #ask(name: string, request: NameRequest, known: Known): Promise<Resolved> {
    const { account: id, families = IPV6_FIRST, signal } = request
    const { records, old, missing } = known
    const account = this.#questions.lookupBegins(id, this.#options.lookupsPerAccount)
    if (account === null) return this.#ended({ name, result: 'refused', fault: 'too_many_lookups' })
    const startedAt = this.#now()
    const questions: Question[] = []
    for (const family of missing) {
      const question = this.#questions.open(name, family, id)
      if (question === null) records.set(family, NOT_ASKED)
      else questions.push(question)
    }
    const parts = { families, records, old, questions, signal }
    const fault = questions.length === 0 ? 'queue_full' : await this.#wait(parts)
    this.#questions.lookupEnded(account)
    if (fault === 'queue_full') return this.#ended({ name, result: 'refused', fault })
    const waitedMs = this.#now() - startedAt
    if (fault !== null) return this.#ended({ name, result: 'asked', fault, waitedMs })
    const result = isAnyStale(records, this.#now()) ? 'stale' : 'asked'
    const addresses = interleave(records, families)
    return this.#ended({ name, result, addresses, fault: faultOf(records), waitedMs })
  }

  async #wait(parts: Omit<LookupParts, 'limits' | 'now' | 'leave' | 'done'>): Promise<NameFaultCode | null> {
    const { promise, resolve: done } = Promise.withResolvers<NameFaultCode | null>()
    const leave = (question: Question, waiter: Lookup) => this.#questions.leave(question, waiter)
    const lookup = new Lookup({ ...parts, limits: this.#options, now: this.#now, leave, done })
    this.#lookups.add(lookup)
    this.#questions.dispatch()
    lookup.start()
    const fault = await promise
    this.#lookups.delete(lookup)
    return fault
  }

  #ended({ name, result, addresses = [], fault, waitedMs = null }: Ended): Resolved {
    const found = addresses.length > 0
    this.#counters.ended(result, found ? null : fault, waitedMs)
    if (!found) throw new NameFault(fault, name)
    return { addresses }
  }
}
