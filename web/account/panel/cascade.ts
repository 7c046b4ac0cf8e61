/**
 * What choosing one place does to the others. Pure: settings in, settings out.
 *
 * A country that goes takes its states and cities along, a state its cities. Zip codes and ASNs carry no country,
 * so they go only when the last country does, when their controls are disabled and nothing could remove them.
 */
import type { Asn, City, Country, Settings, State } from './settings.ts'

const stateKey = (state: { country_code: string; code: string }) => `${state.country_code}/${state.code}`
const stateOfCity = (city: City) =>
  city.state_code === null ? null : `${city.country_code}/${city.state_code}`

/** The chosen countries, and all that depends on them. */
export function withCountries(settings: Settings, countries: Country[]): Settings {
  const kept = new Set(countries.map((country) => country.code))
  const none = countries.length === 0
  return {
    ...settings,
    countries,
    states: settings.states.filter((state) => kept.has(state.country_code)),
    cities: settings.cities.filter((city) => kept.has(city.country_code)),
    zipcodes: none ? [] : settings.zipcodes,
    included_asn: none ? [] : settings.included_asn,
    excluded_asn: none ? [] : settings.excluded_asn,
  }
}

/** The chosen states; the cities of those that went go too, other cities stay. */
export function withStates(settings: Settings, states: State[]): Settings {
  const kept = new Set(states.map(stateKey))
  const removed = new Set(settings.states.map(stateKey).filter((key) => !kept.has(key)))
  const cities = settings.cities.filter((city) => {
    const key = stateOfCity(city)
    return key === null || !removed.has(key)
  })
  return { ...settings, states, cities }
}

/** The chosen cities. */
export function withCities(settings: Settings, cities: City[]): Settings {
  return { ...settings, cities }
}

/** The chosen zip codes: trimmed, blank ones ignored, each once. */
export function withZipcodes(settings: Settings, zipcodes: string[]): Settings {
  const clean = zipcodes.map((code) => code.trim()).filter((code) => code !== '')
  return { ...settings, zipcodes: [...new Set(clean)] }
}

/** The ASNs to use only. One that was excluded until now no longer is: the last word counts. */
export function withIncludedAsns(settings: Settings, asns: Asn[]): Settings {
  return { ...settings, included_asn: asns, excluded_asn: without(settings.excluded_asn, asns) }
}

/** The ASNs never to use. One that was included until now no longer is. */
export function withExcludedAsns(settings: Settings, asns: Asn[]): Settings {
  return { ...settings, excluded_asn: asns, included_asn: without(settings.included_asn, asns) }
}

/** How much of the balance a byte costs: 2 when a state, city, zip code or included ASN is named, else 1. */
export function tariffOf(settings: Settings): 1 | 2 {
  const named = [settings.states, settings.cities, settings.zipcodes, settings.included_asn]
  return named.some((list) => list.length > 0) ? 2 : 1
}

function without(list: Asn[], taken: Asn[]): Asn[] {
  const numbers = new Set(taken.map((asn) => asn.asn))
  return list.filter((asn) => !numbers.has(asn.asn))
}
