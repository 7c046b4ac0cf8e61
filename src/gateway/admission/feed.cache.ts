/**
 * Answers of the feed, cached for a while and removed when they change. Concurrent lookups of the same key
 * share one request, and an answer that was under way while its subject changed is not used. An expired
 * answer is used while the feed gives no newer one.
 */

import { LRUCache } from 'lru-cache'
import { withTimeout } from '#lib/timeout'

const FOUND_MS = 60_000
const NOT_FOUND_MS = 2000
const MOST_ENTRIES = 50_000
/**
 * When there is an expired answer, a new one is awaited only this long, and then not again for
 * `RELIED_ON_MS`.
 */
const PATIENCE_MS = 1000
const RELIED_ON_MS = 2000
/** Entries that are saved for a restart. */
const MOST_KEPT = 2000

interface Entry<Value> {
  value: Value | null
  until: number
  /** The answer has expired, and the feed gave no newer one. */
  isExpired: boolean
}

export interface FeedCacheOptions<Key, Value> {
  ask: (key: Key) => Promise<Value | null>
  nameOf: (key: Key) => string
  /** The groups in which an answer is forgotten, given its name. */
  groupsOf?: (name: string, value: Value | null) => string[]
  /** Monotonic milliseconds. */
  now?: (() => number) | undefined
}

export class FeedCache<Key, Value> {
  readonly #options: FeedCacheOptions<Key, Value>
  readonly #now: () => number
  /** Bounded by size, not by `max`, which would allocate all of it at the start. */
  readonly #entries = new LRUCache<string, Entry<Value>>({
    maxSize: MOST_ENTRIES,
    sizeCalculation: () => 1,
    dispose: ({ value }, name) => this.#ungroup(name, value),
  })
  /** Names of entries by group: a change of one account must not cost a look at all entries. */
  readonly #groups = new Map<string, Set<string>>()
  readonly #asked = new Map<string, Promise<Value | null>>()

  constructor(options: FeedCacheOptions<Key, Value>) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /**
   * The answer; null when there is none. Rejects when the feed does not answer and there is no cached answer.
   * `sure`: an expired answer may not be used. `anew`: the feed is queried in any case.
   */
  async find(key: Key, how: 'sure' | 'anew' | 'cached' = 'cached'): Promise<Value | null> {
    const name = this.#options.nameOf(key)
    const entry = this.#entries.get(name)
    const isUsable = how !== 'anew' && (entry?.isExpired !== true || how === 'cached')
    if (entry !== undefined && isUsable && this.#now() < entry.until) return entry.value
    let asked = this.#asked.get(name)
    if (asked === undefined) {
      asked = this.#ask(name, key)
      this.#asked.set(name, asked)
    }
    if (how !== 'cached' || entry === undefined || entry.value === null) return await asked
    return await this.#answerOrExpired(name, entry, asked)
  }

  /** Values by name, the most recently used last. */
  kept(): [string, Value][] {
    const found = [...this.#entries.entries()].flatMap(([name, { value }]): [string, Value][] =>
      value === null ? [] : [[name, value]],
    )
    return found.slice(0, MOST_KEPT).toReversed()
  }

  /** Restores the entries saved before a restart; they are used while the feed does not answer. */
  restore(kept: readonly [string, Value][]): void {
    const until = this.#now() + RELIED_ON_MS
    for (const [name, value] of kept) this.#set(name, { value, until, isExpired: true })
  }

  forget(key: Key): void {
    const name = this.#options.nameOf(key)
    this.#entries.delete(name)
    this.#asked.delete(name)
  }

  /** Removes the chosen entries of a group, and discards chosen answers that are on their way. */
  forgetGroup(group: string, isChosen: (name: string, isAsked: boolean) => boolean): void {
    for (const name of Array.from(this.#groups.get(group) ?? []))
      if (isChosen(name, false)) this.#entries.delete(name)
    for (const name of this.#asked.keys()) if (isChosen(name, true)) this.#asked.delete(name)
  }

  /** Any answer may have changed: each is requested again before it is used, while the feed answers. */
  forgetAll(): void {
    this.#asked.clear()
    for (const entry of this.#entries.values()) entry.until = -Infinity
  }

  #set(name: string, entry: Entry<Value>): void {
    this.#entries.set(name, entry)
    for (const group of this.#groupsOf(name, entry.value)) {
      const names = this.#groups.get(group)
      if (names === undefined) this.#groups.set(group, new Set([name]))
      else names.add(name)
    }
  }

  #groupsOf(name: string, value: Value | null): string[] {
    return this.#options.groupsOf?.(name, value) ?? []
  }

  #ungroup(name: string, value: Value | null): void {
    for (const group of this.#groupsOf(name, value)) {
      const names = this.#groups.get(group)
      names?.delete(name)
      if (names?.size === 0) this.#groups.delete(group)
    }
  }

  async #answerOrExpired(
    name: string,
    entry: Entry<Value>,
    asked: Promise<Value | null>,
  ): Promise<Value | null> {
    try {
      return await withTimeout(asked, PATIENCE_MS, () => {
        throw new Error('the feed is slow')
      })
    } catch (error) {
      // The entry was removed meanwhile, because it is outdated.
      if (this.#entries.peek(name) !== entry) throw error
      entry.until = this.#now() + RELIED_ON_MS
      entry.isExpired = true
      return entry.value
    }
  }

  async #ask(name: string, key: Key): Promise<Value | null> {
    // Yields first, so that the promise is in #asked before it can settle.
    await Promise.resolve()
    const mine = this.#asked.get(name)
    try {
      const value = await this.#options.ask(key)
      if (this.#asked.get(name) === mine) {
        const until = this.#now() + (value === null ? NOT_FOUND_MS : FOUND_MS)
        this.#set(name, { value, until, isExpired: false })
        return value
      }
      // The subject changed while the answer was under way: only a later answer is certain.
      return await this.find(key)
    } finally {
      if (this.#asked.get(name) === mine) this.#asked.delete(name)
    }
  }
}
