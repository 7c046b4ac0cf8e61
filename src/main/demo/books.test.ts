/** A month of the demo: the desk's reports, its files and the ledger agree. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeskOutput } from '#contract/desk/contract'
import { countMargin } from '#margin'
import { app, type App } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { wrongInBooks } from '#test/traffic'
import { cellsOf, filesIn } from '#test/unzip'
import { seedDemo } from './demo.ts'

const dayMs = 86_400_000

let shop: App
let office: Desk
let owner: StaffMember
let dataDir: string
let months: { month: string; from: string; until: string }[]

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  dataDir = mkdtempSync(path.join(tmpdir(), 'demo-'))
  const services = { ...shop.services, settings: { ...shop.services.settings, dataDir, demoHistory: true } }
  expect((await seedDemo(services)).past).toBe('filled')
  expect((await seedDemo(services)).past).toBe('known')
  // Then both months of the demo are over.
  shop.clock.now = new Date(Date.now() + 33 * dayMs)
  // As the job does every hour.
  await countMargin(shop.database.db, shop.clock.now)
  office = await desk(shop)
  owner = await office.staff('owner')
  const { months: all } = await owner.call('month_books', {})
  months = all
    .filter(({ over }) => over)
    .map(({ month }) => {
      const first = Date.parse(`${month}-01`)
      const next = new Date(first + 31 * dayMs).toISOString().slice(0, 7)
      const until = new Date(Date.parse(`${next}-01`) - dayMs).toISOString().slice(0, 10)
      return { month, from: `${month}-01`, until }
    })
})
afterAll(async () => {
  await office.close()
  await shop.close()
  rmSync(dataDir, { recursive: true, force: true })
})

type Cells = Record<string, string>
const parsed = (text: Buffer | string): Cells[] => parse(text, { columns: true, bom: true })

/** Decimal text as a whole number of millionths. */
const micros = (text = '') => {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const size = BigInt(whole || '0') * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
  return text.startsWith('-') ? -size : size
}
const amountOf = (row: Cells | undefined, field: string) =>
  field.endsWith('usd') ? micros(row?.[field]) : BigInt(row?.[field] || '0')
const sum = <Row>(rows: readonly Row[], of: (row: Row) => bigint) =>
  rows.reduce((all, row) => all + of(row), 0n)
const sumBy = <Row>(rows: readonly Row[], keyOf: (row: Row) => string, of: (row: Row) => bigint) =>
  new Map(
    [...Map.groupBy(rows, keyOf)]
      .map(([key, some]) => [key, sum(some, of)] as const)
      .filter(([, value]) => value !== 0n)
      .toSorted(([one], [other]) => one.localeCompare(other)),
  )

/** The tables of a month's books, as CSV without its two last lines; the workbook has the same cells. */
async function booksOf(month: string): Promise<Map<string, Cells[]>> {
  const answer = await owner.browser.fetch(`/api/month_books.zip?month=${month}`)
  expect(answer.status).toBe(200)
  const files = filesIn(Buffer.from(await answer.arrayBuffer()))
  const tables = ['sales', 'payments', 'fees', 'refunds', 'referral', 'traffic', 'owed']
  return new Map(
    tables.map((table) => {
      const csv = files.get(`${month}/${table}.csv`) ?? Buffer.alloc(0)
      const rows = parsed(csv)
      const [total, ledger] = rows.slice(-2)
      expect([total?.['line'], ledger?.['line']], table).toEqual(['total', 'ledger: equal to the total'])
      const [, ...lines] = cellsOf(files.get(`${month}/${table}.xlsx`) ?? Buffer.alloc(0))
      expect(lines).toHaveLength(rows.length)
      for (const [index, line] of lines.entries())
        // The workbook's titles say more than the file's.
        for (const [column, name] of Object.keys(rows[0] ?? {}).entries()) {
          const [cell = '', text = ''] = [line[column], rows[index]?.[name]]
          const isAmount = /usd|bytes/.test(name) && cell !== '' && text !== ''
          // Times are serial numbers in a workbook.
          if (isAmount) expect(Number(cell), `${table} ${name}`).toBeCloseTo(Number(text), 6)
          else if (!['at', 'day'].includes(name)) expect(cell, `${table} ${name}`).toBe(text)
        }
      return [table, rows.slice(0, -2)]
    }),
  )
}

