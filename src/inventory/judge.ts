/**
 * Judges the places that a line names, as far as inventories cover them.
 *
 * The generator refuses a place that no inventory has. Lines are judged less strictly: an operator without an
 * inventory still sells the places that the exits can express. An unknown place is therefore returned with
 * the inventories that cover its kind in its country: the pool's, or those of single exits, which do not
 * apply to the other exits.
 */
import { type Kysely, sql } from 'kysely'
import { type Pool, pools } from '#contract/wire'
import type { DB } from '#db'
import { nearestPlace } from './near.ts'
import { findUnknown, type NamedPlaces, type UnknownPlace } from './unknown.ts'

export interface StrangePlace {
  key: 'st' | 'city' | 'zip' | 'asn' | 'xasn'
  value: string
  /** The nearest valid spelling; null when none is near. */
  nearest: string | null
  /** Whether an inventory of the whole pool has places of this kind there. */
  ofPool: boolean
  /** The exits whose own inventory has places of this kind there. */
  exits: bigint[]
}

type Key = StrangePlace['key']

const isPool = (text: string): text is Pool => (pools as readonly string[]).includes(text)
const isJudged = (place: UnknownPlace): place is { key: Key; value: string } => place.key !== 'cc'

/** The maximum number of places in one sentence. */
const mostNearest = 3

/**
 * The named places that no inventory of the pool has, where one covers their kind. Countries are not judged.
 */
export async function strangePlaces(
  db: Kysely<DB>,
  { pool, ...named }: NamedPlaces & { pool: string },
): Promise<StrangePlace[]> {
  if (!isPool(pool)) return []
  const unknown = (await findUnknown(db, pool, named)).filter(isJudged)
  const strange: StrangePlace[] = []
  for (const place of unknown) {
    const countries = whereOf(place, named)
    const voices = await voicesOn(db, pool, place.key, countries)
    const ofPool = speaks(voices, countries, null)
    const exits = [...new Set(voices.flatMap(({ exit }) => (exit === null ? [] : [exit])))]
    const spoken = exits.filter((exit) => speaks(voices, countries, exit))
    if (!ofPool && spoken.length === 0) continue
    const near = strange.length < mostNearest ? await nearestPlace(db, pool, place, named) : null
    strange.push({ ...place, nearest: near, ofPool, exits: spoken })
  }
  return strange
}

/** The countries in which a place is searched; null: all. */
function whereOf({ key, value }: UnknownPlace, { countries }: NamedPlaces): string[] | null {
  if (key === 'st' || key === 'city') return [value.slice(0, 2)]
  return key === 'xasn' || countries.length === 0 ? null : countries
}

/** An inventory that covers the kind in a country, and its owner; null: the pool. */
interface Voice {
  country: string | null
  exit: bigint | null
}

const has: Record<Exclude<Key, 'asn' | 'xasn'>, ReturnType<typeof sql>> = {
  st: sql`state is not null`,
  city: sql`cardinality(cities) > 0`,
  zip: sql`cardinality(zips) > 0`,
}

async function voicesOn(db: Kysely<DB>, pool: Pool, key: Key, countries: string[] | null): Promise<Voice[]> {
  const ofNetworks = key === 'asn' || key === 'xasn'
  const table = ofNetworks ? sql`inventory_asn_country` : sql`inventory_area`
  const some = ofNetworks ? sql`true` : has[key]
  const inCountry = countries === null ? sql`true` : sql`known.country = place.country`
  const { rows } = await sql<Voice>`
    select place.country, inventory_source.exit_id as exit
    from unnest(${countries ?? [null]}::text[]) place (country), inventory_source
    where exists (
      select from ${table} known
      where pool = ${pool} and source = inventory_source.name and ${inCountry} and ${some})`.execute(db)
  return rows
}

/** Whether the pool's inventories, and an exit's where one is named, cover every country together. */
const speaks = (voices: readonly Voice[], countries: string[] | null, exit: bigint | null): boolean =>
  (countries ?? [null]).every((country) =>
    voices.some((voice) => voice.country === country && (voice.exit === null || voice.exit === exit)),
  )
