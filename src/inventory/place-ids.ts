/**
 * Converts a place's common spelling to its id in the targeting grammar: "California", "CA", "us-ca" and
 * "us_ca" are all us_ca; "Los Angeles" there is us_ca_los_angeles.
 */
import type { FaultCode, FaultFacts, Said } from '#contract/desk/faults'
import { isCountry } from '#contract/countries'

export interface KnownPlace {
  id: string
  /** The id of the enclosing place: of a country, or of a city's state. */
  parent: string
  nameRu: string
  nameEn: string
}

/** Letters that do not decompose into a base letter and an accent. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŋ: 'ng',
}

/** "Île-de-France" → "ile_de_france"; empty without a Latin letter or digit. Nothing is transliterated. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøłđðþıħŋ]/g, (letter) => letters[letter] ?? '')
    .replaceAll(/['’ʻ`.]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
}

/** The folded form that the spellings of one name share. */
export const fold = (text: string): string => slug(text).replaceAll('_', '') || text.trim().toLowerCase()

const maxStateLetters = 32
const maxCityLetters = 61

/** By parent and folded name. */
function byName(known: Iterable<KnownPlace>): Map<string, string> {
  const ids = new Map<string, string>()
  for (const { id, parent, nameRu, nameEn } of known) {
    for (const name of [nameEn, nameRu]) {
      const key = `${parent} ${fold(name)}`
      if (!ids.has(key)) ids.set(key, id)
    }
  }
  return ids
}

type PlaceIdResult = { id: string } | { fault: Said }

const none = (code: FaultCode, facts: FaultFacts): PlaceIdResult => ({ fault: { code, facts } })

/**
 * Assigns ids to places: those of existing places with the same name, otherwise ids derived from their names.
 */
export class PlaceIds {
  readonly #states: Map<string, string>
  readonly #cities: Map<string, string>

  constructor(known: { states: Iterable<KnownPlace>; cities: Iterable<KnownPlace> }) {
    this.#states = byName(known.states)
    this.#cities = byName(known.cities)
  }

  /** The id of a state, or the reason why there is none. */
  state(country: string, text: string): PlaceIdResult {
    const lower = text.toLowerCase()
    const [, prefix = '', code = ''] = /^([a-z]{2})[-_]([a-z0-9]{1,32})$/.exec(lower) ?? []
    if (prefix === country) return { id: `${country}_${code}` }
    if (lower.includes('_') && isCountry(prefix))
      return none('import_not_in_country', { text, parent: country })
    const known = this.#states.get(`${country} ${fold(text)}`)
    if (known !== undefined) return { id: known }
    const own = slug(text).replaceAll('_', '')
    if (own === '') return none('import_not_latin', { text })
    if (own.length > maxStateLetters) return none('import_state_long', { text, most: maxStateLetters })
    return { id: `${country}_${own}` }
  }

  /** The id of a city in a state, or in a country that has none. */
  city(parent: string, text: string): PlaceIdResult {
    const lower = text.toLowerCase()
    if (lower.startsWith(`${parent}_`) && /^[a-z]{2}_[a-z0-9_]{1,61}$/.test(lower)) return { id: lower }
    const [, prefix = ''] = /^([a-z]{2})_[a-z0-9_]+$/.exec(lower) ?? []
    if (isCountry(prefix)) return none('import_not_in', { text, parent })
    const known = this.#cities.get(`${parent} ${fold(text)}`)
    if (known !== undefined) return { id: known }
    const own = slug(text)
    if (own === '') return none('import_not_latin', { text })
    const id = `${parent}_${own}`
    if (id.length - 3 > maxCityLetters) return none('import_city_long', { text, id })
    return { id }
  }
}
