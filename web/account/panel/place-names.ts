/**
 * The names of chosen places in the language of the loaded lists; saved settings have those of an earlier
 * language.
 */
import type { Geo } from './use-geo.ts'
import type { Settings } from './settings.ts'

type Lists = { [K in 'states' | 'cities']: Pick<Geo[K], 'data'> }

/**
 * The settings with the names of states and cities from the loaded lists; places not in the lists keep
 * theirs.
 */
export function withNames(settings: Settings, geo: Lists): Settings {
  const states = new Map(geo.states.data?.map((state) => [`${state.country_code}/${state.code}`, state.name]))
  const cities = new Map(
    geo.cities.data?.map((city) => [`${city.country_code}/${city.state_code ?? ''}/${city.code}`, city.name]),
  )
  return {
    ...settings,
    states: settings.states.map((state) => ({
      ...state,
      name: states.get(`${state.country_code}/${state.code}`) ?? state.name,
    })),
    cities: settings.cities.map((city) => ({
      ...city,
      name: cities.get(`${city.country_code}/${city.state_code ?? ''}/${city.code}`) ?? city.name,
    })),
  }
}
