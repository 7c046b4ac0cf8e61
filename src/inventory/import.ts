/** An operator's inventory from a CSV file: pool, country, state, city, zip, asn, as_name, count. */
import type { FaultCode, FaultFacts, Said } from '#contract/desk/faults'
import { type Pool, pools } from '#contract/wire'
import type { Database } from '#db'
import { readAtlas } from './atlas.ts'
import { isCountry } from '#contract/countries'
import { type CsvSource, faultyFile, ImportFault, readCsv } from '#lib/csv/read-csv'
import { compressed, keepFile } from './files.ts'
import { loadInventory, type Loaded } from './load.ts'
import type { InventoryRow } from './rows.ts'
import { PlaceIds } from './place-ids.ts'

export { type CsvSource, ImportFault } from '#lib/csv/read-csv'

const columns = {
  required: ['pool', 'country', 'count'],
  optional: ['state', 'city', 'zip', 'asn', 'as_name'],
} as const

type Column = (typeof columns)['required' | 'optional'][number]
type Fields = Record<Column, string>

/** The owner of a file's inventory: a source named by the operator, an exit, or an account at a seller. */
export type Importer =
  | { source: string }
  | { exit: { id: bigint; pool: Pool; name: string } }
  | { sellerAccount: bigint }

export interface Imported {
  source: string
  rows: number
}

/** Parsing stops after this number of faults. */
const maxFaults = 10

/** The author of an import, and a callback that runs in its transaction, for example to record it. */
export interface Importing {
  by: string
  at: Date
  onLoaded: Loaded
}

/** The number of all IPv4 addresses; sums of millions of these are still exact on the wire. */
const maxCount = 4_294_967_296

const maxAsn = 4_294_967_295

/**
 * Replaces all addresses of the source or the exit by those of a file, in one step. Throws an ImportFault,
 * which names lines and columns, for a file with any fault: then nothing changes.
 */
export async function importInventory(
  database: Pick<Database, 'pool'>,
  file: CsvSource,
  importer: Importer,
  { by, at, onLoaded }: Importing,
): Promise<Imported> {
  const name = sourceName(importer)
  const { states, cities } = await readAtlas()
  const reader = new RowReader(new PlaceIds({ states, cities }), 'exit' in importer ? importer.exit : null)
  const gzip = await compressed(file)
  const source = {
    name,
    kind: 'import' as const,
    ...('exit' in importer ? { exitId: importer.exit.id } : {}),
  }
  const rows = await loadInventory(
    database,
    source,
    {
      rows: rowsOf(file, reader),
      // Existing names come first: a file has one language at most.
      names: () => ({
        places: (function* () {
          yield* states
          yield* cities
          yield* reader.places.values()
        })(),
        networks: [...reader.networks].map(([asn, known]) => ({ asn, name: known })),
      }),
    },
    async (client, load) => {
      await keepFile(client, { source: name, rows: load.rows, gzip, by, at })
      await onLoaded(client, load)
    },
  )
  return { source: name, rows }
}

/** The rows of a file, checked and not loaded. Throws an ImportFault as importing it would. */
export async function* readInventory(file: CsvSource, importer: Importer): AsyncGenerator<InventoryRow> {
  sourceName(importer)
  const { states, cities } = await readAtlas()
  const exit = 'exit' in importer ? importer.exit : null
  yield* rowsOf(file, new RowReader(new PlaceIds({ states, cities }), exit))
}

/**
 * The name of the source that an importer's addresses have. Throws an ImportFault for one that the operator
 * may not choose.
 */
export function sourceName(importer: Importer): string {
  if ('exit' in importer) return `exit_${importer.exit.id}`
  if ('sellerAccount' in importer) return `seller_${importer.sellerAccount}`
  const { source } = importer
  if (!/^[a-z0-9_]{1,32}$/.test(source)) throw faultyFile('import_source_name', { source })
  if (source === 'demo' || /^(exit_|seller_\d+$)/.test(source))
    throw faultyFile('import_source_taken', { source })
  return source
}

async function* rowsOf(file: CsvSource, reader: RowReader): AsyncGenerator<InventoryRow> {
  let isEmpty = true
  for await (const { line, fields } of readCsv(file, columns)) {
    isEmpty = false
    const row = reader.read(line, fields)
    if (row !== null) yield row
    if (reader.faults.length >= maxFaults) break
  }
  if (isEmpty) reader.faults.push({ code: 'import_no_rows', facts: {} })
  if (reader.faults.length > 0) throw new ImportFault(reader.faults)
}

