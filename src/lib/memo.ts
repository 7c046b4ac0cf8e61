/** Memoization of pure functions of texts that recur: a header of every request, an address of every connection. */

import { RecentMap } from './recent.map.ts'

/** The maximum length of texts whose results are kept. */
const LONGEST_CHARS = 512

/**
 * A memoized version of a pure function: keeps the results for the most recently used texts, `most` of them and at least half as
 * many, but neither null nor exceptions. Results are shared: callers must not change them.
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
