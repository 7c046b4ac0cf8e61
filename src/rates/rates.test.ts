import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transaction } from '#db'
import { createInvoice, findInvoice, settle } from '#purchase'
import { accountIdOf, app, type App, type Customer, refusalOf, purchaseDeps } from '#test/app'
import { bareMethod } from '#test/bare-method'
import { sized } from '#test/size'
import {
  compareRates,
  importRates,
  listRates,
  offerCurrency,
  rateHistory,
  readRates,
  setRate,
  usableRates,
} from './rates.ts'

let shop: App
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' }, methods: [bareMethod('card'), bareMethod('yookassa', 'RUB')] })
})
afterAll(() => shop.close())

const db = () => shop.database.db
const dayMs = 24 * 3_600_000
const ago = (days: number) => new Date(shop.clock.now.getTime() - days * dayMs)
const dayOf = (at: Date) => at.toISOString().slice(0, 10)
const today = () => dayOf(shop.clock.now)
const rateOf = async (currency: string) =>
  (await listRates(db())).find((rate) => rate.currency === currency)?.perUsdMicros
const site = () => shop.anyone('site', {})
const read = (text: string) => readRates({ text }, today())

async function order(customer: Customer, method: string, gb = 10n) {
  const accountId = BigInt(await accountIdOf(customer))
  const wanted = { accountId, pool: 'residential', gb, promocode: null, language: 'en', method } as const
  const { number } = await createInvoice(shop.database, purchaseDeps(shop.services), wanted, shop.clock.now)
  return number
}

describe('a rate', () => {
  it('belongs to a day: a later one replaces it, one of the same day corrects it, an earlier one is history only', async () => {
    await setRate(db(), { currency: 'SEK', perUsdMicros: 10_000_000n, setAt: ago(2) })
    await setRate(db(), { currency: 'SEK', perUsdMicros: 11_000_000n, setAt: ago(5) })
    expect(await rateOf('SEK')).toBe(10_000_000n)
    await setRate(db(), { currency: 'SEK', perUsdMicros: 12_000_000n, setAt: ago(2) })
    expect(await rateOf('SEK')).toBe(12_000_000n)
    expect(await rateHistory(db(), { currency: 'SEK', before: null, limit: 9 })).toHaveLength(3)
  })

  it('remains in the history', async () => {
    for (const statement of [
      'update exchange_rate set per_usd_micros = 1',
      'delete from exchange_rate',
      'truncate exchange_rate',
    ])
      await expect(shop.database.pool.query(statement)).rejects.toThrow('append-only')
  })

  it('is used until it exceeds the configured age', async () => {
    await setRate(db(), { currency: 'NOK', perUsdMicros: 10_000_000n, setAt: shop.clock.now })
    const after = (days: number) => usableRates(db(), new Date(shop.clock.now.getTime() + days * dayMs))
    expect((await after(7)).has('NOK')).toBe(true)
    expect((await after(7.01)).has('NOK')).toBe(false)
  })
})