const poolSet: ReadonlySet<string> = new Set(pools)

/** Reads rows, and collects the names of states, cities and networks. */
class RowReader {
  readonly faults: Said[] = []
  readonly places = new Map<string, { id: string; nameRu: string; nameEn: string }>()
  readonly networks = new Map<number, string>()
  readonly #ids: PlaceIds
  readonly #exit: { pool: Pool; name: string } | null
  /** The ids of earlier texts: there are far fewer places than rows. */
  readonly #seen = new Map<string, string>()

  constructor(ids: PlaceIds, exit: { pool: Pool; name: string } | null) {
    this.#ids = ids
    this.#exit = exit
  }

  /** The row of a line, or null when there is a fault in it. */
  read(line: number, fields: Fields): InventoryRow | null {
    const faultsBefore = this.faults.length
    const fault: Fault = (column, code, facts = {}) =>
      void this.faults.push({ code, facts: { line, column, ...facts } })
    const pool = this.#pool(fields.pool, fault)
    const country = fields.country.toLowerCase()
    if (!isCountry(country)) fault('country', 'import_country', { text: fields.country })
    const state = fields.state === '' ? null : this.#place('state', country, fields.state, fault)
    const city = fields.city === '' ? null : this.#place('city', state ?? country, fields.city, fault)
    const zip = zipOf(fields.zip, fault)
    const asn = this.#network(fields, fault)
    const count = /^\d{1,10}$/.test(fields.count) ? Number(fields.count) : 0
    if (count < 1 || count > maxCount) fault('count', 'import_count', { text: fields.count, most: maxCount })
    return this.faults.length > faultsBefore ? null : { pool, country, state, city, zip, asn, count }
  }

  #pool(text: string, fault: Fault): Pool {
    const pool = text.toLowerCase()
    if (!poolSet.has(pool)) fault('pool', 'import_pool', { text, list: pools.join(', ') })
    else if (this.#exit !== null && this.#exit.pool !== pool)
      fault('pool', 'import_exit_pool', { exit: this.#exit.name, own: this.#exit.pool, pool })
    return pool as Pool
  }

  #place(column: 'state' | 'city', parent: string, text: string, fault: Fault): string {
    const key = `${parent}\n${column}\n${text}`
    const seen = this.#seen.get(key)
    if (seen !== undefined) return seen
    const found = this.#ids[column](parent, text)
    const strange = strangeIn(text)
    const wrong = strange ?? ('fault' in found ? found.fault : null)
    if (wrong !== null || 'fault' in found) {
      if (wrong !== null) fault(column, wrong.code, wrong.facts)
      return ''
    }
    this.#seen.set(key, found.id)
    if (!this.places.has(found.id) && text.toLowerCase() !== found.id)
      this.places.set(found.id, { id: found.id, nameRu: text, nameEn: text })
    return found.id
  }

  #network({ asn: text, as_name: name }: Fields, fault: Fault): number | null {
    if (text === '') {
      if (name !== '') fault('as_name', 'import_unnumbered', { text: name })
      return null
    }
    const digits = text.replace(/^as/i, '')
    const asn = /^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : 0
    if (asn < 1 || asn > maxAsn) fault('asn', 'import_asn', { text, most: maxAsn })
    if (name === '' || this.networks.has(asn)) return asn
    const strange = strangeIn(name)
    if (strange === null) this.networks.set(asn, name)
    else fault('as_name', strange.code, strange.facts)
    return asn
  }
}

type Fault = (column: Column, code: FaultCode, facts?: FaultFacts) => void

/** As a targeting writes it: "SW1A 1AA" is sw1a_1aa. */
function zipOf(text: string, fault: Fault): string | null {
  if (text === '') return null
  const zip = text.toLowerCase().replaceAll(/[\s-]+/g, '_')
  if (!/^[a-z0-9_]{1,16}$/.test(zip)) fault('zip', 'import_zip', { text })
  return zip
}

const maxNameLength = 200

/** The fault of a name, or null. */
export function strangeIn(name: string): Said | null {
  if (name.includes('\u{fffd}')) return { code: 'import_encoding', facts: { text: name } }
  if (/\p{Cc}/u.test(name)) return { code: 'import_control', facts: {} }
  return name.length > maxNameLength ? { code: 'import_name_long', facts: { most: maxNameLength } } : null
}
