import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { archiveMonth, verifyLedger } from '#ledger'
import { makeDocuments } from '#documents'
import { transaction } from '#db'
import { writePart } from '#content'
import { setRate } from '#rates'
import { receiptsOf } from '#receipts'
import { findInvoice, reconcileInvoice, reconcileInvoices, searchInvoices, soldByHour } from '#purchase'
import { type App, app } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { aroundTheRules } from '#test/ledger'
import { textOfPdf } from '#test/pdf'
import { filesIn } from '#test/unzip'
import { purchaseDeps } from '../../src/main/services.ts'
import { cryptobotMethod } from '../../src/payments/adapters/cryptobot.ts'
import { stripeMethod } from '../../src/payments/adapters/stripe.ts'
import { yookassaMethod } from '../../src/payments/adapters/yookassa.ts'
import { FakeBtcpay } from './btcpay.ts'
import { FakeCryptoPay } from './cryptopay.ts'
import { FakeStripe } from './stripe.ts'
import { FakeYookassa } from './yookassa.ts'

const fakes = {
  yookassa: new FakeYookassa(),
  card: new FakeStripe(),
  cryptobot: new FakeCryptoPay(),
  crypto: new FakeBtcpay(),
} as const
type Method = keyof typeof fakes
const methods = Object.keys(fakes) as Method[]
const zones = ['Europe/Moscow', 'Europe/Berlin'] as const
/** The end of August 2026 in each zone. */
const ends = { 'Europe/Moscow': '2026-08-31T21:00:00Z', 'Europe/Berlin': '2026-08-31T22:00:00Z' } as const
const minuteMs = 60_000

let shop: App
const offices = new Map<string, { office: Desk; owner: StaffMember }>()

beforeAll(async () => {
  await Promise.all(Object.values(fakes).map((fake) => fake.start()))
  const base = { publicUrl: new URL('http://localhost:3000'), timeoutMs: 1500 }
  const { shopId, secretKey } = fakes.yookassa
  const { secretKey: key, webhookSecret } = fakes.card
  shop = await app({
    env: {
      DEMO: '0',
      YOOKASSA_SHOP_ID: shopId,
      YOOKASSA_SECRET_KEY: secretKey,
      RECEIPTS: 'yookassa',
      RECEIPTS_VAT_CODE: '11',
    },
    methods: [
      yookassaMethod({ shopId, secretKey, apiBase: fakes.yookassa.url, networks: [], ...base }),
      stripeMethod({ secretKey: key, webhookSecret, apiBase: fakes.card.url, ...base }),
      cryptobotMethod({ token: fakes.cryptobot.token, apiBase: fakes.cryptobot.url, ...base }),
      fakes.crypto.method(),
    ],
  })
  const seller = { name: 'S', address: 'A', tax_ids: 'T', bank: null, contacts: null, tax_note: null }
  await transaction(shop.database.db, (tx) =>
    writePart(tx, 'seller', { en: seller, ru: seller }, { by: 'test', at: new Date() }),
  )
  for (const zone of zones) {
    const office = await desk(shop, { zone })
    offices.set(zone, { office, owner: await office.staff('owner') })
  }
})
beforeEach(() => {
  fakes.card.now = () => shop.clock.now.getTime()
})
afterAll(async () => {
  for (const { office } of offices.values()) await office.close()
  await shop.close()
  for (const fake of Object.values(fakes)) fake.stop()
})

/** Orders 1 GB at a time by the shop's clock; returns our number and the processor's id. */
async function order(method: Method, at: Date): Promise<{ number: string; externalId: string }> {
  shop.clock.now = at
  await setRate(shop.database.db, { currency: 'RUB', perUsdMicros: 100_000_000n, setAt: at })
  const { call } = await shop.customer()
  let number = ''
  await call(
    'create_invoice_web',
    { payment_method: method, amount: 1, pool: 'residential' },
    { onHeaders: (headers) => (number = headers.get('x-invoice-id') ?? '') },
  )
  const invoice = await findInvoice(shop.database.db, number)
  return { number, externalId: invoice?.externalId ?? '' }
}

const reconcileAll = async (at: Date) => {
  await reconcileInvoices(shop.database, purchaseDeps(shop.services), at)
}

/** Runs the poller, or `find`, at this time, and moves the postings it makes to this time. */
async function findAt(at: Date, find = reconcileAll): Promise<void> {
  shop.clock.now = at
  const { rows } = await shop.database.pool.query<{ last: bigint | null }>(
    'select max(id) as last from ledger_transaction',
  )
  await find(at)
  await aroundTheRules(
    shop.database,
    `update ledger_transaction set posted_at = '${at.toISOString()}', month = date_trunc('month', timestamptz '${at.toISOString()}', 'UTC')::date
       where id > ${rows[0]?.last ?? 0n};
     update ledger_entry e set month = t.month from ledger_transaction t
       where t.id = e.transaction_id and t.id > ${rows[0]?.last ?? 0n};`,
  )
}

