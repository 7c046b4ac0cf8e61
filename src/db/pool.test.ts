import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDatabase } from '#test/database'
import { type Database, type Db, openDatabase, prepared, transaction } from './db.ts'

let database: Database

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

it('prepared SQL is parsed once on each connection, and other statements are not kept', async () => {
  await database.db.connection().execute(async (connection) => {
    const sum = async (a: bigint, b: bigint) =>
      (await sql<{ sum: bigint }>`${prepared} select ${a}::bigint + ${b}::bigint as sum`.execute(connection))
        .rows[0]?.sum
    expect([await sum(1n, 2n), await sum(3n, 4n), await sum(5n, 6n)]).toEqual([3n, 7n, 11n])
    await sql`select ${1n}::bigint as other`.execute(connection)
    const { rows } = await sql<{ statement: string; runs: bigint }>`
      select statement, generic_plans + custom_plans as runs from pg_prepared_statements`.execute(connection)
    expect(rows).toEqual([{ statement: expect.stringContaining('as sum'), runs: 3n }])
  })
})

it('prepared SQL returns results in the order of the queries, and works again after a failure', async () => {
  const half = (n: number) =>
    sql<{ n: number }>`${prepared} select 10 / ${n}::int as n`
      .execute(database.db)
      .then(({ rows }) => rows[0]?.n)
  await expect(half(0)).rejects.toThrow('division by zero')
  expect(await Promise.all([half(1), half(2), half(5)])).toEqual([10, 5, 2])
})

/** The texts that a connection has prepared, of those with the mark. */
const keptIn = async (connection: Db, mark: string) => {
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements where statement like ${`%${mark}%`}`.execute(connection)
  return rows.length
}

it('a statement that is sent repeatedly is prepared, and one without a plan never', async () => {
  await database.db.connection().execute(async (connection) => {
    const twice = async (n: number) =>
      (await sql<{ n: number }>`select 2 * ${n}::int as n, 'repeated' as mark`.execute(connection)).rows[0]?.n
    expect(await twice(1)).toBe(2)
    expect(await keptIn(connection, 'repeated')).toBe(0)
    for (let n = 0; n < 12; n++) {
      expect(await twice(n)).toBe(2 * n)
      await sql`set application_name = 'repeated'`.execute(connection)
    }
    expect(await keptIn(connection, 'repeated')).toBe(1)
  })
})

it('a statement whose prepared plan is outdated is repeated, alone and in a transaction', async () => {
  const other = await openDatabase({ databaseUrl: database.url, dataDir: '', role: 'guest' })
  await database.pool.query('create table altered (a bigint)')
  await database.pool.query('insert into altered values (1)')
  const all = async (db: Db) => (await sql`${prepared} select * from altered`.execute(db)).rows
  const several = () =>
    Promise.all(Array.from({ length: 7 }, () => transaction(other.db, async (tx) => all(tx))))
  try {
    await several()
    await database.pool.query('alter table altered add b bigint')
    expect(await all(other.db)).toEqual([{ a: 1n, b: null }])
    await several()
    await database.pool.query('alter table altered drop b')
    for (const rows of await several()) expect(rows).toEqual([{ a: 1n }])
  } finally {
    await other.close()
  }
})
