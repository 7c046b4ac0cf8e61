/** The five lists of places, public because the public page shows the countries. */
import { builtInProvider } from '#contract/wire'
import type { Database } from '#db'
import type { Handlers } from '#db/call'
import { Refusal } from '#lib/refusal'
import { asnsOf, citiesOf, countriesOf, statesOf, type View, zipsOf } from './inventory.ts'
import { memoOf } from './memo.ts'

/** The built-in provider is the only one: it sums all of the operator's exits. */
function refuseUnknownProvider(provider: string): void {
  if (provider !== builtInProvider) throw new Refusal('unknown_provider', { provider })
}

/**
 * Capitals are accepted, as in the generator. PostgreSQL texts cannot contain a NUL, so a value with one
 * names no place, and still narrows the list.
 */
const ids = (list: string[] | null | undefined): string[] =>
  (list ?? []).map((id) => id.trim().toLowerCase().replaceAll('\0', '\u{fffd}'))

/** The list that `read` returns, or a cached one. */
function listed<Within, T>(
  database: Database,
  read: (db: Database['db'], view: View, within: Within) => Promise<T[]>,
  view: View,
  within: Within,
): Promise<T[]> {
  const question = JSON.stringify([read.name, view, within])
  return database.read((db) => memoOf(db).answer(question, () => read(db, view, within)))
}

type Calls = Pick<
  Handlers,
  'proxy_countries' | 'proxy_states' | 'proxy_cities' | 'proxy_asns' | 'proxy_zipcodes'
>

export const inventoryCalls: Calls = {
  async proxy_countries({ provider, pool }, { database, language }) {
    refuseUnknownProvider(provider)
    return listed(database, countriesOf, { pool, language }, {})
  },

  async proxy_states({ provider, pool, countries }, { database, language }) {
    refuseUnknownProvider(provider)
    return listed(database, statesOf, { pool, language }, { countries: ids(countries) })
  },

  async proxy_cities({ provider, pool, countries, states }, { database, language }) {
    refuseUnknownProvider(provider)
    return listed(database, citiesOf, { pool, language }, { countries: ids(countries), states: ids(states) })
  },

  async proxy_asns({ provider, pool, countries, states, cities }, { database, language }) {
    refuseUnknownProvider(provider)
    const within = { countries: ids(countries), states: ids(states), cities: ids(cities) }
    return listed(database, asnsOf, { pool, language }, within)
  },

  async proxy_zipcodes({ provider, pool, countries, states, cities }, { database, language }) {
    refuseUnknownProvider(provider)
    const within = { countries: ids(countries), states: ids(states), cities: ids(cities) }
    return listed(database, zipsOf, { pool, language }, within)
  },
}
