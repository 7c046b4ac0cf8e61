import { randomUUID } from 'node:crypto'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usdText } from '#lib/money'
import { lease, settle } from '#traffic'
import { makeDocuments } from '#documents'
import { transaction } from '#db'
import { writePart } from '#content'
import { createInvoice, findInvoice, setFeeTerms, settle as settlePayment } from '#purchase'
import { accountIdOf, app, type App, type Customer, purchaseDeps } from '#test/app'
import { bareMethod } from '#test/bare-method'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { aroundTheRules } from '#test/ledger'
import { line, newBoot } from '#test/traffic'
import { cellsOf, filesIn } from '#test/unzip'
import { monthSpan, monthsSince } from './month.ts'

let shop: App
const zones = ['UTC', 'Asia/Kolkata', 'America/New_York'] as const
const offices = new Map<string, { office: Desk; owner: StaffMember }>()
const formula = '=HYPERLINK("https://evil.example","x")'

/** Buys 1 GB of mobile and pays by card under an id that begins as a formula. */
async function buyByCard(customer: Customer): Promise<string> {
  const accountId = BigInt(await accountIdOf(customer))
  const order = {
    accountId,
    pool: 'mobile',
    gb: 1n,
    promocode: null,
    language: 'en',
    method: 'card',
  } as const
  const { number } = await createInvoice(shop.database, purchaseDeps(shop.services), order, new Date())
  const payment = { externalPaymentId: `=1+1 ${number}`, receivedMicros: 7_900_000n }
  const received = { invoiceNumber: number, outcome: 'received', ...payment } as const
  await settlePayment(shop.database, purchaseDeps(shop.services), 'card', received, new Date())
  return number
}

/**
 * Months of purchases, refunds, gifts and usage, whose times are then spread over the ends of months of each
 * zone.
 */
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' }, methods: [bareMethod('card')] })
  const { db, pool } = shop.database
  for (const zone of zones) {
    const office = await desk(shop, { zone })
    offices.set(zone, { office, owner: await office.staff('owner') })
  }
  const { owner } = officeOf('UTC')
  const terms = { method: 'card', validFrom: new Date(0), percentPpm: 29_000, fixedMicros: 300_000n }
  await setFeeTerms(db, { ...terms, setAt: new Date(), setBy: 'test' })
  const seller = { name: 'S', address: 'A', tax_ids: 'T', bank: null, contacts: null, tax_note: null }
  await transaction(db, (tx) => writePart(tx, 'seller', { en: seller }, { by: 'test', at: new Date() }))
  const inviter = await shop.customer()
  const customers = [await shop.customer(), await shop.customer()]
  await pool.query(
    'update account set invited_by = (select id from account where username = $1) where username <> $1',
    [inviter.username],
  )
  await pool.query('update account set admin_referral_code = $1', [formula])
  await customers[0]?.call('set_buyer_details', { name: formula, address: '-1', tax_id: '@SUM(A1)' })
  const numbers: string[] = []
  for (let round = 0; round < 4; round++)
    for (const customer of customers) {
      numbers.push(
        await shop.buy(customer, { pool: 'residential', gb: 1 + round }),
        await buyByCard(customer),
      )
      const id = await accountIdOf(customer)
      const bytes = String(700 + round)
      const gift = { id, pool: 'mobile', bytes, reason: 'a gift', key: crypto.randomUUID() } as const
      await owner.call('give_traffic', gift)
    }
  await owner.call('refund_invoice', {
    key: randomUUID(),
    number: numbers[0] ?? '',
    what: { kind: 'whole' },
    reason: 'asked',
  })
  const amount = { kind: 'amount', micros: '1000000' } as const
  await owner.call('refund_invoice', {
    key: randomUUID(),
    number: numbers[1] ?? '',
    what: amount,
    reason: 'asked',
  })
  // Its processor returns no money: it was sent by hand.
  const [planned] = (await owner.call('invoice', { number: numbers[1] ?? '' })).refunds
  await owner.call('send_refund', { id: planned?.id ?? '', reason: 'sent' })
  const made = await findInvoice(db, numbers[1] ?? '')
  await makeDocuments(shop.database, { zone: 'UTC', isDemo: false }, made?.id ?? 0n, new Date())
  await inviter.call('referral_payment', { amount: 1, pool: 'datacenter' })
  const { rows } = await pool.query<{ id: bigint }>(
    `select id from access where pool in ('residential', 'mobile')`,
  )
  const boot = newBoot()
  for (const [index, { id }] of rows.entries()) {
    const { lease: held } = await lease(db, boot, { access: id, want_bytes: 1_000_000n })
    await settle(db, [boot.report([line(held, id, BigInt(5000 + index))], { at_ms: Date.now() })])
  }
  // The ends of September and October 2026, hour by hour, a quarter past each.
  await aroundTheRules(
    shop.database,
    `create temporary table placed on commit drop as
       select id, timestamptz '2026-09-30 12:15Z' + make_interval(hours => (id * 37 % 48)::int, days => case when id % 3 = 0 then 31 else 0 end) as at
       from ledger_transaction;
     update ledger_transaction t set posted_at = p.at, month = date_trunc('month', p.at, 'UTC')::date from placed p where p.id = t.id;
     update ledger_entry e set month = date_trunc('month', p.at, 'UTC')::date from placed p where p.id = e.transaction_id;
     update ledger_balance set open_hour = timestamptz '2026-09-30 12:00Z' + make_interval(hours => (account_id * 5 % 48)::int)
       where open_hour is not null;`,
  )
})
afterAll(async () => {
  for (const { office } of offices.values()) await office.close()
  await shop.close()
})

