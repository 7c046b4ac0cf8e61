/** The lists of places and networks. Each is read again when the choices it depends on change. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import { builtInProvider } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import type { Settings } from './settings.ts'

export interface Geo {
  countries: UseQueryResult<Output<'proxy_countries'>>
  states: UseQueryResult<Output<'proxy_states'>>
  cities: UseQueryResult<Output<'proxy_cities'>>
  asns: UseQueryResult<Output<'proxy_asns'>>
  zipcodes: UseQueryResult<Output<'proxy_zipcodes'>>
}

/** Countries depend on the pool, states on countries, cities on both, zip codes and ASNs on cities too. */
export function useGeo(settings: Settings): Geo {
  const { pool } = settings
  const countries = settings.countries.map((country) => country.code)
  const states = settings.states.map((state) => state.code)
  const cities = settings.cities.map((city) => city.code)
  // Without a country the lists are empty, so they are not requested.
  const enabled = countries.length > 0
  const inPool = { provider: builtInProvider, pool }
  const inStates = { ...inPool, countries, states: states.length === 0 ? null : states }
  const inCities = { ...inStates, cities: cities.length === 0 ? null : cities }
  return {
    countries: useQuery(query('proxy_countries', inPool)),
    states: useQuery({ ...query('proxy_states', { ...inPool, countries }), enabled }),
    cities: useQuery({ ...query('proxy_cities', inStates), enabled }),
    asns: useQuery({
      ...query('proxy_asns', inCities),
      enabled,
    }),
    zipcodes: useQuery({ ...query('proxy_zipcodes', inCities), enabled }),
  }
}
