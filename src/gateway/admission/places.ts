/** The places of a line: names that other sellers' lines use are looked up, and all places are checked. */

import type { Feed, FeedNamed } from '#feed'
import { type PlaceName, quote, type Settings } from '#proxies/dialects'
import { GrammarFault, type Targeting } from '#proxies/grammar'
import { FeedCache } from './feed.cache.ts'
import { MOST_NAMED, PlaceCheck, type PlaceCheckOptions } from './place.check.ts'

export class Places {
  readonly #names: FeedCache<FeedNamed, string[]>
  readonly #check: PlaceCheck

  constructor(options: PlaceCheckOptions & { feed: Pick<Feed, 'named' | 'unknown'> }) {
    this.#check = new PlaceCheck(options)
    this.#names = new FeedCache({
      ask: (key) => options.feed.named(key),
      nameOf: ({ pool, kind, word, countries, states }) =>
        `${pool} ${kind} ${word} ${countries.join('.')} ${states.join('.')}`,
    })
  }

  /**
   * The targeting with the places that the line names. Throws a GrammarFault for a place that the pool does
   * not have and for a name that several places have. Rejects when there are names and the feed does not
   * answer.
   */
  async resolve(settings: Settings, pool: string): Promise<Targeting> {
    const targeting = await this.#withNames(settings, pool)
    await this.#check.check(targeting, pool)
    return targeting
  }

  /**
   * The fault of a line in Turnpike's grammar, with the nearest place that exists: the grammar alone checks
   * only that a word has the form of an id.
   */
  async withNearest(fault: GrammarFault, pool: string): Promise<GrammarFault> {
    const { key, nearest, readAs } = fault
    if (readAs !== null || nearest === null || (key !== 'st' && key !== 'city')) return fault
    return fault.withNearest(await this.#check.nearest(key, nearest, pool))
  }

  /** An inventory has changed. */
  forget(): void {
    this.#check.forget()
    this.#names.forgetAll()
  }

  async #withNames({ targeting, places }: Settings, pool: string): Promise<Targeting> {
    if (places.length === 0) return targeting
    const { countries } = targeting
    const states = await this.#idsOf('state', places, { pool, countries, states: [] })
    const cities = await this.#idsOf('city', places, { pool, countries, states })
    return { ...targeting, states, cities }
  }

  async #idsOf(
    kind: PlaceName['kind'],
    places: readonly PlaceName[],
    within: Pick<FeedNamed, 'pool' | 'countries' | 'states'>,
  ): Promise<string[]> {
    const found: string[] = []
    for (const place of places) if (place.kind === kind) found.push(await this.#idOf(place, within))
    return [...new Set(found)]
  }

  async #idOf(
    { kind, said, word }: PlaceName,
    within: Pick<FeedNamed, 'pool' | 'countries' | 'states'>,
  ): Promise<string> {
    const ids = (await this.#names.find({ ...within, kind, word })) ?? []
    const [id] = ids
    if (id !== undefined && ids.length === 1) return id
    const sentence =
      id === undefined
        ? `There is no ${kind} ${quote(said)} in this pool's ${within.countries.join(', ')}.`
        : `Several places are called ${quote(said)}: name one of ${ids.slice(0, MOST_NAMED).join(', ')} in our own grammar.`
    throw new GrammarFault({ key: kind, value: said, sentence })
  }
}
