import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import type { Report, ReportLine } from '#feed'
import { testDatabase } from '#test/database'
import { hoursLater, untilHourLasts } from '#test/ledger'
import { customerWith, line, newBoot, wrongInBooks } from '#test/traffic'
import { sized } from '#test/size'
import {
  addUpHours,
  forgetOldUsage,
  lease,
  makeUsageMonths,
  recover,
  settle,
  usageBy,
  usageDays,
  verifyTraffic,
} from './traffic.ts'

const gb = 1_000_000_000n

let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  // Hours are compared with their days from the day after the database was created; it is made much older
  // here.
  await sql`update usage_kept_from set day = '2020-01-01'`.execute(db)
})
afterAll(() => database.close())

const sum = (values: readonly bigint[]) => values.reduce((total, one) => total + one, 0n)

async function customer(parts: { paid?: bigint; bonus?: bigint } = { paid: gb }) {
  const who = await customerWith(db, parts)
  const holder = newBoot()
  const { lease: id } = await lease(db, holder, { access: who.accessId, want_bytes: gb })
  const report = (lines: ReportLine[], at: string) => holder.report(lines, { at_ms: Date.parse(at) })
  return { ...who, holder, id, report }
}

async function hours(account: bigint) {
  const { rows } = await sql<Record<string, unknown>>`
    select to_char(hour at time zone 'UTC', 'MM-DD HH24') as hour, charged_bytes as charged, bonus_bytes as bonus,
      requests, in_day as "inDay"
    from usage_hour where access_id = ${account} order by hour`.execute(db)
  return rows
}

const days = async (who: { accountId: bigint; pool: string }) =>
  (await usageDays(db, { ...who, from: '2026-05-01', to: '2026-05-31' })).map(
    ({ day, chargedBytes, bonusBytes, requests }) => [day.slice(8), chargedBytes, bonusBytes, requests],
  )

describe('usage by exit', () => {
  const day = { from: new Date('2026-04-03T00:00Z'), to: new Date('2026-04-04T00:00Z') }

  it('is divided as the gateway reports it; what an older one reports is under 0', async () => {
    const who = await customer({ paid: gb, bonus: 60n })
    const of = (bytes: bigint, rest: Partial<ReportLine> = {}) => ({
      ...line(who.id, who.accessId, bytes),
      ...rest,
    })
    await settle(db, [
      who.report(
        [of(50n, { exit: 7n, relayed_bytes: 25n }), of(30n, { exit: 8n, relayed_bytes: 40n })],
        '2026-04-03T10:00Z',
      ),
      who.report([of(20n)], '2026-04-03T10:30Z'),
      who.report([of(5n, { exit: 7n, requests: 0, close: true })], '2026-04-03T11:00Z'),
    ])
    const sums = async (by: 'exit' | 'hour' | 'pool') =>
      (await usageBy(db, { ...day, by, accountId: who.accountId })).map(
        ({ key, chargedBytes, bonusBytes, relayedBytes, requests }) => [
          key,
          chargedBytes,
          bonusBytes,
          relayedBytes,
          requests,
        ],
      )
    expect(await sums('exit')).toEqual([
      ['7', 55n, 50n, 25n, 1n],
      ['8', 30n, 10n, 40n, 1n],
      ['0', 20n, 0n, 0n, 1n],
    ])
    expect(await sums('hour')).toEqual([
      ['2026-04-03T10:00:00Z', 100n, 60n, 65n, 3n],
      ['2026-04-03T11:00:00Z', 5n, 0n, 0n, 0n],
    ])
    expect(await sums('pool')).toEqual([[who.pool, 105n, 60n, 65n, 3n]])
  })

  it('adds up to days, leases and the ledger, whichever exits are reported, in any order and number of times', async () => {
    const part = fc.record({
      exit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      bytes: fc.integer({ min: 0, max: 2000 }),
      hour: fc.integer({ min: 0, max: 50 }),
      at: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 5000 }),
        fc.boolean(),
        async (parts, bonus, early) => {
          const who = await customer({ paid: 20_000n, bonus: BigInt(bonus) })
          const reports = parts.map(({ exit, bytes, hour }) => {
            const at = new Date(Date.parse('2026-04-03T00:00Z') + hour * 3_600_000).toISOString()
            const told = exit === undefined ? {} : { exit: BigInt(exit), relayed_bytes: BigInt(bytes) }
            return who.report([{ ...line(who.id, who.accessId, BigInt(bytes)), ...told }], at)
          })
          const half = Math.floor(reports.length / 2)
          await settle(db, reports.slice(0, half))
          // Days that are over are added up while reports of them still come.
          if (early) await addUpHours(db)
          await settle(db, [...reports.slice(half), ...reports])
          await addUpHours(db)
          const whole = { from: day.from, to: new Date('2026-04-06T00:00Z'), accountId: who.accountId }
          const total = sum(parts.map(({ bytes }) => BigInt(bytes)))
          for (const by of ['exit', 'pool', 'hour', 'day'] as const)
            expect(sum((await usageBy(db, { ...whole, by })).map((one) => one.chargedBytes))).toBe(total)
          for (const { key, chargedBytes, requests } of await usageBy(db, { ...whole, by: 'exit' })) {
            const theirs = parts.filter(({ exit = 0 }) => String(exit) === key)
            expect([chargedBytes, requests]).toEqual([
              sum(theirs.map(({ bytes }) => BigInt(bytes))),
              BigInt(theirs.length),
            ])
          }
          const days = await usageDays(db, { ...who, from: '2026-04-03', to: '2026-04-06' })
          expect(sum(days.map(({ chargedBytes }) => chargedBytes))).toBe(total)
        },
      ),
      { numRuns: sized(6, 15) },
    )
    expect(await verifyTraffic(db, { full: true })).toEqual([])
    expect(await wrongInBooks(db)).toEqual([])
  })

  it.each([
    { exit: 0n },
    { exit: -1n },
    { exit: 2n ** 63n },
    { relayed_bytes: -1n },
    { exit: 7 as unknown as bigint },
  ])('is refused permanently when it is inconsistent %#', async (rest) => {
    const who = await customer()
    const report = who.report([{ ...line(who.id, who.accessId, 1n), ...rest }], '2026-04-03T10:00Z')
    await expect(settle(db, [report])).rejects.toThrow('line 1')
  })
})

