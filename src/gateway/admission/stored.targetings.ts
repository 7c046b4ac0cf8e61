/** Stored targetings this gateway has met. What an id stands for never changes, so a found one is kept. */

import type { Feed, FeedPlaces } from '#feed'

const MOST_ENTRIES = 10_000
const MOST_KEPT = 2000

export class Stored {
  readonly #feed: Pick<Feed, 'places'>
  readonly #found = new Map<string, FeedPlaces>()

  constructor(options: { feed: Pick<Feed, 'places'> }) {
    this.#feed = options.feed
  }

  /** The places that `set` of this login's lines stands for, or null. Rejects when the feed does not answer. */
  async find(key: { login: string; set: string }): Promise<FeedPlaces | null> {
    const name = `${key.login} ${key.set}`
    const known = this.#found.get(name)
    if (known !== undefined) return known
    const places = await this.#feed.places(key)
    if (places === null) return null
    // The oldest goes first: a Map keeps the order of insertion.
    if (this.#found.size >= MOST_ENTRIES) this.#found.delete(this.#found.keys().next().value ?? '')
    this.#found.set(name, places)
    return places
  }

  /** What is known, for a restart: those met last. */
  kept(): [string, FeedPlaces][] {
    return [...this.#found].slice(-MOST_KEPT)
  }

  restore(kept: readonly [string, FeedPlaces][]): void {
    for (const [name, places] of kept) this.#found.set(name, places)
  }
}
