import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import { customerWith, feedKnowing, line, newBoot } from '#test/traffic'
import { lease, MalformedReport, pruneLeases, settle, verifyTraffic } from './traffic.ts'

let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

const home = newBoot()

const report = (id: bigint, access: bigint, bytes: bigint, close: boolean) =>
  home.report([line(id, access, bytes, { close })])

const customer = async (paid: bigint) => (await customerWith(db, { pool: 'mobile', paid })).accessId

async function closedLease(access: bigint, bytes: bigint, daysAgo: number): Promise<bigint> {
  const { lease: id } = await lease(db, home, { access, want_bytes: 1000n })
  await settle(db, [report(id, access, bytes, true)])
  await sql`
    update lease set opened_at = now() - make_interval(days => ${daysAgo + 1}),
      closed_at = now() - make_interval(days => ${daysAgo}) where id = ${id}`.execute(db)
  return id
}

const leases = async () =>
  (await sql<{ id: bigint }>`select id from lease order by id`.execute(db)).rows.map(({ id }) => id)

it('pruning deletes leases that were closed long ago, and the sums still agree', async () => {
  const [first, second] = [await customer(10_000n), await customer(10_000n)]
  const old = [await closedLease(first, 7n, 20), await closedLease(second, 0n, 15)]
  const young = await closedLease(first, 5n, 13)
  const { lease: open } = await lease(db, home, { access: first, want_bytes: 10n })
  await sql`update lease set opened_at = now() - interval '30 days' where id = ${open}`.execute(db)
  const short = await closedLease(second, 3n, 20)
  await sql`insert into write_off (lease_id, bytes) values (${short}, 1)`.execute(db)
  expect(await pruneLeases(db)).toBe(2)
  expect(await leases()).toEqual([young, open, short])
  await sql`delete from write_off`.execute(db)
  expect(await verifyTraffic(db)).toEqual([])
  expect(await pruneLeases(db)).toBe(1)
  expect(await verifyTraffic(db)).toEqual([])
  expect(await pruneLeases(db)).toBe(0)
  // A later report of it is refused for ever, and kept by the gateway.
  await expect(settle(db, [report(old[0] ?? 0n, first, 1n, false)])).rejects.toThrow(MalformedReport)
  await settle(db, [report(open, first, 10n, true)])
  expect(await verifyTraffic(db)).toEqual([])
})

it('a batch settles the other reports when the sums of one exceed a bigint', async () => {
  const [honest, absurd] = [await customer(1000n), await customer(1000n)]
  const { lease: id } = await lease(db, home, { access: honest, want_bytes: 100n })
  const { lease: broken } = await lease(db, home, { access: absurd, want_bytes: 100n })
  const feed = await feedKnowing(database)
  // Each alone is written off but for a small part; their sum exceeds a bigint.
  const huge = () => report(broken, absurd, 2n ** 62n, false)
  const outcomes = await Promise.allSettled(
    [huge(), report(id, honest, 60n, true), huge()].map((one) => feed.report(one)),
  )
  expect(outcomes[1]?.status).toBe('fulfilled')
  const { rows } = await sql<{ charged: bigint }>`
    select charged_bytes as charged from lease where id = ${id}`.execute(db)
  expect(rows).toEqual([{ charged: 60n }])
  await feed.close()
})
