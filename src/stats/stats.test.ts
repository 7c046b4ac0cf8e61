import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Context } from '#db/call'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import { newAccount } from '#test/people'
import { customerWith, line, newBoot } from '#test/traffic'
import { lease, settle } from '#traffic'
import { statsCalls } from './stats.calls.ts'
import { statistic } from './stats.ts'

const now = new Date('2026-03-02T00:30:00Z')
const gb = 1_000_000_000n
const gateway = newBoot()

let database: Database
let accountId: bigint

beforeAll(async () => {
  database = await testDatabase()
  const { db } = database
  const who = await customerWith(db, { paid: 5n * gb, bonus: 5_300_000n })
  accountId = who.accountId
  const days = [
    '2026-01-31T23:59:59.999Z',
    '2026-02-01T00:00:00Z',
    '2026-02-23T23:59:59Z',
    '2026-02-24T00:00:00Z',
    '2026-03-02T00:10:00Z',
  ]
  for (const [index, at] of days.entries()) {
    const { lease: id } = await lease(db, gateway, { access: who.accessId, want_bytes: gb })
    const used = line(id, who.accessId, 5_300_000n, { requests: index + 1 })
    await settle(db, [gateway.report([used], { at_ms: Date.parse(at) })])
  }
})
afterAll(() => database.close())

describe('statistic', () => {
  it('has every day of the week, oldest first, including zeros', async () => {
    const { days, total } = await statistic(database.db, {
      accountId,
      pool: 'residential',
      period: 'week',
      now,
    })
    expect(days.map((day) => day.day)).toEqual([
      '2026-02-24',
      '2026-02-25',
      '2026-02-26',
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
    ])
    expect(days.map((day) => day.requests)).toEqual([4n, 0n, 0n, 0n, 0n, 0n, 5n])
    expect(total).toEqual({ chargedBytes: 10_600_000n, bonusBytes: 0n })
  })

  it('goes back thirty days for a month', async () => {
    const { days, total } = await statistic(database.db, {
      accountId,
      pool: 'residential',
      period: 'month',
      now,
    })
    expect(days).toHaveLength(30)
    expect(days[0]).toEqual({ day: '2026-02-01', chargedBytes: 5_300_000n, bonusBytes: 0n, requests: 2n })
    expect(total.chargedBytes).toBe(4n * 5_300_000n)
  })

  it('shows the part paid by bonus', async () => {
    const january = new Date('2026-01-31T12:00:00Z')
    const { days } = await statistic(database.db, {
      accountId,
      pool: 'residential',
      period: 'week',
      now: january,
    })
    expect(days.at(-1)).toEqual({
      day: '2026-01-31',
      chargedBytes: 5_300_000n,
      bonusBytes: 5_300_000n,
      requests: 1n,
    })
  })

  it('is zeros for a pool that was never bought and for a customer who bought nothing', async () => {
    const zeros = { chargedBytes: 0n, bonusBytes: 0n }
    const mobile = await statistic(database.db, { accountId, pool: 'mobile', period: 'week', now })
    expect(mobile.total).toEqual(zeros)
    expect(mobile.days).toHaveLength(7)
    const nobody = await newAccount(database.db)
    const none = await statistic(database.db, { accountId: nobody, pool: 'mobile', period: 'month', now })
    expect(none.total).toEqual(zeros)
  })
})

describe('legacy_get_statistic', () => {
  it('formats traffic as on the wire', async () => {
    const account = { id: accountId, lang: 'rus' as const, tokenSha256: Buffer.alloc(32) }
    const context: Context = {
      database,
      account,
      language: 'ru',
      now: () => now,
      requestId: 'test',
      ip: '127.0.0.1',
      country: null,
      isOtherSite: false,
      userAgent: null,
      browser: null,
      setHeader: () => undefined,
    }
    const answer = await statsCalls.legacy_get_statistic({ pool: 'residential', period: 'week' }, context)
    expect(answer.usage[0]).toEqual({ d_usage: '2026-02-24', traffic: 0.0053, extra_traffic: 0, request: 4 })
    expect(answer.total).toEqual({ traffic: 0.0106, extra_traffic: 0 })
  })
})
