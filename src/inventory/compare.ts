/** Preview of an import: the countries, states and cities of a source before and after it. */
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import type { CsvSource } from '#lib/csv/read-csv'
import { type Importer, readInventory, sourceName } from './import.ts'

export interface Comparison {
  rows: number
  added: number
  removed: number
  /** Places whose number of addresses changes. */
  changed: number
  addressesBefore: bigint
  addressesAfter: bigint
  /** The countries that change, largest difference first. */
  countries: { pool: Pool; country: string; before: bigint; after: bigint }[]
}

/** The maximum number of differences listed. */
const mostCountries = 100

/** Pool, country, state and city of a place; a country is one without the other two. */
const keyOf = (pool: string, country: string, state: string | null, city: string | null) =>
  `${pool} ${country} ${state ?? ''} ${city ?? ''}`

/** Compares a file with the current places of its source. Throws the same ImportFault as an import. */
export async function compareInventory(
  db: Kysely<DB>,
  file: CsvSource,
  importer: Importer,
): Promise<Comparison> {
  const after = new Map<string, bigint>()
  const add = (key: string, count: number) => after.set(key, (after.get(key) ?? 0n) + BigInt(count))
  let rows = 0
  for await (const { pool, country, state, city, count } of readInventory(file, importer)) {
    rows += 1
    add(keyOf(pool, country, null, null), count)
    if (state !== null) add(keyOf(pool, country, state, null), count)
    if (city !== null) add(keyOf(pool, country, state, city), count)
  }
  const before = await placesOf(db, sourceName(importer))
  const keys = new Set([...before.keys(), ...after.keys()])
  const differing = [...keys].filter((key) => before.get(key) !== after.get(key))
  const countries = [...keys].filter((key) => key.endsWith('  '))
  const sum = (of: Map<string, bigint>) => countries.reduce((total, key) => total + (of.get(key) ?? 0n), 0n)
  return {
    rows,
    added: differing.filter((key) => !before.has(key)).length,
    removed: differing.filter((key) => !after.has(key)).length,
    changed: differing.filter((key) => before.has(key) && after.has(key)).length,
    addressesBefore: sum(before),
    addressesAfter: sum(after),
    countries: differing
      .filter((key) => key.endsWith('  '))
      .map((key) => {
        const [pool = '', country = ''] = key.split(' ')
        return { pool: pool as Pool, country, before: before.get(key) ?? 0n, after: after.get(key) ?? 0n }
      })
      .toSorted((a, b) => Number(size(b) - size(a)))
      .slice(0, mostCountries),
  }
}

const size = ({ before, after }: { before: bigint; after: bigint }) =>
  after > before ? after - before : before - after

/** The places of a source with their numbers of addresses. */
async function placesOf(db: Kysely<DB>, source: string): Promise<Map<string, bigint>> {
  const { rows } = await sql<{
    pool: string
    country: string
    state: string | null
    city: string | null
    count: bigint
  }>`
    select pool, country, null as state, null as city, count from inventory_country where source = ${source}
    union all
    select pool, country, state, null, count from inventory_area where source = ${source} and state is not null
    union all
    select pool, country, state, city.id, city.count from inventory_area, unnest(cities, city_counts) city (id, count)
    where source = ${source}`.execute(db)
  return new Map(
    rows.map(({ pool, country, state, city, count }) => [keyOf(pool, country, state, city), count]),
  )
}

export interface OfferedCountry {
  pool: Pool
  country: string
  addresses: bigint
  states: number
  cities: number
  /** Names of sources. */
  sources: string[]
}

/** The places that pools offer, by pool and country, after the cursor `after` if given. */
export async function listPlaces(
  db: Kysely<DB>,
  filter: { pool: Pool | undefined; country: string | undefined; source: string | undefined },
  { after, limit }: { after: { pool: string; country: string } | null; limit: number },
): Promise<OfferedCountry[]> {
  const { pool = null, country = null, source = null } = filter
  const { rows } = await sql<OfferedCountry>`
    with page as (
      select pool, country, sum(count)::bigint as addresses, array_agg(source order by source) as sources
      from inventory_country
      where (${pool}::text is null or pool = ${pool}) and (${country}::text is null or country = ${country})
        and (${source}::text is null or source = ${source})
        and (${after?.pool ?? null}::text is null or (pool, country) > (${after?.pool ?? ''}, ${after?.country ?? ''}))
      group by pool, country order by pool, country limit ${limit}
    )
    select page.*, coalesce(area.states, 0)::integer as states, coalesce(area.cities, 0)::integer as cities
    from page left join lateral (
      select count(distinct state) as states, sum(cardinality(cities)) as cities from inventory_area a
      where a.pool = page.pool and a.country = page.country and a.source = any(page.sources)
    ) area on true
    order by pool, country`.execute(db)
  return rows
}
