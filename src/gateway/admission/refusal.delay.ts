/**
 * Delays the refusal of wrong credentials, so that it takes the same time for an unknown login and for a
 * wrong password: a known account is judged at once, an unknown one when the feed has answered, and the
 * difference would reveal which logins exist. The delay is a minimum that most lookups stay under; it grows
 * with slower lookups.
 */

import { setTimeout as sleep } from 'node:timers/promises'

const LEAST_MS = 50
/** Hides remaining differences, such as those of a busy event loop. */
const JITTER_MS = 10
/** The slowest lookup of the last one or two periods counts. */
const PERIOD_MS = 60_000
/** A slower lookup counts as this long: it indicates a failing feed, and no client has to wait for that. */
const LONGEST_MS = 1000

export interface RefusalDelayOptions {
  /** Monotonic milliseconds. */
  now?: () => number
  wait?: (ms: number) => Promise<void>
  /** From 0 up to 1. */
  chance?: () => number
}

export class RefusalDelay {
  readonly #now: () => number
  readonly #wait: (ms: number) => Promise<void>
  readonly #chance: () => number
  #slowestMs = 0
  #slowestBeforeMs = 0
  #periodEndsAt = -Infinity

  constructor(options: RefusalDelayOptions = {}) {
    this.#now = options.now ?? (() => performance.now())
    this.#wait = options.wait ?? ((ms) => sleep(ms))
    this.#chance = options.chance ?? Math.random
  }

  /** Resolves when a refusal may be sent whose request began at `startedAt`. */
  async wait(startedAt: number): Promise<void> {
    const now = this.#now()
    this.#note(now, Math.min(now - startedAt, LONGEST_MS))
    const leastMs = Math.max(LEAST_MS, 2 * Math.max(this.#slowestMs, this.#slowestBeforeMs))
    await this.#wait(startedAt + leastMs + this.#chance() * JITTER_MS - now)
  }

  #note(now: number, tookMs: number): void {
    if (now >= this.#periodEndsAt) {
      this.#slowestBeforeMs = now < this.#periodEndsAt + PERIOD_MS ? this.#slowestMs : 0
      this.#slowestMs = 0
      this.#periodEndsAt = now + PERIOD_MS
    }
    this.#slowestMs = Math.max(this.#slowestMs, tookMs)
  }
}
