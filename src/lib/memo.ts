/**
 * Memoization of pure functions of texts that recur: a header of every request, an address of every
 * connection.
 */

/**
 * A map that keeps recently used entries in two generations. When the younger generation has half of `most`
 * entries, it becomes the older one, and the former older one is dropped. So the map keeps at least the last
 * `most / 2` used entries. A hit costs one look-up in a Map, a third of what a list in the order of use
 * costs.
 */
export class RecentMap<K, V extends {}> {
  readonly #halfOfMost: number
  #younger = new Map<K, V>()
  #older = new Map<K, V>()

  constructor(most: number) {
    this.#halfOfMost = Math.max(1, most >> 1)
  }

  get(key: K): V | undefined {
    const known = this.#younger.get(key)
    if (known !== undefined || this.#older.size === 0) return known
    const before = this.#older.get(key)
    if (before !== undefined) this.set(key, before)
    return before
  }

  set(key: K, value: V): void {
    if (this.#younger.size >= this.#halfOfMost && !this.#younger.has(key)) {
      this.#older = this.#younger
      this.#younger = new Map()
    }
    this.#younger.set(key, value)
  }
}

/** The maximum length of texts whose results are kept. */
const LONGEST_CHARS = 512

/**
 * A memoized version of a pure function: keeps the results for the most recently used texts, `most` of them
 * and at least half as many, but neither null nor exceptions. Results are shared: callers must not change
 * them.
 */
export function memoized<T>(most: number, read: (text: string) => T): (text: string) => T {
  const results = new RecentMap<string, T & {}>(most)
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = read(text)
    if (result != null && text.length <= LONGEST_CHARS) results.set(text, result)
    return result
  }
}
