/**
 * The grammar of the user name in a proxy line: `<login>[-<key>-<value>]…`, for example
 * `tp4k2m9x-cc-us.de-sid-8f3a2c-ttl-30`. Pure: the gateway reads what the generator writes.
 *
 *   cc    countries, ISO 3166-1 alpha-2                     cc-us.de
 *   st    states: `<country>_<code>`                        st-us_ca
 *   city  cities: `<state>_<name>`; `<country>_<name>` in
 *         a country without states                        city-us_ca_los_angeles
 *   zip   zip codes, inside the countries of `cc`           zip-90001.90002
 *   asn   autonomous systems to leave from                  asn-7018
 *   xasn  autonomous systems never to leave from            xasn-16509
 *   sid   the session: the same one leaves by the same exit sid-8f3a2c
 *   ttl   minutes until the exit changes, 1 to 10000        ttl-30
 *   anon  on (default) or off                               anon-off
 *   set   stored targeting in place of cc st city zip asn xasn, when these would not fit   set-k3j4x9
 *
 * Ids begin with the id of what contains them, so that an id means one place in the world, and a state of a
 * country that was not chosen is seen without a table. Lists are joined with `.`; several values mean "any of
 * these", several keys mean "all of these". Nothing is ever ignored: an invalid setting is refused, because a
 * line that silently widens sells the wrong thing. A user name has at most 255 bytes (RFC 1929).
 */
import { nearest } from '#lib/nearest'
import { GrammarFault, quote } from './grammar.fault.ts'
import * as values from './grammar.values.ts'

export { GrammarFault } from './grammar.fault.ts'

export interface Targeting {
  countries: string[]
  states: string[]
  cities: string[]
  zips: string[]
  asns: number[]
  excludedAsns: number[]
  /** Null: rotating. */
  session: string | null
  /**
   * Minutes until the exit changes; null: `defaultSessionMinutes` in a session, otherwise a new exit per connection.
   */
  ttlMinutes: number | null
  anonymous: boolean
  /** The id of a stored targeting that stands for all places and ASNs. */
  set: string | null
}

export interface Username {
  login: string
  targeting: Targeting
}

/** RFC 1929: the length of a user name is one byte. */
export const maxUsernameBytes = 255

const keys = ['cc', 'st', 'city', 'zip', 'asn', 'xasn', 'sid', 'ttl', 'anon', 'set'] as const
type Key = (typeof keys)[number]

/** What other sellers call these keys. */
const keyAliases: Readonly<Record<string, Key>> = {
  country: 'cc',
  cr: 'cc',
  state: 'st',
  region: 'st',
  zipcode: 'zip',
  postal: 'zip',
  noasn: 'xasn',
  session: 'sid',
  sess: 'sid',
  sessid: 'sid',
  sessionid: 'sid',
  lifetime: 'ttl',
  sesstime: 'ttl',
  sessttl: 'ttl',
  sessionduration: 'ttl',
  time: 'ttl',
  rotate: 'ttl',
}

/** No targeting: any exit of the pool, a new one per connection. */
export function anywhere(): Targeting {
  return {
    countries: [],
    states: [],
    cities: [],
    zips: [],
    asns: [],
    excludedAsns: [],
    session: null,
    ttlMinutes: null,
    anonymous: true,
    set: null,
  }
}

/** Parses a user name. Throws a GrammarFault for an invalid one, and nothing else. */
export function parseUsername(text: string): Username {
  if (text.length > maxUsernameBytes) {
    const sentence = `A user name has at most ${maxUsernameBytes} bytes (RFC 1929). Generate the line again: long settings are stored and named by "set".`
    throw new GrammarFault({ key: 'username', value: text, sentence })
  }
  const parts = text.split('-')
  const login = parts[0] ?? ''
  if (!values.loginPattern.test(login)) {
    const lower = login.toLowerCase()
    throw new GrammarFault({
      key: 'login',
      value: login,
      nearest: values.loginPattern.test(lower) ? lower : null,
      sentence: `The login ${quote(login)} is not one of ours: 4 to 32 lower-case letters and digits.`,
    })
  }
  const targeting = anywhere()
  let understood = 0
  try {
    const seen = new Set<Key>()
    for (let index = 1; index < parts.length; index += 2) {
      const key = keyOf(parts[index] ?? '')
      understood += 1
      readPair(targeting, key, valueOf(key, parts[index + 1], seen))
      understood += 1
    }
    refuseContradictions(targeting)
  } catch (fault) {
    if (fault instanceof GrammarFault) fault.understood = understood
    throw fault
  }
  return { login, targeting }
}

/** Whether all keys of a user name are ours, whatever follows them. */
export function hasOurKeys(text: string): boolean {
  const ours: readonly string[] = keys
  return text.split('-').every((word, index) => index % 2 === 0 || ours.includes(word))
}

function valueOf(key: Key, value: string | undefined, seen: Set<Key>): string {
  if (value === undefined) {
    throw new GrammarFault({ key, value: '', sentence: `The key "${key}" has no value behind it.` })
  }
  if (seen.has(key)) {
    const joined = listKeys.has(key) ? ' Join several values with a dot.' : ''
    throw new GrammarFault({ key, value, sentence: `The key "${key}" stands here twice.${joined}` })
  }
  seen.add(key)
  return value
}