type Report = DeskOutput<'report'>
/** A report by the call, whose file has the same rows. */
async function reportOf(asked: {
  report: 'sales' | 'refunds' | 'usage' | 'referral'
  by: string
  from: string
  until: string
}) {
  const report: Report = await owner.call('report', asked as never)
  const file = await owner.browser.fetch(`/api/report.csv?${new URLSearchParams(asked).toString()}`)
  const rows = parsed(await file.text())
  const shown = report.rows.map(({ key, micros: money, bytes }) => [key, money ?? '', bytes ?? ''])
  const inFile = rows.slice(0, shown.length).map((row) => [row['key'], row['micros'], row['bytes']])
  expect(inFile, `${asked.report} by ${asked.by}`).toEqual(shown)
  return report
}

/** What the ledger has of a month, by PostgreSQL's own calendar. */
async function ledgerOf(month: string) {
  const { rows } = await shop.database.pool.query<Record<string, bigint>>(
    `with moved as (
       select t.kind, a.kind as account, e.amount from ledger_transaction t
         join ledger_entry e on e.transaction_id = t.id join ledger_account a on a.id = e.account_id and a.customer_id is null
       where to_char(t.posted_at at time zone 'UTC', 'YYYY-MM') = $1
     )
     select
       coalesce(-sum(amount) filter (where kind = 'purchase' and account = 'sales'), 0)::bigint as sold,
       coalesce(sum(amount) filter (where kind = 'refund' and account = 'sales'), 0)::bigint as refunded,
       coalesce(sum(amount) filter (where account like 'cash:%'), 0)::bigint as cash,
       coalesce(sum(amount) filter (where account = 'processor_fees'), 0)::bigint as fees,
       coalesce(-sum(amount) filter (where account = 'referral_cost'), 0)::bigint as shares,
       coalesce(-sum(amount) filter (where kind = 'purchase' and account = 'traffic_sold'), 0)::bigint as sold_bytes,
       coalesce(sum(amount) filter (where kind = 'refund' and account = 'traffic_sold'), 0)::bigint as taken_bytes
     from moved`,
    [month],
  )
  return rows[0] ?? {}
}

