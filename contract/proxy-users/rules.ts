/** Rules of proxy users that browser, server and gateways apply. */
import { multiplierOf } from '../traffic.ts'

/** The most of a limit, 1 PB. */
export const mostUserBytes = 1_000_000_000_000_000
/** The most addresses and networks in one list. */
export const mostAddresses = 100
export const longestLabel = 64

/** The metadata of a proxy user: the most keys, their form, and the length of a value. */
export const mostMetadata = 20
export const metadataKey = /^[\w.:-]{1,40}$/
export const longestValue = 500

/** A login that a customer chooses: letters and digits in two to four parts joined with dots. */
export const chosenLogin = /^(?=.{5,32}$)[a-z0-9]{1,30}(?:\.[a-z0-9]{1,30}){1,3}$/
/** A password that a customer chooses: no character separates parts of a line, or is escaped in a URL. */
export const chosenPassword = /^[A-Za-z0-9.~]{12,64}$/
/** The first part of the logins of a customer's proxy users. */
export const loginPrefix = /^[a-z0-9]{3,16}$/

/** Whether a text has the form of a proxy user's login. */
export const isUserLogin = (text: string): boolean =>
  /^u[b-df-hj-km-np-tv-xz2-9]{11}$/.test(text) || chosenLogin.test(text)

/** Whether it is frozen, expired, at one of its limits, or may be used. */
export const userStates = ['frozen', 'expired', 'used_up', 'active'] as const
export type UserState = (typeof userStates)[number]
/** The states that lists are filtered by; deleted ones are listed only with `deleted`. */
export const listedStates = [...userStates, 'deleted'] as const

export interface UserFacts {
  frozen: boolean
  expires_at: string | null
  total_bytes: number | null
  day_bytes: number | null
  month_bytes: number | null
  used: { total_bytes: number; day_bytes: number; month_bytes: number }
}

export function userState(user: UserFacts, now: number): UserState {
  if (user.frozen) return 'frozen'
  if (user.expires_at !== null && Date.parse(user.expires_at) <= now) return 'expired'
  const { used } = user
  const isReached = (limit: number | null, bytes: number) => limit !== null && bytes >= limit
  const isUsedUp =
    isReached(user.total_bytes, used.total_bytes) ||
    isReached(user.day_bytes, used.day_bytes) ||
    isReached(user.month_bytes, used.month_bytes)
  return isUsedUp ? 'used_up' : 'active'
}

/** Where the owner of a proxy user lets it leave, in country codes. */
export interface PlaceRules {
  /** An empty list allows all. */
  countries: readonly string[]
  deniedCountries: readonly string[]
  noDoubleTariff: boolean
}

interface Places {
  countries: readonly string[]
  states: readonly string[]
  cities: readonly string[]
  zips: readonly string[]
  asns: readonly number[]
}

/** The countries that a targeting names, also by a state or a city. */
export const countriesIn = ({
  countries,
  states,
  cities,
}: Pick<Places, 'countries' | 'states' | 'cities'>): string[] => [
  ...countries,
  ...[...states, ...cities].map((id) => id.slice(0, 2)),
]

/** Whether it may leave by a country. */
export const mayLeaveBy = ({ countries, deniedCountries }: PlaceRules, country: string): boolean =>
  !deniedCountries.includes(country) && (countries.length === 0 || countries.includes(country))

/** Why a proxy user may not use a targeting: the countries, or the double tariff; null: it may. */
export function placeFault(rules: PlaceRules, places: Places): string[] | 'double tariff' | null {
  const denied = countriesIn(places).filter((country) => !mayLeaveBy(rules, country))
  if (denied.length > 0) return [...new Set(denied)]
  return rules.noDoubleTariff && multiplierOf(places) > 1 ? 'double tariff' : null
}
