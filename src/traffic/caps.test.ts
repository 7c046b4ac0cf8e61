import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import type { ReportLine } from '#feed'
import { changeLimits, type PoolLimits, raiseDay } from '#limits'
import { testDatabase } from '#test/database'
import { customerWith } from '#test/traffic'
import { sized } from '#test/size'
import { lease, permits, settle, usedInWindows, verifyTraffic } from './traffic.ts'
import { seen } from './lease.ts'

const mb = 1_000_000n
/** A time in a fixed month, whose 31st is a Sunday. */
const at = (time: string) => new Date(`2026-05-${time}Z`)

let database: Database
let db: Database['db']
let boots = 0

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

function newHolder() {
  const holder = { gateway: `gw${++boots}`, boot: 'b' }
  let sequence = 0
  return {
    ...holder,
    settle: (now: Date, lines: ReportLine[]) =>
      settle(db, [{ ...holder, sequence: ++sequence, at_ms: now.getTime(), lines }]),
  }
}
type Holder = ReturnType<typeof newHolder>

/** A customer with ample traffic and these caps. */
async function capped(limits: Partial<PoolLimits>, paid = 1000n * mb) {
  const who = await customerWith(db, { paid })
  const set = (changes: Partial<PoolLimits>) =>
    changeLimits(db, { id: who.accessId, login: 'someone' }, changes)
  await set(limits)
  const ask = (holder: Holder, now: Date, want = 64n * mb) =>
    lease(db, holder, { access: who.accessId, want_bytes: want }, now)
  /** Leases all available bytes, uses them, and gives the lease back. */
  const drain = async (holder: Holder, now: Date) => {
    let used = 0n
    for (;;) {
      const grant = await ask(holder, now)
      if (grant.granted_bytes === 0n) return { used, capped: grant.capped }
      used += grant.granted_bytes
      const line = { lease: grant.lease, access: who.accessId, charged_bytes: grant.granted_bytes }
      await holder.settle(now, [{ ...line, requests: 1, close: true }])
    }
  }
  return { id: who.accessId, set, ask, drain }
}