describe('a file of rates', () => {
  it('is imported as a whole, and a second import changes nothing', async () => {
    const text = `\u{feff}date;rate;currency\n${dayOf(ago(2))};11.5;dkk\n${dayOf(ago(1))};11.7;DKK\n`
    const { rows, faults } = await read(text)
    expect(faults).toEqual([])
    expect(await compareRates(db(), rows)).toMatchObject({
      added: 2,
      changes: [{ currency: 'DKK', before: null, after: 11_700_000n }],
    })
    const enter = () =>
      transaction(db(), (tx) => importRates(tx, rows, { at: shop.clock.now, by: 'anna', reason: null }))
    expect(await Promise.all([enter(), enter()])).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ added: 2 }),
        expect.objectContaining({ added: 0, known: 2 }),
      ]),
    )
    const [last] = await rateHistory(db(), { currency: 'DKK', before: null, limit: 1 })
    expect(last).toMatchObject({ perUsdMicros: 11_700_000n, by: 'anna', source: 'file' })
  })

  it('imported again keeps a manual correction; a new rate is stored', async () => {
    const file = async (rate: string) => {
      const { rows } = await read(`currency,date,rate\nCZK,${dayOf(ago(1))},${rate}\n`)
      const entered = { at: shop.clock.now, by: 'anna', reason: null }
      return transaction(db(), (tx) => importRates(tx, rows, entered))
    }
    await file('23.1')
    await setRate(db(), { currency: 'CZK', perUsdMicros: 24_000_000n, setAt: ago(1) })
    expect(await file('23.1')).toMatchObject({ added: 0, known: 1, changes: [] })
    expect(await rateOf('CZK')).toBe(24_000_000n)
    expect(await file('23.5')).toMatchObject({ added: 1, changes: [{ before: 24_000_000n }] })
    expect(await rateOf('CZK')).toBe(23_500_000n)
  })

  it('reports each invalid line, also one with a formula or control characters', async () => {
    const tomorrow = dayOf(new Date(shop.clock.now.getTime() + 2 * dayMs))
    const lines: [string, string][] = [
      ['EUR,2026-02-30,0.9', 'rates_day'],
      ['EUR,,0.9', 'rates_day'],
      [`EUR,${tomorrow},0.9`, 'rates_future'],
      ['USD,2026-01-02,1', 'rates_currency'],
      ['=HYPERLINK("http://evil"),2026-01-02,1', 'import_inner_quote'],
    ]
    for (const [line, code] of lines) {
      const { faults } = await read(`currency,date,rate\n${line}\n`)
      expect([line, faults.map((fault) => [fault.code, fault.facts['line']])]).toEqual([line, [[code, 2]]])
    }
    const { faults, faulty, rows } = await read(
      [
        'currency,date,rate',
        'EUR,2026-01-02,0',
        'EUR,2026-01-02,1e-30',
        'EUR,2026-01-02,1e30',
        'EUR,2026-01-02,-1',
        '@SUM(1+1),2026-01-02,1',
        'EUR,2026-01-02',
        'EUR,2026-01-03,0.91',
        'EUR,2026-01-03,0.91',
        'EUR,2026-01-03,0.92',
        '\u001b[2J,2026-01-03,1',
      ].join('\n'),
    )
    expect(faults.map(({ code, facts }) => [facts['line'], code])).toEqual([
      [2, 'rates_rate'],
      [3, 'rates_rate'],
      [4, 'rates_rate'],
      [5, 'rates_rate'],
      [6, 'rates_currency'],
      [7, 'import_fields'],
      [10, 'rates_twice'],
      [11, 'rates_currency'],
    ])
    expect(faulty).toBe(8)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(faults)).not.toContain('u001b')
    expect((await read('currency,date,rate\n')).faults).toMatchObject([{ code: 'import_no_rows' }])
    expect((await read('')).faulty).toBe(1)
  })

  it('of very many lines is read up to the limit, with a limited number of faults', async () => {
    const { faulty, faults, rows } = await read(
      `currency,date,rate\n${'EUR,x,y\n'.repeat(sized(250_000, 1_000_000))}`,
    )
    expect(faults).toHaveLength(1000)
    expect(faulty).toBe(200_001)
    expect(rows).toEqual([])
  })
})