/** As if the database had gone back in time and lost grants: only then excesses are written off. */
const loseGrants = ({ gateway, boot }: { gateway: string; boot: string }) =>
  sql`insert into set_back (gateway, boot, acknowledged, settled_through)
    values (${gateway}, ${boot}, 1, 0)`.execute(db)

describe('usage by the hour', () => {
  it('is the sum charged in each hour, bonus first', async () => {
    const who = await customer({ paid: gb, bonus: 150n })
    const report = (bytes: bigint, at: string) => who.report([line(who.id, who.accessId, bytes)], at)
    await settle(db, [report(120n, '2026-05-17T10:00Z'), report(70n, '2026-05-17T10:59:59.999Z')])
    await settle(db, [report(5n, '2026-05-17T11:00Z')])
    await settle(db, [report(8n, '2026-05-17T11:30Z')])
    expect(await hours(who.accessId)).toEqual([
      { hour: '05-17 10', charged: 190n, bonus: 150n, requests: 2n, inDay: false },
      { hour: '05-17 11', charged: 13n, bonus: 0n, requests: 2n, inDay: false },
    ])
    expect(await days(who)).toEqual([['17', 203n, 150n, 4n]])
    expect(await wrongInBooks(db)).toEqual([])
  })

  it('that is reported late is posted to the present hour of the ledger, and counted in its own', async () => {
    await untilHourLasts(database, 20)
    const who = await customer({ paid: gb })
    const report = (bytes: bigint, at: string) => who.report([line(who.id, who.accessId, bytes)], at)
    const posted = async () =>
      (
        await sql<{ bytes: bigint }>`
          select u.bytes from ledger_usage u join meter m on m.paid_account = u.account_id
          where m.access_id = ${who.accessId} order by u.hour`.execute(db)
      ).rows.map(({ bytes }) => bytes)
    await settle(db, [report(10n, '2026-05-18T10:00Z')])
    await hoursLater(database, 2)
    await settle(db, [report(20n, '2026-05-18T12:00Z')])
    await hoursLater(database, 1)
    await settle(db, [report(40n, '2026-05-18T13:00Z')])
    await settle(db, [report(5n, '2026-05-18T10:30Z')])
    expect(await posted()).toEqual([10n, 20n])
    expect((await hours(who.accessId)).map(({ hour, charged }) => [hour, charged])).toEqual([
      ['05-18 10', 15n],
      ['05-18 12', 20n],
      ['05-18 13', 40n],
    ])
    await hoursLater(database, 1)
    await settle(db, [report(1n, '2026-05-18T10:59Z')])
    expect(await posted()).toEqual([10n, 20n, 45n])
    expect(await wrongInBooks(db)).toEqual([])
  })

  it('does not include uncovered bytes', async () => {
    const who = await customer({ paid: 100n })
    const report = (bytes: bigint, at: string) => who.report([line(who.id, who.accessId, bytes)], at)
    await loseGrants(report(0n, '2026-05-17T09:00Z'))
    await settle(db, [
      report(70n, '2026-05-17T10:00Z'),
      report(50n, '2026-05-17T11:00Z'),
      report(8n, '2026-05-17T12:00Z'),
    ])
    expect((await hours(who.accessId)).map(({ charged, requests }) => [charged, requests])).toEqual([
      [70n, 1n],
      [30n, 1n],
      [0n, 1n],
    ])
    expect(await wrongInBooks(db)).toEqual([])
  })

  it('is summed once for each past day, and late reports are added to the hour and to the day', async () => {
    const who = await customer({ paid: gb, bonus: 12n })
    const report = (bytes: bigint, at: string) => who.report([line(who.id, who.accessId, bytes)], at)
    await settle(db, [
      report(10n, '2026-05-03T10:00Z'),
      report(5n, '2026-05-03T23:59Z'),
      report(1n, '2026-05-04T00:00Z'),
    ])
    const before = await days(who)
    expect(await addUpHours(db)).toBeGreaterThanOrEqual(3)
    expect(await days(who)).toEqual(before)
    expect(before).toEqual([
      ['03', 15n, 12n, 2n],
      ['04', 1n, 0n, 1n],
    ])
    await settle(db, [report(100n, '2026-05-03T10:30Z'), report(200n, '2026-05-03T12:00Z')])
    expect(await days(who)).toEqual([
      ['03', 315n, 12n, 4n],
      ['04', 1n, 0n, 1n],
    ])
    expect((await hours(who.accessId)).map(({ inDay }) => inDay)).toEqual([true, false, true, true])
    expect(await verifyTraffic(db, { full: true })).toEqual([])
    await addUpHours(db)
    expect(await addUpHours(db)).toBe(0)
    const { rows } = await sql`
      select day::text as day, charged_bytes as charged from usage_day where access_id = ${who.accessId} order by day`.execute(
      db,
    )
    expect(rows).toEqual([
      { day: '2026-05-03', charged: 315n },
      { day: '2026-05-04', charged: 1n },
    ])
    expect(await verifyTraffic(db, { full: true })).toEqual([])
  })

  it('is neither lost nor counted twice when days are added up during settlements', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => customer()))
    const rounds = 20
    const settling = people.map(async (who, index) => {
      for (let round = 0; round < rounds; round++) {
        const at = `2026-05-${10 + ((index + round) % 5)}T1${round % 7}:00Z`
        await settle(db, [who.report([line(who.id, who.accessId, 5n)], at)])
      }
    })
    const adding = (async () => {
      for (let times = 0; times < 15; times++) await addUpHours(db)
    })()
    await Promise.all([...settling, adding])
    await addUpHours(db)
    for (const who of people) {
      const used = await days(who)
      expect(sum(used.map(([, charged]) => charged as bigint))).toBe(BigInt(5 * rounds))
    }
    expect(await verifyTraffic(db, { full: true })).toEqual([])
  })

  it('sums to the days, the leases and the ledger, for random reports', async () => {
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          do: fc.constant('report'),
          who: fc.nat(1),
          hour: fc.integer({ min: 20, max: 28 }),
          bytes: fc.nat(1200),
          requests: fc.nat(3),
          close: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('add up') }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('lose') }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const people = [
          await customerWith(db, { paid: 900n, bonus: 600n }),
          await customerWith(db, { paid: 3000n }),
        ]
        const holder = newBoot(`usage${people[0]?.accessId}`)
        await loseGrants(holder)
        const leases = new Map<number, bigint>()
        /** What may be charged to a lease, twice its grant. */
        const bounds = new Map<bigint, bigint>()
        let told = 0n
        const reports: Report[] = []
        for (const one of steps) {
          if (one.do === 'add up') await addUpHours(db)
          if (one.do === 'lose') await recover(db, { gateway: holder.gateway, boot: 'another' })
          if (one.do !== 'report') continue
          const { who, hour, bytes, requests, close } = one as Extract<typeof one, { bytes: unknown }>
          const account = people[who]?.accessId ?? 0n
          let id = leases.get(who)
          if (id === undefined) {
            const grant = await lease(db, holder, { access: account, want_bytes: gb })
            id = grant.lease
            if (id !== 0n && !bounds.has(id)) bounds.set(id, 2n * grant.granted_bytes)
          }
          if (id === 0n) continue
          const left = bounds.get(id) ?? 0n
          const charged = left < BigInt(bytes) ? left : BigInt(bytes)
          bounds.set(id, left - charged)
          leases.set(who, id)
          if (close) leases.delete(who)
          told += BigInt(requests)
          reports.push(
            holder.report([line(id, account, charged, { requests, close })], {
              at_ms: Date.UTC(2026, 4, 20, hour),
            }),
          )
          if (reports.length % 3 === 0) await settle(db, reports.slice(-3))
        }
        await settle(db, reports)
        const { rows } = await sql<{ requests: bigint }>`
          select coalesce(sum(requests), 0)::bigint as requests from usage_hour where access_id = any(${people.map(({ accessId }) => accessId)})`.execute(
          db,
        )
        expect(rows).toEqual([{ requests: told }])
        expect(await wrongInBooks(db)).toEqual([])
      }),
      { numRuns: sized(8, 25) },
    )
    await addUpHours(db)
    expect(await verifyTraffic(db, { full: true })).toEqual([])
  }, 60_000)

  it('that does not match its day is found', async () => {
    const who = await customer()
    await settle(db, [who.report([line(who.id, who.accessId, 10n)], '2026-05-05T10:00Z')])
    await addUpHours(db)
    expect(await verifyTraffic(db, { full: true })).toEqual([])
    await sql`update usage_hour set requests = requests + 1 where access_id = ${who.accessId}`.execute(db)
    expect(await verifyTraffic(db, { full: true })).toMatchObject([
      { check: 'days_are_the_sums_of_their_hours', subject: `access ${who.accessId} on 2026-05-05` },
      {
        check: 'sums_are_the_sums_of_their_hours',
        subject: 'pool residential, exit 0, 2026-05-05T10:00:00.000Z',
      },
    ])
    await sql`update usage_hour set requests = requests - 1 where access_id = ${who.accessId}`.execute(db)
  })
})

