import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { forgetOldSignIns, signInsOf } from '#accounts'
import { accountIdOf, app, type App } from '#test/app'
import { mostSignIns, noteSignIn } from './sign.ins.ts'

let shop: App
let db: App['database']['db']
beforeAll(async () => {
  shop = await app()
  db = shop.database.db
})
afterAll(() => shop.close())

const newAccount = async () => BigInt(await accountIdOf(await shop.customer()))

it('the shop keeps the time and the address of each sign-in', async () => {
  const [one] = await signInsOf(db, await newAccount())
  expect(one?.way).toBe('password')
  expect(one?.ip).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
})

it('the shop keeps the last sign-ins of each account for the configured number of days', async () => {
  const [accountId, other] = [await newAccount(), await newAccount()]
  await sql`delete from sign_in where account_id = ${accountId}`.execute(db)
  const start = Date.UTC(2026, 4, 1)
  const day = (count: number) => new Date(start + count * 86_400_000)
  for (let index = 0; index < mostSignIns + 5; index++)
    await noteSignIn(db, { accountId, ip: `192.0.2.${index}`, way: 'telegram' }, day(index))
  const kept = await signInsOf(db, accountId)
  expect(kept).toHaveLength(mostSignIns)
  expect([kept[0]?.ip, kept.at(-1)?.ip]).toEqual([`192.0.2.${mostSignIns + 4}`, '192.0.2.5'])
  await forgetOldSignIns(db, { now: day(mostSignIns + 5), keptDays: 10 })
  expect((await signInsOf(db, accountId)).map(({ at }) => at >= day(mostSignIns - 5))).toEqual(
    Array.from({ length: 10 }, () => true),
  )
  expect(await signInsOf(db, other)).toHaveLength(1)
})
