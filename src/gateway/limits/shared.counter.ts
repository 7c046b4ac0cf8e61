/**
 * How many there are on the other workers of this machine, for limits that hold for all of them together. Nobody is asked
 * before a connection is let in: each worker judges by its own count and what the others told last.
 *
 * A count is told when it has moved by a share of what is left of the limit, so whoever is far from it costs nobody a
 * word, and the nearer the limit the finer the telling. When nothing has moved for two batches the limit is exact both
 * ways: once all counts together reach it every change was told, and nobody is refused below it. While counts move it
 * is passed by no more than what the other workers let in within two batches.
 */

import type { Counted, Siblings } from './coordinator.ts'

/** What changes meanwhile is told together. */
export const BATCH_MS = 5

interface Known {
  /** What we told last. */
  told: number
  /** What all others told last, together. */
  others: number
}

const unknown: Readonly<Known> = { told: 0, others: 0 }

export interface HeadcountOptions<Key> {
  counted: Counted
  /** Of one key, on all workers. */
  most: number
  /** How many are here. */
  own: (key: Key) => number
  /** The key that `String` made this of. */
  read: (text: string) => Key
  /** Null: this worker is alone. */
  siblings: Siblings | null
}

export class Headcount<Key extends string | bigint> {
  readonly #options: HeadcountOptions<Key>
  /** The steps that what is left of the limit is told in: so fine that the errors of all others are less than one step. */
  readonly #steps: number
  /** Keys that somebody has told a number of. */
  readonly #known = new Map<Key, Known>()
  readonly #due = new Set<Key>()

  constructor(options: HeadcountOptions<Key>) {
    const { siblings } = options
    this.#options = options
    this.#steps = 2 * (siblings?.count ?? 1)
    siblings?.hear((word) => {
      if (word.kind === 'others' && word.counted === options.counted) this.#heard(word.counts)
    })
  }

  /** Whether one more would be too many, with so many here. */
  isFull(key: Key, own: number): boolean {
    return own + this.#of(key).others >= this.#options.most
  }

  /** There are so many here now. */
  changed(key: Key, own: number): void {
    if (this.#options.siblings === null || !this.#isWorthAWord(key, own)) return
    if (this.#due.size === 0) setTimeout(() => this.#tell(), BATCH_MS).unref()
    this.#due.add(key)
  }

  /** Mostly nobody is near a limit, and then nothing is looked up. */
  #of(key: Key): Readonly<Known> {
    return this.#known.size === 0 ? unknown : (this.#known.get(key) ?? unknown)
  }

  #isWorthAWord(key: Key, own: number): boolean {
    const { told, others } = this.#of(key)
    if (own === told) return false
    // The last one to leave says so, or the number would be kept for ever.
    if (own === 0) return true
    return Math.abs(own - told) * this.#steps >= Math.max(this.#steps, this.#options.most - own - others)
  }

  #tell(): void {
    const { counted, own, siblings } = this.#options
    const counts: [string, number][] = []
    for (const key of this.#due) {
      const count = own(key)
      const { told, others } = this.#of(key)
      if (count === told) continue
      this.#know(key, { told: count, others })
      counts.push([String(key), count])
    }
    this.#due.clear()
    if (counts.length > 0) siblings?.say({ kind: 'counts', counted, counts })
  }

  #heard(counts: [string, number][]): void {
    const { own, read } = this.#options
    for (const [text, others] of counts) {
      const key = read(text)
      const { told } = this.#of(key)
      this.#know(key, { told, others })
      // With less left of the limit, what was not worth a word may be worth one now.
      this.changed(key, own(key))
    }
  }

  #know(key: Key, known: Known): void {
    if (known.told === 0 && known.others === 0) this.#known.delete(key)
    else this.#known.set(key, known)
  }
}
