import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

describe('the first statement of a transaction, sent with what begins it', () => {
  /** Runs `work` repeatedly on one connection, which knows its prepared statements from the second run on. */
  const onOne = async (work: (db: Db) => Promise<void>) => {
    await database.pool.query('create table if not exists begun (n int primary key)')
    await database.pool.query('truncate begun')
    await database.db.connection().execute(async (connection) => {
      for (let run = 0; run < 3; run++) await work(connection)
    })
  }
  const insert = (db: Db, n: number) => sql`${prepared} insert into begun values (${n}::int)`.execute(db)
  const stored = async (db: Db) =>
    (await sql<{ n: number }>`${prepared} select n from begun order by n`.execute(db)).rows.map(({ n }) => n)
  /** The identity of the transaction in which the statement is executed. */
  const identity = async (db: Db) =>
    (await sql<{ xid: string }>`${prepared} select pg_current_xact_id()::text as xid`.execute(db)).rows[0]
      ?.xid

  it('is in the transaction of the statements after it', () =>
    onOne(async (db) => {
      const [first, second] = await db
        .transaction()
        .execute(async (tx) => [await identity(tx), await identity(tx)])
      expect(first).toBe(second)
      expect(await identity(db)).not.toBe(first)
    }))

  it('is in the same transaction as others that are sent at the same time', () =>
    onOne(async (db) => {
      const all = await db
        .transaction()
        .execute((tx) => Promise.all([identity(tx), sql`select 1`.execute(tx), identity(tx)]))
      expect(all[0]).toBe(all[2])
    }))

  it('is rolled back when a later one fails, and committed otherwise', () =>
    onOne(async (db) => {
      await sql`truncate begun`.execute(db)
      const failing = db.transaction().execute(async (tx) => {
        await insert(tx, 1)
        await sql`select 1 / 0`.execute(tx)
      })
      await expect(failing).rejects.toThrow('division by zero')
      await db.transaction().execute((tx) => insert(tx, 2))
      expect(await stored(db)).toEqual([2])
    }))

  it('may fail, which leaves the connection outside of a transaction', () =>
    onOne(async (db) => {
      await sql`truncate begun`.execute(db)
      await insert(db, 1)
      await expect(db.transaction().execute((tx) => insert(tx, 1))).rejects.toThrow('duplicate key')
      await insert(db, 2)
      expect(await stored(database.db)).toEqual([1, 2])
    }))

  it('has the isolation level and the access mode of the transaction', () =>
    onOne(async (db) => {
      const mode = sql<{ isolation: string; readonly: string }>`${prepared}
        select current_setting('transaction_isolation') as isolation,
          current_setting('transaction_read_only') as readonly`
      const begun = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
      const { rows } = await begun.execute((tx) => mode.execute(tx))
      expect(rows).toEqual([{ isolation: 'repeatable read', readonly: 'on' }])
      expect((await mode.execute(db)).rows).toEqual([{ isolation: 'read committed', readonly: 'off' }])
    }))

  it('is not sent where a transaction has none, whether it succeeds or fails', () =>
    onOne(async (db) => {
      expect(await db.transaction().execute(() => Promise.resolve('done'))).toBe('done')
      const failing = db.transaction().execute(() => Promise.reject(new Error('without a statement')))
      await expect(failing).rejects.toThrow('without a statement')
      await sql`truncate begun`.execute(db)
      await insert(db, 1)
      expect(await stored(database.db)).toEqual([1])
    }))

  it('may have values that cannot be sent, after which the connection is usable', () =>
    onOne(async (db) => {
      const unprintable = {
        toPostgres: () => {
          throw new Error('not printable')
        },
      }
      const wrong = db
        .transaction()
        .execute((tx) => sql`${prepared} select ${unprintable}::text as value`.execute(tx))
      const right = () => sql<{ value: string }>`${prepared} select ${'a'}::text as value`.execute(db)
      await expect(wrong).rejects.toThrow('not printable')
      expect((await right()).rows).toEqual([{ value: 'a' }])
      const { rows } = await sql<{ alone: boolean }>`
        select pg_current_xact_id_if_assigned() is null as alone, now() = statement_timestamp() as fresh`.execute(
        db,
      )
      expect(rows).toEqual([{ alone: true, fresh: true }])
    }))
})
