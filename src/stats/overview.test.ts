import { afterAll, beforeAll, expect, it } from 'vitest'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import { customerWith, line, newBoot } from '#test/traffic'
import { hasUsed, lease, settle } from '#traffic'
import { hoursLeft, overviewOf } from './overview.ts'

const now = new Date('2026-03-02T10:30:00Z')
const gb = 1_000_000_000n

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

it('the overview has the last 24 hours including the current one, and how long the balance lasts', async () => {
  const { db } = database
  const gateway = newBoot()
  const { accountId, accessId } = await customerWith(db, { paid: 10n * gb })
  for (const at of ['2026-03-01T10:59:59Z', '2026-03-01T11:00:00Z', '2026-03-02T10:10:00Z']) {
    const { lease: id } = await lease(db, gateway, { access: accessId, want_bytes: gb })
    await settle(db, [gateway.report([line(id, accessId, gb / 2n)], { at_ms: Date.parse(at) })])
  }
  const { pools, hours, day } = await overviewOf(db, { accountId, now })
  expect(hours).toHaveLength(24)
  expect([hours[0]?.hour, hours.at(-1)?.hour]).toEqual(['2026-03-01T11:00:00Z', '2026-03-02T10:00:00Z'])
  expect(hours.filter(({ usedBytes }) => usedBytes > 0n)).toHaveLength(2)
  expect(pools.find(({ pool }) => pool === 'residential')).toEqual({
    pool: 'residential',
    usedBytes: gb,
    // 8.5 GB are left of which 1 GB is used in 24 hours.
    hoursLeft: 204,
  })
  expect(pools.find(({ pool }) => pool === 'mobile')?.hoursLeft).toBeNull()
  expect(day).toEqual({ counted: 0, done: 0, refused: 0, isCapped: false, refusals: [] })
})

it('an old customer counts as having used traffic after records and leases are deleted', async () => {
  const { db } = database
  const gateway = newBoot()
  const { accountId, accessId } = await customerWith(db, { paid: gb })
  const asked = { accountId, now: new Date() }
  expect(await hasUsed(db, asked)).toBe(false)
  const { lease: id } = await lease(db, gateway, { access: accessId, want_bytes: gb })
  await settle(db, [gateway.report([line(id, accessId, 1n)], { at_ms: asked.now.getTime() })])
  expect(await hasUsed(db, asked)).toBe(true)
  await sql`update usage_hour set in_day = true where access_id = ${accessId}`.execute(db)
  expect(await hasUsed(db, asked)).toBe(false)
  await sql`update meter set pruned_bytes = 1 where access_id = ${accessId}`.execute(db)
  expect(await hasUsed(db, asked)).toBe(true)
})

it('the remaining time matches the rate, to the hour', () => {
  const bytes = fc.bigInt({ min: 1n, max: 10n ** 15n })
  fc.assert(
    fc.property(bytes, bytes, (balance, used) => {
      const hours = BigInt(hoursLeft(balance, used) ?? -1)
      expect(hours * used <= balance * 24n && (hours + 1n) * used > balance * 24n).toBe(true)
    }),
  )
  expect(hoursLeft(0n, 5n)).toBe(0)
  expect(hoursLeft(5n, 0n)).toBeNull()
})
