import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import { setWithholdsHosts } from '#requests'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { testDatabase } from '#test/database'
import { customerWith, line, newBoot } from '#test/traffic'
import { forgetOldUsage, lease, makeUsageMonths, settle } from '#traffic'
import { daysOf, daysOfKey, hoursOf, partsOf, readPeriod, totalOf } from './usage.ts'

const gb = 1_000_000_000n
const now = new Date('2026-11-20T12:00:00Z')
let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

/** A customer who was charged so many bytes at these times, and whose records say where they went. */
async function customer(charged: readonly (readonly [at: string, bytes: bigint])[]) {
  const who = await customerWith(db, { paid: gb })
  const holder = newBoot()
  for (const [at, bytes] of charged) {
    const { lease: id } = await lease(db, holder, { access: who.accessId, want_bytes: bytes })
    await settle(db, [
      holder.report([line(id, who.accessId, bytes, { close: true })], { at_ms: Date.parse(at) }),
    ])
  }
  const keep = (target: string, bytes: bigint, endedAt = now) =>
    keepConnections(
      db,
      [connectionOf(who, endedAt, { target, charged_up_bytes: 0n, charged_down_bytes: bytes })],
      now,
    )
  return { ...who, keep }
}

describe('usage by host', () => {
  it('sums to the day to the byte: hosts, withheld hosts, and bytes without a record', async () => {
    const who = await customer([
      ['2026-11-20T10:00Z', 12_345n],
      ['2026-11-20T11:00Z', 6_789n],
    ])
    await who.keep('a.example:443', 10_000n)
    await who.keep('b.example:443', 5_001n)
    await setWithholdsHosts(db, who.accountId, true)
    await who.keep('c.example:443', 33n)
    const asked = { accountId: who.accountId, from: '2026-11-20', to: '2026-11-20' }
    const hosts = await partsOf(db, { ...asked, part: 'host' })
    expect(hosts.map(({ kind, key, chargedBytes }) => [kind, key, chargedBytes])).toEqual([
      ['key', 'a.example', 10_000n],
      ['key', 'b.example', 5_001n],
      ['withheld', '(withheld)', 33n],
      ['difference', '', 4_100n],
    ])
    const [day] = await daysOf(db, asked)
    expect(day?.chargedBytes).toBe(19_134n)
    for (const part of ['host', 'country', 'exit_country', 'code', 'user'] as const) {
      const total = totalOf(await partsOf(db, { ...asked, part }))
      expect([total.chargedBytes, total.requests]).toEqual([day?.chargedBytes, day?.requests])
    }
    expect(totalOf(await hoursOf(db, asked, await daysOf(db, asked))).chargedBytes).toBe(19_134n)
    expect((await daysOfKey(db, { ...asked, part: 'host', key: 'a.example' }))[0]?.chargedBytes).toBe(10_000n)
  })

  it('sums to each of two days when a request began on one and ended on the other', async () => {
    const who = await customer([
      ['2026-11-19T23:00Z', 900n],
      ['2026-11-20T00:00Z', 100n],
    ])
    await who.keep('long.example:443', 1000n)
    for (const [day, host, rest] of [
      ['2026-11-19', 0n, 900n],
      ['2026-11-20', 1000n, -900n],
    ] as const) {
      const rows = await partsOf(db, { accountId: who.accountId, from: day, to: day, part: 'host' })
      const of = (kind: string) => totalOf(rows.filter((row) => row.kind === kind)).chargedBytes
      expect([of('key'), of('difference')]).toEqual([host, rest])
    }
  })

  it('has no difference when only refused requests are beyond the books', async () => {
    const who = await customer([['2026-11-20T10:00Z', 500n]])
    await who.keep('a.example:443', 500n)
    await keepConnections(db, [connectionOf(who, now, refusedWith('target_forbidden'))], now)
    const asked = { accountId: who.accountId, from: '2026-11-20', to: '2026-11-20' }
    const rows = await partsOf(db, { ...asked, part: 'code' })
    expect(rows.map(({ kind, key, requests, refused }) => [kind, key, requests, refused])).toEqual([
      ['key', 'done', 1n, 0n],
      ['key', 'target_forbidden', 0n, 1n],
    ])
  })

  it('counts requests and refusals alike by day and by outcome, also of a day of refusals alone', async () => {
    const who = await customer([['2026-11-20T10:00Z', 500n]])
    await who.keep('a.example:443', 500n)
    for (const at of ['2026-11-19T10:00Z', '2026-11-20T11:00Z', '2026-11-20T11:01Z']) {
      const ended = new Date(at)
      await keepConnections(db, [connectionOf(who, ended, refusedWith('target_forbidden'))], ended)
    }
    const asked = { accountId: who.accountId, from: '2026-11-18', to: '2026-11-20' }
    const days = await daysOf(db, asked)
    expect(days.map(({ key, requests, refused }) => [key, requests, refused])).toEqual([
      ['2026-11-19', 0n, 1n],
      ['2026-11-20', 1n, 2n],
    ])
    for (const part of ['host', 'code', 'user'] as const) {
      const { requests, refused } = totalOf(await partsOf(db, { ...asked, part }))
      expect({ requests, refused }).toEqual({ requests: 1n, refused: 3n })
    }
    const other = await customer([])
    expect(await daysOf(db, { ...asked, accountId: other.accountId })).toEqual([])
  })

  it('has a difference of requests alone, so that the rows count what the total does', async () => {
    const who = await customer([['2026-11-20T10:00Z', 500n]])
    await who.keep('a.example:443', 500n)
    // A tunnel that the client closed before the target answered is not in the books.
    const unanswered = { outcome: 'client_failed', charged_up_bytes: 0n, charged_down_bytes: 0n }
    await keepConnections(db, [connectionOf(who, now, unanswered)], now)
    const asked = { accountId: who.accountId, from: '2026-11-20', to: '2026-11-20' }
    const rows = await partsOf(db, { ...asked, part: 'host' })
    expect(rows.at(-1)).toMatchObject({ kind: 'difference', chargedBytes: 0n, requests: -1n })
    expect(totalOf(rows).requests).toBe(totalOf(await daysOf(db, asked)).requests)
  })

  it('adds up the hosts beyond the listed ones', async () => {
    const who = await customer([['2026-11-20T10:00Z', 1_000_000n]])
    const records = Array.from({ length: 1100 }, (_, index) =>
      connectionOf(who, now, {
        target: `h${index}.example:443`,
        charged_up_bytes: 0n,
        charged_down_bytes: BigInt(index),
      }),
    )
    await keepConnections(db, records, now)
    const rows = await partsOf(db, {
      accountId: who.accountId,
      from: '2026-11-20',
      to: '2026-11-20',
      part: 'host',
    })
    expect(rows).toHaveLength(202)
    expect(totalOf(rows).chargedBytes).toBe(1_000_000n)
  })

  it('has nothing of another customer, and is empty without traffic', async () => {
    const who = await customer([])
    const asked = { accountId: who.accountId, from: '2026-11-20', to: '2026-11-20' }
    expect([
      await partsOf(db, { ...asked, part: 'host' }),
      await daysOf(db, asked),
      await hoursOf(db, asked, await daysOf(db, asked)),
    ]).toEqual([[], [], []])
  })
})

