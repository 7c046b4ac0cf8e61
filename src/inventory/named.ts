/** Finds the places that a common name, or another seller's name, stands for. */
import type { Kysely } from 'kysely'
import { type Pool, pools } from '#contract/wire'
import type { DB } from '#db'
import { citiesOf, statesOf } from './lists.ts'
import { fold } from './place-ids.ts'

export interface PlaceName {
  pool: string
  kind: 'state' | 'city'
  /** Letters and digits only, in lower case. */
  word: string
  countries: string[]
  /** For a city: only in these states, if there are any. */
  states: string[]
}

const isPool = (text: string): text is Pool => (pools as readonly string[]).includes(text)

/**
 * The ids of the states or cities in these countries with this English name or this code. Several when the
 * name is ambiguous; the caller does not guess.
 */
export async function placesNamed(
  db: Kysely<DB>,
  { pool, kind, word, countries, states }: PlaceName,
): Promise<string[]> {
  if (!isPool(pool) || countries.length === 0 || word === '') return []
  const view = { pool, language: 'en' } as const
  const places =
    kind === 'state'
      ? (await statesOf(db, view, { countries })).map((state) => ({ ...state, parent: state.country_code }))
      : (await citiesOf(db, view, { countries, states })).map((city) => ({
          ...city,
          parent: city.state_code ?? city.country_code,
        }))
  const byId = places.filter(({ code, parent }) => fold(code.slice(parent.length)) === word)
  const found = byId.length > 0 ? byId : places.filter(({ name }) => fold(name) === word)
  return [...new Set(found.map(({ code }) => code))]
}