function officeOf(zone: string): { office: Desk; owner: StaffMember } {
  const found = offices.get(zone)
  if (found === undefined) throw new Error(`no desk has the zone ${zone}`)
  return found
}

const ask = (zone: string, month: string) =>
  officeOf(zone).owner.browser.fetch(`/api/month_books.zip?month=${month}`)

async function filesOf(zone: string, month: string): Promise<Map<string, Buffer>> {
  const answer = await ask(zone, month)
  expect(answer.status).toBe(200)
  return filesIn(Buffer.from(await answer.arrayBuffer()))
}

type Cells = Record<string, string>
const tablesOf = (files: Map<string, Buffer>, month: string, table: string): Cells[] =>
  parse(files.get(`${month}/${table}.csv`) ?? '', { columns: true, bom: true })

const micros = (text: string | undefined) => {
  const [whole = '0', fraction = ''] = (text ?? '0').replace('-', '').split('.')
  const size = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
  return text?.startsWith('-') === true ? -size : size
}
const added = (rows: Cells[], field: string) =>
  rows.reduce(
    (sum, row) => sum + (field.endsWith('usd') ? micros(row[field]) : BigInt(row[field] || '0')),
    0n,
  )

/** The ledger's figures of a month in a zone, by PostgreSQL's own calendar. */
async function ledgerOf(zone: string, month: string) {
  const { rows } = await shop.database.pool.query<Record<string, bigint>>(
    `with moved as (
       select t.kind, a.kind as account, e.amount from ledger_transaction t
         join ledger_entry e on e.transaction_id = t.id join ledger_account a on a.id = e.account_id and a.customer_id is null
       where to_char(t.posted_at at time zone $1, 'YYYY-MM') = $2
     )
     select
       coalesce(-sum(amount) filter (where kind = 'purchase' and account = 'sales'), 0)::bigint as sold,
       coalesce(sum(amount) filter (where kind = 'refund' and account = 'sales'), 0)::bigint as refunded,
       coalesce(sum(amount) filter (where account like 'cash:%'), 0)::bigint as cash,
       coalesce(sum(amount) filter (where account = 'processor_fees'), 0)::bigint as fees,
       coalesce(-sum(amount) filter (where account = 'referral_cost'), 0)::bigint as shares,
       coalesce(sum(amount) filter (where account = 'referral_spent'), 0)::bigint as spent,
       coalesce(-sum(amount) filter (where kind = 'purchase' and account = 'traffic_sold'), 0)::bigint as sold_bytes,
       (select coalesce(sum(open_bytes), 0)::bigint from ledger_balance
         where to_char(open_hour at time zone $1, 'YYYY-MM') = $2) as used_bytes
     from moved`,
    [zone, month],
  )
  return rows[0] ?? {}
}

describe.each(zones)('the books of a month in %s', (zone) => {
  it.each(['2026-09', '2026-10', '2026-11'])(
    'of %s add up to the ledger, to the cent and the byte',
    async (month) => {
      const files = await filesOf(zone, month)
      const ledger = await ledgerOf(zone, month)
      const expected: Record<string, Record<string, bigint | undefined>> = {
        sales: { usd: ledger['sold'], bytes: ledger['sold_bytes'] },
        payments: { usd: ledger['cash'] },
        fees: { usd: ledger['fees'] },
        refunds: { usd: ledger['refunded'] },
        referral: { usd: ledger['shares'], referral_usd: ledger['spent'] },
        traffic: { bytes: ledger['used_bytes'] },
        owed: {},
      }
      for (const [table, figures] of Object.entries(expected)) {
        const rows = tablesOf(files, month, table)
        const [total, books] = rows.slice(-2)
        expect([total?.['line'], books?.['line']], table).toEqual(['total', 'ledger: equal to the total'])
        const lines = rows.slice(0, -2)
        for (const [field, value] of Object.entries(figures)) {
          expect(added(lines, field), `${table} ${field}`).toBe(value)
          expect(added([total ?? {}], field), `${table} ${field}`).toBe(value)
        }
        // The workbook has the same lines, and no formula.
        const cells = cellsOf(files.get(`${month}/${table}.xlsx`) ?? Buffer.alloc(0))
        expect(cells).toHaveLength(rows.length + 1)
      }
      const readMe = files.get(`${month}/README.txt`)?.toString() ?? ''
      expect(readMe).toContain(zone)
      for (const table of Object.keys(expected))
        expect(readMe.match(new RegExp(`^    ${table} `, 'gm')), table).toHaveLength(2)
    },
  )

  it('are continuous: each month begins with the debt at the end of the one before', async () => {
    const sums: { opening: bigint[]; closing: bigint[] }[] = []
    for (const month of ['2026-09', '2026-10', '2026-11']) {
      const rows = tablesOf(await filesOf(zone, month), month, 'owed')
      const fields = ['paid_bytes', 'bonus_bytes', 'referral_usd']
      const opening = rows.filter(({ reason }) => reason === 'opening')
      sums.push({
        opening: fields.map((field) => added(opening, field)),
        closing: fields.map((field) => added(rows.slice(-2, -1), field)),
      })
    }
    expect(sums[0]?.opening).toEqual([0n, 0n, 0n])
    expect(sums[1]?.opening).toEqual(sums[0]?.closing)
    expect(sums[2]?.opening).toEqual(sums[1]?.closing)
    const { rows } = await shop.database.pool.query<{ kind: string; sum: bigint }>(
      `select a.kind, sum(b.balance)::bigint as sum from ledger_account a join ledger_balance b on b.account_id = a.id group by 1`,
    )
    const now = new Map(rows.map(({ kind, sum }) => [kind, sum]))
    expect(sums[2]?.closing).toEqual([now.get('traffic_paid'), now.get('traffic_bonus'), now.get('referral')])
  })
})