function keyOf(word: string): Key {
  const known = keys.find((key) => key === word)
  if (known !== undefined) return known
  const sentence =
    word === ''
      ? 'A key is missing: a user name is a login and pairs of key and value, all joined with single dashes.'
      : `There is no key ${quote(word)}; the keys are ${keys.join(', ')}.`
  throw new GrammarFault({ key: word, value: word, nearest: () => nearestKey(word), sentence })
}

/** The intended key: its own name misspelled, or its name elsewhere. */
function nearestKey(word: string): string | null {
  const own = nearest(word, keys, keyAliases)
  if (own !== null) return own
  const elsewhere = nearest(word, Object.keys(keyAliases))
  return elsewhere === null ? null : (keyAliases[elsewhere] ?? null)
}

const listKeys: ReadonlySet<Key> = new Set<Key>(['cc', 'st', 'city', 'zip', 'asn', 'xasn'])

function readPair(targeting: Targeting, key: Key, value: string): void {
  switch (key) {
    case 'cc':
      targeting.countries = values.list(key, value, values.country)
      return
    case 'st':
      targeting.states = values.list(key, value, (word) => values.place(key, word, targeting.countries))
      return
    case 'city':
      targeting.cities = values.list(key, value, (word) => values.place(key, word, targeting.countries))
      return
    case 'zip':
      targeting.zips = values.list(key, value, values.zip)
      return
    case 'asn':
      targeting.asns = values.list(key, value, (word) => values.asNumber(key, word))
      return
    case 'xasn':
      targeting.excludedAsns = values.list(key, value, (word) => values.asNumber(key, word))
      return
    case 'sid':
      targeting.session = values.sessionId(value)
      return
    case 'ttl':
      targeting.ttlMinutes = values.minutes(value)
      return
    case 'anon':
      targeting.anonymous = values.onOrOff(value) === 'on'
      return
    case 'set':
      targeting.set = values.setId(value)
      return
  }
}

/**
 * Prints a user name: keys in the order of the table above, only those that differ from `anywhere()`. For a
 * valid targeting the output, up to 255 bytes, parses to the same targeting; the caller checks the length,
 * since only the generator can store longer settings.
 */
export function printUsername({ login, targeting }: Username): string {
  const pairs: [Key, string][] = []
  const add = (key: Key, listed: readonly (string | number)[]): void => {
    if (listed.length > 0) pairs.push([key, listed.join('.')])
  }
  add('cc', targeting.countries)
  add('st', targeting.states)
  add('city', targeting.cities)
  add('zip', targeting.zips)
  add('asn', targeting.asns)
  add('xasn', targeting.excludedAsns)
  if (targeting.session !== null) pairs.push(['sid', targeting.session])
  if (targeting.ttlMinutes !== null) pairs.push(['ttl', String(targeting.ttlMinutes)])
  if (!targeting.anonymous) pairs.push(['anon', 'off'])
  if (targeting.set !== null) pairs.push(['set', targeting.set])
  return [login, ...pairs.flat()].join('-')
}

/**
 * The targeting that `set` refers to: the stored places and ASNs, with the session, the minutes and the
 * anonymity of the line.
 */
export function withStored(line: Targeting, stored: Targeting): Targeting {
  const { session, ttlMinutes, anonymous } = line
  return { ...stored, session, ttlMinutes, anonymous, set: null }
}

export interface Contradiction {
  key: string
  value: string
  sentence: string
}

/**
 * The contradictions in a targeting: a state outside the chosen countries, a city outside the chosen states
 * or countries, a zip code without a country, an ASN both wanted and excluded, stored settings together with
 * others.
 */
export function contradictionsOf(targeting: Targeting): Contradiction[] {
  const { countries, states, cities, zips, asns } = targeting
  const found: Contradiction[] = []
  const add = (key: Key, value: string, sentence: string): void => void found.push({ key, value, sentence })
  const chosen = new Set(countries)
  const outside = (id: string): boolean => chosen.size > 0 && !chosen.has(id.slice(0, 2))

  for (const id of states) {
    if (outside(id)) add('st', id, `The state "${id}" is not in the chosen countries.`)
  }
  for (const id of cities) {
    if (outside(id)) add('city', id, `The city "${id}" is not in the chosen countries.`)
    else if (states.length > 0 && !states.some((state) => id.startsWith(`${state}_`))) {
      add('city', id, `The city "${id}" is not in the chosen states.`)
    }
  }
  if (countries.length === 0) {
    for (const id of zips) add('zip', id, `The zip code "${id}" needs a country: add "cc".`)
  }
  const excluded = new Set(targeting.excludedAsns)
  for (const asn of asns) {
    if (excluded.has(asn)) add('xasn', String(asn), `AS ${asn} is both wanted and excluded.`)
  }
  const places = countries.length + states.length + cities.length + zips.length + asns.length + excluded.size
  if (targeting.set !== null && places > 0) {
    add('set', targeting.set, 'Stored settings ("set") replace places and ASNs: name one or the other.')
  }
  return found
}

function refuseContradictions(targeting: Targeting): void {
  const first = contradictionsOf(targeting)[0]
  if (first !== undefined) throw new GrammarFault(first)
}
