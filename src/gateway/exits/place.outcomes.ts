/**
 * Counts how the connections to each country ended and which customers requested it, until the next heartbeat
 * takes the counts. They change in place: only a customer's first connection to a country in an hour
 * allocates memory.
 */
import { payerOf } from '#feed/user.ids'
import type { PlaceFigures, PlaceOutcome, PlaceUse } from '#feed/place.outcomes'

const HOUR_MS = 3_600_000
/** The most pairs of customer and country that are counted in an hour. */
const MOST_USES = 200_000
const countryShape = /^[a-z]{2}$/

export class PlaceOutcomes {
  readonly #pools = new Map<string, Map<string, PlaceOutcome>>()
  readonly #told = new Map<bigint, Set<string>>()
  #uses: PlaceUse[] = []
  #usesOfHour = 0
  #hour = 0
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /**
   * Counts the outcome of a connection that requested one country or none. One that allows several countries
   * is not counted.
   */
  note(
    { access, pool }: { access: bigint; pool: string },
    countries: readonly string[],
    isReached: boolean,
  ): void {
    if (countries.length > 1) return
    const country = countries[0] ?? ''
    if (country !== '' && !countryShape.test(country)) return
    const outcome = this.#of(pool, country)
    if (isReached) outcome.reached++
    else outcome.failed++
    // A proxy user's traffic is its customer's.
    this.#use(payerOf(access), country)
  }

  /** Returns the counts and starts new ones; null: nothing was counted. */
  take(): PlaceFigures | null {
    if (this.#pools.size === 0 && this.#uses.length === 0) return null
    const taken = {
      outcomes: [...this.#pools.values()].flatMap((ofPool) => [...ofPool.values()]),
      used: this.#uses,
    }
    this.#pools.clear()
    this.#uses = []
    return taken
  }

  /** Adds back counts that could not be reported. */
  giveBack({ outcomes, used }: PlaceFigures): void {
    for (const { pool, country, reached, failed } of outcomes) {
      const known = this.#of(pool, country)
      known.reached += reached
      known.failed += failed
    }
    if (this.#uses.length < MOST_USES) this.#uses = [...used, ...this.#uses]
  }

  #of(pool: string, country: string): PlaceOutcome {
    let ofPool = this.#pools.get(pool)
    if (ofPool === undefined) this.#pools.set(pool, (ofPool = new Map()))
    let known = ofPool.get(country)
    if (known === undefined) ofPool.set(country, (known = { pool, country, reached: 0, failed: 0 }))
    return known
  }

  #use(access: bigint, country: string): void {
    const hour = Math.floor(this.#clock() / HOUR_MS)
    if (hour !== this.#hour) {
      this.#hour = hour
      this.#usesOfHour = 0
      this.#told.clear()
    }
    let countries = this.#told.get(access)
    if (countries?.has(country) === true || this.#usesOfHour >= MOST_USES) return
    if (countries === undefined) this.#told.set(access, (countries = new Set()))
    countries.add(country)
    this.#usesOfHour++
    this.#uses.push({ access, country })
  }
}