describe('the months of a demo', () => {
  it('have sales, refunds and usage, in books that are in order', async () => {
    expect(await wrongInBooks(shop.database.db)).toEqual([])
    expect(months.length).toBeGreaterThanOrEqual(1)
    const all = await Promise.all(months.map(({ month }) => ledgerOf(month)))
    for (const field of ['sold', 'refunded', 'cash', 'sold_bytes', 'taken_bytes'])
      expect(
        sum(all, (ledger) => ledger[field] ?? 0n),
        field,
      ).toBeGreaterThan(0n)
  })

  it('have the same sales, refunds and shares in reports, files and the ledger, by the day', async () => {
    for (const { month, ...period } of months) {
      const [books, ledger] = [await booksOf(month), await ledgerOf(month)]
      const expected = {
        sales: { micros: ledger['sold'], bytes: ledger['sold_bytes'] },
        refunds: { micros: ledger['refunded'], bytes: ledger['taken_bytes'] },
        referral: { micros: ledger['shares'], bytes: 0n },
      }
      for (const name of ['sales', 'refunds', 'referral'] as const) {
        const lines = books.get(name) ?? []
        const report = await reportOf({ report: name, by: 'day', ...period })
        expect([name, report.agrees]).toEqual([name, 'equal'])
        const day = (row: Cells) => (row['at'] ?? '').slice(0, 10)
        expect(
          sumBy(lines, day, (row) => amountOf(row, 'usd')),
          `${month} ${name}`,
        ).toEqual(
          sumBy(
            report.rows,
            ({ key }) => key,
            (row) => BigInt(row.micros ?? 0),
          ),
        )
        expect(
          sum(lines, (row) => amountOf(row, 'usd')),
          `${month} ${name}`,
        ).toBe(expected[name].micros)
        if (name !== 'referral')
          expect(
            sum(lines, (row) => amountOf(row, 'bytes')),
            `${month} ${name}`,
          ).toBe(expected[name].bytes)
        expect(
          sum(report.rows, (row) => BigInt(row.bytes ?? 0)),
          `${month} ${name}`,
        ).toBe(expected[name].bytes)
      }
      const paid = sum(books.get('payments') ?? [], (row) => amountOf(row, 'usd'))
      expect(paid).toBe(ledger['cash'])
      expect(sum(books.get('fees') ?? [], (row) => amountOf(row, 'usd'))).toBe(ledger['fees'])
      expect(paid).toBe((ledger['sold'] ?? 0n) - (ledger['refunded'] ?? 0n) - (ledger['fees'] ?? 0n))
    }
  })

  it('have the same usage in reports, files, the margin and the ledger, by pool', async () => {
    // The ledger books usage at the time of its settlement, which in a demo is the time of its filling; only
    // the sum of all months is equal. The ledger's triggers accept usage of the present hour only, in a demo
    // too, so the month's traffic file and bills have one day.
    const all = { from: months.at(-1)?.from ?? '', until: months[0]?.until ?? '' }
    const books = await Promise.all(
      months.map(async ({ month }) => (await booksOf(month)).get('traffic') ?? []),
    )
    const inBooks = sumBy(
      books.flat(),
      (row) => row['pool'] ?? '',
      (row) => amountOf(row, 'bytes'),
    )
    const { rows } = await shop.database.pool.query<{ pool: string; bytes: bigint }>(
      `select a.pool, sum(u.bytes)::bigint as bytes from (
         select account_id, bytes from ledger_usage union all select account_id, open_bytes from ledger_balance where open_bytes > 0
       ) u join ledger_account a on a.id = u.account_id group by 1 order by 1`,
    )
    expect(inBooks).toEqual(new Map(rows.map(({ pool, bytes }) => [pool, bytes])))
    const report = await reportOf({ report: 'usage', by: 'pool', ...all })
    expect(report.agrees).toBe('equal')
    expect(
      sumBy(
        report.rows,
        ({ key }) => key,
        (row) => BigInt(row.bytes ?? 0),
      ),
    ).toEqual(inBooks)
    for (const by of ['day', 'pool'] as const) {
      const margin = await owner.call('margin_report', { by, ...all })
      const used = await reportOf({ report: 'usage', by, ...all })
      expect(
        sumBy(
          margin.rows,
          ({ key }) => key,
          (row) => BigInt(row.charged_bytes),
        ),
      ).toEqual(
        sumBy(
          used.rows,
          ({ key }) => key,
          (row) => BigInt(row.bytes ?? 0),
        ),
      )
    }
  })

  it('have sales, costs and usage on every day, not only on the day of the filling', async () => {
    const days = async (report: 'sales' | 'usage') => {
      const all = await Promise.all(
        months.map(({ from, until }) => reportOf({ report, by: 'day', from, until })),
      )
      return new Set(all.flatMap(({ rows }) => rows.map(({ key }) => key))).size
    }
    expect(await days('usage')).toBeGreaterThanOrEqual(30)
    expect(await days('sales')).toBeGreaterThanOrEqual(28)
  })

  it('have a margin of known costs by day and by pool, equal to a calculation by hand and to its file', async () => {
    const costs = {
      residential: 1_200_000n,
      residential_premium: 1_900_000n,
      datacenter: 150_000n,
      mobile: 2_600_000n,
    }
    for (const { month: _, ...period } of months) {
      const byPool = await owner.call('margin_report', { by: 'pool', ...period })
      const byDay = await owner.call('margin_report', { by: 'day', ...period })
      for (const field of ['earned_micros', 'cost_micros', 'margin_micros'] as const)
        expect(sum(byDay.rows, (row) => BigInt(row[field]))).toBe(
          sum(byPool.rows, (row) => BigInt(row[field])),
        )
      for (const {
        key,
        cost_micros: cost,
        uncosted_bytes: uncosted,
        earned_micros,
        margin_micros,
      } of byPool.rows) {
        expect([key, uncosted]).toEqual([key, '0'])
        expect(BigInt(margin_micros)).toBe(BigInt(earned_micros) - BigInt(cost))
        if (key === 'datacenter') continue
        // Half up, once for each day.
        const perGb = costs[key as keyof typeof costs]
        const pool = key as keyof typeof costs
        const used = await owner.call('report', { report: 'usage', by: 'day', pool, ...period })
        const counted = used.rows.map(
          ({ bytes }) => (BigInt(bytes ?? 0) * perGb * 2n + 1_000_000_000n) / 2_000_000_000n,
        )
        expect([key, cost]).toEqual([key, String(sum(counted, (one) => one))])
      }
      const query = new URLSearchParams({ by: 'pool', ...period })
      const file = parsed(
        await (await owner.browser.fetch(`/api/margin_report.csv?${query.toString()}`)).text(),
      )
      expect(
        file
          .slice(0, byPool.rows.length)
          .map((row) => [row['key'], row['cost_micros'], row['margin_micros']]),
      ).toEqual(byPool.rows.map((row) => [row.key, row.cost_micros, row.margin_micros]))
    }
  })

  it('cause no warning: no price of the demo is below cost', async () => {
    const { needs_you: needs } = await owner.call('today', {})
    expect(needs.filter(({ kind }) => ['below_cost', 'rate_missing'].includes(kind))).toEqual([])
  })
})
