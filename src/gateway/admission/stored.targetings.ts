/** Stored targetings (`-set-` in lines). An id is derived from its content, so a known one never expires. */

import { LRUCache } from 'lru-cache'
import type { Feed, FeedPlaces } from '#feed'

const MOST_ENTRIES = 10_000
const MOST_KEPT = 2000

export class StoredTargetings {
  readonly #feed: Pick<Feed, 'places'>
  readonly #found = new LRUCache<string, FeedPlaces>({ maxSize: MOST_ENTRIES, sizeCalculation: () => 1 })

  constructor(options: { feed: Pick<Feed, 'places'> }) {
    this.#feed = options.feed
  }

  /**
   * The places that `set` in lines of this login refers to, or null. Rejects when the feed does not answer.
   */
  async find(key: { login: string; set: string }): Promise<FeedPlaces | null> {
    const name = `${key.login} ${key.set}`
    const known = this.#found.get(name)
    if (known !== undefined) return known
    const places = await this.#feed.places(key)
    if (places !== null) this.#found.set(name, places)
    return places
  }

  /** The cached targetings, for a restart: the most recently used ones. */
  kept(): [string, FeedPlaces][] {
    return [...this.#found.entries()].slice(0, MOST_KEPT).toReversed()
  }

  restore(kept: readonly [string, FeedPlaces][]): void {
    for (const [name, places] of kept) this.#found.set(name, places)
  }
}
