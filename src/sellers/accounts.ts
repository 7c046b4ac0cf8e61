/** Stored accounts, and changes to them. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { SellerCounts, SellerPart } from '#contract/desk/choices'
import type { Pool } from '#contract/wire'
import type { DB, Execute } from '#db'
import { bigintArray } from '#lib/pg-array'
import type { Secrets } from '#lib/secret'
import type { SellerAdapter } from './adapters/adapter.ts'
import { findSeller } from './adapters/adapters.ts'
import type { SellerFaultKind } from './adapters/client.ts'
import { nameOfList } from './places.ts'
import { aboutCredentials, openCredentials } from './sealed.ts'

export interface SellerReading {
  part: SellerPart
  /** Null: reading is suspended until staff check the account. */
  dueAt: Date | null
  readAt: Date | null
  failures: number
  fault: { kind: SellerFaultKind; message: string; at: Date } | null
}

export interface SellerAccount {
  id: bigint
  seller: string
  title: string
  label: string
  counts: SellerCounts
  createdAt: Date
  exits: { id: bigint; name: string; pool: Pool }[]
  /** Null: the seller does not report it, or has not been read yet. */
  leftBytes: bigint | null
  leftMicros: bigint | null
  readings: SellerReading[]
  places: { rows: bigint; addresses: bigint } | null
  /** A list of places that awaits a decision by staff. */
  asked: { rows: bigint; addresses: bigint; at: Date; list: string } | null
}

/** All accounts, by their labels, without credentials. */
export async function listSellerAccounts(db: Kysely<DB>): Promise<SellerAccount[]> {
  const [accounts, exits, readings, asked] = await Promise.all([
    db.selectFrom('seller_account').selectAll().orderBy('label').execute(),
    db
      .selectFrom('seller_account_exit as s')
      .innerJoin('exit', 'exit.id', 's.exit_id')
      .select(['s.account_id', 'exit.id', 'exit.name', 'exit.pool'])
      .orderBy('exit.id')
      .execute(),
    db.selectFrom('seller_reading').selectAll().orderBy('part').execute(),
    db
      .selectFrom('seller_places_asked')
      .select(['account_id', 'rows', 'addresses', 'asked_at', 'sha256'])
      .execute(),
  ])
  return accounts.map((row) => {
    const shrunk = asked.find((each) => each.account_id === row.id)
    return {
      id: row.id,
      seller: row.seller,
      title: findSeller(row.seller)?.title ?? row.seller,
      label: row.label,
      counts: row.counts as SellerCounts,
      createdAt: row.created_at,
      exits: exits
        .filter((exit) => exit.account_id === row.id)
        .map(({ id, name, pool }) => ({ id, name, pool: pool as Pool })),
      leftBytes: row.left_bytes,
      leftMicros: row.left_micros,
      readings: readings.filter((each) => each.account_id === row.id).map(readingOf),
      places:
        row.places_rows === null || row.places_addresses === null
          ? null
          : { rows: row.places_rows, addresses: row.places_addresses },
      asked:
        shrunk === undefined
          ? null
          : {
              rows: shrunk.rows,
              addresses: shrunk.addresses,
              at: shrunk.asked_at,
              list: nameOfList(shrunk.sha256),
            },
    }
  })
}

const readingOf = (row: {
  part: string
  due_at: Date | null
  read_at: Date | null
  failures: number
  fault_kind: string | null
  fault: string | null
  fault_at: Date | null
}): SellerReading => ({
  part: row.part as SellerPart,
  dueAt: row.due_at,
  readAt: row.read_at,
  failures: row.failures,
  fault:
    row.fault_kind === null || row.fault === null || row.fault_at === null
      ? null
      : { kind: row.fault_kind as SellerFaultKind, message: row.fault, at: row.fault_at },
})

export interface NewSellerAccount {
  seller: string
  label: string
  counts: SellerCounts
  credentials: Readonly<Record<string, string>>
  exitIds: readonly bigint[]
}

/** The fault of an account to be added or changed. */
export type AccountWrong =
  | { wrong: 'seller' }
  | { wrong: 'credentials'; field: string }
  | { wrong: 'label_taken' }
  | { wrong: 'exit'; exitId: bigint }

/** The credentials by the seller's fields, trimmed, or the missing field. */
function credentialsOf(
  adapter: SellerAdapter,
  given: Readonly<Record<string, string>>,
): Record<string, string> | AccountWrong {
  const stray = Object.keys(given).find((key) => !adapter.fields.some((field) => field.key === key))
  if (stray !== undefined) return { wrong: 'credentials', field: stray }
  const known: Record<string, string> = {}
  for (const { key, isOptional } of adapter.fields) {
    const value = (given[key] ?? '').trim()
    if (value === '' && isOptional !== true) return { wrong: 'credentials', field: key }
    if (value !== '') known[key] = value
  }
  return known
}

const isWrong = (value: object): value is AccountWrong => 'wrong' in value

/** The parts that a seller offers. */
export const partsOf = ({ usage, places }: SellerAdapter): SellerPart[] => [
  'balance',
  ...(usage === null ? [] : (['usage'] as const)),
  ...(places === null ? [] : (['places'] as const)),
]

