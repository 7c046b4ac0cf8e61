/** What is counted of lookups, for the operator's charts. */

/** Where an answer came from: memory (addresses), memory past their time to live, memory (none), the name servers. */
export type NameResult = 'hit' | 'stale' | 'negative' | 'asked' | 'refused'

/** Upper bounds of the histogram in seconds. */
const BOUNDS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

export interface NameFigures {
  /** Lookups that ended, by where their answer came from. */
  total: Readonly<Record<NameResult, number>>
  /** Lookups without an address, by the code of their fault. */
  errors: Readonly<Record<string, number>>
  /** Of those that had to wait: how many took at most `le` seconds, each counted in every bucket that holds it. */
  seconds: { buckets: { le: number; count: number }[]; count: number; sum: number }
  /** Questions with the name servers. */
  outstanding: number
  /** Questions that wait for their turn. */
  queued: number
  /** Answers in memory, A and AAAA. */
  entries: number
}

export class NameCounters {
  readonly #total = { hit: 0, stale: 0, negative: 0, asked: 0, refused: 0 }
  readonly #errors: Record<string, number> = {}
  readonly #buckets = BOUNDS_S.map(() => 0)
  #waited = 0
  #sum = 0

  /** `waitedMs` is null when the answer was there. */
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
