/**
 * Importing, taking back and removing places, each recorded in its transaction. The command line calls the
 * same.
 */
import { sentenceOf } from '#contract/desk/faults'
import type { Language } from '#contract/language'
import type { Kysely } from 'kysely'
import { type DB, type Database, type Execute, executeOn, transaction } from '#db'
import { findExits } from '#exits'
import {
  type CsvSource,
  findFile,
  type Imported,
  ImportFault,
  type Importer,
  importInventory,
  importNames,
  type RemovedSource,
  removeInventory,
  sourceName,
} from '#inventory'
import { Refusal } from '#lib/refusal'
import { lockSellerAccount } from '#sellers'
import { type Author, record, recordOn } from '#staff'

type Places = Pick<Database, 'db' | 'pool'>

const subjectOf = (source: string) => ({ kind: 'inventory', id: source }) as const

/** What a source had, for the audit trail. */
const printed = (had: RemovedSource | null) =>
  had === null ? null : { rows: String(had.rows), addresses: String(had.addresses) }

interface Import {
  file: CsvSource
  importer: Importer
  action?: 'import_places' | 'restore_places'
  reason?: string | null | undefined
  /** Done in the transaction of the import, which is rolled back when it throws. */
  settle?: ((execute: Execute) => Promise<void>) | undefined
}

/** Replaces all addresses of a source or an exit by a file. Throws an ImportFault. */
export async function importPlaces(
  database: Places,
  author: Author,
  { file, importer, action = 'import_places', reason = null, settle }: Import,
  now: Date,
): Promise<Imported> {
  const source = sourceName(importer)
  return importInventory(database, file, importer, {
    by: author.name,
    at: now,
    onLoaded: async (client, { rows, replaced }) => {
      const execute = executeOn(client)
      const states = { before: printed(replaced), after: { rows: String(rows) } }
      const entry = { action, subject: subjectOf(source), ...states, reason }
      await recordOn(execute, database.db, author, entry, now)
      await settle?.(execute)
    },
  })
}

/** The owner of addresses by the id of an exit. Refuses with `exit_not_found`. */
export async function exitImporter(db: Kysely<DB>, id: string): Promise<Importer> {
  const exit = (await findExits(db, id)).find((each) => String(each.id) === id)
  if (exit === undefined) throw new Refusal('exit_not_found')
  return { exit }
}

/**
 * Imports a kept file again. Refuses with `places_file_not_found`, with `exit_not_found` when its exit is gone,
 * and with `seller_account_not_found` when its account at a seller is.
 */
export async function restorePlaces(
  database: Places,
  author: Author,
  { fileId, reason }: { fileId: bigint; reason?: string | undefined },
  now: Date,
): Promise<Imported> {
  const file = await findFile(database.db, fileId)
  if (file === null) throw new Refusal('places_file_not_found')
  const { source, text } = file
  const order = { file: { text }, action: 'restore_places', reason } as const
  const account = /^seller_(\d+)$/.exec(source)?.[1]
  if (account !== undefined) {
    const id = BigInt(account)
    const settle = async (execute: Execute) => {
      if (!(await lockSellerAccount(execute, database.db, id))) throw new Refusal('seller_account_not_found')
    }
    return importPlaces(database, author, { ...order, importer: { sellerAccount: id }, settle }, now)
  }
  const importer = source.startsWith('exit_')
    ? await exitImporter(database.db, source.slice('exit_'.length))
    : { source }
  return importPlaces(database, author, { ...order, importer }, now)
}

/** Takes the addresses of a source out of all lists. Refuses with `places_not_found`. */
export function removePlaces(
  db: Kysely<DB>,
  author: Author,
  { source, reason }: { source: string; reason: string | null },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    const removed = await removeInventory(tx, source)
    if (removed === null) throw new Refusal('places_not_found')
    const before = printed(removed)
    await record(tx, author, { action: 'remove_places', subject: subjectOf(source), before, reason }, now)
  })
}

/** Sets the operator's names of states and cities from a file; the number of names. Throws an ImportFault. */
export function namePlaces(db: Kysely<DB>, author: Author, file: string, now: Date): Promise<number> {
  return transaction(db, async (tx) => {
    const names = await importNames({ db: tx }, file)
    await record(tx, author, { action: 'name_places', subject: subjectOf('names'), after: { names } }, now)
    return names
  })
}

/** The faults of a file as a refusal. */
export async function refusedFile<T>(language: Language, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error
    const [fault] = error.faults
    throw new Refusal('invalid_places', { fault: fault === undefined ? '' : sentenceOf(fault, language) })
  }
}