describe('usage by hour', () => {
  it('sums to the days when hours are no longer kept: the rest is one row before the hours', async () => {
    const month = (ago: number) =>
      new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - ago, 1))
    const dayBefore = new Date(month(1).getTime() - 3_600_000)
    const who = await customer([
      [dayBefore.toISOString(), 500n],
      [month(1).toISOString(), 70n],
    ])
    const [from, to] = [dayBefore, month(1)].map((at) => at.toISOString().slice(0, 10)) as [string, string]
    const asked = { accountId: who.accountId, from, to }
    const told = async () =>
      (await hoursOf(db, asked, await daysOf(db, asked))).map(({ kind, chargedBytes, requests }) => [
        kind,
        chargedBytes,
        requests,
      ])
    expect(await told()).toEqual([
      ['key', 500n, 1n],
      ['key', 70n, 1n],
    ])
    await makeUsageMonths(db)
    await forgetOldUsage(db, { hourMonths: 1, dayMonths: null })
    expect(await told()).toEqual([
      ['difference', 500n, 1n],
      ['key', 70n, 1n],
    ])
    expect(totalOf(await hoursOf(db, asked, await daysOf(db, asked))).chargedBytes).toBe(
      totalOf(await daysOf(db, asked)).chargedBytes,
    )
  })
})

describe('a period', () => {
  it('is two days, and is compared with as many days before', () => {
    expect(readPeriod({ from: '2026-03-01', to: '2026-03-03' })).toMatchObject({
      days: 3,
      before: { from: '2026-02-26', to: '2026-02-28' },
    })
  })

  it.each([
    ['2026-03-02', '2026-03-01', 'usage_period'],
    ['2026-02-30', '2026-03-01', 'usage_period'],
    ['0000-00-00', '2026-03-01', 'usage_period'],
    ['1926-01-01', '2026-01-01', 'usage_period_too_long'],
    ['0001-01-01', '9999-12-31', 'usage_period_too_long'],
  ])('from %s to %s is refused', (from, to, code) => {
    expect(() => readPeriod({ from, to })).toThrow(expect.objectContaining({ code }))
  })
})
