import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from 'node:child_process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { testDatabase } from '#test/database'
import { type Database, migrate } from './db.ts'

let database: Database
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-migrations-'))
  database = await testDatabase()
  // Remove what the shipped migrations created.
  await database.pool.query('drop schema public cascade; create schema public')
})
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

const write = (name: string, text: string) => writeFile(join(folder, name), text)

async function values(text: string): Promise<unknown[]> {
  const { rows } = await database.pool.query<unknown[]>({ text, rowMode: 'array' })
  return rows.flat()
}

const applied = () => values('select name from migration order by name')

it('the migration applies the shipped migrations, once', async () => {
  const names = await migrate(database)
  expect(names).toEqual(names.toSorted())
  expect(names).toContain('0001_customers.sql')
  expect(await migrate(database)).toEqual([])
  expect(await applied()).toEqual(names)
})

it('the migration applies files in the order of their names, and only new ones', async () => {
  await write('0002_more.sql', `insert into fruit values ('apple'); insert into fruit values ('pear');`)
  await write('0001_fruit.sql', 'create table fruit (name text);')
  await write('README.md', 'not a migration')
  expect(await migrate(database, folder)).toEqual(['0001_fruit.sql', '0002_more.sql'])
  await write('0003_last.sql', `-- the end\ninsert into fruit values ('plum')`)
  expect(await migrate(database, folder)).toEqual(['0003_last.sql'])
  expect(await values('select name from fruit order by name')).toEqual(['apple', 'pear', 'plum'])
})

it('the migration rolls back a file that fails, keeps those before it, and reports why', async () => {
  await write('0001_fruit.sql', 'create table fruit (name text);')
  await write('0002_bad.sql', `insert into fruit values ('apple'); insert into vegetable values ('leek')`)
  await expect(migrate(database, folder)).rejects.toThrow(
    'The migration 0002_bad.sql failed and was undone: relation "vegetable" does not exist.',
  )
  expect(await applied()).toEqual(['0001_fruit.sql'])
  expect(await values('select count(*) from fruit')).toEqual([0n])
})

it('the migration refuses an applied file that was changed, but not one whose line ends were', async () => {
  await write('0001_fruit.sql', 'create table fruit (\n  name text\n);\n')
  await migrate(database, folder)
  await write('0001_fruit.sql', 'create table fruit (\r\n  name text\r\n);\r\n')
  expect(await migrate(database, folder)).toEqual([])
  await write('0001_fruit.sql', 'create table fruit (\n  name text, colour text\n);\n')
  await write('0002_more.sql', 'create table nut ()')
  await expect(migrate(database, folder)).rejects.toThrow(/^The migration 0001_fruit.sql was changed after/)
  expect(await applied()).toEqual(['0001_fruit.sql'])
})

it('the migration refuses a database that is newer than the code, or was made by other files', async () => {
  await write('0001_fruit.sql', 'create table fruit ()')
  await write('0002_nut.sql', 'create table nut ()')
  await migrate(database, folder)
  await rename(join(folder, '0002_nut.sql'), join(folder, 'aside'))
  await expect(migrate(database, folder)).rejects.toThrow(
    /^The database is newer than this Turnpike: it has 0002_nut\.sql/,
  )
  await rename(join(folder, 'aside'), join(folder, '0002_nut.sql'))
  await rename(join(folder, '0001_fruit.sql'), join(folder, 'aside'))
  await expect(migrate(database, folder)).rejects.toThrow(
    'The database was migrated by 0001_fruit.sql, which this Turnpike does not have.',
  )
})

it('the migration refuses a database of a development version, whichever of its files were applied, and explains what to do', async () => {
  const refusal =
    'The database was made by an unreleased development version of Turnpike and cannot be upgraded: export what you need with that version, then start this one with a new DATA_DIR, or with an empty database in DATABASE_URL.'
  await write('0001_accounts_and_sessions.sql', 'create table account (id bigint)')
  await migrate(database, folder)
  await expect(migrate(database)).rejects.toThrow(refusal)
  await write('0002_ledger.sql', 'create table ledger_account ()')
  await write('9999_newer_than_ours.sql', 'create table fruit ()')
  const names = await migrate(database, folder)
  await expect(migrate(database)).rejects.toThrow(refusal)
  expect(await applied()).toEqual(['0001_accounts_and_sessions.sql', ...names])
  expect(await values(`select count(*) from pg_class where relname in ('session', 'lease')`)).toEqual([0n])
})

it('the migration refuses a new file whose name sorts before an applied one', async () => {
  await write('0002_nut.sql', 'create table nut ()')
  await migrate(database, folder)
  await write('0001_fruit.sql', 'create table fruit ()')
  await expect(migrate(database, folder)).rejects.toThrow(
    'The migration 0001_fruit.sql comes before 0002_nut.sql, which has been applied already.',
  )
})

it('the migration gives up waiting for a table that is in use', { timeout: 20_000 }, async () => {
  await write('0001_fruit.sql', 'create table fruit ()')
  await migrate(database, folder)
  const reader = await database.pool.connect()
  await reader.query('begin; select from fruit')
  await write('0002_colour.sql', 'alter table fruit add column colour text')
  await expect(migrate(database, folder)).rejects.toThrow('canceling statement due to lock timeout')
  await reader.query('commit')
  reader.release()
  expect(await migrate(database, folder)).toEqual(['0002_colour.sql'])
})

it('the migration is safe for several processes that start at once', async () => {
  await cp(fileURLToPath(new URL('../../migrations/', import.meta.url)), folder, { recursive: true })
  const door = fileURLToPath(new URL('db.ts', import.meta.url))
  const program = `
    import { migrate, openDatabase } from ${JSON.stringify(door)}
    const database = await openDatabase({ databaseUrl: ${JSON.stringify(database.url)}, dataDir: '', role: 'guest' })
    console.log((await migrate(database, ${JSON.stringify(folder)})).length)
    await database.close()
  `
  const start = () =>
    new Promise<number>((resolve, reject) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = ''
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
      child.once('close', (code) =>
        code === 0 ? resolve(Number(said)) : reject(new Error(`ended with ${code}`)),
      )
    })
  const counts = await Promise.all([start(), start(), start()])
  const all = await applied()
  expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, all.length])
})
