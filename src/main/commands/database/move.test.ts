/** `turnpike database move`: to a server of the operator's, back into DATA_DIR, and what it refuses. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { DatabaseUnavailable, openDatabase } from '#db'
import { readMark } from '#db/move'
import { type App, app, testSecretKey } from '#test/app'
import { openMigrated } from '../../services.ts'
import { readSettings } from '../../settings/settings.ts'
import { verifyBooks } from '../../books.ts'
import { databaseCommands } from './move.ts'

const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-move-'))
const names = ['moved_to', 'moved_on'].map((name) => `${name}_${process.pid}`)
let shop: App
let source = ''
let [target = '', further = ''] = names

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('testServerUrl') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

beforeAll(async () => {
  shop = await app()
  source = shop.database.url
  const at = (name: string) => Object.assign(new URL(inject('testServerUrl')), { pathname: `/${name}` }).href
  ;[target, further] = [at(names[0] ?? ''), at(names[1] ?? '')]
  for (const name of names) await administer(`create database ${name}`)
  const customer = await shop.customer()
  await shop.buy(customer, { pool: 'mobile', gb: 3 })
  await shop.buy(customer, { pool: 'residential', gb: 1 })
  // A month and a day that the target's migrations do not make, and a row in the month.
  await shop.database.pool.query(`select make_month_partition('usage_hour', '2024-02-01')`)
  await shop.database.pool.query(`create table connection_record_20240203 partition of connection_record
    for values from ('2024-02-03') to ('2024-02-04')`)
})
afterAll(async () => {
  await shop.close()
  for (const name of names) await administer(`drop database if exists ${name} with (force)`)
  rmSync(dataDir, { recursive: true, force: true })
})

/** What a command prints, or the sentence that refuses it, in the shop of these settings. */
async function run(env: Record<string, string>, ...words: string[]): Promise<string> {
  let said = ''
  for (const [name, value] of Object.entries({ SECRET_KEY: testSecretKey, DATA_DIR: dataDir, ...env }))
    vi.stubEnv(name, value)
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += String(text)
    return true
  })
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const program = new Command('turnpike').exitOverride()
  databaseCommands(program)
  try {
    await program.parseAsync(['database', ...words], { from: 'user' })
    return said
  } catch (error) {
    return (error as Error).message
  } finally {
    out.mockRestore()
    err.mockRestore()
    vi.unstubAllEnvs()
  }
}

/** A digest of every table, and how the database is built. */
async function contentOf(url: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const found = new Map<string, string>()
    const { rows } = await client.query<{ name: string; kind: string }>(
      `select oid::regclass::text as name, relkind as kind from pg_class where relkind in ('r', 'p', 'S')
         and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and relname <> 'database_move'`,
    )
    for (const { name, kind } of rows) {
      const value =
        kind === 'S'
          ? `select last_value || ' ' || is_called as it from ${name}`
          : `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as it from ${name} t`
      found.set(name, (await client.query<{ it: string }>(value)).rows[0]?.it ?? '')
    }
    const built = {
      keys: `select conrelid::regclass || ' ' || pg_get_constraintdef(oid) as it from pg_constraint
             where contype = 'f' and conparentid = 0`,
      triggers: `select tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text as it from pg_trigger where not tgisinternal`,
    }
    for (const [name, statement] of Object.entries(built)) {
      const all = await client.query<{ it: string }>(statement)
      found.set(
        name,
        all.rows
          .map(({ it }) => it)
          .toSorted()
          .join('\n'),
      )
    }
    return found
  } finally {
    await client.end()
  }
}

/** The difference between two databases, by table. */
async function differs(one: string, other: string): Promise<string[]> {
  const [a, b] = [await contentOf(one), await contentOf(other)]
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name))
}

const openedWith = (env: Record<string, string>) =>
  openMigrated(readSettings({ SECRET_KEY: testSecretKey, DATA_DIR: dataDir, ...env }, dataDir), 'guest')

