/**
 * Values in the database that are sealed with SECRET_KEY: the check of the key, and its replacement. A slice
 * declares each of its sealed columns with a `SealedColumn`.
 */
import { type Kysely, sql } from 'kysely'
import { openOrNull, SealBroken, type Secrets } from '#lib/secret'
import type { DB } from './schema.ts'
import { transaction } from './transaction.ts'

export interface SealedValue {
  /** The key of its row; `read` returns rows in the order of their keys. */
  key: string
  sealed: Buffer
  /** The context it was sealed with: see Secrets. */
  about: string
  /** Its name in messages to the operator. */
  name: string
}

export interface SealedColumn {
  /** What it contains, in the plural, for messages to the operator. */
  what: string
  /** The next values behind the row `after`; null: from the first. */
  read(db: Kysely<DB>, page: { after: string | null; limit: number }): Promise<SealedValue[]>
  /** Replaces the sealed value, unless it has been changed since it was read; returns whether it did. */
  write(tx: Kysely<DB>, value: SealedValue, sealed: Buffer): Promise<boolean>
}

/**
 * Replaces a sealed value in a column of a table whose rows have a bigint id, unless it has been changed
 * since it was read: the `write` of most columns.
 */
export const replacesIn =
  ({ table, id, column }: { table: keyof DB; id: string; column: string }): SealedColumn['write'] =>
  async (tx, { key, sealed: before }, sealed) => {
    const done = await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
      where ${sql.ref(id)} = ${key}::bigint and ${sql.ref(column)} = ${before}`.execute(tx)
    return (done.numAffectedRows ?? 0n) > 0n
  }

const pageSize = 500

async function* pagesOf(db: Kysely<DB>, column: SealedColumn): AsyncGenerator<SealedValue[]> {
  let after: string | null = null
  for (;;) {
    const page: SealedValue[] = await column.read(db, { after, limit: pageSize })
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.key
  }
}

/** The sealed values of a column, counted by the key that opens them. */
export interface SealedCount {
  what: string
  all: number
  /** Sealed with the old key. */
  old: number
  /** Opened by no key of this process. */
  unopened: number
  /** The names of the first of these. */
  named: string[]
}

const mostNamed = 20

/** Tries every sealed value with the keys of this process. */
export async function countSealed(
  db: Kysely<DB>,
  secrets: Secrets,
  columns: readonly SealedColumn[],
): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const column of columns) {
    const count: SealedCount = { what: column.what, all: 0, old: 0, unopened: 0, named: [] }
    for await (const page of pagesOf(db, column))
      for (const { sealed, about, name } of page) {
        count.all += 1
        const state = stateOf(secrets, sealed, about)
        if (state === 'old') count.old += 1
        if (state !== 'unopened') continue
        count.unopened += 1
        if (count.named.length < mostNamed) count.named.push(name)
      }
    counts.push(count)
  }
  return counts
}

function stateOf(secrets: Secrets, sealed: Buffer, about: string): 'present' | 'old' | 'unopened' {
  const anew = resealed(secrets, sealed, about)
  return anew === undefined ? 'unopened' : anew === null ? 'present' : 'old'
}

/** The value sealed with the new key; null: it is already; undefined: no key opens it. */
function resealed(secrets: Secrets, sealed: Buffer, about: string): Buffer | null | undefined {
  try {
    return secrets.reseal(sealed, about)
  } catch (error) {
    if (error instanceof SealBroken) return undefined
    throw error
  }
}

/**
 * Seals every value of the old key with the new key, page by page, each page in a transaction of its own;
 * after an interruption it may be run again and skips what is done. Values that no key opens stay as they
 * are. The check of the key is replaced last.
 */
export async function resealAll(
  db: Kysely<DB>,
  secrets: Secrets,
  columns: readonly SealedColumn[],
): Promise<{ what: string; resealed: number }[]> {
  const done: { what: string; resealed: number }[] = []
  for (const column of [...columns, keyCheck]) {
    let count = 0
    for await (const page of pagesOf(db, column))
      count += await transaction(db, async (tx) => {
        let written = 0
        for (const value of page) {
          const sealed = resealed(secrets, value.sealed, value.about)
          if (sealed != null && (await column.write(tx, value, sealed))) written += 1
        }
        return written
      })
    done.push({ what: column.what, resealed: count })
  }
  return done
}

const checkText = 'the key of this database'
const aboutCheck = 'secret-key-check'

const keyCheck: SealedColumn = {
  what: 'checks of the key',
  async read(db, { after }) {
    if (after !== null) return []
    const row = await checkOf(db)
    return row === undefined ? [] : [{ key: '1', sealed: row, about: aboutCheck, name: 'the check' }]
  },
  async write(tx, { sealed: before }, sealed) {
    const done = await tx
      .updateTable('secret_key_check')
      .set({ sealed, made_at: sql<Date>`now()` })
      .where('sealed', '=', before)
      .executeTakeFirst()
    return done.numUpdatedRows > 0n
  },
}

const checkOf = async (db: Kysely<DB>) =>
  (await db.selectFrom('secret_key_check').select('sealed').executeTakeFirst())?.sealed

/**
 * Checks whether the key of this process is the database's. A database without a check gets one when the key
 * opens every sealed value in it; `unproven`: it gets none, because the key opens only some.
 */
export async function checkSecretKey(
  db: Kysely<DB>,
  secrets: Secrets,
  columns: readonly SealedColumn[],
): Promise<'right' | 'wrong' | 'unproven'> {
  const known = await checkOf(db)
  if (known !== undefined) return opens(secrets, known)
  const counts = await countSealed(db, secrets, columns)
  const all = counts.reduce((sum, count) => sum + count.all, 0)
  const unopened = counts.reduce((sum, count) => sum + count.unopened, 0)
  if (unopened > 0) return unopened === all ? 'wrong' : 'unproven'
  await db
    .insertInto('secret_key_check')
    .values({ sealed: secrets.seal(checkText, aboutCheck) })
    // Another process may have inserted a check first, with another key.
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const made = await checkOf(db)
  return made === undefined ? 'unproven' : opens(secrets, made)
}

const opens = (secrets: Secrets, sealed: Buffer) =>
  openOrNull(secrets, sealed, aboutCheck) === checkText ? 'right' : 'wrong'

/**
 * Makes the key of this process the database's, even if it opens nothing: for a database whose key is lost.
 */
export async function acceptSecretKey(db: Kysely<DB>, secrets: Secrets): Promise<void> {
  const sealed = secrets.seal(checkText, aboutCheck)
  await db
    .insertInto('secret_key_check')
    .values({ sealed })
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ sealed, made_at: sql<Date>`now()` }))
    .execute()
}
