import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { notePlaces } from '#exits'
import { app, type App, type Customer } from '#test/app'
import { connectionOf, keepConnections } from '#test/connections'
import { customerWith } from '#test/traffic'

const pool = 'residential'
let shop: App
let customer: Customer
let other: Awaited<ReturnType<typeof customerWith>>
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  customer = await shop.customer()
  other = await customerWith(shop.database.db, { paid: 1_000_000_000n })
})
afterAll(() => shop.close())
beforeEach(() => sql`truncate place_minute, connection_record`.execute(shop.database.db))

const ago = (minutes: number) => new Date(shop.clock.now.getTime() - minutes * 60_000)
const note = (country: string, reached: number, failed: number, minutes = 1) =>
  notePlaces(
    shop.database.db,
    { outcomes: [{ pool, country, reached, failed }], used: [] } as never,
    ago(minutes),
  )
const connected = (country: string, connected_ms: number | null, minutes = 1) =>
  connectionOf(other, ago(minutes), { country, connected_ms })
const hourOf = (...countries: string[]) => customer.call('get_last_hour', { pool, countries })

it('the last hour of a pool has nothing without connections', async () => {
  expect(await hourOf()).toEqual({ attempted: 0, reached: 0, median_ms: null })
})

it('the last hour counts the connections of all customers that asked for the countries', async () => {
  await note('de', 9, 1)
  await note('us', 5, 5)
  await note('', 2, 0)
  await note('de', 100, 0, 61)
  expect(await hourOf('DE')).toMatchObject({ attempted: 10, reached: 9 })
  expect(await hourOf('de', 'us')).toMatchObject({ attempted: 20, reached: 14 })
  expect(await hourOf()).toMatchObject({ attempted: 22, reached: 16 })
  expect(await customer.call('get_last_hour', { pool: 'mobile', countries: [] })).toMatchObject({
    attempted: 0,
  })
})

it('the median is that of connected requests to the countries within the hour', async () => {
  const records = [
    connected('de', 100),
    connected('de', 300),
    connected('de', 200),
    connected('de', null),
    connected('us', 900),
    connected('de', 5000, 61),
  ]
  await keepConnections(shop.database.db, records, shop.clock.now)
  expect((await hourOf('de')).median_ms).toBe(200)
  expect((await hourOf('us')).median_ms).toBe(900)
  expect((await hourOf('fr')).median_ms).toBeNull()
  expect((await hourOf()).median_ms).toBe(200)
})
