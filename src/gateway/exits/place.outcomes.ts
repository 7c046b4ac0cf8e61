/**
 * How the connections to each country ended, until the next heartbeat takes it, and who asked for it. Counts change in place: a
 * connection allocates nothing, except the first one of a customer to a country in an hour.
 */
import type { PlaceFigures, PlaceOutcome, PlaceUse } from '#feed/place.outcomes'

const HOUR_MS = 3_600_000
/** More customers and countries than this in an hour are not told of. */
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

  /** A connection that asked for one country, or for none, ended so. Of one that left a choice of several nothing is known. */
  note(
    { subuser, pool }: { subuser: bigint; pool: string },
    countries: readonly string[],
    isReached: boolean,
  ): void {
    if (countries.length > 1) return
    const country = countries[0] ?? ''
    if (country !== '' && !countryShape.test(country)) return
    const outcome = this.#of(pool, country)
    if (isReached) outcome.reached++
    else outcome.failed++
    this.#use(subuser, country)
  }

  /** What has been counted, which counts no more; null: nothing has. */
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

  /** What could not be told counts again. */
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

  #use(subuser: bigint, country: string): void {
    const hour = Math.floor(this.#clock() / HOUR_MS)
    if (hour !== this.#hour) {
      this.#hour = hour
      this.#usesOfHour = 0
      this.#told.clear()
    }
    let countries = this.#told.get(subuser)
    if (countries?.has(country) === true || this.#usesOfHour >= MOST_USES) return
    if (countries === undefined) this.#told.set(subuser, (countries = new Set()))
    countries.add(country)
    this.#usesOfHour++
    this.#uses.push({ subuser, country })
  }
}
