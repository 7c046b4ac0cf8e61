import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { notePlaces, watchPlaces } from '#exits'
import { type TelegramNotice, sendTroubleNotices } from '#customer-notices'
import { accountIdOf, app, type App, type Customer } from '#test/app'

const pool = 'residential'
const minutes = 15n
const start = Date.UTC(2026, 4, 17, 12)

let shop: App
let db: App['database']['db']
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  db = shop.database.db
})
afterAll(() => shop.close())

let minute = 0
const now = () => new Date(start + minute * 60_000)
beforeEach(async () => {
  minute = 0
  await sql`truncate place_minute, place_use, place_trouble cascade`.execute(db)
  await sql`delete from mail`.execute(db)
  await sql`delete from graphile_worker._private_jobs`.execute(db)
})

/** A customer with traffic who has asked for these countries just now. */
async function user(...countries: string[]): Promise<Customer & { accountId: bigint }> {
  const customer = await shop.customer()
  const accountId = BigInt(await accountIdOf(customer))
  await sql`update account set email_confirmed_at = now() where id = ${accountId}`.execute(db)
  await shop.buy(customer, { pool, gb: 1 })
  await sql`delete from mail`.execute(db)
  await asks(accountId, ...countries)
  return { ...customer, accountId }
}

async function asks(accountId: bigint, ...countries: string[]) {
  const { rows } = await sql<{ id: bigint }>`
    select id from access where account_id = ${accountId} and pool = ${pool}`.execute(db)
  const used = countries.map((country) => ({ access: rows[0]?.id ?? 0n, country }))
  await notePlaces(db, { outcomes: [], used }, now())
}

/** Lets minutes pass, each with these outcomes and a check after it. */
async function pass(count: number, ...outcomes: { country: string; reached?: number; failed?: number }[]) {
  let sent = 0
  for (let index = 0; index < count; index++) {
    const told = outcomes.map(({ reached = 0, failed = 0, country }) => ({ pool, country, reached, failed }))
    await notePlaces(db, { outcomes: told, used: [] }, now())
    minute++
    await watchPlaces(db, now())
    sent += await sendTroubleNotices(db, now(), { minutes })
  }
  return sent
}

const letters = async ({ email }: Customer) => {
  const { rows } = await sql<{ data: { event: string; countries: string } }>`
    select data from mail where recipient = ${email} and template = 'exit_trouble' order by created_at, id`.execute(
    db,
  )
  return rows.map(({ data }) => [data.event, ...data.countries.split(',')])
}

describe('trouble with a country', () => {
  it('is reported once to its users after it has lasted, and once when it ends', async () => {
    const [one, other, elsewhere] = [await user('de'), await user('de', 'fr'), await user('fr')]
    expect(await pass(14, { country: 'de', failed: 4 }, { country: 'fr', reached: 5 })).toBe(0)
    expect(await pass(1, { country: 'de', failed: 4 })).toBe(2)
    expect(await pass(30, { country: 'de', failed: 4 })).toBe(0)
    expect([await letters(one), await letters(other), await letters(elsewhere)]).toEqual([
      [['began', 'de']],
      [['began', 'de']],
      [],
    ])
    // At least half of the last minutes' connections must succeed.
    expect(await pass(1, { country: 'de', reached: 4 })).toBe(0)
    expect(await pass(1, { country: 'de', reached: 4 })).toBe(2)
    expect(await pass(10, { country: 'de', reached: 4 })).toBe(0)
    expect(await letters(one)).toEqual([
      ['began', 'de'],
      ['ended', 'de'],
    ])
  })

  it('is not reported when it is short, when some connections succeed, or without later attempts', async () => {
    const one = await user('de')
    await pass(10, { country: 'de', failed: 5 })
    await pass(5, { country: 'de', reached: 20 })
    await pass(40, { country: 'de', failed: 3, reached: 1 })
    await pass(10, { country: 'de', reached: 20 })
    await pass(5, { country: 'de', failed: 5 })
    await pass(40)
    expect(await letters(one)).toEqual([])
  })

  it('in several countries of a pool is one letter, and each country is reported once', async () => {
    const one = await user('de', 'fr', '')
    await pass(16, { country: 'de', failed: 4 }, { country: 'fr', failed: 4 }, { country: '', failed: 9 })
    expect(await letters(one)).toEqual([['began', '*', 'de', 'fr']])
    await pass(16, { country: 'de', failed: 4 })
    expect(await letters(one)).toHaveLength(1)
  })

  it('is reported to customers who used it within a day, or start to use it while it lasts', async () => {
    const early = await user('de')
    minute = 26 * 60
    const late = await user()
    await pass(16, { country: 'de', failed: 4 })
    await asks(late.accountId, 'de')
    expect(await pass(1, { country: 'de', failed: 4 })).toBe(1)
    expect([await letters(early), await letters(late)]).toEqual([[], [['began', 'de']]])
  })

  it('is reported once by concurrent workers, on the channels that the customer has left on', async () => {
    const [one, quiet] = [await user('de'), await user('de')]
    await quiet.call('set_notices', { trouble: { email: false } })
    await sql`insert into telegram_identity (telegram_user_id, account_id) values (${one.accountId + 7_000_000n}, ${one.accountId})`.execute(
      db,
    )
    await pass(14, { country: 'de', failed: 4 })
    minute++
    const sent = await Promise.all(
      Array.from({ length: 4 }, () => sendTroubleNotices(db, now(), { minutes })),
    )
    expect(sent.reduce((sum, count) => sum + count)).toBe(1)
    const { rows } = await sql<{ payload: TelegramNotice }>`
      select p.payload from graphile_worker._private_jobs p join graphile_worker._private_tasks t on t.id = p.task_id
      where t.identifier = 'telegram_notice'`.execute(db)
    expect(rows.map(({ payload }) => payload)).toMatchObject([
      { kind: 'trouble', event: 'began', countries: 'de', account_id: String(one.accountId) },
    ])
    expect([await letters(one), await letters(quiet)]).toEqual([[['began', 'de']], []])
    // A customer who was not notified of it is not notified of its end.
    await quiet.call('set_notices', { trouble: { email: true } })
    await pass(6, { country: 'de', reached: 9 })
    expect([await letters(one), await letters(quiet)]).toEqual([
      [
        ['began', 'de'],
        ['ended', 'de'],
      ],
      [],
    ])
  })

  it('is dropped after a day without attempts, and is not reported where the setting is 0', async () => {
    const one = await user('de')
    await pass(20, { country: 'de', failed: 4 })
    expect(await letters(one)).toHaveLength(1)
    minute += 25 * 60
    await pass(1)
    await pass(6, { country: 'de', reached: 9 })
    expect(await letters(one)).toHaveLength(1)
    await pass(14, { country: 'de', failed: 4 })
    minute++
    expect(await sendTroubleNotices(db, now(), { minutes: 0n })).toBe(0)
  })

  it('ignores malformed reports of a gateway', async () => {
    const bad = [
      { pool, country: 'DE', reached: 1, failed: 1 },
      { pool, country: 'de', reached: -1, failed: 1 },
      { pool, country: 'de', reached: 0.5, failed: 1 },
      { pool: 7 as unknown as string, country: 'de', reached: 1, failed: 1 },
    ]
    await notePlaces(db, { outcomes: bad, used: [{ access: 999_999n, country: 'de' }] }, now())
    await notePlaces(db, {} as Parameters<typeof notePlaces>[1], now())
    const { rows } = await sql`select from place_minute union all select from place_use`.execute(db)
    expect(rows).toEqual([])
  })
})
