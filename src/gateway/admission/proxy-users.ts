/**
 * What a customer allows a proxy user: whether it may be used now, from which addresses, and through which
 * countries.
 */

import type { FeedUser } from '#feed'
import { type Cidr, contains, parseCidr, parseIp } from '#lib/ip'
import type { Targeting } from '#proxies/grammar'
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

/**
 * Limits the targeting to the countries of a proxy user: a line that names no place may use all of them.
 * Refuses with 403 a line that names another country, directly or by a state or a city.
 */
export function withinCountries({ countries: allowed }: FeedUser, targeting: Targeting): Targeting {
  if (allowed.length === 0) return targeting
  const { countries, states, cities } = targeting
  const named = [...countries, ...[...states, ...cities].map((id) => id.slice(0, 2))]
  const other = named.find((country) => !allowed.includes(country))
  if (other !== undefined) {
    const sentence = `this proxy user may leave by ${allowed.join(', ')} only, and the line names ${other}`
    throw refusal('user_country_denied', sentence)
  }
  return named.length > 0 ? targeting : { ...targeting, countries: [...allowed] }
}
