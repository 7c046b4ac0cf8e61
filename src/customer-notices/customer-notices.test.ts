import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeLimits } from '#limits'
import { lease, settle } from '#traffic'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { newBoot, line } from '#test/traffic'
import { hoursLeft, shareLeft, shareLevels } from './crossing.ts'
import { firstLookMs, sendNotices, type TelegramNotice } from './customer-notices.ts'

const gb = 1_000_000_000n
const pool = 'residential'

let shop: App
let db: App['database']['db']
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  db = shop.database.db
})
afterAll(() => shop.close())

describe('what is left', () => {
  it('is reported by the lowest level that it has reached', () => {
    expect([100n, 21n, 20n, 6n, 5n, 1n, 0n].map((bytes) => shareLeft(bytes, 100n))).toEqual([
      null,
      null,
      'fifth',
      'fifth',
      'twentieth',
      'twentieth',
      'out',
    ])
  })

  it('never rises while traffic is used', () => {
    const level = (bytes: bigint, whole: bigint) => {
      const share = shareLeft(bytes, whole)
      return share === null ? 0 : shareLevels.indexOf(share) + 1
    }
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 15n),
        fc.bigInt(0n, 10n ** 15n),
        fc.bigInt(0n, 10n ** 15n),
        (a, b, c) => {
          const [less, more, whole] = [a, b, c].toSorted((x, y) => (x < y ? -1 : 1)) as [
            bigint,
            bigint,
            bigint,
          ]
          expect(level(less, whole)).toBeGreaterThanOrEqual(level(more, whole))
        },
      ),
    )
  })

  it('lasts as long as the rate of the last day implies', () => {
    expect(hoursLeft(10n * gb, 24n * gb)).toBe(10)
    expect(hoursLeft(gb - 1n, 24n * gb)).toBe(0)
    expect(hoursLeft(gb, 0n)).toBeNull()
  })
})

