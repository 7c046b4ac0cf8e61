/**
 * The values of the grammar's keys: each reader returns what the text means, or refuses it with a
 * GrammarFault.
 */
import { maxSessionMinutes } from '#contract/session-times'
import { nearest } from '#lib/nearest'
import { countryCodes } from '#contract/countries'
import { countryAliases } from './countries.ts'
import { GrammarFault, quote } from './grammar.fault.ts'

/** Logins of proxy users that were chosen have dots, at which no seller's user names are split. */
export const loginPattern = /^(?=.{4,32}$)[a-z0-9]+(?:\.[a-z0-9]+)*$/
// A state's code has no underscore: what follows the second one is the city's name.
const patterns = { st: /^[a-z]{2}_[a-z0-9]{1,32}$/, city: /^[a-z]{2}_[a-z0-9_]{1,61}$/ }
const zipPattern = /^[a-z0-9_]{1,16}$/
const asnPattern = /^[1-9][0-9]{0,9}$/
const sidPattern = /^[a-z0-9_]{1,32}$/
const setPattern = /^[a-z0-9]{6,32}$/
const ttlPattern = /^[1-9][0-9]{0,4}$/
const countrySet: ReadonlySet<string> = new Set(countryCodes)

/** One or more values joined with dots, none of them twice. */
export function list<T>(key: string, text: string, read: (word: string) => T): T[] {
  if (text === '')
    throw new GrammarFault({ key, value: '', sentence: `The key "${key}" has an empty value.` })
  const found = new Set<T>()
  for (const word of text.split('.')) {
    if (word === '') {
      const sentence = `The list of "${key}" has an empty place: values are joined with single dots.`
      throw new GrammarFault({ key, value: text, sentence })
    }
    const value = read(word)
    if (found.has(value)) {
      throw new GrammarFault({
        key,
        value: word,
        sentence: `The list of "${key}" names ${quote(word)} twice.`,
      })
    }
    found.add(value)
  }
  return [...found]
}

/** An ISO 3166-1 alpha-2 code. */
export function country(word: string): string {
  if (countrySet.has(word)) return word
  throw new GrammarFault({
    key: 'cc',
    value: word,
    nearest: () => nearest(word, countryCodes, countryAliases),
    sentence: `There is no country ${quote(word)}: codes have two lower-case letters (ISO 3166-1), like us.`,
  })
}

/** The id of a state or a city. `countries` are used only for the suggestion in a fault. */
export function place(key: 'st' | 'city', word: string, countries: readonly string[]): string {
  const valid = (id: string): boolean => patterns[key].test(id) && countrySet.has(id.slice(0, 2))
  if (valid(word)) return word
  const example = key === 'st' ? 'a state is written like us_ca' : 'a city is written like us_ca_los_angeles'
  // The commonest mistakes: capitals, and an id without its country when only one country is named.
  const only = countries.length === 1 ? `${countries[0]}_${word.toLowerCase()}` : ''
  const near = [word.toLowerCase(), only].find(valid)
  const sentence = `The value ${quote(word)} of "${key}" is not understood: ${example}.`
  throw new GrammarFault({ key, value: word, nearest: near ?? null, sentence })
}

function matching(key: string, pattern: RegExp, word: string, rule: string): string {
  if (pattern.test(word)) return word
  const lower = word.toLowerCase()
  const sentence = `The value ${quote(word)} of "${key}" is not understood: ${rule}.`
  throw new GrammarFault({ key, value: word, nearest: pattern.test(lower) ? lower : null, sentence })
}

/** An AS number of 32 bits (RFC 6793). */
export function asNumber(key: 'asn' | 'xasn', word: string): number {
  if (asnPattern.test(word) && Number(word) <= 4_294_967_295) return Number(word)
  const digits = word.replace(/^as/i, '').replace(/^0+/, '')
  throw new GrammarFault({
    key,
    value: word,
    nearest: asnPattern.test(digits) && Number(digits) <= 4_294_967_295 ? digits : null,
    sentence: `The value ${quote(word)} of "${key}" is not an AS number: digits only, 1 to 4294967295.`,
  })
}

/** Minutes of `ttl`. */
export function minutes(word: string): number {
  if (ttlPattern.test(word) && Number(word) <= maxSessionMinutes) return Number(word)
  const digits = word.replace(/m(in)?$/i, '').replace(/^0+/, '')
  const near = !ttlPattern.test(digits)
    ? null
    : Number(digits) <= maxSessionMinutes
      ? digits
      : String(maxSessionMinutes)
  const sentence = `The value ${quote(word)} of "ttl" is not understood: whole minutes, 1 to ${maxSessionMinutes}.`
  throw new GrammarFault({ key: 'ttl', value: word, nearest: near, sentence })
}

const switchAliases = { true: 'on', yes: 'on', '1': 'on', false: 'off', no: 'off', '0': 'off' }

export function onOrOff(word: string): 'on' | 'off' {
  if (word === 'on' || word === 'off') return word
  throw new GrammarFault({
    key: 'anon',
    value: word,
    nearest: nearest(word, ['on', 'off'], switchAliases),
    sentence: `The value ${quote(word)} of "anon" is not understood: on or off.`,
  })
}

export const zip = (word: string): string =>
  matching('zip', zipPattern, word, 'a zip code has 1 to 16 lower-case letters and digits')

export const sessionId = (word: string): string =>
  matching('sid', sidPattern, word, 'a session id has 1 to 32 of a-z, 0-9 and _')

export const setId = (word: string): string =>
  matching('set', setPattern, word, 'an id of stored settings has 6 to 32 of a-z and 0-9')
