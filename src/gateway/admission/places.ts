/** The places that lines name: judged, and found by the names that other sellers' lines give them. Asked of the server, and kept. */

import { GrammarFault, type Targeting } from '#proxies/grammar'
import { type PlaceName, quote, type Settings } from '#proxies/dialects'
import { Answers } from './feed.cache.ts'
import type { Feed, FeedNamed } from '#feed'
import { KnownPlaces, type KnownPlacesOptions } from './place.check.ts'

/** As many ids are named in a refusal that asks which of them is meant. */
const MOST_NAMED = 5

export class Places {
  readonly #answers: Answers<FeedNamed, string[]>
  readonly #known: KnownPlaces

  constructor(options: KnownPlacesOptions & { feed: Pick<Feed, 'named' | 'unknown'> }) {
    this.#known = new KnownPlaces(options)
    this.#answers = new Answers({
      ask: (key) => options.feed.named(key),
      nameOf: ({ pool, kind, word, countries, states }) =>
        `${pool} ${kind} ${word} ${countries.join('.')} ${states.join('.')}`,
      keepsGoing: true,
    })
  }

  /**
   * The targeting with its named places. Refuses with a GrammarFault a place that the pool does not have, and a name
   * that several have. Rejects when there are names, and the feed does not answer.
   */
  async settle(settings: Settings, pool: string): Promise<Targeting> {
    const targeting = await this.#named(settings, pool)
    await this.#known.check(targeting, pool)
    return targeting
  }

  /**
   * What is wrong with a line of ours, with the nearest place that there is: of "california" the grammar knows only that
   * it is written like an id.
   */
  async withNearest(fault: GrammarFault, pool: string): Promise<GrammarFault> {
    const { key, nearest, readAs } = fault
    if (readAs !== null || nearest === null || (key !== 'st' && key !== 'city')) return fault
    return fault.withNearest(await this.#known.nearest(key, nearest, pool))
  }

  /** An inventory has changed. */
  forget(): void {
    this.#known.forget()
    this.#answers.forgetAll()
  }

  async #named({ targeting, places }: Settings, pool: string): Promise<Targeting> {
    if (places.length === 0) return targeting
    const { countries } = targeting
    const states = await this.#all('state', places, { pool, countries, states: [] })
    const cities = await this.#all('city', places, { pool, countries, states })
    return { ...targeting, states, cities }
  }

  async #all(
    kind: PlaceName['kind'],
    places: readonly PlaceName[],
    within: Pick<FeedNamed, 'pool' | 'countries' | 'states'>,
  ): Promise<string[]> {
    const found: string[] = []
    for (const place of places) if (place.kind === kind) found.push(await this.#one(place, within))
    return [...new Set(found)]
  }

  async #one(
    { kind, said, word }: PlaceName,
    within: Pick<FeedNamed, 'pool' | 'countries' | 'states'>,
  ): Promise<string> {
    const ids = (await this.#answers.find({ ...within, kind, word })) ?? []
    const [id] = ids
    if (id !== undefined && ids.length === 1) return id
    const sentence =
      id === undefined
        ? `There is no ${kind} ${quote(said)} in this pool's ${within.countries.join(', ')}.`
        : `Several places are called ${quote(said)}: name one of ${ids.slice(0, MOST_NAMED).join(', ')} in our own grammar.`
    throw new GrammarFault({ key: kind, value: said, sentence })
  }
}