describe('notices', () => {
  let customer: Customer
  let accountId: bigint
  let access: bigint

  beforeEach(async () => {
    customer = await shop.customer()
    accountId = BigInt(await accountIdOf(customer))
    await sql`update account set email_confirmed_at = now() where id = ${accountId}`.execute(db)
    await shop.buy(customer, { pool, gb: 1 })
    const { rows } = await sql<{ id: bigint }>`
      select id from access where account_id = ${accountId} and pool = ${pool}`.execute(db)
    access = rows[0]?.id ?? 0n
    await db.deleteFrom('mail').execute()
    await sql`delete from graphile_worker._private_jobs`.execute(db)
  })

  const use = async (bytes: bigint) => {
    const boot = newBoot()
    for (let left = bytes; left > 0n;) {
      const { lease: held, granted_bytes: granted } = await lease(db, boot, { access, want_bytes: left })
      expect(granted).toBeGreaterThan(0n)
      const used = granted < left ? granted : left
      await settle(db, [boot.report([line(held, access, used, { close: true })], { at_ms: Date.now() })])
      left -= used
    }
  }
  const linkTelegram = () =>
    sql`insert into telegram_identity (telegram_user_id, account_id) values (${accountId + 5_000_000n}, ${accountId})`.execute(
      db,
    )
  /** The contents of the waiting letters. */
  const letters = async () => {
    const { rows } = await sql<{ template: string; data: Record<string, unknown> }>`
      select template, data from mail where recipient = ${customer.email} order by created_at`.execute(db)
    return rows.map(({ template, data }) => ({ template, ...data }))
  }
  const messages = async () => {
    const { rows } = await sql<{ payload: TelegramNotice }>`
      select p.payload from graphile_worker._private_jobs p join graphile_worker._private_tasks t on t.id = p.task_id
      where t.identifier = 'telegram_notice' order by p.id`.execute(db)
    return rows.map(({ payload }) => payload)
  }
  const look = () => sendNotices(db, new Date())

  it('are sent at a fifth, a twentieth and nothing, each once', async () => {
    await use((gb * 79n) / 100n)
    expect(await look()).toBe(0)
    await use(gb / 100n)
    expect([await look(), await look()]).toEqual([1, 0])
    await use((gb * 15n) / 100n)
    expect([await look(), await look()]).toEqual([1, 0])
    await use(gb / 100n)
    expect(await look()).toBe(0)
    await use((gb * 4n) / 100n)
    expect([await look(), await look()]).toEqual([1, 0])
    expect(await letters()).toMatchObject([
      { template: 'traffic_low', pool, share: 'fifth', left_bytes: '200000000', hours_left: 6 },
      { share: 'twentieth', left_bytes: '50000000', hours_left: 1 },
      { share: 'out', left_bytes: '0', hours_left: 0 },
    ])
  })

  it('report only the lowest of several levels crossed at once', async () => {
    await use(gb)
    expect(await look()).toBe(1)
    expect((await letters()).map((letter) => 'share' in letter && letter.share)).toEqual(['out'])
  })

  it('start over with the next credit, relative to the balance right after it', async () => {
    await use((gb * 9n) / 10n)
    expect(await look()).toBe(1)
    await shop.buy(customer, { pool, gb: 1 })
    await db.deleteFrom('mail').execute()
    // The reference is now 1.1 GB: a fifth of it is 220 MB.
    await use((gb * 87n) / 100n)
    expect(await look()).toBe(0)
    await use(gb / 100n)
    expect([await look(), await look()]).toEqual([1, 0])
    expect(await letters()).toMatchObject([{ share: 'fifth', left_bytes: '220000000' }])
  })

  it('are sent once by any number of workers at the same time', async () => {
    await use((gb * 9n) / 10n)
    const sent = await Promise.all(Array.from({ length: 5 }, look))
    expect(sent.reduce((sum, count) => sum + count)).toBe(1)
    expect(await letters()).toHaveLength(1)
  })

  it('report events that happened while no job ran', async () => {
    await use(gb)
    const days = (count: number) => new Date(Date.now() + count * 24 * 3_600_000)
    expect(await sendNotices(db, days(1))).toBe(0)
    expect(await sendNotices(db, days(8), { lookBackMs: firstLookMs })).toBe(0)
    expect(await sendNotices(db, days(6), { lookBackMs: firstLookMs })).toBe(1)
    expect(await letters()).toMatchObject([{ share: 'out' }])
  })

  it('are sent when the balance falls below the customer’s threshold, once for each threshold', async () => {
    await customer.call('set_notices', { below_bytes: 600_000_000 })
    await use((gb * 4n) / 10n)
    expect(await look()).toBe(0)
    await use(1n)
    expect([await look(), await look()]).toEqual([1, 0])
    await customer.call('set_notices', { below_bytes: 650_000_000 })
    expect([await look(), await look()]).toEqual([1, 0])
    expect((await letters()).map((letter) => 'share' in letter && letter.share)).toEqual([null, null])
  })

  it('are sent when a cap is reached, once per window and cap', async () => {
    const key = { id: access, login: 'someone' }
    await changeLimits(db, key, { dayBytes: gb / 2n, monthBytes: gb / 2n + 1n })
    await use(gb / 2n - 1n)
    expect(await look()).toBe(0)
    await use(1n)
    expect([await look(), await look()]).toEqual([1, 0])
    await changeLimits(db, key, { dayBytes: gb / 2n + 1n })
    await use(1n)
    expect([await look(), await look()]).toEqual([2, 0])
    expect(await letters()).toMatchObject([
      { template: 'cap_reached', pool, window: 'day', cap_bytes: '500000000' },
      { window: 'day', cap_bytes: '500000001' },
      { window: 'month', cap_bytes: '500000001' },
    ])
  })

  it('use the channels that the customer has left on, and only confirmed addresses', async () => {
    await linkTelegram()
    await customer.call('set_notices', { traffic: { email: false } })
    await use((gb * 8n) / 10n)
    expect(await look()).toBe(1)
    expect([await letters(), await messages()]).toMatchObject([
      [],
      [{ kind: 'traffic', account_id: String(accountId), share: 'fifth' }],
    ])
    await customer.call('set_notices', { traffic: { email: true, telegram: false } })
    await sql`update account set email_confirmed_at = null where id = ${accountId}`.execute(db)
    await use((gb * 15n) / 100n)
    expect(await look()).toBe(0)
    expect([await letters(), await messages()]).toMatchObject([[], [{}]])
    // A notice that was skipped is not sent when the address is confirmed later.
    await sql`update account set email_confirmed_at = now() where id = ${accountId}`.execute(db)
    expect(await look()).toBe(0)
    expect(await letters()).toEqual([])
  })

  it('are not sent to a blocked customer', async () => {
    await use((gb * 8n) / 10n)
    await sql`update account set blocked_at = now() where id = ${accountId}`.execute(db)
    expect(await look()).toBe(0)
    expect(await letters()).toEqual([])
  })

  it('are switched one by one; the others are unchanged', async () => {
    const on = { email: true, telegram: true }
    expect(await customer.call('get_notices', {})).toEqual({
      traffic: on,
      cap: on,
      topup: on,
      trouble: on,
      bill: on,
      below_bytes: null,
    })
    await customer.call('set_notices', { cap: { telegram: false }, below_bytes: 1_000_000 })
    const chosen = {
      traffic: on,
      cap: { email: true, telegram: false },
      topup: on,
      trouble: on,
      bill: on,
      below_bytes: 1_000_000,
    }
    expect(await customer.call('set_notices', {})).toEqual(chosen)
    expect(await customer.call('get_notices', {})).toEqual(chosen)
    expect(await customer.call('set_notices', { below_bytes: null })).toMatchObject({ below_bytes: null })
    for (const bytes of [0, 999_999, -1, 1.5, 1e16])
      expect((await refusalOf(customer.call('set_notices', { below_bytes: bytes }))).code).toBe(
        'invalid_byte_cap',
      )
    const other = await shop.customer()
    expect(await other.call('get_notices', {})).toEqual({
      traffic: on,
      cap: on,
      topup: on,
      trouble: on,
      bill: on,
      below_bytes: null,
    })
  })
})
