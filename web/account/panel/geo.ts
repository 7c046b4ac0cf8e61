/** The lists to choose from. Each is asked for again when what it depends on changes. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import { builtInProvider } from '#contract/wire'
import { query } from '../../app/api.ts'
import type { Settings } from './settings.ts'

export interface Geo {
  countries: UseQueryResult<Output<'proxy_countries'>>
  states: UseQueryResult<Output<'proxy_states'>>
  cities: UseQueryResult<Output<'proxy_cities'>>
  asns: UseQueryResult<Output<'proxy_asns'>>
  zipcodes: UseQueryResult<Output<'proxy_zipcodes'>>
}

const provider = builtInProvider

/** Countries by pool; states, ASNs and zip codes by country; cities, ASNs and zip codes by state too. */
export function useGeo(settings: Settings): Geo {
  const { pool } = settings
  const countries = settings.countries.map((country) => country.code)
  const states = settings.states.map((state) => state.code)
  const cities = settings.cities.map((city) => city.code)
  // Without a country there is nothing to choose from, and nothing to ask for.
  const enabled = countries.length > 0
  const byState = { provider, pool, countries, states: states.length === 0 ? null : states }
  return {
    countries: useQuery(query('proxy_countries', { provider, pool })),
    states: useQuery({ ...query('proxy_states', { provider, pool, countries }), enabled }),
    cities: useQuery({ ...query('proxy_cities', byState), enabled }),
    asns: useQuery({
      ...query('proxy_asns', { ...byState, cities: cities.length === 0 ? null : cities }),
      enabled,
    }),
    zipcodes: useQuery({ ...query('proxy_zipcodes', byState), enabled }),
  }
}
