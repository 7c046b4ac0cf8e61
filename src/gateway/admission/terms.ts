/**
 * Ends tunnels of proxy users at the end of their term, by the clock, even while the server is unreachable.
 */

/** The longest time of one timer. */
const LONGEST_MS = 2 ** 31 - 1

export class Terms<Subject extends object> {
  readonly #onEnd: (subject: Subject) => void
  readonly #timers = new Map<Subject, NodeJS.Timeout>()

  constructor(onEnd: (subject: Subject) => void) {
    this.#onEnd = onEnd
  }

  /** Sets the end, in epoch milliseconds, and replaces an earlier one; null: there is no end. */
  set(subject: Subject, endMs: number | null): void {
    const timer = this.#timers.get(subject)
    if (timer !== undefined) clearTimeout(timer)
    this.#timers.delete(subject)
    if (endMs === null) return
    const leftMs = endMs - Date.now()
    const next = setTimeout(
      () => {
        if (leftMs > LONGEST_MS) return this.set(subject, endMs)
        this.#timers.delete(subject)
        this.#onEnd(subject)
      },
      Math.max(0, Math.min(leftMs, LONGEST_MS)),
    )
    this.#timers.set(subject, next.unref())
  }
}
