/**
 * A resolver for many customers, who share its cache and must not delay each other.
 *
 * - One question per name and record type is open at a time, whatever the number of lookups; this also
 *   prevents birthday attacks on the cache (RFC 5452 5).
 * - A and AAAA are asked together; the addresses are ordered by RFC 8305.
 * - Answers, denials and failures are cached (`name.cache.ts`). While the name servers fail, addresses up to
 *   an hour past their time to live are used (RFC 8767).
 * - Accounts are served in turns (`name.queue.ts`), so names without an answer delay only the account that
 *   asked for them.
 * - /etc/hosts precedes the DNS. Search domains are not used.
 *
 * Addresses are returned as the DNS gives them, private ones too; the caller judges and dials these very
 * addresses without a second lookup. The cache is a timing oracle: a customer can measure whether a name was
 * asked for within the last minutes. This is accepted, since the cache of the name server reveals the same,
 * and a cache per account would multiply the questions.
 */

import type { CancelSignal } from '#lib/cancel-signal'
import type { Ip } from '#lib/ip'
import { RecentMap } from '#lib/memo'
import {
  faultOf,
  interleave,
  Lookup,
  type LookupParts,
  type NameFaultCode,
  type Records,
  waitWith,
} from './lookup.ts'
import { hostName, isLocalhost, isNeverAsked } from './dns.name.ts'
import type { Family, NameRecord } from './name.cache.ts'
import { NameCounters, type NameFigures, type NameResult } from './name.counters.ts'
import { NameQuestions } from './name.questions.ts'
import type { Question } from './name.queue.ts'
import type { NameServersOptions } from './name.servers.ts'
import { parseHosts } from './system.files.ts'
import { WatchedFile } from './watched.file.ts'

/** Why a lookup has no address. */
export class NameFault extends Error {
  readonly code: NameFaultCode

  constructor(code: NameFaultCode, name: string) {
    super(`${name}: ${code}`)
    this.name = 'NameFault'
    this.code = code
  }
}

export interface NameRequest {
  /** The account whose turns and limits apply; null is the operator, who precedes all customers. */
  account: bigint | null
  signal?: CancelSignal
  /** The families to ask for, the preferred one first. Default: IPv6, IPv4. */
  families?: readonly Family[]
  /** When this lookup fails as `timed_out`. Default: that of the resolver. */
  deadlineMs?: number
  /**
   * Name servers may be asked for a customer's name without a dot. The operator's names may always have none.
   */
  singleLabel?: boolean
}

export interface ResolverOptions extends NameServersOptions {
  /** Default: /etc/hosts. */
  hostsFile?: string
  /** The most concurrent lookups of one account that wait for answers. Default: 256. */
  lookupsPerAccount?: number
  /** The most questions of customers that wait for their turn; a name has two. Default: 4000. */
  mostWaiting?: number
  /** Names in the cache. Default: 20,000. */
  mostNames?: number
  /** When a lookup fails as `timed_out`. Default: 5 s. */
  deadlineMs?: number
  /**
   * When a lookup uses addresses past their time to live (RFC 8767 5, client response timer). Default: 1.8 s.
   */
  staleAnswerMs?: number
  /** How long IPv4 addresses wait for those of IPv6 (RFC 8305 3, resolution delay). Default: 50 ms. */
  resolutionDelayMs?: number
  /** Monotonic milliseconds. */
  now?: () => number
}

const FAMILIES: readonly Family[] = [4, 6]
const IPV6_FIRST: readonly Family[] = [6, 4]

const LOOPBACK: readonly Ip[] = [
  { family: 6, value: 1n },
  { family: 4, value: 0x7f00_0001n },
]

export interface Resolved {
  addresses: readonly Ip[]
}

/** The addresses of a name whose records are all fresh. */
interface Fresh {
  addresses: readonly Ip[]
  until: number
  /** The content of the hosts file at that time, which precedes them. */
  hosts: ReadonlyMap<string, readonly Ip[]>
}

