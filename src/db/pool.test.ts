import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDatabase } from '#test/database'
import { type Database, prepared } from './db.ts'

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
