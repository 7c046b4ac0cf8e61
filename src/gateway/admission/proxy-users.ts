/**
 * What a customer allows a proxy user: whether it may be used now, from which addresses, and through which
 * countries.
 */

import type { FeedUser } from '#feed'
import { type Cidr, contains, parseCidr, parseIp } from '#lib/ip'
import { multiplierOf } from '#contract/traffic'
import { countriesIn, mayLeaveBy, placeFault, type PlaceRules } from '#contract/proxy-users/rules'
import type { Targeting } from '#proxies/grammar'
import type { ExitTargeting } from '../exits/choice.ts'
import { type ProxyRefusal, refusal } from '../responses/refusal.ts'

/** Parsed once for each answer of the feed. */
const networksByUser = new WeakMap<FeedUser, Cidr[]>()

function networksOf(user: FeedUser): Cidr[] {
  const networks = networksByUser.get(user) ?? user.addresses.flatMap((text) => parseCidr(text) ?? [])
  networksByUser.set(user, networks)
  return networks
}

function mayComeFrom(user: FeedUser, address: string): boolean {
  if (user.addresses.length === 0) return true
  const ip = parseIp(address)
  return ip !== null && networksOf(user).some((network) => contains(network, ip))
}

/** The 403 for a proxy user that may not be used now, or not from this address; null when it may. */
export function userRefusal(user: FeedUser, address: string, nowMs = Date.now()): ProxyRefusal | null {
  if (user.frozen) return refusal('user_frozen', 'this proxy user is frozen by its owner')
  if (user.expires_ms !== null && nowMs >= user.expires_ms)
    return refusal('user_expired', 'this proxy user has expired')
  if (mayComeFrom(user, address)) return null
  const sentence = `this proxy user may not be used from your address ${address}: its owner lists others`
  return refusal('user_address_denied', sentence)
}

function rulesOf({
  countries,
  denied_countries: denied = [],
  no_double_tariff: noDouble,
}: FeedUser): PlaceRules {
  return { countries, deniedCountries: denied, noDoubleTariff: noDouble === true }
}

/** The 403 for a place that a proxy user may not use, or for the double tariff; null when it may. */
function placeRefusal(user: FeedUser, targeting: Targeting): ProxyRefusal | null {
  const fault = placeFault(rulesOf(user), targeting)
  if (fault === null) return null
  if (fault === 'double tariff') {
    const sentence =
      'the line names a state, city, zip code or network, whose double tariff this proxy user may not use'
    return refusal('user_double_tariff', sentence)
  }
  const { countries } = user
  const allowed = countries.length > 0 ? ` (only ${countries.join(', ')})` : ''
  return refusal('user_country_denied', `this proxy user may not leave by ${fault.join(', ')}${allowed}`)
}

/**
 * Limits the targeting to the places of a proxy user: a line that names no country may use those that are
 * allowed, and none that is denied. Refuses with 403 a line that names another country, directly or by a
 * state or a city, and one of the double tariff where that is not allowed.
 */
export function withinPlaces(user: FeedUser, targeting: Targeting): ExitTargeting {
  const refused = placeRefusal(user, targeting)
  if (refused !== null) throw refused
  if (countriesIn(targeting).length > 0) return targeting
  const { countries, denied_countries: denied = [], other_countries: others = [] } = user
  if (countries.length > 0) return { ...targeting, countries: [...countries] }
  return denied.length === 0 ? targeting : { ...targeting, without: { countries: denied, others } }
}

/**
 * Whether a session that was admitted under the rules of `before` may go on under those of `now`. `country`:
 * of its exit; null: not known, and then it may not when the countries have changed and it names none.
 */
export function mayStay(
  now: FeedUser,
  { before, targeting, country }: { before: FeedUser; targeting: ExitTargeting; country: string | null },
): boolean {
  const rules = rulesOf(now)
  const { countries, deniedCountries, noDoubleTariff } = rules
  if (noDoubleTariff && multiplierOf(targeting) > 1) return false
  if (country !== null) return mayLeaveBy(rules, country.toLowerCase())
  const earlier = rulesOf(before)
  const isSame = (one: readonly string[], other: readonly string[]) => one.join() === other.join()
  if (isSame(countries, earlier.countries) && isSame(deniedCountries, earlier.deniedCountries)) return true
  if (countries.length + deniedCountries.length === 0) return true
  // A line that names no country was served by the countries that were allowed before.
  const named = countriesIn(targeting)
  return named.length > 0 && named.every((one) => mayLeaveBy(rules, one))
}
