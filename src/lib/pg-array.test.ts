import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import { bigintArray, textArray } from './pg-array.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

describe('bigintArray', () => {
  it.each([
    [[]],
    [[0n]],
    [[1, -1, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]],
    [Array.from({ length: 3000 }, (_, index) => BigInt(index) * 1_000_000_007n)],
  ])('is read unchanged by PostgreSQL %#', async (values) => {
    const { rows } = await database.pool.query<{ read: bigint[]; n: number }>(
      'select $1::bigint[] as read, cardinality($1::bigint[]) as n',
      [bigintArray(values)],
    )
    expect(rows[0]).toEqual({ read: values.map(BigInt), n: values.length })
  })

  it('has nulls', async () => {
    const { rows } = await database.pool.query<{ read: (bigint | null)[] }>('select $1::bigint[] as read', [
      bigintArray([null, 1, null, 2n]),
    ])
    expect(rows[0]?.read).toEqual([null, 1n, null, 2n])
  })

  it('refuses a number of more than 64 bits', () => {
    expect(() => bigintArray([2n ** 63n])).toThrow(RangeError)
    expect(() => bigintArray([-(2n ** 63n) - 1n])).toThrow(RangeError)
  })
})

describe('textArray', () => {
  it.each([[[]], [['', 'a "quoted" \\ {text}, NULL', 'Ω — 😀']], [[null, 'a', null, '']]])(
    'is read unchanged by PostgreSQL %#',
    async (values: (string | null)[]) => {
      const { rows } = await database.pool.query<{ read: (string | null)[] }>('select $1::text[] as read', [
        textArray(values),
      ])
      expect(rows[0]?.read).toEqual(values)
    },
  )
})
