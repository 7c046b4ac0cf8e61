import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerClass, answerClasses, type ExitAnswers } from '#feed/exit.answers'
import { testDatabase } from '#test/database'
import type { Database } from '#db'
import { answersSince, forgetAnswers, noteAnswers } from './exits.ts'

let database: Database
let exit: bigint
beforeAll(async () => {
  database = await testDatabase()
  const { rows } = await database.pool.query<{ id: bigint }>(
    `insert into exit (pool, name, kind, everywhere) values ('mobile', 'one', 'direct', true) returning id`,
  )
  exit = rows[0]?.id ?? 0n
})
afterAll(() => database.close())

const now = new Date('2026-11-20T12:30:00Z')
const counts = (times: readonly number[]) => {
  const all = Array<number>(answerClasses).fill(0)
  for (const ms of times) all[answerClass(ms)] = (all[answerClass(ms)] ?? 0) + 1
  return all
}
const told = (times: readonly number[], failed = 0): ExitAnswers => ({
  exit,
  failed,
  answered: counts(times),
})
const since = async (hours: number) =>
  (await answersSince(database.db, new Date(now.getTime() - hours * 3_600_000))).get(exit)

it('reports of gateways are summed by the hour', async () => {
  await noteAnswers(database.db, [told([80, 90, 95], 1)], new Date('2026-11-20T10:59:59Z'))
  await noteAnswers(database.db, [told([80])], now)
  await noteAnswers(database.db, [told([1800], 2)], now)
  expect(await since(1)).toMatchObject({ answered: 2n, failed: 2n, p50Ms: 100 })
  const day = await since(24)
  expect(day).toMatchObject({ answered: 5n, failed: 3n })
  expect(day?.p50Ms).toBeGreaterThan(50)
  expect(day?.p50Ms).toBeLessThanOrEqual(100)
  expect(day?.p95Ms).toBeGreaterThan(1500)
})

it('malformed reports and unknown exits are ignored', async () => {
  const before = await since(24)
  const wrong = [
    { ...told([1]), answered: [1, 2] },
    { ...told([1]), failed: -1 },
    { ...told([1]), answered: counts([]).with(0, 1.5) },
    { ...told([1]), exit: 999_999n },
    { ...told([1]), exit: 'x' as never },
  ]
  await noteAnswers(database.db, wrong, now)
  expect(await since(24)).toEqual(before)
  expect((await answersSince(database.db, new Date(0))).size).toBe(1)
})

it('hours are deleted after a hundred days', async () => {
  await forgetAnswers(database.db, new Date(now.getTime() + 99 * 86_400_000))
  expect(await since(24)).toBeDefined()
  await forgetAnswers(database.db, new Date(now.getTime() + 101 * 86_400_000))
  expect(await since(24)).toBeUndefined()
})
