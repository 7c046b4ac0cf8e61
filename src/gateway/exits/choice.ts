/**
 * Which exits serve a targeting, in which order they are tried, and the credentials that each is given. Pure.
 */

import { createHash, randomUUID } from 'node:crypto'
import { defaultSessionMinutes } from '#contract/session-times'
import { findPreset, upstreamLogin } from '#exits/presets'
import type { FeedExit, FeedPlace } from '#feed'
import type { Targeting } from '#proxies/grammar'

/** How often the session of a line was ended by its owner, the last time at `at_ms`. */
export interface Renewal {
  times: number
  at_ms: number
}

/** The targeting of an admitted line, with what its owner decided about it. */
export interface ExitTargeting extends Targeting {
  renewal?: Renewal
  /** Set for a line that names no country: those that may not be used, and the others of the pool. */
  without?: { countries: readonly string[]; others: readonly { code: string; count: number }[] }
}

function includesOrAny<T>(wanted: readonly T[], value: T | null): boolean {
  return wanted.length === 0 || (value !== null && wanted.includes(value))
}

function placeServes(place: FeedPlace, targeting: ExitTargeting): boolean {
  return (
    targeting.without?.countries.includes(place.country) !== true &&
    includesOrAny(targeting.countries, place.country) &&
    includesOrAny(targeting.states, place.state) &&
    includesOrAny(targeting.cities, place.city) &&
    includesOrAny(targeting.zips, place.zip) &&
    includesOrAny(targeting.asns, place.asn) &&
    !(place.asn !== null && targeting.excludedAsns.includes(place.asn))
  )
}

/**
 * Whether the exit has a place that the targeting asks for. An exit without places serves every targeting.
 */
export function exitServes({ places, preset }: FeedExit, targeting: ExitTargeting): boolean {
  if (places === null) return true
  const { without } = targeting
  if (!places.some((place) => placeServes(place, targeting))) return false
  // An exit that is told no country chooses among all its places.
  return (
    without === undefined ||
    preset !== null ||
    !places.some(({ country }) => without.countries.includes(country))
  )
}

/** The country of the exit's places for this targeting, when there is only one. */
function countryOf(exit: FeedExit, targeting: ExitTargeting): string | null {
  if (exit.places === null) return null
  const countries = new Set(
    exit.places.filter((place) => placeServes(place, targeting)).map((place) => place.country),
  )
  const [country] = countries
  return countries.size === 1 && country !== undefined ? country : null
}

/** A number in (0, 1), the same on every gateway. */
function draw(text: string): number {
  const bits = createHash('sha256').update(text).digest().readUIntBE(0, 6)
  return (bits + 0.5) / 2 ** 48
}

/**
 * Weighted rendezvous hashing, best first. A key's exits keep their order as long as they exist: when one is
 * removed only its own keys move, each to its next exit, and they move back when it returns. Gateways need
 * not communicate for that. Without a key the order is random, by the same weights.
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

/** The targeting narrowed to one of the exit's places, for a seller's login; null: none fits. */
function narrowed(exit: FeedExit, targeting: ExitTargeting, key: string): Targeting | null {
  if (exit.places === null) return targeting.without === undefined ? targeting : elsewhere(targeting, key)
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
    // A place with a known network lies in none of the excluded ones.
    excludedAsns: asn === null ? targeting.excludedAsns : [],
  }
}

/**
 * The targeting with a country that may be used, for a seller that would choose any; null: there is none, or
 * the zip code or network that the line names may be in another one.
 */
function elsewhere({ without, ...targeting }: ExitTargeting, key: string): Targeting | null {
  const others = without?.others ?? []
  if (targeting.zips.length + targeting.asns.length > 0) return null
  let left = draw(`country|${key}`) * others.reduce((sum, { count }) => sum + count, 0)
  const chosen = others.find(({ count }) => (left -= count) < 0)
  return chosen === undefined ? null : { ...targeting, countries: [chosen.code] }
}

/** The credentials and settings for an exit that is a proxy. */
export interface ExitCredentials {
  username: string
  password: string
}

/** An exit that may serve a connection. */
export interface Candidate {
  exit: FeedExit
  credentials: ExitCredentials | null
  country: string | null
}

