/**
 * What the database keeps sealed with SECRET_KEY: whether the key is the right one, and how everything gets another one.
 * A slice tells of its own sealed values with a `SealedColumn`.
 */
import { type Kysely, sql } from 'kysely'
import { openOrNull, SealBroken, type Secrets } from '#lib/secret'
import type { DB } from './schema.ts'
import { transaction } from './transaction.ts'

export interface SealedValue {
  /** The key of its row, in the order of which `read` answers. */
  key: string
  sealed: Buffer
  /** What it was sealed about: see Secrets. */
  about: string
  /** What the operator calls it. */
  name: string
}

export interface SealedColumn {
  /** What it holds, in the plural, for the operator. */
  what: string
  /** The next values behind the row `after`; null: from the first. */
  read(db: Kysely<DB>, page: { after: string | null; limit: number }): Promise<SealedValue[]>
  /** Puts another sealed value in its place, unless it has been changed since it was read; answers whether it did. */
  write(tx: Kysely<DB>, value: SealedValue, sealed: Buffer): Promise<boolean>
}

/**
 * Replaces a sealed value in a column of a table whose rows have a bigint id, unless it has been changed since it was read:
 * the `write` of most columns.
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

/** How the sealed values of a column stand. */
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

/** Undefined: it cannot be opened. */
function resealed(secrets: Secrets, sealed: Buffer, about: string): Buffer | null | undefined {
  try {
    return secrets.reseal(sealed, about)
  } catch (error) {
    if (error instanceof SealBroken) return undefined
    throw error
  }
}

/**
 * Seals everything anew that the old key has sealed, page by page, each in a transaction of its own: begun again after
 * an interruption it passes over what is done. What cannot be opened stays as it is. The check of the key is the last.
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
 * Whether the key of this process is the database's. A database without a check gets one when everything sealed in it
 * opens; `unproven`: it got none, because only a part does.
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
    // Another process may have been first, with another key.
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const made = await checkOf(db)
  return made === undefined ? 'unproven' : opens(secrets, made)
}

const opens = (secrets: Secrets, sealed: Buffer) =>
  openOrNull(secrets, sealed, aboutCheck) === checkText ? 'right' : 'wrong'

/** Makes the key of this process the database's, whatever it opens: for a database whose key is lost. */
export async function acceptSecretKey(db: Kysely<DB>, secrets: Secrets): Promise<void> {
  const sealed = secrets.seal(checkText, aboutCheck)
  await db
    .insertInto('secret_key_check')
    .values({ sealed })
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ sealed, made_at: sql<Date>`now()` }))
    .execute()
}