describe('old usage', () => {
  it('is dropped by the month, and its sum stays', async () => {
    const other = await testDatabase()
    try {
      const who = await customerWith(other.db, { paid: gb, bonus: 15n })
      const holder = newBoot()
      const { lease: id } = await lease(other.db, holder, { access: who.accessId, want_bytes: gb })
      const { rows: months } = await other.pool.query<{ at: Date }>(
        `select month_of(now() - make_interval(months => n))::timestamp at time zone 'UTC' + interval '12 h' as at from generate_series(1, 6) n`,
      )
      const report = ({ at }: { at: Date }, bytes = 10n) =>
        holder.report([line(id, who.accessId, bytes)], { at_ms: at.getTime() })
      await settle(
        other.db,
        months.map((month) => report(month)),
      )
      expect(await makeUsageMonths(other.db)).toBeGreaterThanOrEqual(5)
      const count = async (table: string) =>
        (await other.pool.query<{ n: bigint }>(`select count(*) as n from ${table}`)).rows[0]?.n
      expect([await count('usage_hour'), await count('usage_hour_rest')]).toEqual([6n, 0n])
      const checks = () => verifyTraffic(other.db, { full: true })
      const dropped = await forgetOldUsage(other.db, { hourMonths: 1, dayMonths: 3 })
      expect(dropped.filter((name) => name.startsWith('usage_hour_'))).toHaveLength(5)
      expect([await count('usage_hour'), await count('usage_past_day')]).toEqual([1n, 3n])
      expect(await checks()).toEqual([])
      // Late reports of those months are counted, and dropped with the next run.
      await settle(other.db, [
        ...months.slice(3).map((month) => report(month, 100n)),
        ...months.slice(0, 1).map((month) => report(month)),
      ])
      expect(await checks()).toEqual([])
      await forgetOldUsage(other.db, { hourMonths: 1, dayMonths: 3 })
      expect([await count('usage_hour'), await count('usage_past_day')]).toEqual([1n, 3n])
      expect(await checks()).toEqual([])
      const { rows } = await other.pool.query(
        `select forgotten_bytes as bytes, forgotten_bonus_bytes as bonus from meter`,
      )
      expect(rows).toEqual([{ bytes: 330n, bonus: 15n }])
      expect(await forgetOldUsage(other.db, { hourMonths: null, dayMonths: null })).toEqual([])
      expect(await forgetOldUsage(other.db, { hourMonths: 1, dayMonths: 3 })).toEqual([])
    } finally {
      await other.close()
    }
  })
})
