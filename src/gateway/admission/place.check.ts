/**
 * Checks whether the places that a line names exist: its states, cities, zip codes and networks, according to
 * the inventories that the server has. Repeated lines, which every new session of a customer has, are
 * answered from the cache.
 *
 * An inventory is authoritative for what it covers. An exit's list may contain a place that the inventory
 * lacks; and where only some exits have an inventory, the other exits may still serve the place.
 */

import type { Feed, FeedExit, FeedPlaces, FeedTargeting, FeedUnknown } from '#feed'
import { withTimeout } from '#lib/timeout'
import { quote } from '#proxies/dialects'
import { GrammarFault, printUsername, type Targeting } from '#proxies/grammar'
import { candidateOf } from '../exits/choice.ts'
import type { Exits } from '../exits/exits.ts'
import { FeedCache } from './feed.cache.ts'

/** The time that a new line waits for a server that may be unreachable; then it is accepted. */
const PATIENCE_MS = 1000
/** For this long afterwards no other line waits. */
const AWAY_MS = 2000
/** Places named in one sentence. */
export const MOST_NAMED = 5

const nouns = { st: 'state', city: 'city', zip: 'zip code' } as const

export interface PlaceCheckOptions {
  feed: Pick<Feed, 'unknown'>
  exits: Pick<Exits, 'all'>
  onFault: (fault: unknown) => void
  /** Monotonic milliseconds. */
  now?: (() => number) | undefined
}

export class PlaceCheck {
  readonly #options: PlaceCheckOptions
  readonly #now: () => number
  readonly #cache: FeedCache<FeedTargeting, FeedUnknown[]>
  #awayUntil = -Infinity

  constructor(options: PlaceCheckOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#cache = new FeedCache({
      ask: (key) => this.#ask(key),
      nameOf,
      now: this.#now,
    })
  }

  /**
   * Refuses a place that does not exist, with a GrammarFault that names the nearest valid spelling. While the
   * server is unreachable the last judgement of a line counts, and a line without one is accepted: its
   * settings still apply, because only exits that can express all of them serve it.
   */
  async check(targeting: Targeting, pool: string): Promise<void> {
    if (!isNarrow(targeting)) return
    for (const unknown of await this.#unknown(targeting, pool))
      if (!this.#mayBeServed(unknown, targeting, pool)) throw faultOf(unknown, targeting)
  }

  /** The valid spelling nearest to the id of a state or city; the id itself when it exists. */
  async nearest(key: 'st' | 'city', id: string, pool: string): Promise<string | null> {
    const nothing = { countries: [], states: [], cities: [], zips: [], asns: [], excludedAsns: [] }
    const named = key === 'st' ? { ...nothing, states: [id] } : { ...nothing, cities: [id] }
    const [unknown] = await this.#unknown(named, pool)
    return unknown === undefined ? id : unknown.nearest
  }

  /** An inventory has changed: cached judgements are used only until a newer one is available. */
  forget(): void {
    this.#cache.forgetAll()
  }

  async #unknown(places: FeedPlaces, pool: string): Promise<readonly FeedUnknown[]> {
    const { countries, states, cities, zips, asns, excludedAsns } = places
    try {
      const key = { pool, countries, states, cities, zips, asns, excludedAsns }
      return (await this.#cache.find(key)) ?? []
    } catch {
      return []
    }
  }

  async #ask(key: FeedTargeting): Promise<FeedUnknown[]> {
    if (this.#now() < this.#awayUntil) throw new Error('the server was unreachable a moment ago')
    try {
      return await withTimeout(this.#options.feed.unknown(key), PATIENCE_MS, () => {
        throw new Error('the feed takes long to judge places')
      })
    } catch (error) {
      this.#awayUntil = this.#now() + AWAY_MS
      this.#options.onFault(error)
      throw error
    }
  }

  #mayBeServed(unknown: FeedUnknown, targeting: Targeting, pool: string): boolean {
    return this.#options.exits.all.some((exit) => {
      if (exit.pool !== pool) return false
      if (exit.places !== null) return isListed(exit.places, unknown, targeting.countries)
      if (unknown.ofPool || unknown.exits.includes(exit.id)) return false
      return candidateOf(exit, targeting, 'judged') !== null
    })
  }
}

const nameOf = ({ pool, ...places }: FeedTargeting): string =>
  printUsername({
    login: pool,
    targeting: { ...places, session: null, ttlMinutes: null, anonymous: true, set: null },
  })

/** Only these are checked: the grammar has checked countries against ISO 3166. */
function isNarrow({ states, cities, zips, asns, excludedAsns }: FeedPlaces): boolean {
  return states.length + cities.length + zips.length + asns.length + excludedAsns.length > 0
}

function isListed(
  places: NonNullable<FeedExit['places']>,
  { key, value }: FeedUnknown,
  countries: readonly string[],
): boolean {
  return places.some((place) => {
    if (key === 'st') return place.state === value
    if (key === 'city') return place.city === value
    if (key === 'xasn') return String(place.asn) === value
    const isThere = countries.length === 0 || countries.includes(place.country)
    return isThere && (key === 'zip' ? place.zip === value : String(place.asn) === value)
  })
}

function faultOf({ key, value, nearest }: FeedUnknown, { countries, states }: Targeting): GrammarFault {
  const within = key === 'zip' && states.length > 0 ? states : countries
  const isWithin = (key === 'zip' || key === 'asn') && within.length > 0
  const where = isWithin ? `in ${within.slice(0, MOST_NAMED).join(', ')}` : 'in this pool'
  const what = key === 'asn' || key === 'xasn' ? `AS ${value}` : `${nouns[key]} ${quote(value)}`
  return new GrammarFault({ key, value, nearest, sentence: `There is no ${what} ${where}.` })
}