/** Names of which `fresh` knows the addresses, for each order of families. */
const MOST_FRESH = 4000

/** The index of an order of families: there are four. */
const placeOf = ([first, second]: readonly Family[]) => (first === 4 ? 0 : 1) + (second === undefined ? 0 : 2)

/** What the cache has for a name. */
interface Known {
  /** Records that may be used at once. */
  records: Records
  /** Addresses past their time to live, used when the answer takes long. */
  old: Records
  /** The families to ask for. */
  missing: readonly Family[]
}

interface Ended {
  name: string
  result: NameResult
  addresses?: readonly Ip[]
  /** The fault when there are no addresses. */
  fault: NameFaultCode
  waitedMs?: number | null
}

/** Replaces the answer to a question for which the queue had no room. */
const NOT_ASKED: NameRecord = {
  outcome: 'server_failed',
  ips: [],
  answeredAt: 0,
  freshUntil: 0,
  staleUntil: 0,
  failures: 0,
}

/** Whether there are addresses past their time to live. */
const isAnyStale = (records: Records, now: number) =>
  [...records.values()].some(
    ({ ips, failures, freshUntil }) => ips.length > 0 && (failures > 0 || freshUntil <= now),
  )

/** The resolver of one worker. */
export class NameResolver {
  readonly #options: Required<Omit<ResolverOptions, keyof NameServersOptions | 'hostsFile' | 'now'>>
  readonly #now: () => number
  readonly #hosts: WatchedFile<ReadonlyMap<string, readonly Ip[]>>
  readonly #questions: NameQuestions
  readonly #counters = new NameCounters()
  readonly #lookups = new Set<Lookup>()
  readonly #fresh = Array.from({ length: 4 }, () => new RecentMap<string, Fresh>(MOST_FRESH))
  #isClosed = false

  constructor({ hostsFile = '/etc/hosts', ...options }: ResolverOptions = {}) {
    this.#options = {
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
    this.#questions = new NameQuestions({ ...options, ...this.#options, now: this.#now })
  }

