/** Judging the places a customer names. */
import { type Kysely, sql } from 'kysely'
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

/**
 * Which of the named places the pool does not have, as a person writes them. Zip codes and wanted ASNs are looked for
 * in the named countries; zip codes without a country are nowhere and are not judged here.
 */
export async function unknownPlaces(db: Kysely<DB>, pool: Pool, named: NamedPlaces): Promise<string[]> {
  const countries = [...named.countries]
  const inCountries = countries.length === 0 ? sql`true` : sql`country = any(${countries}::text[])`
  const zips = countries.length === 0 ? [] : named.zips
  // A city is looked for where its id says that it is: in its state, or in its country beside the states.
  const { rows } = await sql<{ name: string }>`
    select id as name from unnest(${countries}::text[]) id
      where not exists (select from inventory_country where pool = ${pool} and country = id)
    union all
    select id from unnest(${named.states}::text[]) id
      where not exists (select from inventory_area where pool = ${pool} and country = left(id, 2) and state = id)
    union all
    select id from unnest(${named.cities}::text[]) id
      where not exists (
        select from inventory_area
        where pool = ${pool} and country = left(id, 2)
          and (state is null or state = substring(id from '^[a-z]{2}_[a-z0-9]+')) and id = any(cities))
    union all
    select id from unnest(${zips}::text[]) id
      where id not in (select unnest(zips) from inventory_area where pool = ${pool} and ${inCountries})
    union all
    select 'AS' || id from unnest(${named.asns}::bigint[]) id
      where not exists (select from inventory_asn_country where pool = ${pool} and ${inCountries} and asn = id)
    union all
    select 'AS' || id from unnest(${named.excludedAsns}::bigint[]) id
      where not exists (select from inventory_asn_country where pool = ${pool} and asn = id)`.execute(db)
  return rows.map((row) => row.name)
}