/** Adds an account, all of whose parts are due immediately; returns its number, or the fault. */
export async function addSellerAccount(
  tx: Transaction<DB>,
  secrets: Secrets,
  given: NewSellerAccount,
  now: Date,
): Promise<bigint | AccountWrong> {
  const adapter = findSeller(given.seller)
  if (adapter === undefined) return { wrong: 'seller' }
  const credentials = credentialsOf(adapter, given.credentials)
  if (isWrong(credentials)) return credentials
  const sealed = secrets.seal(JSON.stringify(credentials), aboutCredentials(given))
  const row = await tx
    .insertInto('seller_account')
    .values({
      seller: given.seller,
      label: given.label,
      counts: given.counts,
      credentials_sealed: sealed,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('label').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) return { wrong: 'label_taken' }
  await tx
    .insertInto('seller_reading')
    .values(partsOf(adapter).map((part) => ({ account_id: row.id, part, due_at: now })))
    .execute()
  const wrong = await setExits(tx, row.id, given.exitIds)
  return wrong ?? row.id
}

/**
 * The last reading does not apply to another account or product, and neither does a reading that is under
 * way: it loses its claim, and the next one may begin.
 */
const notRead = { meter_bytes: null, meter_at: null, claimed_until: null }

/** Replaces the exits of an account; an exit that belonged to another account is moved. */
async function setExits(
  tx: Transaction<DB>,
  accountId: bigint,
  exitIds: readonly bigint[],
): Promise<AccountWrong | null> {
  const ids = [...new Set(exitIds)]
  const there = await tx
    .selectFrom('exit')
    .select('id')
    .where('id', 'in', ids.length === 0 ? [0n] : ids)
    .execute()
  const missing = ids.find((id) => !there.some((exit) => exit.id === id))
  if (missing !== undefined) return { wrong: 'exit', exitId: missing }
  await tx
    .updateTable('seller_account')
    .set(notRead)
    .where('id', '<>', accountId)
    .where('id', 'in', (losing) =>
      losing
        .selectFrom('seller_account_exit')
        .select('account_id')
        .where('exit_id', 'in', ids.length === 0 ? [0n] : ids),
    )
    .execute()
  await tx.deleteFrom('seller_account_exit').where('account_id', '=', accountId).execute()
  await sql`
    insert into seller_account_exit (exit_id, account_id)
    select id, ${accountId}::bigint from unnest(${bigintArray(ids)}::bigint[]) id
    on conflict (exit_id) do update set account_id = excluded.account_id`.execute(tx)
  return null
}

export interface SellerAccountChange {
  counts?: SellerCounts | undefined
  exitIds?: readonly bigint[] | undefined
  /** Replaces all credentials; every part is then due at once. */
  credentials?: Readonly<Record<string, string>> | undefined
}

/** Locks an account until the end of the transaction; false: there is none with this number. */
export async function lockSellerAccount(execute: Execute, db: Kysely<DB>, id: bigint): Promise<boolean> {
  const query = db.selectFrom('seller_account').select('id').where('id', '=', id).forUpdate()
  return (await execute(query.compile())).rows.length > 0
}

/** Changes an account that its caller has locked; null: done. */
export async function changeSellerAccount(
  tx: Transaction<DB>,
  secrets: Secrets,
  id: bigint,
  change: SellerAccountChange,
  now: Date,
): Promise<AccountWrong | null> {
  const row = await tx.selectFrom('seller_account').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  if (change.counts !== undefined)
    await tx.updateTable('seller_account').set({ counts: change.counts }).where('id', '=', id).execute()
  if (change.credentials !== undefined) {
    const adapter = findSeller(row.seller)
    if (adapter === undefined) return { wrong: 'seller' }
    const credentials = credentialsOf(adapter, change.credentials)
    if (isWrong(credentials)) return credentials
    const sealed = secrets.seal(JSON.stringify(credentials), aboutCredentials(row))
    await tx.updateTable('seller_account').set({ credentials_sealed: sealed }).where('id', '=', id).execute()
    await makeDue(tx, id, now)
  }
  if (change.credentials !== undefined || change.exitIds !== undefined)
    await tx.updateTable('seller_account').set(notRead).where('id', '=', id).execute()
  return change.exitIds === undefined ? null : setExits(tx, id, change.exitIds)
}

/**
 * Makes all parts of an account due at once, including suspended ones, and resets their failures.
 */
export async function makeDue(db: Kysely<DB>, id: bigint, now: Date): Promise<void> {
  await db
    .updateTable('seller_reading')
    .set({ due_at: now, failures: 0 })
    .where('account_id', '=', id)
    .execute()
}

/** Removes an account with all its data; false: there is none with this number. */
export async function removeSellerAccount(tx: Transaction<DB>, id: bigint): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('seller_account').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** An account with its credentials, for reading. */
export interface OpenAccount {
  id: bigint
  label: string
  adapter: SellerAdapter
  credentials: Record<string, string>
  /** As they are stored. */
  credentialsSealed: Uint8Array
  pools: Pool[]
  createdAt: Date
}

/**
 * An account with its credentials; null: there is none, its seller is not known here, or the credentials do
 * not open.
 */
export async function openAccount(db: Kysely<DB>, secrets: Secrets, id: bigint): Promise<OpenAccount | null> {
  const row = await db.selectFrom('seller_account').selectAll().where('id', '=', id).executeTakeFirst()
  const adapter = row === undefined ? undefined : findSeller(row.seller)
  if (row === undefined || adapter === undefined) return null
  const credentials = openCredentials(secrets, row)
  if (credentials === null) return null
  const exits = await db
    .selectFrom('seller_account_exit as s')
    .innerJoin('exit', 'exit.id', 's.exit_id')
    .select('exit.pool')
    .distinct()
    .where('s.account_id', '=', id)
    .execute()
  const pools = exits.map(({ pool }) => pool as Pool)
  const { label, credentials_sealed: credentialsSealed, created_at: createdAt } = row
  return { id, label, adapter, credentials, credentialsSealed, pools, createdAt }
}
