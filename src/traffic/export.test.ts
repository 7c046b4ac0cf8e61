/** What an export holds of the traffic of proxy users. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { type PersonalRow, personalRows } from '#db/personal'
import { proxyUserId } from '#feed/user.ids'
import { testDatabase } from '#test/database'
import { customerWith } from '#test/traffic'
import { trafficParts } from './export.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const part = trafficParts.find(({ name }) => name === 'proxy_user_usage')
const rowsOf = async (db: Database['db'], accountId: bigint) => {
  if (part === undefined) throw new Error('there is no such part')
  const all: PersonalRow[] = []
  for await (const page of personalRows(db, part, accountId)) all.push(...page)
  return all
}
const used = (db: Database['db'], id: bigint, days = 1) =>
  sql`
    insert into proxy_user_day (proxy_user_id, day, charged_bytes, requests)
    select ${id}, date '2026-01-01' + n, 100 + n, 1 from generate_series(0, ${days - 1}) n`.execute(db)

it('an export has the days of the customer’s own proxy users, with reserves too, and of nobody else', async () => {
  const { db } = database
  const [own, other] = [
    await customerWith(db, { pool: 'residential', paid: 1n }),
    await customerWith(db, { pool: 'residential', paid: 1n }),
  ]
  await used(db, proxyUserId(own.accessId, 1n))
  await used(db, proxyUserId(own.accessId, 2n, true))
  await used(db, proxyUserId(other.accessId, 1n))
  const rows = (await rowsOf(db, own.accountId)).map((row) => [row['number'], row['charged_bytes']])
  expect(rows).toEqual([
    [1n, 100n],
    [2n, 100n],
  ])
})

it('an export reads each day of many proxy users once', async () => {
  const { db } = database
  const { accountId, accessId } = await customerWith(db, { pool: 'residential', paid: 1n })
  for (let number = 1n; number <= 250n; number++) await used(db, proxyUserId(accessId, number), 20)
  await sql`analyze proxy_user_day, meter`.execute(db)
  await transaction(db, async (tx) => {
    expect(await rowsOf(tx, accountId)).toHaveLength(5000)
    const { rows } = await sql<{ read: bigint }>`
      select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'proxy_user_day'`.execute(
      tx,
    )
    expect(Number(rows[0]?.read)).toBeLessThan(6000)
  })
})
