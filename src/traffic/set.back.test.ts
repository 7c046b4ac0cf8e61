import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import { customerWith, feedKnowing, line, newBoot } from '#test/traffic'
import { oneWaitsForLock } from '#test/waiting.statement'
import { giveUpSetBacks, type SetBack, setBacksOf, type TrafficFeed } from './traffic.ts'

let database: Database
let feed: TrafficFeed
let heard: SetBack[]
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  heard = []
  feed = await feedKnowing(database, { settleEveryMs: 0, onSetBack: (setBack) => heard.push(setBack) })
  return () => feed.close()
})

/** A boot with so many settled reports of one byte. */
async function bootWith(reports: number) {
  const { gateway, boot, report } = newBoot()
  const who = await customerWith(database.db, { paid: 1000n })
  await feed.hello({ gateway, boot })
  const { lease } = await feed.lease({ gateway, boot }, { access: who.accessId, want_bytes: 1000n })
  const next = () => report([line(lease, who.accessId, 1n)])
  for (let count = 0; count < reports; count++) await feed.report(next())
  return { gateway, boot, next }
}

/** Simulates a failover to a replica that has received only the reports up to this one. */
async function goBack({ gateway, boot }: { gateway: string; boot: string }, through: number) {
  await sql`update gateway_boot set settled_through = ${through} where gateway = ${gateway} and boot = ${boot}`.execute(
    database.db,
  )
  await sql`delete from report_ahead where gateway = ${gateway} and boot = ${boot}`.execute(database.db)
}

async function settledThrough({ gateway, boot }: { gateway: string; boot: string }) {
  const { rows } = await sql<{ n: bigint }>`
    select settled_through as n from gateway_boot where gateway = ${gateway} and boot = ${boot}`.execute(
    database.db,
  )
  return Number(rows[0]?.n)
}

describe('a database that knows fewer reports than it has acknowledged', () => {
  it('is detected with the next heartbeat, once', async () => {
    const one = await bootWith(7)
    const { gateway, boot } = one
    await feed.heartbeat({ gateway, boot })
    expect(heard).toEqual([])
    await goBack(one, 4)
    await feed.heartbeat({ gateway, boot })
    await feed.heartbeat({ gateway, boot })
    const setBack = { gateway, boot, acknowledged: 7, settledThrough: 4 }
    expect(heard).toEqual([setBack])
    expect(await setBacksOf(database.db, { days: 1 })).toContainEqual({
      ...setBack,
      noticedAt: expect.any(Date),
    })
  })

  it('is detected when the boot is not known at all any more', async () => {
    const { gateway, boot } = await bootWith(2)
    await sql`update lease set boot = 'lost' where gateway = ${gateway} and boot = ${boot}`.execute(
      database.db,
    )
    await sql`delete from gateway_boot where gateway = ${gateway} and boot = ${boot}`.execute(database.db)
    await feed.heartbeat({ gateway, boot })
    expect(heard).toEqual([{ gateway, boot, acknowledged: 2, settledThrough: 0 }])
  })

  it('is detected by a server that was started later, from the number that the gateway sends', async () => {
    const one = await bootWith(5)
    const { gateway, boot } = one
    await goBack(one, 3)
    const other = await feedKnowing(database, { onSetBack: (setBack) => heard.push(setBack) })
    await other.hello({ gateway, boot })
    expect(heard).toEqual([])
    await other.heartbeat({ gateway, boot, acknowledged: 5 })
    await other.heartbeat({ gateway, boot, acknowledged: 5 })
    expect(heard).toEqual([{ gateway, boot, acknowledged: 5, settledThrough: 3 }])
    await other.close()
  })

  it('settles the reports that the gateway still has', async () => {
    const one = await bootWith(2)
    const { gateway, boot, next } = one
    await feed.heartbeat({ gateway, boot, acknowledged: 6 })
    for (let count = 0; count < 4; count++) await feed.report(next())
    expect(await settledThrough(one)).toBe(6)
    await feed.heartbeat({ gateway, boot, acknowledged: 6 })
    expect(heard).toEqual([{ gateway, boot, acknowledged: 6, settledThrough: 2 }])
  })

  it('is reported once, while the gateway sends reports after the gap', async () => {
    const { gateway, boot, next } = await bootWith(6)
    await goBack({ gateway, boot }, 2)
    const beat = (acknowledged: number) => feed.heartbeat({ gateway, boot, acknowledged })
    await beat(6)
    for (const acknowledged of [7, 8]) {
      await feed.report(next())
      await beat(acknowledged)
    }
    await giveUpSetBacks(database.db, { afterMinutes: 0 })
    await beat(8)
    expect(heard).toEqual([{ gateway, boot, acknowledged: 6, settledThrough: 2 }])
    await goBack({ gateway, boot }, 5)
    await beat(8)
    expect(heard).toHaveLength(2)
  })

  it('gives up missing reports while a report after them is settled', async () => {
    const one = await bootWith(6)
    const { gateway, boot } = one
    await goBack(one, 2)
    await feed.heartbeat(one)
    const client = await database.pool.connect()
    // A settlement of report 7, as `takeUnsettled` does it.
    await client.query('begin')
    const of = [gateway, boot]
    await client.query('select from gateway_boot where gateway = $1 and boot = $2 for no key update', of)
    await client.query('insert into report_ahead (gateway, boot, sequence) values ($1, $2, 7)', of)
    const givenUp = giveUpSetBacks(database.db, { afterMinutes: 0 })
    await oneWaitsForLock(database.db)
    await client.query('update gateway_boot set settled_through = 2 where gateway = $1 and boot = $2', of)
    await client.query('commit')
    client.release()
    await givenUp
    expect(await settledThrough(one)).toBe(7)
  })

  it('gives up missing reports after some time, and continues after them', async () => {
    const one = await bootWith(6)
    await goBack(one, 2)
    await feed.heartbeat(one)
    for (let count = 0; count < 3; count++) await feed.report(one.next())
    await giveUpSetBacks(database.db)
    expect(await settledThrough(one)).toBe(2)
    await giveUpSetBacks(database.db, { afterMinutes: 0 })
    expect(await settledThrough(one)).toBe(9)
    await feed.report(one.next())
    expect(await settledThrough(one)).toBe(10)
    const { rows } = await sql`select from report_ahead where boot = ${one.boot}`.execute(database.db)
    expect(rows).toHaveLength(0)
  })
})

it('reports that are settled out of order, or during a heartbeat, are not a loss', async () => {
  const { gateway, boot, next } = await bootWith(1)
  for (let round = 0; round < 20; round++) {
    const reports = [next(), next(), next()].toReversed()
    const settled = reports.map((report) => feed.report(report))
    await Promise.all([...settled, feed.heartbeat({ gateway, boot }), feed.heartbeat({ gateway, boot })])
  }
  await feed.heartbeat({ gateway, boot })
  expect(heard).toEqual([])
  expect(await settledThrough({ gateway, boot })).toBe(61)
})