  /**
   * The addresses of a name in the order in which to try them (RFC 8305), at most eight of each family and at
   * least one. Case and a final dot do not matter; an address instead of a name is refused as `not_found`.
   * Throws a NameFault with the reason, at the latest at the deadline. The caller has to judge the addresses.
   */
  async resolve(text: string, request: NameRequest): Promise<Resolved> {
    if (this.#isClosed) throw new NameFault('closed', text)
    const { account, families = IPV6_FIRST } = request
    const fresh = this.fresh(text, families)
    if (fresh !== null) return { addresses: fresh }
    const name = hostName(text)
    if (name === null || isNeverAsked(name))
      return this.#ended({ name: text, result: 'negative', fault: 'not_found' })
    const local = isLocalhost(name) ? LOOPBACK : this.#hosts.content.get(name)
    if (local !== undefined) {
      const addresses = local.filter(({ family }) => families.includes(family))
      return this.#ended({ name, result: 'hit', addresses, fault: 'no_data' })
    }
    if (!name.includes('.') && account !== null && request.singleLabel !== true)
      return this.#ended({ name, result: 'negative', fault: 'not_found' })

    const known = this.#known(name, families)
    const { records, missing } = known
    const delayMs = this.#options.resolutionDelayMs
    if (waitWith(records, { families, now: this.#now(), delayMs }) !== 0)
      return this.#ask(name, request, known)
    const addresses = interleave(records, families)
    if (addresses.length === 0) return this.#ended({ name, result: 'negative', fault: faultOf(records) })
    // The questions are sent for the benefit of later lookups.
    for (const family of missing) this.#questions.open(name, family, account)
    if (missing.length > 0) this.#questions.dispatch()
    else if (name === text) this.#keepFresh(name, families, { addresses, records })
    const result = isAnyStale(records, this.#now()) ? 'stale' : 'hit'
    return this.#ended({ name, result, addresses, fault: 'no_data' })
  }

  /**
   * The addresses that `resolve` would give at once, because all records of the name are fresh and it was
   * looked up before; null: they are not known here. `resolve` asks this first; most tunnels go to few names,
   * and need no promise for them.
   */
  fresh(name: string, families: readonly Family[]): readonly Ip[] | null {
    const known = this.#fresh[placeOf(families)]?.get(name)
    if (known === undefined || this.#isClosed) return null
    if (this.#now() >= known.until || known.hosts !== this.#hosts.content) return null
    this.#counters.ended('hit', null, null)
    return known.addresses
  }

  figures(): NameFigures {
    return this.#counters.figures(this.#questions.figures)
  }

  /** Fails all lookups as `closed` and cancels all questions. */
  close(): void {
    this.#isClosed = true
    for (const lookup of this.#lookups) lookup.end('closed')
    this.#questions.close()
  }

  #keepFresh(
    name: string,
    families: readonly Family[],
    { addresses, records }: Resolved & { records: Records },
  ): void {
    // A name without a dot is looked up for some customers only.
    if (!name.includes('.')) return
    const until = Math.min(...[...records.values()].map(({ freshUntil }) => freshUntil))
    this.#fresh[placeOf(families)]?.set(name, { addresses, until, hosts: this.#hosts.content })
  }

  #known(name: string, families: readonly Family[]): Known {
    const records: Records = new Map()
    const old: Records = new Map()
    const missing: Family[] = []
    // A goes first: under load, AAAA is given up.
    for (const family of FAMILIES.filter((one) => families.includes(one))) {
      const record = this.#questions.remembered(name, family)
      const isFresh = record !== null && this.#now() < record.freshUntil
      if (!isFresh) missing.push(family)
      // After a failure, old addresses are used without waiting for the next failure.
      if (record !== null) (isFresh || record.failures > 0 ? records : old).set(family, record)
    }
    return { records, old, missing }
  }

  async #ask(name: string, request: NameRequest, known: Known): Promise<Resolved> {
    const { account: id, families = IPV6_FIRST, signal, deadlineMs = this.#options.deadlineMs } = request
    const { records, old, missing } = known
    if (signal?.aborted === true) return this.#ended({ name, result: 'asked', fault: 'aborted' })
    const account = this.#questions.lookupBegins(id, this.#options.lookupsPerAccount)
    if (account === null) return this.#ended({ name, result: 'refused', fault: 'too_many_lookups' })
    const startedAt = this.#now()
    const questions: Question[] = []
    for (const family of missing) {
      const question = this.#questions.open(name, family, id)
      if (question === null) records.set(family, NOT_ASKED)
      else questions.push(question)
    }
    const limits = { ...this.#options, deadlineMs }
    const parts = { families, records, old, questions, signal, limits }
    const fault = questions.length === 0 ? 'queue_full' : await this.#wait(parts)
    this.#questions.lookupEnded(account)
    if (fault === 'queue_full') return this.#ended({ name, result: 'refused', fault })
    const waitedMs = this.#now() - startedAt
    if (fault !== null) return this.#ended({ name, result: 'asked', fault, waitedMs })
    const result = isAnyStale(records, this.#now()) ? 'stale' : 'asked'
    const addresses = interleave(records, families)
    return this.#ended({ name, result, addresses, fault: faultOf(records), waitedMs })
  }

  async #wait(parts: Omit<LookupParts, 'now' | 'leave' | 'done'>): Promise<NameFaultCode | null> {
    const { promise, resolve: done } = Promise.withResolvers<NameFaultCode | null>()
    const leave = (question: Question, waiter: Lookup) => this.#questions.leave(question, waiter)
    const lookup = new Lookup({ ...parts, now: this.#now, leave, done })
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
