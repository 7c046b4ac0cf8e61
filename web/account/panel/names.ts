/** The names of what is chosen, in the language the lists came in: settings keep the one they were made in. */
import type { Geo } from './geo.ts'
import type { Settings } from './settings.ts'

type Lists = { [K in 'states' | 'cities']: Pick<Geo[K], 'data'> }

/** The settings with the names of states and cities as the loaded lists have them; unknown ones stay. */
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
