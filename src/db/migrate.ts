import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { errorCode } from './connections/errors.ts'
import { DatabaseUnavailable } from './connections/unavailable.ts'

const shipped = fileURLToPath(new URL('../../migrations/', import.meta.url))

/** The session lock under which one process at a time migrates; "turn" and "migr" in ASCII. */
const lock = [0x7475726e, 0x6d696772]

/**
 * The first file of the development versions, whose files were replaced by the present ones before 0.1.0.
 * Every database that these versions created has recorded it, and no present file has this name.
 */
const firstOfDevelopment = '0001_accounts_and_sessions.sql'

interface Migration {
  name: string
  text: string
  sha256: string
}

/**
 * Applies the files of `folder` that the database has not recorded, in the order of their names, each in its
 * own transaction, and returns their names. Safe to call from several processes at once. Refuses, with a
 * sentence and without changing anything, a database that is newer than the code, or was created by other
 * files or a development version.
 *
 * Kysely's Migrator is not used because it keeps no checksums (an edited file would go unnoticed) and runs
 * all files in one transaction, which would hold the locks of the first file until the last one is done.
 */
export async function migrate(database: { pool: pg.Pool }, folder: string = shipped): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const client = await database.pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await waitForTurn(client)
    await client.query(`create table if not exists migration (
      name text primary key,
      sha256 text not null,
      applied_at timestamptz not null default now()
    )`)
    const pending = await findPending(client, migrations)
    for (const migration of pending) await apply(client, migration)
    return pending.map((migration) => migration.name)
  } finally {
    // Closing the connection releases its lock and discards its settings.
    client.release(true)
  }
}

/**
 * The files that `migrate` would apply, in that order, and the newest applied file (null: there is none).
 * Changes nothing; refuses what `migrate` refuses.
 */
export async function pendingMigrations(
  database: { pool: pg.Pool },
  folder: string = shipped,
): Promise<{ newest: string | null; pending: string[] }> {
  const migrations = await readMigrations(folder)
  const client = await database.pool.connect()
  try {
    const { rows } = await client.query<{ isThere: boolean }>(
      `select to_regclass('migration') is not null as "isThere"`,
    )
    if (rows[0]?.isThere !== true) return { newest: null, pending: migrations.map(({ name }) => name) }
    const pending = (await findPending(client, migrations)).map(({ name }) => name)
    return { newest: migrations.findLast(({ name }) => !pending.includes(name))?.name ?? null, pending }
  } finally {
    client.release()
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      // A checkout may convert line ends, which does not change what the file does.
      const text = (await readFile(`${folder}/${name}`, 'utf8')).replaceAll('\r\n', '\n')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

async function waitForTurn(client: pg.PoolClient): Promise<void> {
  await client.query(`set lock_timeout = '120s'`)
  try {
    await client.query('select pg_advisory_lock($1, $2)', lock)
  } catch (error) {
    if (errorCode(error) !== '55P03') throw error
    throw new DatabaseUnavailable(
      'Another process has been migrating the database for two minutes: try again later.',
    )
  }
}

async function findPending(client: pg.PoolClient, migrations: Migration[]): Promise<Migration[]> {
  const { rows: applied } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from migration order by name',
  )
  const newest = applied.at(-1)?.name ?? ''
  const ours = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { name, sha256 } of applied) {
    const migration = ours.get(name)
    if (migration === undefined)
      throw new DatabaseUnavailable(whyUnknown(name, migrations.at(-1)?.name ?? ''))
    if (migration.sha256 !== sha256)
      throw new DatabaseUnavailable(
        `The migration ${name} was changed after it had been applied: undo the change and add a new file instead.`,
      )
  }
  const done = new Set(applied.map((row) => row.name))
  const pending = migrations.filter((migration) => !done.has(migration.name))
  const late = pending.find((migration) => migration.name < newest)
  if (late !== undefined)
    throw new DatabaseUnavailable(
      `The migration ${late.name} comes before ${newest}, which has been applied already.`,
    )
  return pending
}

/** Explains why the database has recorded a file that this release does not have. */
function whyUnknown(name: string, newestOfOurs: string): string {
  if (name === firstOfDevelopment)
    return 'The database was made by an unreleased development version of Turnpike and cannot be upgraded: export what you need with that version, then start this one with a new DATA_DIR, or with an empty database in DATABASE_URL.'
  if (name > newestOfOurs)
    return `The database is newer than this Turnpike: it has ${name}. Start the version it was migrated by, or a newer one.`
  return `The database was migrated by ${name}, which this Turnpike does not have.`
}

/**
 * Gives up after 5 s of waiting for a table, so that a long query elsewhere does not make all others queue
 * behind us.
 */
async function apply(client: pg.PoolClient, { name, text, sha256 }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = '5s'`)
    await client.query(text)
    await client.query('insert into migration (name, sha256) values ($1, $2)', [name, sha256])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    if (errorCode(error) === undefined) throw error
    throw new DatabaseUnavailable(
      `The migration ${name} failed and was undone: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}
