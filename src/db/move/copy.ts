/**
 * Copies all rows of a shop's database into another one whose schema the migrations have just made. A dump is
 * not used: a release has no pg_dump, and a pg_dump of another version refuses the server. All rows come from
 * one snapshot and are written in one transaction: an interrupted copy leaves no row in the target.
 */
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { errorCode } from '../connections/errors.ts'
import { DatabaseUnavailable } from '../connections/unavailable.ts'
export { readMark, removeMark, setMark } from './mark.ts'
export { dropTables, isEmptyDatabase } from './tables.ts'
import { type CopiedTable, foreignKeysOf, partitionsOf, sequencesOf, tablesOf, triggersOf } from './tables.ts'

interface Copied {
  tables: number
  rows: number
  bytes: number
}

/** Called after each table. */
type Progress = (table: string, copied: Omit<Copied, 'tables'>) => void

/**
 * Copies the rows, the positions of sequences and the partitions. The tables of the source are locked against
 * changes until `committed` has ended: a process of the shop that starts meanwhile waits. Refuses, with a
 * sentence, a source that is in use, and a target with other tables.
 */
export async function copyDatabase(
  databases: { source: pg.Pool; target: pg.Pool },
  progress: Progress,
  committed: () => Promise<void>,
): Promise<Copied> {
  const source = await databases.source.connect()
  const target = await databases.target.connect()
  try {
    for (const client of [source, target]) await client.query(sessionSettings)
    const tables = await tablesOf(source)
    await source.query('begin isolation level repeatable read')
    // Before the first query, whose snapshot then sees everything that the locks have waited for.
    await lockAll(source, tables)
    await target.query('begin')
    const copied = await fill(source, target, progress)
    await target.query('commit')
    await committed()
    return copied
  } finally {
    // Closing the connections ends their transactions and settings.
    source.release(true)
    target.release(true)
  }
}

/** Settings for texts that every version reads in the same way, and for no limit on the time of a table. */
const sessionSettings = `set statement_timeout = 0; set lock_timeout = '5s'; set idle_in_transaction_session_timeout = 0;
  set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 3;
  set bytea_output = 'hex'; set client_encoding = 'UTF8'`

async function lockAll(source: pg.ClientBase, tables: readonly CopiedTable[]): Promise<void> {
  try {
    await source.query(`lock table ${tables.map(({ name }) => name).join(', ')} in share mode`)
  } catch (error) {
    if (errorCode(error) !== '55P03') throw error
    throw new DatabaseUnavailable('The shop is changing its database: stop all of its parts first.')
  }
}

async function fill(source: pg.ClientBase, target: pg.ClientBase, progress: Progress): Promise<Copied> {
  await makePartitions(source, target)
  const tables = await tablesOf(source)
  compare(tables, await tablesOf(target))
  const [keys, triggers] = [await foreignKeysOf(target), await triggersOf(target)]
  for (const statement of [...triggers.off, ...keys.drop]) await target.query(statement)
  // The source also contains what the migrations have written into the target.
  await target.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  const sum = { tables: tables.length, rows: 0, bytes: 0 }
  for (const table of tables) {
    const copied = await copyTable(source, target, table)
    sum.rows += copied.rows
    sum.bytes += copied.bytes
    progress(table.name, copied)
  }
  await setSequences(source, target)
  for (const statement of [...keys.add, ...triggers.on]) await target.query(statement)
  for (const { name } of tables) await target.query(`analyze ${name}`)
  return sum
}

/** Makes the partitions that the source has and the migrations do not make: those of past days and months. */
async function makePartitions(source: pg.ClientBase, target: pg.ClientBase): Promise<void> {
  const there = new Set((await partitionsOf(target)).map(({ name }) => name))
  for (const { name, parent, bound, month } of await partitionsOf(source)) {
    if (there.has(name)) continue
    if (month !== null) await target.query('select make_month_partition($1, $2::date)', [parent, month])
    else await target.query(`create table ${quoted(name)} partition of ${quoted(parent)} ${bound}`)
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

function compare(source: readonly CopiedTable[], target: readonly CopiedTable[]): void {
  const shapeOf = ({ name, columns }: CopiedTable) => `${name} (${columns.join(', ')})`
  const [ours, theirs] = [new Set(source.map(shapeOf)), new Set(target.map(shapeOf))]
  const others = [
    ...[...ours].filter((one) => !theirs.has(one)),
    ...[...theirs].filter((one) => !ours.has(one)),
  ]
  if (others.length > 0)
    throw new DatabaseUnavailable(
      `The tables of both databases differ: ${others.slice(0, 3).join('; ')}. Upgrade the shop to this release first.`,
    )
}

/** Streams a table: at most what both connections buffer is in memory. */
async function copyTable(
  source: pg.ClientBase,
  target: pg.ClientBase,
  { name, columns }: CopiedTable,
): Promise<{ rows: number; bytes: number }> {
  if (columns.length === 0) return { rows: 0, bytes: 0 }
  const list = columns.join(', ')
  const read = source.query(copyTo(`copy (select ${list} from ${name}) to stdout`))
  const write = target.query(copyFrom(`copy ${name} (${list}) from stdin`))
  let bytes = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length
      next(null, chunk)
    },
  })
  await pipeline(read, count, write)
  const [sent, received] = [Number(read.rowCount), Number(write.rowCount)]
  const { rows } = await target.query<{ rows: bigint | string }>(`select count(*) as rows from ${name}`)
  const stored = Number(rows[0]?.rows ?? 0)
  if (sent !== received || sent !== stored)
    throw new DatabaseUnavailable(
      `${name} has ${sent} rows, of which ${stored} arrived: nothing was kept. Try again.`,
    )
  return { rows: sent, bytes }
}

/** Sets each sequence to its position in the source, so that no number is given a second time. */
async function setSequences(source: pg.ClientBase, target: pg.ClientBase): Promise<void> {
  const there = new Set(await sequencesOf(target))
  for (const name of await sequencesOf(source)) {
    if (!there.has(name)) continue
    const { rows } = await source.query<{ last: bigint | string; called: boolean }>(
      `select last_value as last, is_called as called from ${name}`,
    )
    const [at] = rows
    if (at !== undefined)
      await target.query('select setval($1::regclass, $2, $3)', [name, at.last, at.called])
  }
}