describe('a cap on bytes', () => {
  it('is used to its last byte and never exceeded, and named in the answer', async () => {
    const who = await capped({ hourBytes: 3n * mb + 1n })
    expect(await who.drain(newHolder(), at('31T10:15:00'))).toEqual({ used: 3n * mb + 1n, capped: 'hour' })
    expect(await who.drain(newHolder(), at('31T10:59:59.999'))).toEqual({ used: 0n, capped: 'hour' })
    expect(await verifyTraffic(db)).toEqual([])
  })

  it('begins anew with every UTC hour, day and month', async () => {
    const who = await capped({ hourBytes: 2n * mb, dayBytes: 3n * mb, monthBytes: 5n * mb })
    const gateway = newHolder()
    const used = async (time: string) => who.drain(gateway, at(time))
    expect(await used('30T22:30:00')).toEqual({ used: 2n * mb, capped: 'hour' })
    expect(await used('30T23:00:00')).toEqual({ used: mb, capped: 'day' })
    expect(await used('31T00:00:00')).toEqual({ used: 2n * mb, capped: 'month' })
    const june = new Date('2026-06-01T00:00:00Z')
    expect(await who.drain(gateway, june)).toEqual({ used: 2n * mb, capped: 'hour' })
    expect(await usedInWindows(db, { accessId: who.id, now: june })).toEqual({
      hourBytes: 2n * mb,
      dayBytes: 2n * mb,
      monthBytes: 2n * mb,
    })
  })

  it('counts bytes on lease elsewhere, and recalls them', async () => {
    const who = await capped({ dayBytes: mb })
    const [near, far] = [newHolder(), newHolder()]
    await seen(db, far)
    const noon = at('30T12:00:00')
    const elsewhere = await who.ask(far, noon)
    expect(elsewhere.granted_bytes).toBeGreaterThan(0n)
    const here = await who.drain(near, noon)
    expect(here.used + elsewhere.granted_bytes).toBe(mb)
    expect(await who.ask(near, noon)).toMatchObject({ granted_bytes: 0n, outstanding: true, capped: 'day' })
    // Bytes leased before midnight and used after it count on the new day.
    const midnight = at('31T00:00:00')
    const line = { lease: elsewhere.lease, access: who.id, charged_bytes: elsewhere.granted_bytes }
    await far.settle(midnight, [{ ...line, requests: 1, close: true }])
    expect((await who.drain(near, midnight)).used).toBe(mb - elsewhere.granted_bytes)
  })

  it('grants nothing while it is below the usage, and the rest once it is raised again', async () => {
    const who = await capped({ dayBytes: 4n * mb })
    const gateway = newHolder()
    const noon = at('30T12:00:00')
    await who.drain(gateway, noon)
    await who.set({ dayBytes: mb })
    expect(await who.drain(gateway, noon)).toEqual({ used: 0n, capped: 'day' })
    await who.set({ dayBytes: 6n * mb })
    expect((await who.drain(gateway, noon)).used).toBe(2n * mb)
    await who.set({ dayBytes: null })
    expect((await who.ask(gateway, noon)).granted_bytes).toBe(64n * mb)
  })

  it('of the day is doubled once per UTC day, however many requests come at once', async () => {
    const who = await capped({ dayBytes: mb, monthBytes: 10n * mb })
    const gateway = newHolder()
    const noon = at('30T12:00:00')
    expect(await who.drain(gateway, noon)).toEqual({ used: mb, capped: 'day' })
    const raise = () => transaction(db, (tx) => raiseDay(tx, { id: who.id, login: 'someone' }, noon))
    expect(await Promise.all([raise(), raise(), raise()])).toEqual([2n * mb, 2n * mb, 2n * mb])
    expect(await who.drain(gateway, noon)).toEqual({ used: mb, capped: 'day' })
    expect(await who.drain(gateway, at('31T00:00:00'))).toEqual({ used: mb, capped: 'day' })
    const other = await capped({ monthBytes: mb })
    expect(await transaction(db, (tx) => raiseDay(tx, { id: other.id, login: 'someone' }, noon))).toBeNull()
  })

  it('is not named when the balance is exhausted', async () => {
    const who = await capped({ dayBytes: 10n * mb }, 2n * mb)
    expect(await who.drain(newHolder(), at('30T12:00:00'))).toEqual({ used: 2n * mb, capped: undefined })
  })

  it('holds for twenty concurrent gateways', async () => {
    const who = await capped({ hourBytes: 7n * mb })
    const noon = at('30T12:00:00')
    const grants = await Promise.all(
      Array.from({ length: 20 }, newHolder).flatMap((holder) =>
        [1, 2].map(() => who.ask(holder, noon, 2n * mb)),
      ),
    )
    const granted = grants.reduce((sum, grant) => sum + grant.granted_bytes, 0n)
    expect(granted).toBeLessThanOrEqual(7n * mb)
    expect(granted).toBeGreaterThan(6n * mb)
  })

  it('is exceeded in no hour of random actions of three gateways', async () => {
    const step = fc.record({
      where: fc.nat(2),
      minutes: fc.integer({ min: 0, max: 40 }),
      want: fc.integer({ min: 1, max: 3_000_000 }),
      spend: fc.integer({ min: 0, max: 100 }),
      close: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const cap = 2n * mb
        const who = await capped({ hourBytes: cap })
        const gateways = [newHolder(), newHolder(), newHolder()].map((holder) => ({
          holder,
          id: 0n,
          rest: 0n,
        }))
        const perHour = new Map<string, bigint>()
        let now = at('30T10:00:00').getTime()
        for (const { where, minutes, want, spend, close } of steps) {
          now += minutes * 60_000
          const gateway = gateways[where]
          if (gateway === undefined) continue
          const grant = await who.ask(gateway.holder, new Date(now), BigInt(want))
          gateway.id = grant.lease
          gateway.rest += grant.granted_bytes
          const used = (gateway.rest * BigInt(spend)) / 100n
          gateway.rest = close ? 0n : gateway.rest - used
          const hour = new Date(now).toISOString().slice(0, 13)
          perHour.set(hour, (perHour.get(hour) ?? 0n) + used)
          const line = { lease: gateway.id, access: who.id, charged_bytes: used, requests: 1, close }
          await gateway.holder.settle(new Date(now), [line])
        }
        for (const used of perHour.values()) expect(used).toBeLessThanOrEqual(cap)
      }),
      { numRuns: sized(3, 6) },
    )
  })
})

describe('a cap on connections', () => {
  it('is shared by all gateways, and a permit that one gives back another can get', async () => {
    const who = await capped({ connections: 5 })
    const [near, far] = [newHolder(), newHolder()]
    await Promise.all([seen(db, near), seen(db, far)])
    const want = (holder: Holder, count: number) => permits(db, holder, { access: who.id, want: count })
    expect(await want(near, 3)).toBe(3)
    expect(await want(far, 4)).toBe(2)
    expect(await want(near, 1)).toBe(1)
    expect(await want(far, 4)).toBe(4)
    await who.set({ connections: 2 })
    expect(await want(far, 4)).toBe(1)
    await who.set({ connections: null })
    expect(await want(far, 4)).toBe(4)
    expect(await want(near, 100)).toBe(100)
  })

  it('grants exactly as many permits to concurrent requests', async () => {
    const who = await capped({ connections: 4 })
    const holders = Array.from({ length: 10 }, newHolder)
    await Promise.all(holders.map((holder) => seen(db, holder)))
    const got = await Promise.all(holders.map((holder) => permits(db, holder, { access: who.id, want: 1 })))
    expect(got.reduce((a, b) => a + b, 0)).toBe(4)
  })
})
