import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportDivisions, type ReportName } from '#contract/desk/choices'
import type { DeskInput } from '#contract/desk/contract'
import { addDays, dayIn } from '#lib/zone'
import { addUpHours, lease, settle } from '#traffic'
import { app, type App, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { line, newBoot } from '#test/traffic'

let shop: App
let office: Desk
let owner: StaffMember

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const sum = (values: readonly (string | null)[]) => values.reduce((all, one) => all + BigInt(one ?? 0), 0n)

/** What the ledger holds on accounts of the house, by kind of transaction. */
async function booked(account: string, kind?: string): Promise<bigint> {
  const { rows } = await shop.database.pool.query<{ sum: bigint }>(
    `select coalesce(sum(e.amount), 0)::bigint as sum from ledger_entry e
     join ledger_account a on a.id = e.account_id join ledger_transaction t on t.id = e.transaction_id
     where a.customer_id is null and a.kind = $1 and ($2::text is null or t.kind = $2)`,
    [account, kind ?? null],
  )
  return rows[0]?.sum ?? 0n
}

it('a report adds up to the ledger, whatever each report is divided by', async () => {
  const customers = await Promise.all([shop.customer(), shop.customer(), shop.customer()])
  const come = 'update account set admin_referral_code = $2 where username = $1'
  await shop.database.pool.query(come, [customers[0].username, 'forum'])
  const codes = { kind: 'one', code: 'SPRING' } as const
  const grant = { kind: 'discount', discount_ppm: 100_000, min_gb: 1 } as const
  await owner.call('create_promo_codes', {
    codes,
    grant,
    max_uses: null,
    expires_at: null,
    key: crypto.randomUUID(),
  })
  const [first, second, third] = customers
  if (first === undefined || second === undefined || third === undefined) throw new Error('too few customers')
  await shop.buy(first, { pool: 'residential', gb: 3 })
  await shop.buy(second, { pool: 'mobile', gb: 2, promocode: 'SPRING' })
  const refunded = await shop.buy(third, { pool: 'mobile', gb: 1, promocode: 'SPRING' })

  const { rows } = await shop.database.pool.query<{ id: bigint; account_id: bigint }>(
    `select id, account_id from access where pool = 'residential' limit 1`,
  )
  const whose = rows[0]
  if (whose === undefined) throw new Error('nobody bought')
  const key = crypto.randomUUID()
  const who = String(whose.account_id)
  await owner.call('give_traffic', { id: who, pool: 'residential', bytes: '700', reason: 'a gift', key })
  const gift = { id: who, micros: '9000000', reason: 'a gift', key: crypto.randomUUID() }
  await owner.call('give_money', gift)
  const boot = newBoot()
  const { lease: held } = await lease(shop.database.db, boot, { access: whose.id, want_bytes: 1_000_000n })
  await settle(shop.database.db, [
    boot.report([line(held, whose.id, 5000n)], { at_ms: shop.clock.now.getTime() }),
  ])
  await owner.call('refund_invoice', {
    key: randomUUID(),
    number: refunded,
    what: { kind: 'whole' },
    reason: 'asked for it',
  })

  // The ledger has the database's time, the shop of the test its own.
  const dayMs = 86_400_000
  const times = [Date.now(), shop.clock.now.getTime()]
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
  const period = { from: dayOf(Math.min(...times) - dayMs), until: dayOf(Math.max(...times) + dayMs) }

  const used = 5000n
  const ofCustomers = async () => {
    const { rows: held } = await shop.database.pool.query<{ sum: bigint }>(
      `select sum(b.balance)::bigint as sum from ledger_balance b join ledger_account a on a.id = b.account_id
       where a.kind in ('traffic_paid', 'traffic_bonus')`,
    )
    return held[0]?.sum ?? 0n
  }
  const expected: Record<ReportName, Record<'micros' | 'referral_micros' | 'bytes', bigint>> = {
    sales: {
      micros: -(await booked('sales', 'purchase')),
      referral_micros: await booked('referral_spent', 'purchase'),
      bytes: -(await booked('traffic_sold', 'purchase')),
    },
    refunds: {
      micros: await booked('sales', 'refund'),
      referral_micros: 0n,
      bytes: await booked('traffic_sold', 'refund'),
    },
    usage: { micros: 0n, referral_micros: 0n, bytes: used },
    liability: { micros: 0n, referral_micros: 0n, bytes: await ofCustomers() },
    referral: {
      micros: -(await booked('referral_cost')),
      referral_micros: await booked('referral_spent'),
      bytes: 0n,
    },
  }
  expect(expected.sales.micros).toBeGreaterThan(0n)
  expect(expected.sales.bytes).toBe(6_000_000_000n)
  expect(expected.refunds.bytes).toBe(1_000_000_000n)
  expect(expected.referral.micros).toBe(9_000_000n)
  // Sold and given, less what was used and taken back, is what customers hold.
  expect(expected.liability.bytes).toBe(6_000_000_000n + 700n - used - 1_000_000_000n)
  for (const report of Object.keys(reportDivisions) as ReportName[])
    for (const by of reportDivisions[report]) {
      const { rows, foot, agrees } = await owner.call('report', { report, by, ...period })
      const isStock = report === 'liability' && by !== 'pool'
      // Held traffic is a stock: the total is the last row, not the sum of the rows.
      const all = isStock ? rows.slice(-1) : rows
      expect(agrees, `${report} by ${by}`).toBe(isStock ? 'own' : 'equal')
      expect(foot.map(({ key }) => key)).toEqual(['total', 'ledger'])
      expect(foot[0]?.bytes ?? '0', `${report} by ${by}`).toBe(String(expected[report].bytes))
      if (!isStock) expect(foot[1]?.micros).toBe(foot[0]?.micros)
      const sums = {
        micros: sum(all.map(({ micros }) => micros)),
        referral_micros: sum(all.map((row) => row.referral_micros)),
        bytes: sum(all.map(({ bytes }) => bytes)),
      }
      expect(sums, `${report} by ${by}`).toEqual(expected[report])
    }

  const counted = async (report: 'sales' | 'refunds', by: 'promo' | 'campaign') => {
    const { rows } = await owner.call('report', { report, by, ...period })
    return new Map(rows.map(({ key, count }) => [key, count]))
  }
  expect(await counted('sales', 'promo')).toEqual(
    new Map([
      ['', '1'],
      ['SPRING', '2'],
    ]),
  )
  expect(await counted('refunds', 'promo')).toEqual(new Map([['SPRING', '1']]))
  expect(await counted('sales', 'campaign')).toEqual(
    new Map([
      ['forum', '1'],
      ['', '2'],
    ]),
  )
  const methods = (await owner.call('report', { report: 'sales', by: 'method', ...period })).rows
  expect(methods).toMatchObject([{ key: 'sandbox', count: '3' }])

  // Orders are found by the references in the ledger, whatever the times of their invoices.
  await shop.database.pool.query(`begin;
    alter table payment disable trigger user;
    update payment set received_at = received_at - interval '90 days';
    alter table payment enable trigger user;
    commit`)

  // Each figure opens the list of the postings that it sums.
  for (const report of ['sales', 'refunds', 'referral'] as const)
    for (const by of reportDivisions[report]) {
      const { rows } = await owner.call('report', { report, by, ...period })
      if (by === 'promo' && report === 'sales') expect(rows.map(({ key }) => key)).toContain('SPRING')
      for (const row of rows) {
        const { postings, foot } = await postingsOf({ report, ...openedBy(by, row.key, period) })
        const shown = { micros: row.micros, referral_micros: row.referral_micros, bytes: row.bytes ?? '0' }
        const figures = (['micros', 'referral_micros', 'bytes'] as const).map(
          (field) => [field, String(sum(postings.map((posting) => posting[field])))] as const,
        )
        expect(Object.fromEntries(figures), `${report} by ${by}: ${row.key}`).toEqual(shown)
        expect([foot?.kind, foot?.micros], `${report} by ${by}: ${row.key}`).toEqual([row.count, row.micros])
        expect(String(postings.length)).toBe(row.count)
      }
    }
  // A figure of usage opens the same report of that pool or exit alone.
  for (const by of ['pool', 'exit'] as const)
    for (const { key, bytes } of (await owner.call('report', { report: 'usage', by, ...period })).rows)
      for (const divided of reportDivisions.usage) {
        const asked = { report: 'usage', by: divided, ...period, [by]: key === '' ? '0' : key } as const
        const { foot, agrees } = await owner.call('report', asked)
        expect([foot[0]?.bytes, agrees], `${by} ${key} by ${divided}`).toEqual([bytes, 'part'])
      }
  const { postings } = await postingsOf({ report: 'sales', ...period })
  expect(new Set(postings.map((posting) => posting.invoice_number)).has(refunded)).toBe(true)

  // The file ends with the sum and what the ledger has.
  const csv = await (
    await owner.browser.fetch(
      `/api/report.csv?report=sales&by=method&from=${period.from}&until=${period.until}`,
    )
  ).text()
  const [, , total = '', ledger = ''] = csv.trimEnd().split('\r\n')
  const { micros, bytes } = expected.sales
  expect(total).toBe(`total,,3,${micros},0,${bytes},,,`)
  expect(ledger).toBe(`ledger,equal,,${micros},0,${bytes},,,`)

  // So does that of postings, which comes in several pages.
  const fileLimits = { rowsAtOnce: 1, stallMs: 60_000, totalMs: 60_000, atOnce: 1 }
  const there = await desk(shop, { fileLimits })
  const accountant = await there.staff('accountant')
  const file = await accountant.browser.fetch(
    `/api/postings.csv?report=sales&promo=SPRING&from=${period.from}&until=${period.until}`,
  )
  const lines = (await file.text()).trimEnd().split('\r\n')
  const promo = (await owner.call('report', { report: 'sales', by: 'promo', ...period })).rows.find(
    ({ key: code }) => code === 'SPRING',
  )
  expect(lines).toHaveLength(4)
  expect(lines.at(-1)).toBe(`total,,2,,,,,,,,${promo?.micros},0,${promo?.bytes}`)
  await there.close()
})

type Asked = Parameters<typeof postingsOf>[0]

/** The filter by which the list of postings is opened. */
function openedBy(by: string, key: string, period: { from: string; until: string }): Omit<Asked, 'report'> {
  if (by === 'day') return { from: key, until: key }
  if (by === 'week' || by === 'month') return period
  return { ...period, [by]: key === '' ? '(none)' : key }
}

/** All of them, in pages of two. */
async function postingsOf(asked: Omit<DeskInput<'postings'>, 'after' | 'limit'>) {
  let page = await owner.call('postings', { ...asked, limit: 2 })
  const postings = [...page.rows]
  const [foot] = page.foot
  while (page.next !== null) {
    page = await owner.call('postings', { ...asked, limit: 2, after: page.next })
    postings.push(...page.rows)
  }
  return { postings, foot }
}

describe('in another time zone', () => {
  it('a day is one of the shop’s, of sales and of usage alike', async () => {
    const there = await desk(shop, { zone: 'Asia/Kolkata' })
    const accountant = await there.staff('accountant')
    const { rows: posted } = await shop.database.pool.query<{ at: Date }>(
      `select posted_at as at from ledger_transaction where kind = 'purchase' order by id`,
    )
    const first = posted[0]?.at ?? new Date()
    const day = dayIn('Asia/Kolkata', first)
    const asked = { by: 'day', from: addDays(day, -2), until: addDays(day, 2) } as const
    const sales = await accountant.call('report', { report: 'sales', ...asked })
    const ofDay = posted.filter(({ at }) => dayIn('Asia/Kolkata', at) === day).length
    expect(sales.rows.find(({ key }) => key === day)?.count).toBe(String(ofDay))
    expect([sales.agrees, sales.time_zone]).toEqual(['equal', 'Asia/Kolkata'])

    // An hour counts to the day in which it begins, whether it is added up or not.
    await shop.database.pool.query('delete from usage_hour')
    await shop.database.pool.query(
      `insert into usage_hour (hour, access_id, exit_id, charged_bytes, bonus_bytes, relayed_bytes, requests)
       select at, id, 0, bytes, 0, bytes, 1 from (select id from access limit 1) s,
         (values ('2026-03-09T18:00Z'::timestamptz, 1), ('2026-03-09T19:00Z', 10), ('2026-03-10T18:00Z', 100), ('2026-03-10T19:00Z', 1000)) u (at, bytes)`,
    )
    const used = async () => {
      const { rows, agrees } = await accountant.call('report', {
        report: 'usage',
        by: 'day',
        from: '2026-03-09',
        until: '2026-03-11',
      })
      return [...rows.map(({ key, bytes }) => [key, bytes]), agrees]
    }
    const expected = [
      ['2026-03-09', '1'],
      ['2026-03-10', '110'],
      ['2026-03-11', '1000'],
    ]
    expect(await used()).toEqual([...expected, 'differs'])
    await addUpHours(shop.database.db)
    expect(await used()).toEqual([...expected, 'differs'])
    // Nor does it matter that the hours of the customers are no longer kept.
    await shop.database.pool.query('delete from usage_hour')
    expect(await used()).toEqual([...expected, 'differs'])
    await there.close()
  })
})

it('a report warns when the ledger differs, and prints the difference', async () => {
  const { rows } = await shop.database.pool.query<{ at: Date }>(
    'select max(posted_at) as at from ledger_transaction',
  )
  const day = (rows[0]?.at ?? new Date()).toISOString().slice(0, 10)
  const before = await owner.call('report', { report: 'usage', by: 'day', from: day, until: day })
  await shop.database.pool.query(
    `insert into usage_hour (hour, access_id, exit_id, charged_bytes, bonus_bytes, relayed_bytes, requests)
     select $1::date::timestamp at time zone 'UTC', id, 7, 77, 0, 77, 1 from access limit 1`,
    [day],
  )
  const { agrees, foot } = await owner.call('report', { report: 'usage', by: 'day', from: day, until: day })
  expect(agrees).toBe('differs')
  const difference = (answer: typeof before) =>
    BigInt(answer.foot.find(({ key }) => key === 'ledger')?.bytes ?? 0) - BigInt(answer.foot[0]?.bytes ?? 0)
  expect(foot[2]).toMatchObject({ key: 'difference', bytes: String(difference(before) - 77n) })
  expect(foot[1]?.name).toBe('DIFFERS')
})

it('a report gives no alarm for usage that was settled long after it was relayed, as long as nothing is lost', async () => {
  const other = await app({ env: { DEMO: '0' } })
  const there = await desk(other)
  const accountant = await there.staff('accountant')
  const customer = await other.customer()
  await other.buy(customer, { pool: 'mobile', gb: 1 })
  const { rows } = await other.database.pool.query<{ id: bigint }>('select id from access')
  const access = rows[0]?.id ?? 0n
  const boot = newBoot()
  const { lease: held } = await lease(other.database.db, boot, { access, want_bytes: 1_000_000n })
  const today = other.clock.now.toISOString().slice(0, 10)
  const relayed = addDays(today, -40)
  await settle(other.database.db, [boot.report([line(held, access, 5000n)], { at_ms: Date.parse(relayed) })])
  const used = async (from: string, until: string) =>
    accountant.call('report', { report: 'usage', by: 'day', from, until })
  expect((await used(addDays(today, -1), addDays(today, 1))).agrees).toBe('moved')
  const past = await used(relayed, relayed)
  expect([past.agrees, past.foot[2]?.bytes]).toEqual(['moved', '-5000'])
  expect((await used(relayed, addDays(today, 1))).agrees).toBe('equal')
  await there.close()
  await other.close()
})

it('the balance at the end of each day is the sum of all postings until then', async () => {
  const { rows } = await shop.database.pool.query<{ bytes: bigint }>(
    `select sum(balance)::bigint as bytes from ledger_balance b join ledger_account a on a.id = b.account_id where a.currency = 'byte'`,
  )
  const today = new Date().toISOString().slice(0, 10)
  const asked = {
    report: 'liability',
    by: 'day',
    from: addDays(today, -3),
    until: addDays(today, 1),
  } as const
  const days = (await owner.call('report', asked)).rows
  expect(days.map(({ key }) => key)).toEqual([-3, -2, -1, 0, 1].map((away) => addDays(today, away)))
  // Everything was posted since the test began.
  expect([days[0]?.bytes, days[1]?.bytes, days.at(-1)?.bytes]).toEqual(['0', '0', String(rows[0]?.bytes)])
})

it('a report refuses a division that the report does not have, and more than 400 days', async () => {
  const period = { from: '2026-01-01', until: '2026-01-31' }
  const refused = async (asked: object) =>
    (await refusalOf(owner.call('report', { report: 'usage', by: 'day', ...period, ...asked }))).code
  expect(await refused({ by: 'method' })).toBe('report_not_divided')
  expect(await refused({ report: 'liability', by: 'exit' })).toBe('report_not_divided')
  expect(await refused({ from: '2024-01-01' })).toBe('invalid_until')
  expect(await refused({ until: '2025-12-31' })).toBe('invalid_until')
  const message = (await refusalOf(owner.call('report', { report: 'usage', by: 'promo', ...period }))).message
  expect(message).toContain('day, week, month, pool, exit, campaign')
})
