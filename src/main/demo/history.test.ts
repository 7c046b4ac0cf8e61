import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { signUp } from '#accounts'
import { seedDemoExits } from '#exits'
import { usedByAccount } from '#ledger'
import { createCode } from '#promo'
import { ensureAccess } from '#proxies'
import { searchInvoices } from '#purchase'
import type { DeskContext } from '#staff/call'
import { balancesOf, creditTraffic, openMeter } from '#traffic'
import { app, type App } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { wrongInBooks } from '#test/traffic'
import { deskHandlersOf } from '../desk.ts'
import { demoCodes } from './demo.ts'
import { fillPast } from './history.ts'
import { type Day, planCustomer, planMonth } from './plan.ts'
import { addDays } from '#lib/zone'

const dayMs = 86_400_000
const promocode = demoCodes.discount.code
const name = 'customer'
const password = 'password of customer'

let shop: App
let office: Desk
let owner: StaffMember
let accountId: bigint
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  const { db } = shop.database
  await seedDemoExits(db)
  await createCode(db, demoCodes.discount)
  const nobody = { referralCode: null, adminReferralCode: null }
  accountId = (
    await signUp(db, { username: name, email: 'customer@example.com', password, lang: 'eng', ...nobody })
  ).id
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const sum = (values: readonly (bigint | string)[]) =>
  values.reduce<bigint>((all, one) => all + BigInt(one), 0n)
const countOf = async (table: 'account' | 'invoice' | 'connection_record' | 'ledger_transaction') =>
  (await sql<{ count: bigint }>`select count(*) from ${sql.table(table)}`.execute(shop.database.db)).rows[0]
    ?.count

const fill = () => fillPast(shop.services, { name, promocode })

async function giveTraffic(): Promise<void> {
  const { db } = shop.database
  const pool = 'residential'
  const { id: accessId } = await ensureAccess(db, shop.services.secrets, { accountId, pool })
  await openMeter(db, { accessId, accountId, pool })
  await creditTraffic(db, { accessId, bytes: 5_000_000_000n, part: 'paid', kind: 'gift', reference: 'gift' })
}