type Cells = Record<string, string>

/** The tables of a month, as the accountant gets them. */
async function booksOf(zone: string, month: string): Promise<(table: string) => Cells[]> {
  // The accountant requests them when both months are over, in a session that is still valid.
  shop.clock.now = new Date()
  const { owner } = offices.get(zone) ?? {}
  const answer = await owner?.browser.fetch(`/api/month_books.zip?month=${month}`)
  const files = filesIn(Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer()))
  return (table) => parse(files.get(`${month}/${table}.csv`) ?? '', { columns: true, bom: true })
}

/** "2026-08-31 23:59:59": a time on the clocks of a zone. */
const wallTime = (zone: string, at: Date) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(at)

const linesOf = (rows: Cells[], number: string) =>
  rows.filter(({ invoice, kind }) => invoice === number && kind !== 'processor_fee')

describe.each(zones)('a payment of 31 August 23:59 in %s', (zone) => {
  it('that is found at 00:01 is of August in reports, books, lists and documents', async () => {
    const end = Date.parse(ends[zone])
    const { owner } = offices.get(zone) ?? {}
    const paidAt = new Date(end - minuteMs)
    const numbers: string[] = []
    for (const method of methods) {
      const { number, externalId } = await order(method, new Date(end - 10 * minuteMs))
      fakes[method].pay(externalId, paidAt)
      await findAt(new Date(end + minuteMs))
      const invoice = await findInvoice(shop.database.db, number)
      expect(invoice, method).toMatchObject({ state: 'paid', paidAt, settledAt: new Date(end + minuteMs) })
      const { db } = shop.database
      const settledIn = (from: number, until: number) =>
        searchInvoices(
          db,
          { number, settledFrom: new Date(from), settledUntil: new Date(until) },
          { before: null, limit: 1 },
        )
      expect(await settledIn(end - 86_400_000, end)).toHaveLength(1)
      expect(await settledIn(end, end + 86_400_000)).toHaveLength(0)
      await makeDocuments(shop.database, { zone, isDemo: false }, invoice?.id ?? 0n, new Date(end + minuteMs))
      const { rows } = await shop.database.pool.query<{ facts: { paid_on: string }; bytes: Buffer }>(
        'select facts, bytes from document where invoice_id = $1',
        [invoice?.id],
      )
      expect(rows[0]?.facts.paid_on).toBe('2026-08-31')
      expect(textOfPdf(rows[0]?.bytes ?? Buffer.alloc(0))).toMatch(
        /31 августа 2026|31\.08\.2026|31 August 2026/,
      )

      numbers.push(number)
    }
    const [august, september] = [await booksOf(zone, '2026-08'), await booksOf(zone, '2026-09')]
    for (const number of numbers) {
      const lines = linesOf(august('payments'), number)
      expect(lines).toMatchObject([{ at: '2026-08-31 23:59:00', found: '2026-09-01 00:01:00' }])
      expect(linesOf(august('sales'), number)).toHaveLength(1)
      expect(linesOf(september('payments'), number)).toEqual([])
      expect(linesOf(september('corrections'), number)).toMatchObject([
        { month: '2026-08', at: '2026-08-31 23:59:00', found: '2026-09-01 00:01:00', usd: lines[0]?.['usd'] },
      ])
    }
    for (const books of [august, september])
      for (const table of ['sales', 'payments', 'fees', 'corrections'])
        expect(books(table).at(-1)?.['line'], table).toBe('ledger: equal to the total')
    const months = (await owner?.call('month_books', {}))?.months ?? []
    expect(months.find(({ month }) => month === '2026-08')?.changed_at).toBe(
      new Date(end + minuteMs).toISOString(),
    )
    const report = await owner?.call('report', {
      report: 'sales',
      by: 'month',
      from: '2026-08-01',
      until: '2026-09-30',
    })
    expect(report?.agrees).toBe('equal')
    expect(report?.rows.map(({ key }) => key)).toEqual(['2026-08-01'])
    expect(await verifyLedger(shop.database.db, { full: true })).toEqual([])
  })
})

