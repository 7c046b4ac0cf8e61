/** The desk's calls about places. */
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { sentenceOf } from '#contract/desk/faults'
import type { Language } from '#contract/language'
import { pools } from '#contract/wire'
import type { Database } from '#db'
import { showExits } from '#exits'
import {
  compareInventory,
  ImportFault,
  type Importer,
  listFiles,
  listInventory,
  listPlaces,
} from '#inventory'
import type { Secrets } from '#lib/secret'
import { authorOf, type DeskHandlers } from '#staff/call'
import { amount, cursorOf, pageOf, partsAfter } from '../lists/page.ts'
import { exitImporter, importPlaces, refusedFile, removePlaces, restorePlaces } from './places.ts'

type Db = Database['db']

const importerOf = (db: Db, owner: DeskParsed<'import_places'>['owner']): Promise<Importer> | Importer =>
  owner.kind === 'exit' ? exitImporter(db, owner.id) : { source: owner.name }

/** The exits that have an inventory of their own, by the name of its source. */
async function exitsOf(db: Db, secrets: Secrets) {
  const exits = await showExits(db, secrets)
  return new Map(exits.map(({ id, name, pool }) => [`exit_${id}`, { id: String(id), name, pool }]))
}

async function shownSources(db: Db, secrets: Secrets): Promise<DeskOutput<'place_sources'>> {
  const exits = await exitsOf(db, secrets)
  const files = await listFiles(db)
  return (await listInventory(db)).map((source) => ({
    name: source.name,
    exit: exits.get(source.name) ?? null,
    demo: source.kind === 'demo',
    pools: pools.filter((pool) => source.pools.includes(pool)),
    countries: source.countries,
    addresses: amount(source.addresses),
    rows: amount(source.rows),
    loaded_at: source.loadedAt.toISOString(),
    files: files
      .filter((file) => file.source === source.name)
      .map(({ id, rows, by, at, isKept }) => ({
        id: String(id),
        rows: amount(rows),
        by,
        at: at.toISOString(),
        kept: isKept,
      })),
  }))
}

async function preview(db: Db, { owner, csv }: DeskParsed<'preview_places'>, language: Language) {
  const importer = await importerOf(db, owner)
  try {
    const { addressesBefore, addressesAfter, countries, ...rest } = await compareInventory(
      db,
      { text: csv },
      importer,
    )
    return {
      faults: [],
      comparison: {
        ...rest,
        addresses_before: amount(addressesBefore),
        addresses_after: amount(addressesAfter),
        countries: countries.map(({ before, after, ...place }) => ({
          ...place,
          before: amount(before),
          after: amount(after),
        })),
      },
    }
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error
    return { faults: error.faults.map((fault) => sentenceOf(fault, language)), comparison: null }
  }
}

export function placeCalls({ secrets }: { secrets: Secrets }) {
  return {
    places: async ({ after, limit = 50, pool, country, source }, { database: { db } }) => {
      const exits = await exitsOf(db, secrets)
      const [ofPool = '', ofCountry = ''] = partsAfter(after, 2) ?? []
      const place = after === undefined ? null : { pool: ofPool, country: ofCountry }
      const rows = await listPlaces(db, { pool, country, source }, { after: place, limit: limit + 1 })
      return pageOf(rows, limit, {
        next: (last) => cursorOf(last.pool, last.country),
        shown: ({ addresses, sources, ...row }) => ({
          ...row,
          addresses: amount(addresses),
          from: sources.map((name) => exits.get(name)?.name ?? name),
        }),
      })
    },
    place_sources: (_input, { database }) => shownSources(database.db, secrets),
    preview_places: (input, { database, language }) => preview(database.db, input, language),
    import_places: async ({ owner, csv, reason }, context) => {
      const { database } = context
      const importer = await importerOf(database.db, owner)
      const order = { file: { text: csv }, importer, reason }
      return refusedFile(context.language, importPlaces(database, authorOf(context), order, context.now()))
    },
    restore_places: ({ file_id: id, reason }, context) =>
      refusedFile(
        context.language,
        restorePlaces(context.database, authorOf(context), { fileId: BigInt(id), reason }, context.now()),
      ),
    remove_places: async (input, context) => {
      await removePlaces(context.database.db, authorOf(context), input, context.now())
      return true as const
    },
  } satisfies Partial<DeskHandlers>
}
