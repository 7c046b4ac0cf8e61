/** Counters of lookups, for the metrics. */

/**
 * The source of a result. `hit`: cached addresses; `stale`: addresses past their time to live; `negative`: a
 * cached denial or failure; `asked`: a question; `refused`: no question was possible.
 */
export type NameResult = 'hit' | 'stale' | 'negative' | 'asked' | 'refused'

/** Upper bounds of the histogram in seconds. */
const BOUNDS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

export interface NameFigures {
  /** Ended lookups. */
  total: Readonly<Record<NameResult, number>>
  /** Lookups without an address, by the code of the fault. */
  errors: Readonly<Record<string, number>>
  /** Lookups that waited for an answer, cumulative as in Prometheus. */
  seconds: { buckets: { le: number; count: number }[]; count: number; sum: number }
  /** Questions sent and unanswered. */
  outstanding: number
  /** Questions waiting for their turn. */
  queued: number
  /** Cached records, A and AAAA. */
  entries: number
}

export class NameCounters {
  readonly #total = { hit: 0, stale: 0, negative: 0, asked: 0, refused: 0 }
  readonly #errors: Record<string, number> = {}
  readonly #buckets = BOUNDS_S.map(() => 0)
  #waited = 0
  #sum = 0

  /** `waitedMs` is null for a result from the cache. */
  ended(result: NameResult, fault: string | null, waitedMs: number | null): void {
    this.#total[result]++
    if (fault !== null) this.#errors[fault] = (this.#errors[fault] ?? 0) + 1
    if (waitedMs === null) return
    this.#waited++
    this.#sum += waitedMs / 1000
    const index = BOUNDS_S.findIndex((bound) => waitedMs / 1000 <= bound)
    if (index >= 0) this.#buckets[index] = (this.#buckets[index] ?? 0) + 1
  }

  figures(now: Pick<NameFigures, 'outstanding' | 'queued' | 'entries'>): NameFigures {
    let count = 0
    const buckets = BOUNDS_S.map((le, index) => ({ le, count: (count += this.#buckets[index] ?? 0) }))
    const seconds = { buckets, count: this.#waited, sum: this.#sum }
    return { total: { ...this.#total }, errors: { ...this.#errors }, seconds, ...now }
  }
}
