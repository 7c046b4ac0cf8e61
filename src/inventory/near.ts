/** Finds the place that was probably meant by an id which no inventory has. */
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { nearest } from '#lib/nearest'
import { citiesOf, statesOf, zipsOf } from './lists.ts'
import { memoOf } from './memo.ts'
import { fold } from './place-ids.ts'
import type { NamedPlaces, UnknownPlace } from './unknown.ts'

/** An id, and the compared text: letters and digits of its name. */
interface Candidate {
  id: string
  word: string
  /** Its English name, if different; empty where names are not compared. */
  name: string
}

/** The nearest valid spelling of an unknown place; null when none is near. */
export async function nearestPlace(
  db: Kysely<DB>,
  pool: Pool,
  { key, value }: UnknownPlace,
  within: Pick<NamedPlaces, 'countries' | 'states'>,
): Promise<string | null> {
  // The lists are long, and misspelled lines may be many.
  const read = <T>(question: readonly unknown[], list: () => Promise<T[]>) =>
    memoOf(db).answer(JSON.stringify(['nearest', key, pool, ...question]), list)
  const country = value.slice(0, 2)
  switch (key) {
    case 'cc':
      return null
    case 'st':
      return nearestState(value, await read([country], () => knownStates(db, pool, country)))
    case 'city':
      return nearestCity(value, await read([country], () => knownCities(db, pool, country)))
    case 'zip': {
      const { countries, states } = within
      const zips = await read([countries, states], async () =>
        (await zipsOf(db, { pool, language: 'en' }, { countries, states })).map(({ code }) => code),
      )
      return nearestNumber(value, zips)
    }
    case 'asn':
    case 'xasn': {
      const countries = key === 'asn' ? within.countries : []
      return nearestNumber(value, await read([countries], () => knownAsns(db, pool, countries)))
    }
  }
}

async function knownStates(db: Kysely<DB>, pool: Pool, country: string): Promise<Candidate[]> {
  const states = await statesOf(db, { pool, language: 'en' }, { countries: [country] })
  return states.map(({ code, name }) => ({ id: code, word: code.slice(3), name: fold(name) }))
}

/**
 * The places with most addresses first. Their ids are derived from their names, so the names need no folding.
 */
async function knownCities(db: Kysely<DB>, pool: Pool, country: string): Promise<Candidate[]> {
  const cities = await citiesOf(db, { pool, language: 'en' }, { countries: [country], states: [] })
  return cities.map(({ code, state_code: state, country_code }) => ({
    id: code,
    word: code.slice((state ?? country_code).length + 1).replaceAll('_', ''),
    name: '',
  }))
}

async function knownAsns(db: Kysely<DB>, pool: Pool, countries: string[]): Promise<string[]> {
  const inCountries = countries.length === 0 ? sql`true` : sql`country = any(${countries}::text[])`
  const { rows } = await sql<{ asn: string }>`
    select distinct asn::text as asn from inventory_asn_country
    where pool = ${pool} and ${inCountries}`.execute(db)
  return rows.map(({ asn }) => asn)
}

/** By the exact name, a misspelled name, or a misspelled code. */
function nearestState(id: string, states: readonly Candidate[]): string | null {
  const word = id.slice(3)
  const named = states.find(({ name }) => name === word)
  if (named !== undefined) return named.id
  const isCode = word.length <= 3
  return (isCode ? null : nearestOf(word, states, 'name')) ?? nearestOf(word, states, 'word')
}

/** By the name in the state of the id or, when the state is wrong or missing, in the whole country. */
function nearestCity(id: string, cities: readonly Candidate[]): string | null {
  const [country = '', state = '', ...rest] = id.split('_')
  const inState = cities.filter((city) => city.id.startsWith(`${country}_${state}_`))
  const words = [...new Set([rest.join(''), state + rest.join('')])].filter((word) => word !== '')
  for (const among of [inState, cities])
    for (const word of words) {
      const named = among.find((city) => city.word === word)
      if (named !== undefined) return named.id
    }
  for (const among of [inState, cities])
    for (const word of words) {
      // The first letter is rarely wrong, and a country has tens of thousands of cities.
      const near = nearestOf(
        word,
        among.filter((city) => city.word[0] === word[0]),
        'word',
      )
      if (near !== null) return near
    }
  return null
}

function nearestOf(word: string, known: readonly Candidate[], by: 'word' | 'name'): string | null {
  const near = nearest(
    word,
    known.map((one) => one[by]),
  )
  return known.find((one) => one[by] === near)?.id ?? null
}

/** The nearest number with the same first two digits; there are too many to compare with all of them. */
function nearestNumber(text: string, known: readonly string[]): string | null {
  const beginning = text.slice(0, 2)
  const alike = known.filter((one) => one.startsWith(beginning) && Math.abs(one.length - text.length) <= 1)
  return nearest(text, alike)
}
