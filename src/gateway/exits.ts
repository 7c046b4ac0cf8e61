/** Choosing the way out: which exits serve a targeting, and which of them takes a connection. */

import { createHash, randomBytes } from 'node:crypto'
import type { Targeting } from '#proxies/grammar'
import type { Feed, FeedExit, FeedPlace } from './feed.ts'

function anyOf<T>(wanted: readonly T[], value: T | null): boolean {
  return wanted.length === 0 || (value !== null && wanted.includes(value))
}

function placeServes(place: FeedPlace, targeting: Targeting): boolean {
  return (
    anyOf(targeting.countries, place.country) &&
    anyOf(targeting.states, place.state) &&
    anyOf(targeting.cities, place.city) &&
    anyOf(targeting.zips, place.zip) &&
    anyOf(targeting.asns, place.asn) &&
    !(place.asn !== null && targeting.excludedAsns.includes(place.asn))
  )
}

/** Whether the exit can leave where the targeting asks for. An exit without places serves everything. */
export function exitServes(exit: FeedExit, targeting: Targeting): boolean {
  return exit.places === null || exit.places.some((place) => placeServes(place, targeting))
}

/** The country an exit leaves from for this targeting, when there is only one. */
export function countryOf(exit: FeedExit, targeting: Targeting): string | null {
  if (exit.places === null) return null
  const countries = new Set(
    exit.places.filter((place) => placeServes(place, targeting)).map((place) => place.country),
  )
  const [country] = countries
  return countries.size === 1 && country !== undefined ? country : null
}

/** A number in (0, 1) that every gateway computes alike. */
function draw(text: string): number {
  const bits = createHash('sha256').update(text).digest().readUIntBE(0, 6)
  return (bits + 0.5) / 2 ** 48
}

/**
 * Rendezvous hashing with weights: the key's exit stays the same as long as that exit is there, and when it goes only
 * its own keys move. No gateway needs to tell another.
 */
export function rendezvous(exits: readonly FeedExit[], key: string): FeedExit | null {
  let best: FeedExit | null = null
  let bestScore = -Infinity
  for (const exit of exits) {
    const score = -exit.weight / Math.log(draw(`${exit.id}|${key}`))
    if (exit.weight > 0 && score > bestScore) {
      best = exit
      bestScore = score
    }
  }
  return best
}

/** A session without minutes of its own keeps its exit this long. */
const SESSION_MINUTES = 10

/**
 * What decides the exit. A session, or an interval of a line without one, stands for one exit for so many minutes, and
 * for another after them. Which stretch of time it is follows from the clock and the key alone, so all gateways agree
 * without a word; the key shifts its beginning, so that not everybody's exit changes at the same moment. Without either,
 * chance decides.
 */
export function stickyKey(
  who: { account: bigint; pool: string },
  targeting: Pick<Targeting, 'session' | 'ttlMinutes'>,
  nowMs: number,
): string {
  const prefix = `${who.account}|${who.pool}`
  const { session, ttlMinutes } = targeting
  const minutes = ttlMinutes ?? (session === null ? 0 : SESSION_MINUTES)
  if (minutes === 0) return `${prefix}|once|${randomBytes(8).toString('hex')}`
  const key = session === null ? `${prefix}|interval` : `${prefix}|sid|${session}`
  const ttlMs = minutes * 60_000
  const shiftMs = Math.floor(draw(key) * ttlMs)
  return `${key}|${minutes}|${Math.floor((nowMs + shiftMs) / ttlMs)}`
}

const REFRESH_MS = 60_000

/** The exits of all pools, as the feed last gave them. */
export class Exits {
  readonly #feed: Pick<Feed, 'exits'>
  readonly #onFault: (fault: unknown) => void
  readonly #clock: () => number
  #exits: FeedExit[] = []
  #timer: NodeJS.Timeout | null = null
  #refreshing: Promise<void> | null = null
  #stale = false
  #stopped = false

  constructor(options: {
    feed: Pick<Feed, 'exits'>
    onFault: (fault: unknown) => void
    /** Epoch milliseconds, as alike on all gateways as their clocks are. */
    clock?: () => number
  }) {
    this.#feed = options.feed
    this.#onFault = options.onFault
    this.#clock = options.clock ?? Date.now
  }

  /** Asks the feed anew; when it does not answer the exits known so far stay, and it is asked again in a second. */
  refresh(): Promise<void> {
    this.#stale = true
    this.#refreshing ??= this.#load().finally(() => (this.#refreshing = null))
    return this.#refreshing
  }

  choose(who: { account: bigint; pool: string }, targeting: Targeting): FeedExit | null {
    const candidates = this.#exits.filter(
      (exit) => exit.pool === who.pool && exit.kind === 'direct' && exitServes(exit, targeting),
    )
    return rendezvous(candidates, stickyKey(who, targeting, this.#clock()))
  }

  stop(): void {
    this.#stopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  async #load(): Promise<void> {
    let nextMs = REFRESH_MS
    // A change that is told while an answer is on its way is not in that answer.
    while (this.#stale) {
      this.#stale = false
      try {
        this.#exits = await this.#feed.exits()
      } catch (fault) {
        this.#onFault(fault)
        nextMs = 1000
      }
    }
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (!this.#stopped) this.#timer = setTimeout(() => void this.refresh(), nextMs).unref()
  }
}
