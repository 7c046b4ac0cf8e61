/**
 * What staff do to accounts at sellers, each recorded without credentials; the command line does it by the
 * same functions.
 */
import type { Kysely } from 'kysely'
import { type Database, type DB, executeIn, transaction } from '#db'
import { ImportFault, removeInventory, sourceName } from '#inventory'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import {
  type AccountWrong,
  addSellerAccount,
  changeSellerAccount,
  decidePlaces,
  listSellerAccounts,
  lockSellerAccount,
  makeDue,
  type NewSellerAccount,
  type PlacesDecision,
  readSellerAccount,
  removeSellerAccount,
  type SellerAccount,
  type SellerAccountChange,
  type SellerDeps,
  SellerFault,
} from '#sellers'
import { type Author, record, recordOn } from '#staff'
import { importPlaces } from '../shop/places.ts'

type Db = Kysely<DB>
type Sold = Pick<Database, 'db' | 'pool'>

export interface SellerBy {
  secrets: Secrets
  author: Author
}

export type SellerBases = SellerDeps['bases']

/** The dependencies for reading accounts: their places go into the inventory, and the author is recorded. */
export const sellerDeps = (
  database: Sold,
  { secrets, author, bases }: SellerBy & { bases: SellerBases },
): SellerDeps => ({
  secrets,
  bases,
  applyPlaces: async ({ accountId, csv }, settle, now) => {
    const order = { file: { text: csv }, importer: { sellerAccount: accountId }, settle }
    try {
      await importPlaces(database, author, order, now)
    } catch (error) {
      if (error instanceof ImportFault) throw new SellerFault('malformed', error.message)
      throw error
    }
  },
})

const subjectOf = (id: bigint) => ({ kind: 'seller_account', id: String(id) }) as const

const traced = ({ seller, label, counts, exits }: SellerAccount) => ({
  seller,
  label,
  counts,
  exits: exits.map(({ id }) => String(id)),
})

/** Refuses with `seller_account_not_found`. */
export async function knownAccount(db: Db, id: bigint): Promise<SellerAccount> {
  const account = (await listSellerAccounts(db)).find((each) => each.id === id)
  if (account === undefined) throw new Refusal('seller_account_not_found')
  return account
}

function refuse(wrong: AccountWrong): never {
  if (wrong.wrong === 'label_taken') throw new Refusal('seller_label_taken')
  if (wrong.wrong === 'exit') throw new Refusal('exit_not_found')
  if (wrong.wrong === 'credentials') throw new Refusal('seller_credentials', { field: wrong.field })
  throw new Refusal('invalid_field', { field: 'seller' })
}

/**
 * Adds an account and records it; returns its number. Refuses with `seller_label_taken`, `exit_not_found`,
 * `seller_credentials` for a field that is missing or unknown, and `invalid_field` for a seller that cannot
 * be read.
 */
export function createSellerAccount(
  db: Db,
  { secrets, author }: SellerBy,
  { reason = null, ...given }: NewSellerAccount & { reason?: string | null | undefined },
  now: Date,
): Promise<bigint> {
  return transaction(db, async (tx) => {
    const id = await addSellerAccount(tx, secrets, given, now)
    if (typeof id !== 'bigint') return refuse(id)
    const after = traced(await knownAccount(tx, id))
    await record(tx, author, { action: 'add_seller_account', subject: subjectOf(id), after, reason }, now)
    return id
  })
}

/**
 * Changes an account and records it; of new credentials only the fact is recorded. Refuses as adding does,
 * and with `seller_account_not_found`.
 */
export function setSellerAccount(
  db: Db,
  { secrets, author }: SellerBy,
  { id, reason = null, ...change }: SellerAccountChange & { id: bigint; reason?: string | null | undefined },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    // Otherwise a concurrent change could come between the account that is recorded and this change.
    await lockSellerAccount(executeIn(tx), tx, id)
    const before = traced(await knownAccount(tx, id))
    const wrong = await changeSellerAccount(tx, secrets, id, change, now)
    if (wrong !== null) refuse(wrong)
    const given = change.credentials === undefined ? {} : { credentials: '…' }
    const after = { ...traced(await knownAccount(tx, id)), ...given }
    const entry = { action: 'set_seller_account', subject: subjectOf(id), before, after, reason }
    await record(tx, author, entry, now)
  })
}

/**
 * Removes an account with everything that was read from it and with its places, and records it. Refuses with
 * `seller_account_not_found`.
 */
export function dropSellerAccount(
  db: Db,
  author: Author,
  { id, reason = null }: { id: bigint; reason?: string | null },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    const before = traced(await knownAccount(tx, id))
    await removeInventory(tx, sourceName({ sellerAccount: id }))
    if (!(await removeSellerAccount(tx, id))) throw new Refusal('seller_account_not_found')
    await record(tx, author, { action: 'remove_seller_account', subject: subjectOf(id), before, reason }, now)
  })
}

/**
 * Reads all of an account now, also one that is not read any more by itself, and records it; once more when
 * the account is changed meanwhile. Refuses with `seller_account_not_found`, `seller_account_busy` while
 * another process reads it, and `seller_account_closed` when its credentials do not open with SECRET_KEY.
 */
export async function checkSellerAccount(
  database: Sold,
  by: SellerBy & { bases: SellerBases },
  id: bigint,
  now: Date,
) {
  const { db } = database
  await transaction(db, async (tx) => {
    await knownAccount(tx, id)
    await makeDue(tx, id, now)
    await record(tx, by.author, { action: 'check_seller_account', subject: subjectOf(id) }, now)
  })
  let read = await readSellerAccount(database, sellerDeps(database, by), id, now)
  if (read === 'outdated') {
    await knownAccount(db, id)
    read = await readSellerAccount(database, sellerDeps(database, by), id, now)
  }
  if (read === 'busy' || read === 'outdated') throw new Refusal('seller_account_busy')
  if (read === 'closed') throw new Refusal('seller_account_closed')
  for (const { fault } of read) if (fault?.cause !== undefined) throw fault.cause
  return read
}

/**
 * Accepts a list of places that has shrunk, or keeps the previous list, and records it. Refuses with
 * `seller_account_not_found`, with `seller_places_not_asked` when no list awaits a decision, and with
 * `seller_places_changed` when it is not the one that the member has seen.
 */
export async function decideSellerPlaces(
  database: Sold,
  by: SellerBy & { bases: SellerBases },
  {
    id,
    list,
    decision,
    reason = null,
  }: { id: bigint; list: string; decision: PlacesDecision; reason?: string | null | undefined },
  now: Date,
): Promise<void> {
  const { db } = database
  await knownAccount(db, id)
  const outcome = await decidePlaces(
    db,
    sellerDeps(database, by),
    {
      id,
      list,
      decision,
      onDecided: (execute, { before, asked }) => {
        const after = { decision, asked }
        const entry = { action: 'decide_seller_places', subject: subjectOf(id), before, after, reason }
        return recordOn(execute, db, by.author, entry, now)
      },
    },
    now,
  )
  if (outcome === 'none') throw new Refusal('seller_places_not_asked')
  if (outcome === 'changed') throw new Refusal('seller_places_changed')
}
