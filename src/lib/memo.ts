/** Pure functions of texts that recur (a header of every request, an address of every connection) remember their results. */

import { LRUCache } from 'lru-cache'

/** Results of longer texts are not kept. */
const LONGEST_CHARS = 512

/**
 * The same function, which must be pure, with the results for the `most` texts used last kept; null is not kept, and
 * neither is an exception. Results are shared: callers must not change them.
 */
export function memoized<T>(most: number, read: (text: string) => T): (text: string) => T {
  const results = new LRUCache<string, T & {}>({ max: most })
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = read(text)
    if (result != null && text.length <= LONGEST_CHARS) results.set(text, result)
    return result
  }
}
