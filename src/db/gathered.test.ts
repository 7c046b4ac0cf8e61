import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Database, gathered, transaction } from '#db'
import { testDatabase } from '#test/database'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

/** The keys of the statements sent, and what each statement waits for before it is sent. */
let sent: string[][]
let gates: Promise<unknown>[]
beforeEach(async () => {
  sent = []
  gates = []
  await database.db.deleteFrom('price').execute()
})

const priceOf = gathered<string, bigint>(async (db, pools) => {
  sent.push([...pools])
  await gates[sent.length - 1]
  const rows = await db
    .selectFrom('price')
    .select(['pool', 'per_gb_micros'])
    .where('pool', '=', sql<string>`any(${pools}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.pool, row.per_gb_micros]))
})

const write = (pool: string, price: bigint, db = database.db) =>
  db.insertInto('price').values({ pool, per_gb_micros: price }).execute()

it('reads what is asked for during a statement with the next one, each key once', async () => {
  await write('residential', 5n)
  const first = priceOf(database.db, 'residential')
  const later = ['mobile', 'residential', 'mobile'].map((pool) => priceOf(database.db, pool))
  expect(await Promise.all([first, ...later])).toEqual([5n, undefined, 5n, undefined])
  expect(sent).toEqual([['residential'], ['mobile', 'residential']])
})

it('reads a value after it was asked for, also when a statement for the same key is under way', async () => {
  const gate = Promise.withResolvers<void>()
  // The first statement has read before the price is written.
  const early = gathered<string, bigint>(async (db, pools) => {
    const rows = await db.selectFrom('price').select('per_gb_micros').execute()
    if (sent.push([...pools]) === 1) await gate.promise
    return new Map(rows.map((row) => ['residential', row.per_gb_micros]))
  })
  const first = early(database.db, 'residential')
  await expect.poll(() => sent.length).toBe(1)
  await write('residential', 7n)
  const second = early(database.db, 'residential')
  gate.resolve()
  expect(await Promise.all([first, second])).toEqual([undefined, 7n])
})

it('does not wait for a statement that is late', async () => {
  const never = Promise.withResolvers<void>()
  gates[0] = never.promise
  await write('mobile', 3n)
  const late = priceOf(database.db, 'residential')
  expect(await priceOf(database.db, 'mobile')).toBe(3n)
  never.resolve()
  expect(await late).toBe(undefined)
})

it('fails all callers of a failed statement, and reads for the next ones', async () => {
  const away = new Error('the database is away')
  gates[1] = Promise.reject(away)
  gates[1].catch(() => undefined)
  const asked = ['residential', 'mobile', 'static'].map((pool) => priceOf(database.db, pool))
  expect(await Promise.allSettled(asked)).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason: away },
    { status: 'rejected', reason: away },
  ])
  expect(await priceOf(database.db, 'mobile')).toBe(undefined)
})

it('reads in a transaction what that transaction has written', async () => {
  const read = await transaction(database.db, async (tx) => {
    await write('mobile', 9n, tx)
    return [await priceOf(tx, 'mobile'), await priceOf(database.db, 'mobile')]
  })
  expect(read).toEqual([9n, undefined])
})
