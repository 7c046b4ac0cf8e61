/**
 * Whose turn it is to try a line: one trial of a customer at a time, and so many in a minute, counted by each
 * web server.
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

  /** Does the work. Refuses with `trial_running` and `too_many_requests`. */
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

  /** Keeps the times of the last minute only; a clock that was set back keeps none. */
  #forget(nowMs: number): void {
    for (const [accountId, times] of this.#begun) {
      const kept = times.filter((time) => time > nowMs - minuteMs && time <= nowMs)
      if (kept.length === 0) this.#begun.delete(accountId)
      else this.#begun.set(accountId, kept)
    }
  }
}