/** The exit for this targeting; null: its login cannot express it. `key` as `stickyKey` makes it. */
export function candidateOf(exit: FeedExit, targeting: ExitTargeting, key: string): Candidate | null {
  if (exit.preset === null) {
    const { username, password } = exit
    const credentials = username === null ? null : { username, password: password ?? '' }
    return { exit, credentials, country: countryOf(exit, targeting) }
  }
  const preset = findPreset(exit.preset)
  const narrow = narrowed(exit, targeting, key)
  if (preset === undefined || narrow === null) return null
  const minutes = minutesOf(targeting)
  const session = { key: `${exit.id}|${key}`, minutes: minutes === 0 ? null : minutes }
  const login = upstreamLogin(preset, exit, narrow, session)
  return login === null ? null : { exit, credentials: login, country: login.country }
}

/**
 * The exits that may serve a connection, in the order in which they are tried; each is made when it is
 * needed.
 */
export class Candidates {
  readonly #exits: readonly FeedExit[]
  readonly #targeting: ExitTargeting
  readonly #key: string
  #index = 0

  /** `exits` in their order; `key` as `stickyKey` makes it. */
  constructor(exits: readonly FeedExit[], targeting: ExitTargeting, key: string) {
    this.#exits = exits
    this.#targeting = targeting
    this.#key = key
  }

  /** The next exit; null: there is none. */
  next(): Candidate | null {
    for (let exit = this.#exits[this.#index]; exit !== undefined; exit = this.#exits[this.#index]) {
      this.#index++
      const candidate = candidateOf(exit, this.#targeting, this.#key)
      if (candidate !== null) return candidate
    }
    return null
  }

  *[Symbol.iterator](): Generator<Candidate> {
    for (let candidate = this.next(); candidate !== null; candidate = this.next()) yield candidate
  }
}

/** The time for which the exit stays the same; 0: for one connection. */
function minutesOf({ session, ttlMinutes }: Pick<Targeting, 'session' | 'ttlMinutes'>): number {
  return ttlMinutes ?? (session === null ? 0 : defaultSessionMinutes)
}

/** Whether every connection gets another exit. */
export function isRotating(targeting: Pick<Targeting, 'session' | 'ttlMinutes'>): boolean {
  return minutesOf(targeting) === 0
}

/** The key of a session or an interval, and how the moment in its periods is found. */
function periodsOf(
  { access, pool }: { access: bigint; pool: string },
  targeting: Pick<Targeting, 'session' | 'ttlMinutes'>,
) {
  const { session } = targeting
  const minutes = minutesOf(targeting)
  const key = `${access}|${pool}|${session === null ? 'interval' : `sid|${session}`}`
  const ttlMs = minutes * 60_000
  const shiftMs = Math.floor(draw(key) * ttlMs)
  return { key: `${key}|${minutes}`, at: (ms: number) => Math.floor((ms + shiftMs) / ttlMs) }
}

/**
 * The key that decides the exit. A session, or a line with an interval, has one exit for its minutes, and
 * another one afterwards. The period follows from the clock and the key alone, so all gateways agree without
 * communicating; the key shifts where its periods begin, so that not all exits change at the same moment.
 * Otherwise the key is random.
 */
export function stickyKey(
  who: { access: bigint; pool: string },
  targeting: Pick<Targeting, 'session' | 'ttlMinutes'>,
  nowMs: number,
): string {
  if (isRotating(targeting)) return `${who.access}|${who.pool}|once|${randomUUID()}`
  const { key, at } = periodsOf(who, targeting)
  return `${key}|${at(nowMs)}`
}

/** How often the session was ended in its present period: each time it takes the next exit. */
export function renewals(
  who: { access: bigint; pool: string },
  { renewal, ...targeting }: Pick<ExitTargeting, 'session' | 'ttlMinutes' | 'renewal'>,
  nowMs: number,
): number {
  if (renewal === undefined || isRotating(targeting)) return 0
  const { at } = periodsOf(who, targeting)
  // The server's clock may be ahead.
  return at(renewal.at_ms) >= at(nowMs) ? renewal.times : 0
}
