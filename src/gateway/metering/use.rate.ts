/**
 * The rate at which an account spends, in charged bytes a second: the larger of a short and a long average.
 * The short one lets a lease grow within a second of a burst, the long one prevents it from shrinking in a
 * pause.
 */

const SHORT_MS = 1000
const LONG_MS = 30_000
/** Bytes of a shorter time are added up first: chunks arrive in bursts. */
const STEP_MS = 200

export class UseRate {
  #short = 0
  #long = 0
  #bytes = 0
  #since: number

  constructor(now: number) {
    this.#since = now
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Charged bytes a second, up to now. */
  at(now: number): number {
    const elapsedMs = now - this.#since
    if (elapsedMs >= STEP_MS) {
      const perSecond = (this.#bytes * 1000) / elapsedMs
      this.#short = averaged(this.#short, perSecond, elapsedMs / SHORT_MS)
      this.#long = averaged(this.#long, perSecond, elapsedMs / LONG_MS)
      this.#bytes = 0
      this.#since = now
    }
    return Math.max(this.#short, this.#long)
  }
}

const averaged = (before: number, now: number, periods: number) => now + (before - now) * Math.exp(-periods)
