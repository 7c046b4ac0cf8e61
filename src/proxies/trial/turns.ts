/**
 * Limits trials of lines: one at a time per customer, and a number per minute, counted by each web server.
 */
import { Refusal } from '#lib/refusal'

const minuteMs = 60_000

export class Turns {
  readonly #perMinute: number
  readonly #running = new Set<bigint>()
  /** The times at which the trials of the last minute began, by customer. */
  readonly #begun = new Map<bigint, number[]>()

  constructor({ perMinute }: { perMinute: number }) {
    this.#perMinute = perMinute
  }

  /** Runs `work` within the limits. Refuses with `trial_running` and `too_many_requests`. */
  async take<T>(accountId: bigint, now: Date, work: () => Promise<T>): Promise<T> {
    if (this.#running.has(accountId)) throw new Refusal('trial_running')
    const nowMs = now.getTime()
    this.#forget(nowMs)
    const recent = this.#begun.get(accountId) ?? []
    const [first] = recent
    if (recent.length >= this.#perMinute && first !== undefined) {
      const seconds = Math.max(1, Math.ceil((first + minuteMs - nowMs) / 1000))
      throw new Refusal('too_many_requests', { seconds }, seconds)
    }
    this.#begun.set(accountId, [...recent, nowMs])
    this.#running.add(accountId)
    try {
      return await work()
    } finally {
      this.#running.delete(accountId)
    }
  }

  /** Keeps only the times of the last minute; drops times in the future after the clock was set back. */
  #forget(nowMs: number): void {
    for (const [accountId, times] of this.#begun) {
      const kept = times.filter((time) => time > nowMs - minuteMs && time <= nowMs)
      if (kept.length === 0) this.#begun.delete(accountId)
      else this.#begun.set(accountId, kept)
    }
  }
}
