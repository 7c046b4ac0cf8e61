/**
 * The lists a customer picks places from. Each is a few rows of arrays: see
 * migrations/0009_catalog_and_inventory.sql.
 */
import { type Kysely, sql } from 'kysely'
import type { Output } from '#contract/contract'
import type { Language } from '#contract/language'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { countryName } from '#contract/countries'
import { mostFirst, sumUp } from './merge.ts'

/** The filter of the addresses to count, and the language of the names. */
export interface View {
  pool: Pool
  language: Language
}

interface Within {
  countries: string[]
  states: string[]
}

const alphabet = { ru: new Intl.Collator('ru'), en: new Intl.Collator('en') }

// Literal fragments, so that the planner treats each language and each filter as a statement of its own.
const among = (name: string, ids: readonly string[]) => sql`${sql.ref(name)} = any(${[...ids]}::text[])`
const amongIfAny = (name: string, ids: readonly string[]) => (ids.length === 0 ? sql`true` : among(name, ids))

/**
 * Arrays are fetched as lines of text, since the driver takes much longer to parse an array. No name contains
 * a line end.
 */
const items = (text: string): string[] => (text === '' ? [] : text.split('\n'))

/** The rows of some countries; where states are named, only of these. */
const fromAreas = (pool: Pool, { countries, states }: Within) => sql`
  from inventory_area
  where pool = ${pool} and ${among('country', countries)} and ${amongIfAny('state', states)} order by source`

/** The countries of a pool, largest count first. */
export async function countriesOf(
  db: Kysely<DB>,
  { pool, language }: View,
): Promise<Output<'proxy_countries'>> {
  const { rows } = await sql<{ country: string; count: bigint }>`
    select country, sum(count)::bigint as count from inventory_country
    where pool = ${pool} group by country`.execute(db)
  return rows
    .map(({ country, count }) => ({
      code: country,
      name: countryName(country, language),
      count: Number(count),
    }))
    .toSorted((a, b) => b.count - a.count || alphabet[language].compare(a.name, b.name))
}

/** The states of some countries. Without countries the list is empty. */
export async function statesOf(
  db: Kysely<DB>,
  { pool, language }: View,
  { countries }: { countries: string[] },
): Promise<Output<'proxy_states'>> {
  const { rows } = await sql<{ code: string; name: string; count: bigint; country_code: string }>`
    select state as code, ${sql.ref(`name_${language}`)} as name, count, country as country_code
    from inventory_area
    where pool = ${pool} and ${among('country', countries)} and state is not null order by source`.execute(db)
  const states = rows.map((row) => ({ ...row, count: Number(row.count) }))
  return mostFirst(
    sumUp(states, (state) => state.code),
    (state) => state.name,
  )
}

/** The cities of some countries; where states are named, only of these. */
export async function citiesOf(
  db: Kysely<DB>,
  { pool, language }: View,
  within: Within,
): Promise<Output<'proxy_cities'>> {
  type Row = { country: string; state: string | null; cities: string; names: string; counts: string }
  const { rows } = await sql<Row>`
    select country, state, city_lines as cities, ${sql.ref(`city_name_lines_${language}`)} as names,
      city_count_lines as counts ${fromAreas(pool, within)}`.execute(db)
  const cities: Output<'proxy_cities'> = []
  for (const row of rows) {
    const codes = items(row.cities)
    const names = items(row.names)
    const counts = items(row.counts)
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index] ?? ''
      cities.push({
        code,
        name: names[index] ?? code,
        count: Number(counts[index]),
        state_code: row.state,
        country_code: row.country,
      })
    }
  }
  return mostFirst(
    sumUp(cities, (city) => city.code),
    (city) => city.name,
  )
}

/** The networks in some countries; where states or cities are named, only in these. */
export async function asnsOf(
  db: Kysely<DB>,
  { pool }: { pool: Pool },
  { cities, ...within }: Within & { cities: string[] },
): Promise<Output<'proxy_asns'>> {
  const { countries, states } = within
  const isNarrow = states.length > 0 || cities.length > 0
  const ofCities = sql`
    select inventory_lines(asns) as asns, inventory_lines(asn_counts) as counts from inventory_asn_city
    where pool = ${pool} and ${among('city', cities)} and ${among('country', countries)}
      and ${amongIfAny('state', states)}`
  const ofStates = sql`select asn_lines as asns, asn_count_lines as counts ${fromAreas(pool, within)}`
  type Row = { asns: string; counts: string; names: string }
  const [all, narrow] = await Promise.all([
    sql<Row>`
      select string_agg(asn::text, E'\n') as asns, string_agg(count::text, E'\n') as counts,
        string_agg(name, E'\n') as names
      from inventory_asn_country
      where pool = ${pool} and ${among('country', countries)} group by source order by source`.execute(db),
    isNarrow ? sql<Row>`${cities.length > 0 ? ofCities : ofStates}`.execute(db) : null,
  ])
  const known = all.rows.flatMap((row) => {
    const names = items(row.names)
    const counts = items(row.counts)
    return items(row.asns).map((asn, index) => ({
      asn: Number(asn),
      name: names[index] ?? '',
      count: Number(counts[index]),
    }))
  })
  const networks = narrow === null ? known : onlyThese(narrow.rows, known)
  return mostFirst(
    sumUp(networks, (network) => network.asn),
    (network) => network.name,
  )
}

/** The networks of some places: their own counts, with the names they have in their countries. */
function onlyThese(rows: { asns: string; counts: string }[], known: { asn: number; name: string }[]) {
  // The first of several names is kept, as in the list of a country.
  const names = new Map(known.toReversed().map(({ asn, name }) => [asn, name]))
  return rows.flatMap((row) => {
    const counts = items(row.counts)
    return items(row.asns).map((text, index) => {
      const asn = Number(text)
      return { asn, name: names.get(asn) ?? 'Unknown', count: Number(counts[index]) }
    })
  })
}

/**
 * The zip codes of some countries; where states or cities are named, only of these. The name is the city's,
 * or the code itself when the zip code lies in several, which are then not known: it is in the list of every
 * city.
 */
export async function zipsOf(
  db: Kysely<DB>,
  { pool, language }: View,
  { cities: chosen = [], ...within }: Within & { cities?: string[] },
): Promise<Output<'proxy_zipcodes'>> {
  type Row = { zips: string; cities: string; counts: string; names: string; ids: string }
  const { rows } = await sql<Row>`
    select zip_lines as zips, zip_city_lines as cities, zip_count_lines as counts, city_lines as ids,
      ${sql.ref(`city_name_lines_${language}`)} as names ${fromAreas(pool, within)}`.execute(db)
  const isChosen = new Set(chosen)
  const zips = new Map<string, Output<'proxy_zipcodes'>[number]>()
  for (const row of rows) {
    const names = items(row.names)
    const cities = items(row.cities)
    const counts = items(row.counts)
    const codes = items(row.zips)
    const ids = items(row.ids)
    if (isChosen.size > 0 && !ids.some((id) => isChosen.has(id))) continue
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index] ?? ''
      const city = ids[Number(cities[index]) - 1]
      if (isChosen.size > 0 && city !== undefined && !isChosen.has(city)) continue
      const name = names[Number(cities[index]) - 1] ?? code
      const count = Number(counts[index])
      const before = zips.get(code)
      if (before === undefined) zips.set(code, { code, name, count })
      else {
        before.count += count
        if (before.name !== name) before.name = code
      }
    }
  }
  return mostFirst([...zips.values()], (zip) => zip.code)
}
