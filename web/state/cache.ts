/**
 * The cache of reads (queries.ts), for modules that load before it: pages that read nothing, such as the
 * sign-in page, do not load its library.
 */
interface Cache {
  clear: () => void
  invalidate: (queryKey?: readonly string[]) => void
  /** Takes over the answers that state/page-data.ts holds for it. */
  fill: () => void
}

let cache: Cache | null = null

/** Registers the cache once it has loaded. */
export function setCache(loaded: Cache): void {
  cache = loaded
}

/** Removes all cached answers: they belong to the user who was signed in. */
export const clearCache = (): void => cache?.clear()

/** Gives the cache the waiting answers; a cache that loads later takes them itself. */
export const fillCache = (): void => cache?.fill()

/** Repeats the reads of the current page, or only those with this key. */
export const invalidateCache = (queryKey?: readonly string[]): void => cache?.invalidate(queryKey)
