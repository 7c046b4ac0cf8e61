/** Checks the places that a customer names. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'

/** Places as a customer names them. */
export interface NamedPlaces {
  countries: string[]
  states: string[]
  cities: string[]
  zips: string[]
  asns: number[]
  excludedAsns: number[]
}

/** A named place that the pool does not have, by the key it stands behind in a line. */
export interface UnknownPlace {
  key: 'cc' | 'st' | 'city' | 'zip' | 'asn' | 'xasn'
  value: string
}

/**
 * The named places that the pool does not have. Zip codes are searched in the named countries and, where they
 * belong to states and states are named, in those; wanted ASNs in the named countries. Zip codes without a
 * country are not judged here.
 */
export async function findUnknown(db: Kysely<DB>, pool: Pool, named: NamedPlaces): Promise<UnknownPlace[]> {
  const { countries, states } = named
  const inCountries = countries.length === 0 ? sql`true` : sql`country = any(${countries}::text[])`
  const inStates = states.length === 0 ? sql`true` : sql`(state is null or state = any(${states}::text[]))`
  const zips = countries.length === 0 ? [] : named.zips
  const inArea = (id: RawBuilder<unknown>) =>
    sql`not exists (select from inventory_area where pool = ${pool} and ${id})`
  const lists: [ids: readonly (string | number)[], missing: RawBuilder<unknown>][] = [
    [
      countries,
      sql`select 'cc' as key, id as value from unnest(${countries}::text[]) id
        where not exists (select from inventory_country where pool = ${pool} and country = id)`,
    ],
    [
      states,
      sql`select 'st' as key, id as value from unnest(${states}::text[]) id
        where ${inArea(sql`country = left(id, 2) and state = id`)}`,
    ],
    // A city is searched where its id places it: in its state, or in its country when it belongs to no state.
    [
      named.cities,
      sql`select 'city' as key, id as value from unnest(${named.cities}::text[]) id
        where ${inArea(sql`country = left(id, 2)
          and (state is null or state = substring(id from '^[a-z]{2}_[a-z0-9]+')) and id = any(cities)`)}`,
    ],
    [
      zips,
      sql`select 'zip' as key, id as value from unnest(${zips}::text[]) id
        where ${inArea(sql`${inCountries} and ${inStates} and id = any(zips)`)}`,
    ],
    [
      named.asns,
      sql`select 'asn' as key, id::text as value from unnest(${named.asns}::bigint[]) id
        where not exists (select from inventory_asn_country where pool = ${pool} and ${inCountries} and asn = id)`,
    ],
    [
      named.excludedAsns,
      sql`select 'xasn' as key, id::text as value from unnest(${named.excludedAsns}::bigint[]) id
        where not exists (select from inventory_asn_country where pool = ${pool} and asn = id)`,
    ],
  ]
  const asked = lists.flatMap(([ids, missing]) => (ids.length === 0 ? [] : [missing]))
  if (asked.length === 0) return []
  const { rows } = await sql<UnknownPlace>`${sql.join(asked, sql` union all `)}`.execute(db)
  // An anti-join keeps no order, and the first unknown place is the one to name.
  const said = [...countries, ...states, ...named.cities, ...zips, ...named.asns, ...named.excludedAsns].map(
    String,
  )
  const order = ['cc', 'st', 'city', 'zip', 'asn', 'xasn']
  const rank = ({ key, value }: UnknownPlace) => order.indexOf(key) * said.length + said.indexOf(value)
  return rows.toSorted((one, other) => rank(one) - rank(other))
}

/** The same places in common spelling. */
export async function unknownPlaces(db: Kysely<DB>, pool: Pool, named: NamedPlaces): Promise<string[]> {
  const unknown = await findUnknown(db, pool, named)
  return unknown.map(({ key, value }) => (key === 'asn' || key === 'xasn' ? `AS${value}` : value))
}
