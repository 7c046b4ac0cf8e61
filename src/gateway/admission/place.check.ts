/**
 * Whether there is what a line names: its states, cities, zip codes and networks, judged by the inventories that the
 * server has. Who asks again, which every new session of a customer does, is answered from memory.
 *
 * An inventory has the last word where it has one. Of a place that it does not know an exit may say that it leaves
 * there, by its list; and where only the inventories of some exits speak, the others are still asked.
 */

import { GrammarFault, printUsername, type Targeting } from '#proxies/grammar'
import { quote } from '#proxies/dialects'
import { Answers } from './feed.cache.ts'
import { candidateOf, type Exits } from '../exits/exits.ts'
import type { Feed, FeedExit, FeedPlaces, FeedTargeting, FeedUnknown } from '#feed'

/** A line never seen before waits this long for a server that may be away, and is then let through. */
const PATIENCE_MS = 1000
/** And for so long none of the others waits. */
const AWAY_MS = 2000
/** A sentence names no more. */
const MOST_NAMED = 5

const nouns = { st: 'state', city: 'city', zip: 'zip code' } as const

export interface KnownPlacesOptions {
  feed: Pick<Feed, 'unknown'>
  exits: Pick<Exits, 'all'>
  onFault: (fault: unknown) => void
  /** Monotonic milliseconds. */
  now?: (() => number) | undefined
}

export class KnownPlaces {
  readonly #options: KnownPlacesOptions
  readonly #now: () => number
  readonly #answers: Answers<FeedTargeting, FeedUnknown[]>
  #awayUntil = -Infinity

  constructor(options: KnownPlacesOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#answers = new Answers({
      ask: (key) => this.#ask(key),
      nameOf,
      now: this.#now,
      keepsGoing: true,
    })
  }

  /**
   * Refuses with a GrammarFault, which names the nearest valid spelling, a place that there is not. Of a line that was
   * judged before, the last judgment counts while the server is away. One that was never seen is let through then: its
   * settings hold all the same, for only exits that can be told all of them serve it.
   */
  async check(targeting: Targeting, pool: string): Promise<void> {
    if (!isNarrow(targeting)) return
    for (const unknown of await this.#unknown(targeting, pool))
      if (!this.#anExitMayKnow(unknown, targeting, pool)) throw faultOf(unknown, targeting)
  }

  /** The valid spelling that comes nearest to the id of a state or a city; itself when there is such a place. */
  async nearest(key: 'st' | 'city', id: string, pool: string): Promise<string | null> {
    const nothing = { countries: [], states: [], cities: [], zips: [], asns: [], excludedAsns: [] }
    const named = key === 'st' ? { ...nothing, states: [id] } : { ...nothing, cities: [id] }
    const [unknown] = await this.#unknown(named, pool)
    return unknown === undefined ? id : unknown.nearest
  }

  /** An inventory has changed: what is known counts only while there is nothing newer. */
  forget(): void {
    this.#answers.forgetAll()
  }

  async #unknown(places: FeedPlaces, pool: string): Promise<readonly FeedUnknown[]> {
    const { countries, states, cities, zips, asns, excludedAsns } = places
    try {
      const key = { pool, countries, states, cities, zips, asns, excludedAsns }
      return (await this.#answers.find(key)) ?? []
    } catch {
      return []
    }
  }

  async #ask(key: FeedTargeting): Promise<FeedUnknown[]> {
    if (this.#now() < this.#awayUntil) throw new Error('places were not judged a moment ago')
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the feed takes long to judge places')), PATIENCE_MS)
    })
    try {
      return await Promise.race([this.#options.feed.unknown(key), tooLate])
    } catch (fault) {
      this.#awayUntil = this.#now() + AWAY_MS
      this.#options.onFault(fault)
      throw fault
    } finally {
      clearTimeout(timer)
    }
  }

  #anExitMayKnow(unknown: FeedUnknown, targeting: Targeting, pool: string): boolean {
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

/** What is judged: a country is one of ISO 3166 or was refused before. */
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
