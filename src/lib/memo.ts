/** Memoization of pure functions of texts that recur: a header of every request, an address of every connection. */

/** The maximum length of texts whose results are kept. */
const LONGEST_CHARS = 512

/**
 * A memoized version of a pure function: keeps the results for the `most` recently used texts, and at least for half as many,
 * but neither null nor exceptions. Results are shared: callers must not change them.
 *
 * The texts are in two generations. When the younger one has half of `most` it becomes the older one, whose texts are dropped
 * unless they are used again before that happens once more. A hit costs one look-up in a Map, a third of what the bookkeeping of
 * a list in the order of use costs.
 */
export function memoized<T>(most: number, read: (text: string) => T): (text: string) => T {
  const halfOfMost = Math.max(1, most >> 1)
  let younger = new Map<string, T & {}>()
  let older = new Map<string, T & {}>()
  const keep = (text: string, result: T & {}) => {
    if (younger.size >= halfOfMost) {
      older = younger
      younger = new Map()
    }
    younger.set(text, result)
  }
  return (text) => {
    const known = younger.get(text)
    if (known !== undefined) return known
    const before = older.get(text)
    if (before !== undefined) {
      keep(text, before)
      return before
    }
    const result = read(text)
    if (result != null && text.length <= LONGEST_CHARS) keep(text, result)
    return result
  }
}