describe('a refund that a processor makes on 31 August 23:59', () => {
  it('and that is found at 00:01 is of August', async () => {
    const end = Date.parse(ends['Europe/Moscow'])
    const refundedAt = new Date(end - minuteMs)
    const { number, externalId } = await order('yookassa', new Date(end - 20 * minuteMs))
    fakes.yookassa.pay(externalId, new Date(end - 10 * minuteMs))
    await findAt(new Date(end - 5 * minuteMs))
    fakes.yookassa.refundInCabinet(externalId, { value: '100.00' }).created_at = refundedAt.toISOString()
    await findAt(new Date(end + minuteMs), async (at) => {
      await reconcileInvoice(shop.database, purchaseDeps(shop.services), number, at)
    })
    expect(await findInvoice(shop.database.db, number)).toMatchObject({
      state: 'partly_refunded',
      refundedAt,
    })
    const { rows } = await shop.database.pool.query<{ value_at: Date; posted_at: Date }>(
      `select value_at, posted_at from ledger_transaction where kind = 'refund' order by id desc limit 1`,
    )
    expect(rows).toEqual([{ value_at: refundedAt, posted_at: new Date(end + minuteMs) }])
    const months = await Promise.all(
      ['2026-08', '2026-09'].map(async (month) => (await booksOf('Europe/Moscow', month))('refunds')),
    )
    expect(months.map((rows) => linesOf(rows, number).length)).toEqual([1, 0])
    expect(await verifyLedger(shop.database.db, { full: true })).toEqual([])
  })
})

describe('a payment of the past', () => {
  it.each(zones)(
    'that was made during an outage over the end of the month in %s is booked in its own month',
    async (zone) => {
      const end = Date.parse(ends[zone])
      const paid = new Map<string, { method: Method; at: Date; month: string }>()
      for (const [index, method] of [...methods, ...methods].entries()) {
        const { number, externalId } = await order(method, new Date(end - 60 * minuteMs))
        // The first second of September, the last one of August, and minutes around them.
        const at = new Date(end + ([-5 * 60, 5 * 60, 0, -1][index % 4] ?? 0) * 1000)
        fakes[method].pay(externalId, at)
        paid.set(number, { method, at, month: at.getTime() < end ? '2026-08' : '2026-09' })
      }
      // The shop was down for two days.
      await findAt(new Date(end + 2 * 86_400_000))
      const { db } = shop.database
      const receipts = await receiptsOf(db, [...paid.keys()], shop.clock.now)
      for (const each of ['2026-08', '2026-09']) {
        const books = await booksOf(zone, each)
        const ofMonth = [...paid].filter(([, { month }]) => month === each).map(([number]) => number)
        for (const [number] of paid)
          expect(linesOf(books('sales'), number)).toHaveLength(Number(ofMonth.includes(number)))
        // The payments in the processors' registries of the month, by the processors' own times.
        const said = [...paid.keys()].flatMap((number) => linesOf(books('payments'), number))
        expect(said.map(({ invoice }) => invoice)).toEqual(ofMonth)
        for (const { invoice = '', at } of said)
          expect(at).toBe(wallTime(zone, paid.get(invoice)?.at ?? new Date(0)))
        const fiscal = receipts.filter(({ invoiceNumber: number }) => ofMonth.includes(number))
        const ofYookassa = ofMonth.filter((number) => paid.get(number)?.method === 'yookassa')
        expect(fiscal.map(({ invoiceNumber, kind }) => [invoiceNumber, kind])).toEqual(
          ofYookassa.map((number) => [number, 'payment']),
        )
        for (const { invoiceNumber: number, price } of fiscal) {
          const payment = fakes.yookassa.payments.get((await findInvoice(db, number))?.externalId ?? '')
          expect(price).toEqual({
            currency: 'RUB',
            micros: BigInt(payment?.amount.value.replace('.', '') ?? 0) * 10_000n,
          })
        }
      }
      const report = await offices.get(zone)?.owner.call('report', {
        report: 'sales',
        by: 'month',
        from: '2026-08-01',
        until: '2026-09-30',
      })
      expect(report?.agrees).toBe('equal')
      const sold = await soldByHour(db, { from: new Date(end - 3_600_000), until: new Date(end + 3_600_000) })
      expect(sold.map(({ hour }) => hour.getTime())).toContain(end - 3_600_000)
      expect(sold.map(({ hour }) => hour.getTime())).toContain(end)
    },
  )

  it('is not dated to a time that is still to come', async () => {
    const at = new Date('2026-09-03T10:00:00Z')
    const { number, externalId } = await order('yookassa', at)
    fakes.yookassa.pay(externalId, new Date('2026-10-01T00:00:00Z'))
    await findAt(new Date(at.getTime() + minuteMs))
    expect(await findInvoice(shop.database.db, number)).toMatchObject({
      paidAt: new Date(at.getTime() + minuteMs),
    })
  })

  it('keeps its time when the month of its posting is archived', async () => {
    const { database } = shop
    shop.clock.now = new Date()
    const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-archive-'))
    await archiveMonth(database, { month: '2026-08', folder })
    expect(await verifyLedger(database.db, { full: true })).toEqual([])
    const report = await offices.get('Europe/Moscow')?.owner.call('report', {
      report: 'sales',
      by: 'month',
      from: '2026-08-01',
      until: '2026-09-30',
    })
    expect(report?.agrees).toBe('equal')
    rmSync(folder, { recursive: true })
  })
})
