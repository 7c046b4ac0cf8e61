/**
 * Webshare's user names, which have no keys: countries, a city and a session follow the login in this order,
 * `<login>[-<country>]…[-city_<name>][-<number>|-rotate]`.
 */
import { anywhere } from '../grammar.ts'
import { GrammarFault, quote } from '../grammar.fault.ts'
import { loginPattern } from '../grammar.values.ts'
import { countryByCode, fold } from './values.ts'
import type { PlaceName, Reading } from './reading.ts'

/**
 * Countries whose codes are keys of our own grammar: a mistake in a line of ours must not be parsed as a
 * country.
 */
const ours = new Set(['cc', 'st'])

/** Null when the user name does not begin with a login and a dash. */
export function readWebshare(username: string): { login: string; reading: Reading } | null {
  const [login = '', ...words] = username.split('-')
  if (!loginPattern.test(login) || words.length === 0) return null
  const targeting = anywhere()
  const places: PlaceName[] = []
  let understood = 0
  const fault = (value: string, sentence: string) => new GrammarFault({ key: 'username', value, sentence })
  try {
    for (const [index, word] of words.entries()) {
      const isLast = index === words.length - 1
      if (isLast && word === 'rotate') break
      if (isLast && /^[0-9]{1,32}$/.test(word)) {
        targeting.session = word
      } else if (/^city_./.test(word) && places.length === 0) {
        places.push({ kind: 'city', said: word.slice(5), word: fold(word.slice(5)) })
      } else if (ours.has(word) || !/^[a-z]{2}$/.test(word) || places.length > 0) {
        throw fault(word, `${quote(word)} is no country, city or session that could stand here.`)
      } else {
        const country = countryByCode('country', word)
        if (targeting.countries.includes(country)) throw fault(word, `${quote(word)} stands here twice.`)
        targeting.countries.push(country)
      }
      understood += 1
    }
    const [place] = places
    if (place !== undefined && (targeting.countries.length === 0 || place.word === ''))
      throw fault(place.said, `The city ${quote(place.said)} needs a name and a country in the same line.`)
    return { login, reading: { settings: { targeting, places, pool: null } } }
  } catch (problem) {
    if (!(problem instanceof GrammarFault)) throw problem
    problem.readAs = 'Webshare'
    return { login, reading: { fault: () => problem, understood } }
  }
}
