/**
 * The cache of one record type (A or AAAA): addresses, denials (RFC 2308), failures of the name server (RFC
 * 9520), and addresses past their time to live for use during failures (RFC 8767).
 */

import { LRUCache } from 'lru-cache'
import type { Ip } from '#lib/ip'

export type Family = Ip['family']
export type Failure = 'server_failed' | 'timed_out'
/** The result of one question. `records` counts all that were in the answer. */
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
  /** Until when the addresses may be used during failures. */
  readonly staleUntil: number
  /** Consecutive failures since the outcome. */
  readonly failures: number
}

/**
 * The minimum keeps names with a time to live of 0 from causing a question per tunnel. The maximum limits how
 * long a mistaken time to live of days has an effect; below it, the owner of the name decides.
 */
const LEAST_TTL_S = 5
const MOST_TTL_S = 3600
/** RFC 2308 5 allows the minimum of the SOA record, which Node does not give. */
const NEGATIVE_MS = 15_000
/**
 * Most hosts have no AAAA record and get none within minutes; until the question is repeated they are reached
 * by their A record.
 */
const NO_DATA_MS = { 4: NEGATIVE_MS, 6: 300_000 } as const
/** RFC 9520 3.2: 1 s at least, 5 min at most, doubled with every failure. */
const FAILURE_MS = 5000
const MOST_FAILURE_MS = 60_000
const STALE_MS = 3_600_000
/** RFC 8767 5: how often the server is asked during a failure. */
const STALE_RECHECK_MS = 30_000

/**
 * Two LRU caches of half the entries each (segmented LRU): a record that is used after it was stored moves to
 * the second. Names that are looked up once, in whatever number, therefore evict only each other.
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

  /** A fresh record, or one whose addresses may be used during failures. */
  use(name: string): NameRecord | null {
    const proven = this.#proven.get(name)
    const record = proven ?? this.#unproven.peek(name)
    if (record === undefined) return null
    const now = this.#now()
    if (now >= record.freshUntil && now >= record.staleUntil) return null
    if (proven === undefined) {
      this.#unproven.delete(name)
      this.#proven.set(name, record)
    }
    return record
  }

  /**
   * Stores an answer. Gives the record to use, which after a failure can have the addresses of an earlier
   * answer.
   */
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