const connectTo = async (url: string, name = 'test') => {
  const client = new pg.Client({ connectionString: url, application_name: name })
  await client.connect()
  return client
}

it('turnpike database move refuses a shop that runs, an address without a shop, and a target with tables of others', async () => {
  const part = await connectTo(source, 'turnpike, process 1')
  expect(await run({ DATABASE_URL: source }, 'move', '--to', target)).toContain(
    'The shop is running (turnpike, process 1): stop all of its parts',
  )
  await part.end()
  expect(await run({ DATABASE_URL: further }, 'move', '--to', target)).toContain('holds no shop')
  expect(await run({}, 'move', '--to', target)).toContain('There is no database in')
  const other = await connectTo(target)
  await other.query('create table of_others (id int)')
  expect(await run({ DATABASE_URL: source }, 'move', '--to', target)).toContain(
    'is not empty: nothing was copied',
  )
  await other.query('drop table of_others')
  await other.end()
})

it('turnpike database move refuses while a transaction changes the shop', async () => {
  const writer = await connectTo(source)
  await writer.query('begin')
  await writer.query('lock table invoice in row exclusive mode')
  expect(await run({ DATABASE_URL: source }, 'move', '--to', target)).toContain(
    'The shop is changing its database: stop all of its parts first.',
  )
  await writer.end()
})

it('an interrupted copy is not opened, and starts over', async () => {
  await expect(openedWith({ DATABASE_URL: target })).rejects.toThrow(
    /This database is an unfinished copy of test_\w+ on .*run turnpike database move again/,
  )
  const half = await connectTo(target)
  expect((await half.query('select count(*)::int as rows from account')).rows).toEqual([{ rows: 0 }])
  await half.query('create table left_behind (id int)')
  await half.end()
  const said = await run({ DATABASE_URL: source }, 'move', '--to', target)
  expect(said).toMatch(
    /rows in \d+ tables, \d+ s\. Its books are in order there\.\nSet DATABASE_URL to the address/,
  )
  expect(said).not.toContain('@')
})

it('the copy has every row, sequence, key and trigger, and sells; the old database is closed', async () => {
  expect(await differs(source, target)).toEqual([])
  await expect(openedWith({ DATABASE_URL: source })).rejects.toThrow(DatabaseUnavailable)
  expect(await run({ DATABASE_URL: source }, 'move', '--to', further)).toContain('is not in use (moved')
  const services = await openedWith({ DATABASE_URL: target })
  expect(await verifyBooks(services.database.db)).toEqual([])
  await expect(services.database.pool.query('update ledger_entry set month = month')).rejects.toThrow(
    /append-only|refused|immutable|never change/i,
  )
  await services.database.close()
})

it('turnpike database move moves back into DATA_DIR, and again from there to an address in a file', async () => {
  const said = await run({ DATABASE_URL: target }, 'move', '--to', 'embedded')
  expect(said).toContain('Remove DATABASE_URL and DATABASE_REPLICA_URL from the settings')
  const embedded = await openDatabase({ dataDir, role: 'guest' })
  expect(await differs(target, embedded.url)).toEqual([])
  await embedded.close()
  expect(await run({}, 'move', '--to', 'embedded')).toContain('The shop is in')
  const file = path.join(dataDir, 'address')
  expect(await run({}, 'move', '--to', `@${file}`)).toContain('cannot be read')
  writeFileSync(file, `${further}\n`)
  expect(await run({}, 'move', '--to', `@${file}`)).toContain('The old database stays in DATA_DIR/postgres')
  expect(await differs(target, further)).toEqual([])
  await expect(openedWith({})).rejects.toThrow(/This shop was moved to moved_on/)
})

it('a database that was moved is opened again on purpose only', async () => {
  expect(await run({}, 'reopen')).toContain('confirmation needs a terminal')
  expect(await run({}, 'reopen', '--yes')).toBe('It can be started again.\n')
  expect(await run({}, 'reopen', '--yes')).toContain('is in use already')
  const services = await openedWith({})
  expect(await readMark(services.database.pool)).toBeNull()
  await services.database.close()
})
