/**
 * What the resolver remembers of one record type (A or AAAA): addresses, that there are none, that the name server
 * failed. The rules on how long are those of RFC 2308, RFC 8767 and RFC 9520.
 */

import { LRUCache } from 'lru-cache'
import type { Ip } from '#lib/ip'

export type Family = Ip['family']
export type Failure = 'server_failed' | 'timed_out'
/** What the DNS said to one question. */
export type Answer =
  | { outcome: 'addresses'; ips: readonly Ip[]; ttlSeconds: number; records: number }
  | { outcome: 'not_found' | 'no_data' | Failure }

export interface NameRecord {
  readonly outcome: Answer['outcome']
  /** Empty unless the outcome is addresses. */
  readonly ips: readonly Ip[]
  /** Times in milliseconds of the cache's clock. */
  readonly answeredAt: number
  readonly freshUntil: number
  /** Until when the addresses may be used while the server fails (RFC 8767). */
  readonly staleUntil: number
  /** Consecutive failures of the server; with addresses, these are stale. */
  readonly failures: number
}

/**
 * The floor keeps a name with a time to live of 0 from costing a question per tunnel; the ceiling bounds how long a
 * moved host is missed. RFC 1035 allows any smaller value than the record's.
 */
const LEAST_TTL_S = 5
const MOST_TTL_S = 300
/** RFC 2308 5 would allow the SOA's minimum, which Node does not tell. */
const NEGATIVE_MS = 15_000
/** Most hosts have no IPv6 address and will have none in a minute; their other addresses stay known. */
const NO_DATA_MS = { 4: NEGATIVE_MS, 6: 60_000 } as const
/** RFC 9520 3.2: at least 1 s, at most 5 min, growing with every failure. */
const FAILURE_MS = 5000
const MOST_FAILURE_MS = 60_000
const STALE_MS = 3_600_000
/** RFC 8767 5: the server is asked again at most every 30 s while a stale answer is given. */
const STALE_RECHECK_MS = 30_000

/**
 * Bounded in entries, in two halves: a record that is used again after it was stored moves to the half of the proven
 * ones. So names that are asked once, however many, displace only each other.
 */
export class NameCache {
  readonly #family: Family
  readonly #now: () => number
  readonly #unproven: LRUCache<string, NameRecord>
  readonly #proven: LRUCache<string, NameRecord>

  constructor({ family, entries, now }: { family: Family; entries: number; now: () => number }) {
    this.#family = family
    this.#now = now
    const max = Math.max(1, Math.ceil(entries / 2))
    this.#unproven = new LRUCache({ max })
    this.#proven = new LRUCache({
      max,
      dispose: (record, name, reason) => {
        if (reason === 'evict') this.#unproven.set(name, record)
      },
    })
  }

  get size(): number {
    return this.#unproven.size + this.#proven.size
  }

  /** A record that is fresh, or whose addresses may be used while the server fails. */
  use(name: string): NameRecord | null {
    const record = this.#proven.get(name) ?? this.#unproven.peek(name)
    if (record === undefined) return null
    const now = this.#now()
    if (now >= record.freshUntil && now >= record.staleUntil) return null
    if (this.#unproven.delete(name)) this.#proven.set(name, record)
    return record
  }

  /** Takes an answer in, and gives what is to be used now: after a failure these can be the addresses from before. */
  store(name: string, answer: Answer): NameRecord {
    const half = this.#proven.has(name) ? this.#proven : this.#unproven
    const record = this.#recordOf(answer, half.peek(name))
    half.set(name, record)
    return record
  }

  #recordOf(answer: Answer, known: NameRecord | undefined): NameRecord {
    const now = this.#now()
    const { outcome } = answer
    if (outcome === 'addresses') {
      const ttlSeconds = Math.min(Math.max(answer.ttlSeconds, LEAST_TTL_S), MOST_TTL_S)
      const freshUntil = now + ttlSeconds * 1000
      const staleUntil = freshUntil + STALE_MS
      return { outcome, ips: answer.ips, answeredAt: now, freshUntil, staleUntil, failures: 0 }
    }
    const nothing = { outcome, ips: [], answeredAt: now, staleUntil: 0 }
    if (outcome === 'not_found') return { ...nothing, freshUntil: now + NEGATIVE_MS, failures: 0 }
    if (outcome === 'no_data') return { ...nothing, freshUntil: now + NO_DATA_MS[this.#family], failures: 0 }
    const failures = (known?.failures ?? 0) + 1
    if (known !== undefined && now < known.staleUntil)
      return { ...known, freshUntil: now + STALE_RECHECK_MS, failures }
    const waitMs = Math.min(FAILURE_MS * 2 ** Math.min(failures - 1, 10), MOST_FAILURE_MS)
    return { ...nothing, freshUntil: now + waitMs, failures }
  }
}
