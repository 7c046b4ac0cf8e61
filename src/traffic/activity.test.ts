import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { proxyUserId } from '#feed/user.ids'
import { eraseActivity, activityOf, addUpActivity, lease, recover, settle } from '#traffic'
import { accountIdOf, app, type App, type Customer } from '#test/app'
import { noteOpen } from './activity.ts'

const pool = 'residential'
const gateway = { gateway: 'gw1-0', boot: 'b1' }
let shop: App
let db: App['database']['db']
let customer: Customer
let accountId: bigint
let access: bigint
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  db = shop.database.db
  customer = await shop.customer()
  accountId = BigInt(await accountIdOf(customer))
  await shop.buy(customer, { pool, gb: 1 })
  const { rows } = await sql<{
    id: bigint
  }>`select id from access where account_id = ${accountId} and pool = ${pool}`.execute(db)
  access = rows[0]?.id ?? 0n
  await recover(db, gateway)
})
afterAll(() => shop.close())
beforeEach(async () => {
  shop.clock.now = new Date()
  await sql`truncate usage_minute, open_minute, activity_hour`.execute(db)
})

let sequence = 0
/** The customer relays bytes at a time, in one report. */
async function relays(charged: bigint, requests: number, atMs: number) {
  const { lease: id } = await lease(db, gateway, { access, want_bytes: 1_000_000n })
  const line = { lease: id, access, charged_bytes: charged, requests, close: false }
  const report = { ...gateway, sequence: ++sequence, at_ms: atMs, lines: [line] }
  await settle(db, [report])
  return report
}
const last = async (count: number) => (await customer.call('get_activity', { pool })).minutes.slice(-count)

describe('the activity of a customer', () => {
  it('has the exact bytes and requests of each minute, each report once', async () => {
    const now = shop.clock.now.getTime()
    await relays(985n, 3, now)
    const again = await relays(1n, 1, now)
    await settle(db, [again])
    await relays(17n, 2, now - 60_000)
    expect((await last(2)).map(({ charged_bytes: bytes, requests }) => [bytes, requests])).toEqual([
      [17, 2],
      [986, 4],
    ])
    const all = await customer.call('get_activity', {})
    expect([all.minutes.length, all.hours.length]).toEqual([60, 168])
    expect((await customer.call('get_activity', { pool: 'mobile' })).minutes.at(-1)?.requests).toBe(0)
  })

  it('counts what a proxy user relays once, although a report has it for both leases', async () => {
    const { number } = await customer.call('create_proxy_user', { pool, label: 'shop' })
    const user = proxyUserId(access, BigInt(number))
    const lines = await Promise.all(
      [access, user].map(async (holder) => {
        const { lease: id } = await lease(db, gateway, { access: holder, want_bytes: 1_000_000n })
        return { lease: id, access: holder, charged_bytes: 500n, requests: 2, close: false }
      }),
    )
    const report = { ...gateway, sequence: ++sequence, at_ms: shop.clock.now.getTime(), lines }
    await settle(db, [report])
    expect(await last(1)).toMatchObject([{ charged_bytes: 500, requests: 2 }])
  })

  it('leaves out usage older than the kept minutes, and usage reported with a wrong clock', async () => {
    const now = shop.clock.now.getTime()
    await relays(5n, 1, now - 4 * 3_600_000)
    await relays(5n, 1, now + 3_600_000)
    expect((await sql`select from usage_minute`.execute(db)).rows).toEqual([])
  })

  it('adds up the connections of workers, and takes a repetition once', async () => {
    const { now } = shop.clock
    const other = { gateway: 'gw1-1', boot: 'b1' }
    await recover(db, other)
    await relays(5n, 1, now.getTime())
    await lease(db, other, { access, want_bytes: 1n })
    for (let time = 0; time < 2; time++) await noteOpen(db, gateway, [{ access, peak: 7 }], now)
    await noteOpen(db, other, [{ access, peak: 5 }], now)
    expect((await last(2)).map(({ open }) => open)).toEqual([12, 0])
  })

  it('ignores reports on accesses that the gateway never leased, and invalid counts', async () => {
    const thief = { gateway: 'gw9-0', boot: 'b1' }
    await recover(db, thief)
    await noteOpen(db, thief, [{ access, peak: 9 }], shop.clock.now)
    for (const peak of [0, -1, 0.5, 2 ** 40]) await noteOpen(db, gateway, [{ access, peak }], shop.clock.now)
    expect((await sql`select from open_minute`.execute(db)).rows).toEqual([])
  })

  it('keeps the busiest minutes of an hour when its minutes are gone, until an erasure', async () => {
    const { now } = shop.clock
    await relays(5n, 40, now.getTime())
    await relays(5n, 10, now.getTime() - 60_000)
    await noteOpen(db, gateway, [{ access, peak: 3 }], now)
    await Promise.all([addUpActivity(db, now), addUpActivity(db, now)])
    await addUpActivity(db, new Date(now.getTime() + 5 * 3_600_000))
    expect((await sql`select from usage_minute`.execute(db)).rows).toEqual([])
    const { hours } = await activityOf(db, { accountId, now, hours: 3 })
    const busiest = (of: 'open' | 'requests') =>
      hours.reduce((most, hour) => (hour[of] > most ? hour[of] : most), 0n)
    expect([busiest('requests'), busiest('open')]).toEqual([40n, 3n])
    await eraseActivity(db, accountId)
    expect((await sql`select from activity_hour`.execute(db)).rows).toEqual([])
  })
})
