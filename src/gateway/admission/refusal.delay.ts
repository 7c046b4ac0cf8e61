/**
 * A wrong user name and a wrong password are answered after the same time, whatever it took to find out: an account that
 * this worker has met is judged at once, an unknown one when the feed has answered, and the difference would tell which
 * logins there are. The time is a floor that most lookups stay under; where the feed is further away it grows with it.
 */

const FLOOR_MS = 50
/** What is left of a difference, such as that of a busy event loop, drowns in this. */
const JITTER_MS = 10
/** The slowest lookup of the last one or two minutes counts. */
const REMEMBERED_MS = 60_000
/** A feed that is this slow is in trouble, and nobody is made to wait for that. */
const LONGEST_MS = 1000

export interface SameTimeOptions {
  /** Monotonic milliseconds. */
  now?: () => number
  wait?: (ms: number) => Promise<void>
  /** From 0 up to 1. */
  chance?: () => number
}

export class SameTime {
  readonly #now: () => number
  readonly #wait: (ms: number) => Promise<void>
  readonly #chance: () => number
  #slowestMs = 0
  #slowestBeforeMs = 0
  #turnAt = -Infinity

  constructor(options: SameTimeOptions = {}) {
    this.#now = options.now ?? (() => performance.now())
    this.#wait = options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)))
    this.#chance = options.chance ?? Math.random
  }

  /** Resolves when a refusal is due that was asked for at `startedAt` and is known now. */
  async due(startedAt: number): Promise<void> {
    const now = this.#now()
    this.#note(now, Math.min(now - startedAt, LONGEST_MS))
    const floorMs = Math.max(FLOOR_MS, 2 * Math.max(this.#slowestMs, this.#slowestBeforeMs))
    await this.#wait(startedAt + floorMs + this.#chance() * JITTER_MS - now)
  }

  #note(now: number, tookMs: number): void {
    if (now >= this.#turnAt) {
      this.#slowestBeforeMs = now < this.#turnAt + REMEMBERED_MS ? this.#slowestMs : 0
      this.#slowestMs = 0
      this.#turnAt = now + REMEMBERED_MS
    }
    this.#slowestMs = Math.max(this.#slowestMs, tookMs)
  }
}
