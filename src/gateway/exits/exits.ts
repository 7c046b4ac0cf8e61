/** Choosing the way out: which exits serve a targeting, and which of them takes a connection. */

import { createHash, randomUUID } from 'node:crypto'
import { findPreset, upstreamLogin } from '#exits/presets'
import type { Targeting } from '#proxies/grammar'
import type { Credentials } from './chain.socks5.ts'
import { Health, type Seat } from './health.ts'
import { Shares } from '../limits/exit.permits.ts'
import type { Feed, FeedExit, FeedPlace } from '#feed'
import type { Siblings } from '../limits/coordinator.ts'

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
 * Rendezvous hashing with weights, best first: a key's exits stay in the same order as long as they are there, so when
 * one goes only its own keys move, each to its next, and when it comes back they return. No gateway needs to tell
 * another. Without a key chance decides, by the same weights.
 */
export function rendezvous(exits: readonly FeedExit[], key: string | null): FeedExit[] {
  const able = exits.filter((exit) => exit.weight > 0)
  if (able.length < 2) return able
  const chance = (exit: FeedExit) => (key === null ? 1 - Math.random() : draw(`${exit.id}|${key}`))
  return able
    .map((exit) => ({ exit, score: -exit.weight / Math.log(chance(exit)) }))
    .toSorted((one, other) => other.score - one.score)
    .map(({ exit }) => exit)
}

/** The targeting narrowed to one of the places an exit has, for telling its seller; null: it has none that fits. */
function narrowed(exit: FeedExit, targeting: Targeting, key: string): Targeting | null {
  if (exit.places === null) return targeting
  const fitting = exit.places.filter((place) => placeServes(place, targeting))
  const place = fitting[Math.floor(draw(`place|${key}`) * fitting.length)]
  if (place === undefined) return null
  const { country, state, city, zip, asn } = place
  const named = <T>(wanted: readonly T[], value: T | null): T[] =>
    wanted.length > 0 && value !== null ? [value] : []
  return {
    ...targeting,
    countries: [country],
    states: named(targeting.states, state),
    cities: named(targeting.cities, city),
    zips: named(targeting.zips, zip),
    asns: named(targeting.asns, asn),
    // A place whose network is known cannot be one of those.
    excludedAsns: asn === null ? targeting.excludedAsns : [],
  }
}

/** An exit that may serve a connection, and what to tell it. */
export interface Candidate {
  exit: FeedExit
  credentials: Credentials | null
  country: string | null
}

/** What to tell the exit for this targeting; null: it cannot be told. `key` as `stickyKey` makes it. */
export function candidateOf(exit: FeedExit, targeting: Targeting, key: string): Candidate | null {
  if (exit.preset === null) {
    const { username, password } = exit
    const credentials = username === null ? null : { username, password: password ?? '' }
    return { exit, credentials, country: countryOf(exit, targeting) }
  }
  const preset = findPreset(exit.preset)
  const wish = narrowed(exit, targeting, key)
  if (preset === undefined || wish === null) return null
  const minutes = minutesOf(targeting)
  const session = { key: `${exit.id}|${key}`, minutes: minutes === 0 ? null : minutes }
  const login = upstreamLogin(preset, exit, wish, session)
  return login === null ? null : { exit, credentials: login, country: login.country }
}

/** A session without minutes of its own keeps its exit this long. */
const SESSION_MINUTES = 10

/** How long the exit stays the same; 0: for one connection. */
function minutesOf({ session, ttlMinutes }: Pick<Targeting, 'session' | 'ttlMinutes'>): number {
  return ttlMinutes ?? (session === null ? 0 : SESSION_MINUTES)
}

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
  const { session } = targeting
  const minutes = minutesOf(targeting)
  if (minutes === 0) return `${prefix}|once|${randomUUID()}`
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
  readonly health: Health
  /** Null: no other worker leaves by them. */
  readonly #shares: Shares | null

  constructor(options: {
    feed: Pick<Feed, 'exits'>
    onFault: (fault: unknown) => void
    /** Epoch milliseconds, as alike on all gateways as their clocks are. */
    clock?: () => number
    health?: Health
    /** The other workers of this machine, who share the limits of connections. */
    siblings?: Siblings | null
  }) {
    this.#feed = options.feed
    this.#onFault = options.onFault
    this.#clock = options.clock ?? Date.now
    this.health = options.health ?? new Health()
    this.#shares = this.#shareWith(options.siblings ?? null)
  }

  /** Asks the feed anew; when it does not answer the exits known so far stay, and it is asked again in a second. */
  refresh(): Promise<void> {
    this.#stale = true
    this.#refreshing ??= this.#load().finally(() => (this.#refreshing = null))
    return this.#refreshing
  }

  /** The exits that can serve the targeting, the one it belongs to first. Whether they are well is `health`'s to say. */
  *candidates(who: { account: bigint; pool: string }, targeting: Targeting): Generator<Candidate> {
    const key = stickyKey(who, targeting, this.#clock())
    const fitting = this.#exits.filter((exit) => exit.pool === who.pool && exitServes(exit, targeting))
    for (const exit of rendezvous(fitting, minutesOf(targeting) === 0 ? null : key)) {
      const candidate = candidateOf(exit, targeting, key)
      if (candidate !== null) yield candidate
    }
  }

  /** A seat among the connections of an exit, or why there is none at present. */
  async enter(exit: FeedExit): Promise<Seat | 'full' | 'open'> {
    const { max_connections: most } = exit
    if (this.#shares === null || most === null) return this.health.enter(exit)
    if (this.health.state(exit.id) === 'open') return 'open'
    const counted = await this.#shares.take(exit, most)
    if (counted === null) return 'full'
    const seat = this.health.enter(exit)
    counted()
    return seat
  }

  /** All exits of all pools. */
  get all(): readonly FeedExit[] {
    return this.#exits
  }

  /** Those known before a restart, until the feed answers. */
  restore(exits: FeedExit[]): void {
    this.#take(exits)
  }

  stop(): void {
    this.#stopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #shareWith(siblings: Siblings | null): Shares | null {
    if (siblings === null) return null
    const { health } = this
    const shares = new Shares({
      say: (word) => siblings.say(word),
      connections: (id) => health.connections(id),
    })
    siblings.hear((word) => shares.hear(word))
    health.onLeave = (id) => shares.left(id)
    return shares
  }

  async #load(): Promise<void> {
    let nextMs = REFRESH_MS
    // A change that is told while an answer is on its way is not in that answer.
    while (this.#stale) {
      this.#stale = false
      try {
        this.#take(await this.#feed.exits())
      } catch (fault) {
        this.#onFault(fault)
        nextMs = 1000
      }
    }
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (!this.#stopped) this.#timer = setTimeout(() => void this.refresh(), nextMs).unref()
  }
  #take(exits: FeedExit[]): void {
    const before = new Map(this.#exits.map((exit) => [exit.id, printed(exit)]))
    const changed = new Set(exits.filter((exit) => before.get(exit.id) !== printed(exit)).map(({ id }) => id))
    this.#exits = exits
    this.health.keep(exits, changed)
  }
}

/** What an exit is reached by. */
function printed({ id: _id, places: _places, weight: _weight, ...way }: FeedExit): string {
  return JSON.stringify(way)
}
