/**
 * Failed logins by network, each network's counted for a minute from its first one. A count with an end can
 * be sent to other workers and merged there, which the buckets of the web server
 * (`src/http/admission/pace.ts`) cannot.
 */

import { LRUCache } from 'lru-cache'

const WINDOW_MS = 60_000
/** A network with this many has to wait. */
export const FAILURES_PER_WINDOW = 30
const MOST_NETWORKS = 20_000

export interface FailureCount {
  count: number
  /** The time for which it still counts. */
  leftMs: number
}

export class FailureCounts {
  readonly #now: () => number
  readonly #counts = new LRUCache<string, { count: number; until: number }>({ max: MOST_NETWORKS })

  constructor(now: () => number) {
    this.#now = now
  }

  of(network: string): FailureCount {
    const found = this.#counts.peek(network)
    const leftMs = found === undefined ? 0 : found.until - this.#now()
    return found === undefined || leftMs <= 0 ? { count: 0, leftMs: 0 } : { count: found.count, leftMs }
  }

  add(network: string): FailureCount {
    const { count, leftMs } = this.of(network)
    return this.set(network, { count: count + 1, leftMs: count === 0 ? WINDOW_MS : leftMs })
  }

  set(network: string, { count, leftMs }: FailureCount): FailureCount {
    this.#counts.set(network, { count, until: this.#now() + leftMs })
    return { count, leftMs }
  }

  /** The networks that have to wait. */
  *throttled(): Generator<[network: string, leftMs: number]> {
    const now = this.#now()
    for (const [network, { count, until }] of this.#counts.entries())
      if (count >= FAILURES_PER_WINDOW && until > now) yield [network, until - now]
  }
}
