/** Copies rows and names to the database, for rollup.ts to group. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Inventory, InventoryRow } from './rows.ts'

/**
 * Copies everything into tables that only this transaction sees; returns the number of rows. Places get
 * numbers: an area is a state of a pool, or the part of a country outside states; a city's 0 and a zip code's
 * "" mean "not known".
 */
export async function stage(client: pg.PoolClient, { rows, names }: Inventory): Promise<number> {
  await client.query(`
    create temporary table loading (area integer, city integer, zip text, asn bigint, count bigint) on commit drop;
    create temporary table loading_area (area integer, pool text, country text, state text) on commit drop;
    create temporary table loading_city (city integer, area integer, id text) on commit drop;
    create temporary table loading_place (number integer, id text, name_ru text, name_en text) on commit drop;
    create temporary table loading_network (number integer, asn bigint, name text) on commit drop`)
  const places = new PlaceNumbers()
  let count = 0
  await copy(client, 'loading', rows, (row) => {
    count += 1
    const area = places.area(row)
    const city = row.city === null ? 0 : places.city(area, row.city)
    return `${area.number}\t${city}\t${row.zip ?? ''}\t${row.asn ?? '\\N'}\t${row.count}\n`
  })
  await copy(client, 'loading_area', places.areas.entries(), ([key, { number }]) => `${number}\t${key}\n`)
  await copy(client, 'loading_city', places.cities(), ({ city, area, id }) => `${city}\t${area}\t${id}\n`)
  const known = names()
  await copy(
    client,
    'loading_place',
    known.places,
    (place, number) => `${number}\t${place.id}\t${escaped(place.nameRu)}\t${escaped(place.nameEn)}\n`,
  )
  await copy(
    client,
    'loading_network',
    known.networks,
    (network, number) => `${number}\t${network.asn}\t${escaped(network.name)}\n`,
  )
  await client.query('analyze loading, loading_area, loading_city, loading_place, loading_network')
  return count
}

interface Area {
  number: number
  /** The numbers of its cities, by their ids. */
  cities: Map<string, number>
}

class PlaceNumbers {
  /** By pool, country and state, as COPY writes them. */
  readonly areas = new Map<string, Area>()
  #lastCity = 0

  area({ pool, country, state }: InventoryRow): Area {
    const key = `${pool}\t${country}\t${state ?? '\\N'}`
    const known = this.areas.get(key)
    if (known !== undefined) return known
    const area = { number: this.areas.size + 1, cities: new Map<string, number>() }
    this.areas.set(key, area)
    return area
  }

  city({ cities }: Area, id: string): number {
    const known = cities.get(id)
    if (known !== undefined) return known
    cities.set(id, ++this.#lastCity)
    return this.#lastCity
  }

  *cities(): Generator<{ city: number; area: number; id: string }> {
    for (const { number: area, cities } of this.areas.values())
      for (const [id, city] of cities) yield { city, area, id }
  }
}

/** COPY's text format; ids and numbers need no escaping. */
const escaped = (text: string) => text.replaceAll(/[\\\n\r\t]/g, (char) => escapes[char] ?? char)
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function copy<T>(
  client: pg.PoolClient,
  table: string,
  items: Iterable<T> | AsyncIterable<T>,
  line: (item: T, number: number) => string,
): Promise<void> {
  const chunks = Symbol.iterator in items ? chunksOf(items, line) : chunksOfAsync(items, line)
  return pipeline(Readable.from(chunks), client.query(copyFrom(`copy ${table} from stdin`)))
}

const lettersAtOnce = 65_536

// The same loop twice: awaiting each of a million items that are already available would take seconds.
function* chunksOf<T>(items: Iterable<T>, line: (item: T, number: number) => string): Generator<string> {
  let chunk = ''
  let number = 0
  for (const item of items) {
    chunk += line(item, number++)
    if (chunk.length < lettersAtOnce) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

async function* chunksOfAsync<T>(
  items: AsyncIterable<T>,
  line: (item: T, number: number) => string,
): AsyncGenerator<string> {
  let chunk = ''
  let number = 0
  for await (const item of items) {
    chunk += line(item, number++)
    if (chunk.length < lettersAtOnce) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
