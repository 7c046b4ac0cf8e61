import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transaction } from '#db'
import { verifyLedger } from '#ledger'
import { refundInvoice } from '#purchase'
import { markRegistered } from '#receipts'
import { app, type App, press, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let accountant: StaffMember

beforeAll(async () => {
  shop = await app({ env: { RECEIPTS: 'manual', RECEIPTS_ITEM_NAME: 'Трафик, {pool}' } })
  office = await desk(shop)
  accountant = await office.staff('accountant')
})
afterAll(async () => {
  expect(await verifyLedger(shop.database.db)).toEqual([])
  await office.close()
  await shop.close()
})

const receiptsOf = async (invoice: string) => (await accountant.call('receipts', { invoice })).rows
const refund = (number: string, what: 'all' | bigint) =>
  refundInvoice(shop.database, { number, what }, shop.clock.now)

describe('a shop that registers receipts by hand', () => {
  it('queues each sale, which staff mark with its number, and the customer sees it', async () => {
    const customer = await shop.customer()
    const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
    const [queued] = await receiptsOf(number)
    expect(queued).toMatchObject({
      kind: 'payment',
      amount: '35.00',
      currency: 'USD',
      description: 'Трафик, резидентский, 10 ГБ',
      customer_name: customer.username,
      state: 'due',
      need: 'by_hand',
      email: null,
    })
    expect((await accountant.call('receipts', { need: 'by_hand' })).rows).toContainEqual(queued)
    const today = await (await office.staff('owner')).call('today', {})
    expect(today.needs_you).toContainEqual(
      expect.objectContaining({ kind: 'receipt_by_hand', href: '/payments?tab=receipts&need=by_hand' }),
    )
    const link = 'https://lknpd.nalog.ru/api/v1/receipt/500100732259/200abcd123/print'
    const mark = { id: queued?.id ?? '', number: '200abcd123', link }
    const support = await office.staff('support')
    expect(await refusalOf(support.call('register_receipt', mark))).toMatchObject({ code: 'no_permission' })
    for (const bad of ['javascript:alert(1)', 'http://lknpd.nalog.ru/1'])
      expect(await refusalOf(accountant.call('register_receipt', { ...mark, link: bad }))).toMatchObject({
        status: 422,
      })
    await accountant.call('register_receipt', mark)
    expect(await receiptsOf(number)).toMatchObject([
      { state: 'registered', need: null, number: '200abcd123', link },
    ])
    expect((await customer.call('invoice', { number })).receipts).toMatchObject([
      { kind: 'payment', state: 'registered', number: '200abcd123', link, fiscal_document_number: null },
    ])
    // A mistyped number is corrected; both are in the trail.
    await accountant.call('register_receipt', { ...mark, number: '200abcd124', reason: 'mistyped' })
    const { acts } = await accountant.call('invoice', { number })
    expect(acts.map(({ action, reason }) => [action, reason])).toEqual([
      ['register_receipt', 'mistyped'],
      ['register_receipt', null],
    ])
    expect(await refusalOf(accountant.call('register_receipt', { ...mark, id: '999999' }))).toMatchObject({
      code: 'receipt_not_found',
    })
  })

  it('asks for the second factor again above the limit of refunds', async () => {
    const number = await shop.buy(await shop.customer(), { pool: 'residential', gb: 100 })
    const [queued] = await receiptsOf(number)
    const mark = { id: queued?.id ?? '', number: '17' }
    shop.clock.now = new Date(shop.clock.now.getTime() + 11 * 60_000)
    expect(await refusalOf(accountant.call('register_receipt', mark))).toMatchObject({
      code: 'step_up_needed',
    })
    await office.stepUp(accountant)
    await accountant.call('register_receipt', mark)
  })

  it('queues the receipts to be cancelled after a refund', async () => {
    const customer = await shop.customer()
    const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
    const [sale] = await receiptsOf(number)
    await accountant.call('register_receipt', { id: sale?.id ?? '', number: '1' })
    await refund(number, 5_000_000n)
    expect((await receiptsOf(number)).map(({ kind, amount, need }) => [kind, amount, need])).toEqual([
      ['refund', '5.00', 'by_hand'],
      ['payment', '35.00', null],
    ])
  })

  it('requires a receipt for the kept part only, when the refund precedes the registration', async () => {
    const customer = await shop.customer()
    const [part, whole] = [
      await shop.buy(customer, { pool: 'residential', gb: 10 }),
      await shop.buy(customer, { pool: 'residential', gb: 10 }),
    ]
    await refund(part, 5_000_000n)
    await refund(whole, 'all')
    expect(await receiptsOf(part)).toMatchObject([{ kind: 'payment', amount: '30.00', need: 'by_hand' }])
    const [unneeded] = await receiptsOf(whole)
    expect(unneeded).toMatchObject({ state: 'void', amount: '0.00', need: null })
    expect(
      await refusalOf(accountant.call('register_receipt', { id: unneeded?.id ?? '', number: '1' })),
    ).toMatchObject({ code: 'receipt_not_open' })
    expect((await customer.call('invoice', { number: whole })).receipts).toEqual([])
  })

  it('requires a separate receipt for each payment of an order', async () => {
    const { call } = await shop.customer()
    const order = { payment_method: 'sandbox', amount: 10, pool: 'residential' } as const
    const number = (await call('create_invoice_web', order)).split('/').at(-1) ?? ''
    for (const part of ['underpaid', 'paid']) await press(shop.origin, number, part)
    const { received_micros: received, payments } = await accountant.call('invoice', { number })
    const queued = await receiptsOf(number)
    expect(queued.every(({ need }) => need === 'by_hand')).toBe(true)
    expect(queued.map(({ amount }) => amount).toSorted()).toEqual(
      payments.map(({ received_micros: micros }) => (Number(micros) / 1e6).toFixed(2)).toSorted(),
    )
    expect(queued.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(Number(received) / 1e6)
  })

  it('exports the queue as a file that begins with the fields of the tax service', async () => {
    await shop.buy(await shop.customer(), { pool: 'mobile', gb: 1 })
    const answer = await accountant.browser.fetch('/api/receipts.csv?need=by_hand')
    const [head, row] = (await answer.text()).split('\r\n')
    expect(head).toMatch(/^\uFEFF?at,kind,amount,currency,description,customer_name,invoice_number,/)
    expect(row).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z,payment,[\d.]+,USD,"Трафик, мобильный, 1 ГБ",/)
  })

  it('registers neither purchases from the referral balance nor tests', async () => {
    const owner = await office.staff('owner')
    const key = crypto.randomUUID()
    await owner.call('test_purchase', { method: 'sandbox', reason: 'a test', key })
    const { number } = await owner.call('test_purchase', { method: 'sandbox', reason: 'a test', key })
    expect((await press(shop.origin, number, 'paid')).status).toBe(303)
    expect(await receiptsOf(number)).toEqual([])
  })

  it('marks a receipt once when two do so together', async () => {
    const number = await shop.buy(await shop.customer(), { pool: 'residential', gb: 1 })
    const [queued] = await receiptsOf(number)
    const id = BigInt(queued?.id ?? 0)
    const marks = ['1', '2'].map((one) =>
      transaction(shop.database.db, (tx) =>
        markRegistered(tx, id, { number: one, link: null }, shop.clock.now),
      ),
    )
    const states = (await Promise.all(marks)).map(({ before }) => before.state)
    expect(states.toSorted()).toEqual(['due', 'registered'])
  })
})