describe('the month of a demo', () => {
  let month: Day[]
  let own: ReturnType<typeof planCustomer>

  it('is filled once, whole or not at all, and before the shop’s own first entry', async () => {
    const people = (await countOf('account')) ?? 0n
    // The name of the customer is missing: nothing is left of the filling.
    await expect(fillPast(shop.services, { name: 'nobody', promocode })).rejects.toThrow('nobody')
    expect(await countOf('account')).toBe(people)
    expect(await fill()).toBe('filled')
    const counts = await Promise.all([countOf('account'), countOf('invoice'), countOf('connection_record')])
    await giveTraffic()
    expect(await fill()).toBe('known')
    expect(await Promise.all([countOf('account'), countOf('invoice'), countOf('connection_record')])).toEqual(
      counts,
    )
    const entries = await owner.call('audit', { action: 'fill_demo', limit: 100 })
    expect(entries.rows.filter(({ subject_kind: kind }) => kind === 'list')).toHaveLength(31)
    const until = entries.rows.map(({ after: told }) => new Date((told as { until: string }).until))
    month = planMonth(until[0] ?? new Date())
    own = planCustomer(name, until.at(-1) ?? new Date())
    expect(counts[2]).toBe(BigInt([own, ...month].flatMap(({ connections }) => connections).length))
  })

  it('leaves the books in order, and the balance of the demo’s customer unchanged', async () => {
    const { db } = shop.database
    expect(await wrongInBooks(db)).toEqual([])
    expect((await balancesOf(db, accountId)).get('residential')?.total).toBe(5_000_000_000n)
    expect((await balancesOf(db, accountId)).get('datacenter')?.total ?? 0n).toBe(0n)
  })

  it('is marked as a demo, sends no letters, and has what a desk needs', async () => {
    const { rows } = await owner.call('customers', { tag: 'demo', limit: 100 })
    expect(rows.length).toBeGreaterThan(40)
    expect(rows.filter(({ name: called }) => !called?.startsWith('demo-'))).toEqual([])
    expect(await sql`select from mail`.execute(shop.database.db)).toMatchObject({ rows: [] })
    const seen = rows.filter(({ last_seen_at: at }) => at !== null)
    expect(seen.length).toBeGreaterThan(rows.length / 2)
    const invoices = await searchInvoices(shop.database.db, {}, { before: null, limit: 1000 })
    const has = (state: string) => invoices.filter((one) => one.state === state).length
    expect(invoices.filter(({ disputedAt }) => disputedAt !== null)).toHaveLength(2)
    expect([has('underpaid'), has('refunded'), has('expired') > 0, has('cancelled') > 0]).toEqual([
      1,
      2,
      true,
      true,
    ])
    expect(invoices.filter((one) => one.promocode !== null).length).toBeGreaterThan(0)
  })

  /** Today as it was at the end of a day. */
  async function todayAt(end: Date) {
    const handlers = await deskHandlersOf(shop.services, () => Promise.resolve([]))
    const lastMs = Math.floor((end.getTime() - 1) / dayMs) * dayMs + dayMs - 1
    return handlers.today({}, { database: shop.database, now: () => new Date(lastMs) } as DeskContext)
  }

  it('is the same on each day in Today, in the traffic by every dimension, at the customers and in the ledger', async () => {
    const used: bigint[] = []
    for (const { day, end, connections } of month) {
      const today = await todayAt(end)
      const ofOwn = own.connections.filter(({ endedAt }) => endedAt.toISOString().startsWith(day))
      const all = [...connections, ...ofOwn]
      const bytes = sum(all.map((one) => one.bytes))
      expect([day, today.used_bytes.today]).toEqual([day, String(bytes)])
      const refused = all.filter(({ failure }) => failure !== null).length
      expect([day, today.refused_requests?.today]).toEqual([day, String(refused)])
      for (const by of ['pool', 'exit', 'country', 'hour'] as const) {
        const sums = await owner.call('traffic_sums', { by, from: day, until: day })
        expect([day, by, sum(sums.rows.map((row) => row.charged_bytes))]).toEqual([day, by, bytes])
      }
      used.push(bytes)
    }
    const ledger = await usedByAccount(shop.database.db)
    expect(sum([...ledger.used.values()])).toBe(sum(used))
    expect(sum([...ledger.lost.values()])).toBe(0n)
    const customer = shop.client(await shop.anyone('signin', { username: name, password }))
    for (const pool of ['residential', 'datacenter'] as const) {
      const { usage } = await customer('legacy_get_statistic', { pool, period: 'month' })
      const ofPool = own.connections.filter((one) => one.pool === pool)
      const since = new Date(shop.clock.now.getTime() - (usage.length - 1) * dayMs).toISOString().slice(0, 10)
      const counted = ofPool.filter(({ endedAt }) => endedAt.toISOString().slice(0, 10) >= since)
      expect(sum(usage.map(({ traffic }) => bytesFromWire(traffic)))).toBe(
        sum(counted.map(({ bytes }) => bytes)),
      )
    }
  })

  it('has the same money on each day of Today and of the report, in the invoices and in the ledger', async () => {
    const days = new Map<string, string>()
    for (const { day, end } of month) {
      const { money_in_micros: money, week_money: week, month_money: since } = await todayAt(end)
      if (money.today !== '0') days.set(day, money.today)
      const between = (first: string, last: string) =>
        String(sum([...days].filter(([each]) => each >= first && each <= last).map(([, micros]) => micros)))
      // The end of the day: the week before is compared up to the same weekday.
      expect([day, week.now, week.before]).toEqual([
        day,
        between(week.from, day),
        between(addDays(week.from, -7), addDays(day, -7)),
      ])
      expect([day, since.from, since.now]).toEqual([day, `${day.slice(0, 7)}-01`, between(since.from, day)])
    }
    const received = sum([...days.values()])
    const [from = '', until = ''] = [month[0]?.day, month.at(-1)?.day]
    const report = await owner.call('report', { report: 'sales', by: 'day', from, until })
    expect(new Map(report.rows.map(({ key, micros }) => [key, micros]))).toEqual(days)
    expect(report.agrees).toBe('equal')
    const invoices = await searchInvoices(shop.database.db, {}, { before: null, limit: 1000 })
    expect(received).toBe(sum(invoices.map((one) => one.receivedMicros)))
    const { rows } = await sql<{ micros: bigint }>`
      select sum(e.amount)::bigint as micros from ledger_entry e join ledger_account a on a.id = e.account_id
      where a.kind = 'cash:sandbox'`.execute(shop.database.db)
    expect(rows[0]?.micros).toBe(received - sum(invoices.map((one) => one.refundedMicros)))
  })
})