it('the books of a month contain no formulas in names, labels and numbers of payments, and the number of the document', async () => {
  const months = ['2026-09', '2026-10', '2026-11']
  const all = await Promise.all(months.map(async (month) => filesOf('UTC', month)))
  const rowsOf = (table: string) => all.flatMap((files, index) => tablesOf(files, months[index] ?? '', table))
  const sales = rowsOf('sales')
  expect(sales.some(({ buyer }) => buyer === `'${formula}`)).toBe(true)
  expect(sales.some(({ document }) => document === '000001')).toBe(true)
  expect(rowsOf('refunds').some(({ document }) => document === '000001')).toBe(true)
  expect(rowsOf('payments').some(({ payment }) => payment?.startsWith(`'=1+1`))).toBe(true)
  for (const files of all)
    for (const [name, bytes] of files) {
      if (name.endsWith('.csv')) expect(bytes.toString(), name).not.toMatch(/(^|,)"?[=@]/m)
      if (name.endsWith('.xlsx')) cellsOf(bytes)
    }
  const total = sales.filter(({ line: text }) => text === 'total')
  expect(usdText(added(total, 'usd'), 2)).toBe('133.20')
})

it('the books of a month are for those who may see reports, and each download is recorded', async () => {
  const { office, owner } = officeOf('UTC')
  const support = await office.staff('support')
  const refused = await support.browser.fetch('/api/month_books.zip?month=2026-10')
  expect(refused.status).toBe(403)
  const viewer = await office.staff('viewer')
  const masked = await viewer.browser.fetch('/api/month_books.zip?month=2026-09')
  const seen = tablesOf(filesIn(Buffer.from(await masked.arrayBuffer())), '2026-09', 'sales')
  expect(new Set(seen.map(({ buyer }) => buyer))).toEqual(new Set(['', '…']))
  const accountant = await office.staff('accountant')
  const answer = await accountant.browser.fetch('/api/month_books.zip?month=2026-10')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="books-2026-10.zip"')
  await answer.arrayBuffer()
  for (const month of ['2026-13', '2999-01', '', '2026-10-01'])
    expect((await owner.browser.fetch(`/api/month_books.zip?month=${month}`)).status, month).toBe(422)
  const { rows } = await owner.call('audit', { action: 'export', limit: 1 })
  expect(rows).toMatchObject([
    {
      actor: { name: accountant.name },
      subject_id: 'month_books',
      after: { month: '2026-10', format: 'zip' },
    },
  ])
  const { months } = await owner.call('month_books', {})
  expect(months.at(-1)).toEqual({ month: '2026-09', over: true, archived: false, changed_at: null })
  expect(months[0]?.over).toBe(false)
})

it('the books of a month begin and end with the months of the zone; the present one ends with the last full hour', () => {
  const at = (text: string) => new Date(text)
  const span = (zone: string, month: string, now: string) => {
    const { span: found, isOver } = monthSpan(zone, month, at(now))
    return [found.from.toISOString(), found.to.toISOString(), isOver]
  }
  expect(span('America/New_York', '2026-11', '2027-02-01T00:00Z')).toEqual([
    '2026-11-01T04:00:00.000Z',
    '2026-12-01T05:00:00.000Z',
    true,
  ])
  expect(span('Asia/Kolkata', '2026-02', '2026-02-10T10:00:30Z')).toEqual([
    '2026-01-31T18:30:00.000Z',
    '2026-02-10T09:00:00.000Z',
    false,
  ])
  expect(() => span('UTC', '2026-12', '2026-11-30T23:59Z')).toThrow('invalid_field')
  expect(monthsSince('UTC', at('2025-11-30T00:00Z'), at('2026-02-01T00:00Z'))).toEqual([
    '2026-02',
    '2026-01',
    '2025-12',
    '2025-11',
  ])
})
