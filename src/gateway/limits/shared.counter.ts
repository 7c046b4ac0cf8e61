/**
 * A counter shared by the workers of a machine, for a limit that holds for all of them together. No worker
 * asks before it accepts a connection: each decides by its own count and the last reports of the others.
 *
 * A count is reported when it has changed by a fraction of the remaining limit: far from the limit nothing is
 * sent, and close to it every change. When nothing has changed for two batches the limit is exact: every
 * change was reported by the time all counts together reach it, and nothing is refused below it. While counts
 * change it is exceeded at most by what the other workers accept within two batches.
 */

import type { CountedKind, Counts, WorkerBus } from './worker.bus.ts'

/** Changes within this time are sent together. */
export const BATCH_MS = 5

interface Known {
  /** The value that this worker reported last. */
  reported: number
  /** The sum of the last reports of all others. */
  others: number
}

const nothing: Readonly<Known> = { reported: 0, others: 0 }

export interface SharedCounterOptions<Key> {
  counted: CountedKind
  /** The limit of one key, on all workers. */
  most: number
  /** The count of this worker. */
  own: (key: Key) => number
  /** The key that `String` printed. */
  read: (text: string) => Key
  /** Null: there are no other workers. */
  bus: WorkerBus | null
}

export class SharedCounter<Key extends string | bigint> {
  readonly #options: SharedCounterOptions<Key>
  /**
   * The remaining limit is reported in this many steps, so that the errors of all others are less than one
   * step.
   */
  readonly #steps: number
  /** The keys of which a count was reported by any worker. */
  readonly #known = new Map<Key, Known>()
  readonly #changed = new Set<Key>()

  constructor(options: SharedCounterOptions<Key>) {
    const { bus } = options
    this.#options = options
    this.#steps = 2 * (bus?.workers ?? 1)
    bus?.subscribe((message) => {
      if (message.kind === 'totals' && message.counted === options.counted) this.#told(message.counts)
    })
  }

  /** Whether one more would exceed the limit, when this worker has `own`. */
  isFull(key: Key, own: number): boolean {
    return own + this.#of(key).others >= this.#options.most
  }

  /** This worker has `own` now. */
  changed(key: Key, own: number): void {
    if (this.#options.bus === null || !this.#isWorthReporting(key, own)) return
    if (this.#changed.size === 0) setTimeout(() => this.#report(), BATCH_MS).unref()
    this.#changed.add(key)
  }

  #of(key: Key): Readonly<Known> {
    // Most keys are far from their limit.
    return this.#known.size === 0 ? nothing : (this.#known.get(key) ?? nothing)
  }

  #isWorthReporting(key: Key, own: number): boolean {
    const { reported, others } = this.#of(key)
    if (own === reported) return false
    // Without this report the count would be kept indefinitely.
    if (own === 0) return true
    return Math.abs(own - reported) * this.#steps >= Math.max(this.#steps, this.#options.most - own - others)
  }

  #report(): void {
    const { counted, own, bus } = this.#options
    const counts: Counts = []
    for (const key of this.#changed) {
      const count = own(key)
      const { reported, others } = this.#of(key)
      if (count === reported) continue
      this.#know(key, { reported: count, others })
      counts.push([String(key), count])
    }
    this.#changed.clear()
    if (counts.length > 0) bus?.send({ kind: 'counts', counted, counts })
  }

  #told(counts: Counts): void {
    const { own, read } = this.#options
    for (const [text, others] of counts) {
      const key = read(text)
      const { reported } = this.#of(key)
      this.#know(key, { reported, others })
      // With a smaller remaining limit a smaller change has to be reported.
      this.changed(key, own(key))
    }
  }

  #know(key: Key, known: Known): void {
    if (known.reported === 0 && known.others === 0) this.#known.delete(key)
    else this.#known.set(key, known)
  }
}
