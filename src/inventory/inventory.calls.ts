/** The five lists of places. Anybody may ask: the public page shows the countries. */
import { builtInProvider } from '#contract/wire'
import type { Handlers } from '#db/call'
import { Refusal } from '#lib/refusal'
import { asnsOf, citiesOf, countriesOf, statesOf, zipsOf } from './inventory.ts'

/** Only the built-in provider exists: it adds up all of the operator's exits. */
function refuseUnknownProvider(provider: string): void {
  if (provider !== builtInProvider) throw new Refusal('unknown_provider', { provider })
}

/**
 * Capitals are forgiven, as in the generator. No text of the database may hold a NUL; what has one names no place, and
 * still narrows the list.
 */
const ids = (list: string[] | null | undefined): string[] =>
  (list ?? []).map((id) => id.trim().toLowerCase().replaceAll('\0', '\u{fffd}'))

type Calls = Pick<
  Handlers,
  'proxy_countries' | 'proxy_states' | 'proxy_cities' | 'proxy_asns' | 'proxy_zipcodes'
>

export const inventoryCalls: Calls = {
  async proxy_countries({ provider, pool }, { database: { db }, language }) {
    refuseUnknownProvider(provider)
    return countriesOf(db, { pool, language })
  },

  async proxy_states({ provider, pool, countries }, { database: { db }, language }) {
    refuseUnknownProvider(provider)
    return statesOf(db, { pool, language }, { countries: ids(countries) })
  },

  async proxy_cities({ provider, pool, countries, states }, { database: { db }, language }) {
    refuseUnknownProvider(provider)
    return citiesOf(db, { pool, language }, { countries: ids(countries), states: ids(states) })
  },

  async proxy_asns({ provider, pool, countries, states, cities }, { database: { db } }) {
    refuseUnknownProvider(provider)
    return asnsOf(db, { pool }, { countries: ids(countries), states: ids(states), cities: ids(cities) })
  },

  async proxy_zipcodes({ provider, pool, countries, states }, { database: { db }, language }) {
    refuseUnknownProvider(provider)
    return zipsOf(db, { pool, language }, { countries: ids(countries), states: ids(states) })
  },
}
