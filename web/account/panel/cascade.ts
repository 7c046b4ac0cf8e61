/**
 * Changes of the selection and what follows from them. Pure functions from settings to settings.
 *
 * Removing a country removes its states and cities, removing a state removes its cities. Zip codes and ASNs
 * name no country, so they are removed with the last country, when their controls become disabled.
 */
import { multiplierOf } from '#contract/traffic'
import type { Asn, City, Country, Settings, State } from './settings.ts'

const stateKey = (state: { country_code: string; code: string }) => `${state.country_code}/${state.code}`
const stateOfCity = (city: City) =>
  city.state_code === null ? null : `${city.country_code}/${city.state_code}`

/** Sets the countries and removes what depends on countries no longer chosen. */
export function withCountries(settings: Settings, countries: Country[]): Settings {
  const kept = new Set(countries.map((country) => country.code))
  const isEmpty = countries.length === 0
  return {
    ...settings,
    countries,
    states: settings.states.filter((state) => kept.has(state.country_code)),
    cities: settings.cities.filter((city) => kept.has(city.country_code)),
    zipcodes: isEmpty ? [] : settings.zipcodes,
    included_asn: isEmpty ? [] : settings.included_asn,
    excluded_asn: isEmpty ? [] : settings.excluded_asn,
  }
}

/** Sets the states and removes the cities of those no longer chosen; other cities stay. */
export function withStates(settings: Settings, states: State[]): Settings {
  const kept = new Set(states.map(stateKey))
  const removed = new Set(settings.states.map(stateKey).filter((key) => !kept.has(key)))
  const cities = settings.cities.filter((city) => {
    const key = stateOfCity(city)
    return key === null || !removed.has(key)
  })
  return { ...settings, states, cities }
}

/** Sets the cities. */
export function withCities(settings: Settings, cities: City[]): Settings {
  return { ...settings, cities }
}

/** Sets the zip codes: trimmed, without blank ones and duplicates. */
export function withZipcodes(settings: Settings, zipcodes: string[]): Settings {
  const trimmed = zipcodes.map((code) => code.trim()).filter((code) => code !== '')
  return { ...settings, zipcodes: [...new Set(trimmed)] }
}

/** Sets the only ASNs to use; they are no longer excluded. */
export function withIncludedAsns(settings: Settings, asns: Asn[]): Settings {
  return { ...settings, included_asn: asns, excluded_asn: without(settings.excluded_asn, asns) }
}

/** Sets the ASNs not to use; they are no longer included. */
export function withExcludedAsns(settings: Settings, asns: Asn[]): Settings {
  return { ...settings, excluded_asn: asns, included_asn: without(settings.included_asn, asns) }
}

/** How many times each byte is charged with these settings. */
export function multiplierOfSettings({ states, cities, zipcodes, included_asn }: Settings): 1 | 2 {
  return multiplierOf({ states, cities, zips: zipcodes, asns: included_asn })
}

function without(list: Asn[], removed: Asn[]): Asn[] {
  const numbers = new Set(removed.map((asn) => asn.asn))
  return list.filter((asn) => !numbers.has(asn.asn))
}