describe('a currency of prices', () => {
  it('is shown with its rate until that is too old, and then not at all', async () => {
    await transaction(db(), (tx) => offerCurrency(tx, 'EUR', shop.clock.now))
    expect((await site()).currencies).toEqual([])
    await setRate(db(), { currency: 'EUR', perUsdMicros: 921_300n, setAt: shop.clock.now })
    await setRate(db(), { currency: 'GBP', perUsdMicros: 790_000n, setAt: shop.clock.now })
    expect((await site()).currencies).toEqual([{ code: 'EUR', digits: 2, per_usd: '0.9213', on: today() }])
    const { now } = shop.clock
    shop.clock.now = new Date(now.getTime() + 8 * dayMs)
    expect((await site()).currencies).toEqual([])
    shop.clock.now = now
  })

  it('is chosen by a customer among the offered ones', async () => {
    const { call } = await shop.customer()
    expect(await call('display_currency', {})).toEqual({ currency: null })
    for (const currency of ['GBP', 'eur', '', "'"])
      expect(await refusalOf(call('set_display_currency', { currency }))).toMatchObject({
        code: 'unknown_currency',
      })
    await call('set_display_currency', { currency: 'EUR' })
    expect(await call('display_currency', {})).toEqual({ currency: 'EUR' })
    await call('set_display_currency', { currency: 'USD' })
    expect(await call('display_currency', {})).toEqual({ currency: 'USD' })
  })

  it('is frozen with its rate on the invoice, next to the charged amount', async () => {
    await setRate(db(), { currency: 'RUB', perUsdMicros: 92_500_000n, setAt: shop.clock.now })
    const customer = await shop.customer()
    await customer.call('set_display_currency', { currency: 'EUR' })
    const number = await order(customer, 'yookassa')
    const frozen = {
      cost_usd: 35,
      charged: { currency: 'RUB', amount: '3237.50', digits: 2, per_usd: '92.50', on: today() },
      shown: { currency: 'EUR', amount: '32.25', digits: 2, per_usd: '0.9213', on: today() },
    }
    expect(await customer.call('invoice', { number })).toMatchObject(frozen)
    await setRate(db(), { currency: 'RUB', perUsdMicros: 50_000_000n, setAt: shop.clock.now })
    await setRate(db(), { currency: 'EUR', perUsdMicros: 500_000n, setAt: shop.clock.now })
    await customer.call('set_display_currency', { currency: 'USD' })
    // Paid after the rates changed: the frozen rate applies, and no amount changes.
    const invoice = await findInvoice(db(), number)
    expect(invoice?.price).toEqual({ currency: 'RUB', micros: 3_237_500_000n })
    const payment = {
      invoiceNumber: number,
      outcome: 'received',
      externalPaymentId: `pay-${number}`,
      receivedMicros: 35_000_000n,
    } as const
    await settle(shop.database, purchaseDeps(shop.services), 'yookassa', payment, shop.clock.now)
    expect(await customer.call('invoice', { number })).toMatchObject({ state: 'paid', ...frozen })
    for (const change of ['shown_micros = 1', 'shown_per_usd_micros = 1', 'shown_currency = null'])
      await expect(
        shop.database.pool.query(`update invoice set ${change} where number = $1`, [number]),
      ).rejects.toThrow(/frozen|invoice_shown/)
    const later = await order(customer, 'yookassa')
    expect(await customer.call('invoice', { number: later })).toMatchObject({
      charged: { amount: '1750.00', per_usd: '50.00' },
      shown: null,
    })
  })

  it('is not shown separately when the method charges in it', async () => {
    await transaction(db(), (tx) => offerCurrency(tx, 'RUB', shop.clock.now))
    const customer = await shop.customer()
    await customer.call('set_display_currency', { currency: 'RUB' })
    const byRoubles = await order(customer, 'yookassa')
    expect(await customer.call('invoice', { number: byRoubles })).toMatchObject({
      charged: { currency: 'RUB' },
      shown: null,
    })
    const byCard = await order(customer, 'card')
    expect(await customer.call('invoice', { number: byCard })).toMatchObject({
      charged: null,
      shown: { currency: 'RUB', amount: '1750.00' },
    })
  })
})

describe('a method whose rate is too old', () => {
  it('is closed, gives the reason in the customer’s language, and refuses orders', async () => {
    const customer = await shop.customer()
    const number = await order(customer, 'yookassa')
    const { now } = shop.clock
    shop.clock.now = new Date(now.getTime() + 7.5 * dayMs)
    try {
      const methods = await shop.anyone('payment_systems', {})
      const closed = methods.find(({ name }) => name === 'yookassa')
      expect(closed?.unavailable).toMatch(/RUB/)
      expect(closed?.description).not.toContain('50.00')
      expect(methods.find(({ name }) => name === 'card')).not.toHaveProperty('unavailable')
      await expect(order(customer, 'yookassa')).rejects.toMatchObject({ code: 'payment_method_unavailable' })
      await order(customer, 'card')
      // An existing order keeps its amount.
      expect(await customer.call('invoice', { number })).toMatchObject({ charged: { amount: '1750.00' } })
      await setRate(db(), { currency: 'RUB', perUsdMicros: 93_000_000n, setAt: shop.clock.now })
      await order(customer, 'yookassa')
    } finally {
      shop.clock.now = now
    }
  })

  it('refuses an order whose amount exceeds the ledger’s range', async () => {
    await setRate(db(), {
      currency: 'RUB',
      perUsdMicros: 9_999_999_999_999n,
      setAt: new Date(shop.clock.now.getTime() + 8 * dayMs),
    })
    const customer = await shop.customer()
    await expect(order(customer, 'yookassa', 420_000n)).rejects.toMatchObject({
      code: 'payment_method_unavailable',
    })
  })
})
