/** Refunds in YooKassa's cabinet, and what it keeps. */
import { makeDocuments } from '#documents'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refund } from '#desk'
import { parseCidr } from '#lib/ip'
import { verifyLedger } from '#ledger'
import { askForFees, findInvoice, returnedOf, watchReturns, askForRefunds } from '#purchase'
import { setRate } from '#rates'
import { systemAuthor } from '#staff'
import { purchaseDeps } from '../../src/main/services.ts'
import { yookassaMethod } from '../../src/payments/adapters/yookassa.ts'
import { till, type Till } from './till.ts'
import { FakeYookassa, type YookassaRefund } from './yookassa.ts'

const fake = new FakeYookassa()
let desk: Till
beforeAll(async () => {
  await fake.start()
  const { shopId, secretKey, url: apiBase } = fake
  const networks = ['127.0.0.0/8', '::1/128'].map(parseCidr).filter((one) => one !== null)
  desk = await till({
    fake,
    method: yookassaMethod({
      shopId,
      secretKey,
      apiBase,
      networks,
      publicUrl: new URL('http://localhost:3000'),
      timeoutMs: 5000,
    }),
    made: () => [...fake.payments.keys()],
    pay: (externalId) => fake.pay(externalId),
    notify: (id) => ({
      headers: {},
      body: JSON.stringify({ type: 'notification', event: 'payment.succeeded', object: { id } }),
    }),
    alter: () => undefined,
  })
  await setRate(desk.shop.database.db, { currency: 'RUB', perUsdMicros: 92_370_000n, setAt: new Date() })
})
afterAll(async () => {
  expect(await verifyLedger(desk.shop.database.db)).toEqual([])
  await desk.close()
})

const deps = () => purchaseDeps(desk.shop.services)
const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000)
const tell = ({ id, payment_id: payment }: YookassaRefund) =>
  desk.deliver({
    headers: {},
    body: JSON.stringify({
      type: 'notification',
      event: 'refund.succeeded',
      object: { id, payment_id: payment },
    }),
  })

async function sold() {
  const made = await desk.order(await desk.shop.customer())
  fake.pay(made.externalId)
  await desk.deliver(desk.notify(made.externalId))
  const found = async () => {
    const invoice = await findInvoice(desk.shop.database.db, made.number)
    if (invoice === null) throw new Error('no invoice')
    return { ...invoice, returned: await returnedOf(desk.shop.database.db, invoice.id) }
  }
  return { ...made, found }
}

it('the adapter counts partial refunds in roubles, with and without notifications, up to the full price in USD', async () => {
  const { externalId, found } = await sold()
  const first = fake.refundInCabinet(externalId, { value: '1000.01' })
  await Promise.all([tell(first), tell(first)])
  // 1000.01 of 3232.95 RUB for 35 USD, rounded down to the cent.
  expect(await found()).toMatchObject({ state: 'partly_refunded', refundedMicros: 10_820_000n })
  fake.refundInCabinet(externalId, { value: '2232.94' })
  await watchReturns(desk.shop.database, deps(), soon(20))
  expect(await found()).toMatchObject({ refundedMicros: 35_000_000n, takenBackBytes: 10_000_000_000n })
  expect((await found()).returned.map(({ state }) => state)).toEqual(['counted', 'counted'])
})

it('the adapter records a part that was returned in the cabinet unseen before the desk refunds the rest, to the kopeck', async () => {
  const { number, externalId, found } = await sold()
  fake.refundInCabinet(externalId, { value: '1000.01' })
  const wish = { number, what: 'all', reason: null } as const
  const { done, made } = await refund(desk.shop.database, deps(), systemAuthor(), wish, soon(0))
  expect(done?.refundedMicros).toBe(35_000_000n - 10_820_000n)
  expect(made).toMatchObject({ state: 'done', price: { currency: 'RUB', micros: 2_232_940_000n } })
  expect(fake.leftOf(externalId)).toBe(0n)
  await watchReturns(desk.shop.database, deps(), soon(10))
  expect(await found()).toMatchObject({ refundedMicros: 35_000_000n, takenBackBytes: 10_000_000_000n })
  expect((await found()).returned.map(({ state }) => state).toSorted()).toEqual(['counted', 'own'])
})

it('the adapter waits for a refund that is pending, and counts none that was cancelled', async () => {
  const { externalId, found } = await sold()
  const pending = fake.refundInCabinet(externalId, { status: 'pending' })
  await watchReturns(desk.shop.database, deps(), soon(40))
  expect(await found()).toMatchObject({ state: 'paid', refundedMicros: 0n })
  fake.endRefund(pending, 'canceled')
  await watchReturns(desk.shop.database, deps(), soon(60))
  expect(await found()).toMatchObject({ state: 'paid', refundedMicros: 0n })
  const second = fake.refundInCabinet(externalId, { status: 'pending' })
  await watchReturns(desk.shop.database, deps(), soon(80))
  fake.endRefund(second, 'succeeded')
  await watchReturns(desk.shop.database, deps(), soon(100))
  expect(await found()).toMatchObject({ state: 'refunded', refundedMicros: 35_000_000n })
})

it('the adapter records the commission, and queries it for a payment that did not report it', async () => {
  const { found } = await sold()
  // 3232.95 RUB, of which 2.8 % and 22 % VAT on it are 110.43 RUB.
  expect((await found()).feeMicros).toBe((35_000_000n * 110_430_000n) / 3_232_950_000n)
  const made = await desk.order(await desk.shop.customer())
  fake.pay(made.externalId)
  const payment = fake.payments.get(made.externalId)
  const income = payment?.income_amount
  delete payment?.income_amount
  await desk.deliver(desk.notify(made.externalId))
  const known = async () => (await findInvoice(desk.shop.database.db, made.number))?.feeMicros
  expect(await known()).toBeNull()
  if (payment !== undefined && income !== undefined) payment.income_amount = income
  await askForFees(desk.shop.database, deps(), soon(70))
  expect(await known()).toBe((35_000_000n * 110_430_000n) / 3_232_950_000n)
})

it('the adapter asks for a refund that is pending by its own id, and gives back all that it took when it is cancelled', async () => {
  const { number, externalId, found } = await sold()
  const { database } = desk.shop
  const { id } = await found()
  const documents = () => makeDocuments(database, { zone: 'UTC', isDemo: true }, id, soon(61))
  await documents()
  fake.refundStatus = 'pending'
  const wish = { number, what: 17_970_000n, reason: null } as const
  const { made } = await refund(database, deps(), systemAuthor(), wish, soon(0))
  fake.refundStatus = 'succeeded'
  expect(made).toMatchObject({ state: 'sent' })
  expect(await found()).toMatchObject({ state: 'partly_refunded', refundedMicros: 17_970_000n })
  await documents()
  const pending = fake.refunds.get(made.reference ?? '')
  if (pending === undefined) throw new Error('no refund')
  fake.endRefund(pending, 'canceled')
  // Neither the payment nor a list reports it.
  await watchReturns(database, deps(), soon(20))
  expect(await found()).toMatchObject({ refundedMicros: 17_970_000n })
  expect(await askForRefunds(database, deps(), soon(21))).toBe(1)
  expect(await askForRefunds(database, deps(), soon(60))).toBe(0)
  expect(await found()).toMatchObject({ state: 'paid', refundedMicros: 0n, takenBackBytes: 0n })
  await documents()
  const { rows } = await database.pool.query<{ kind: string; amount_micros: bigint }>(
    'select kind, amount_micros from document where invoice_id = $1 order by id',
    [id],
  )
  expect(rows.map((row) => [row.kind, row.amount_micros])).toEqual([
    ['invoice', 35_000_000n],
    ['credit_note', 17_970_000n],
    ['invoice', 17_970_000n],
  ])
  // The customer, who was told of the refund, is told that it failed.
  const { rows: told } = await database.pool.query<{ template: string; data: object }>(
    `select template, data from mail where data ->> 'invoice' = $1 and template like '%refund%' order by created_at`,
    [number],
  )
  expect(told).toMatchObject([
    { template: 'payment_refunded', data: { refunded_micros: '17970000' } },
    { template: 'refund_failed', data: { refunded_micros: '17970000', pool: 'residential' } },
  ])
  // It can be made again, in two parts, to the kopeck.
  await refund(database, deps(), systemAuthor(), wish, soon(70))
  await refund(database, deps(), systemAuthor(), { ...wish, what: 'all' }, soon(71))
  expect(await found()).toMatchObject({ state: 'refunded', refundedMicros: 35_000_000n })
  expect(fake.leftOf(externalId)).toBe(0n)
})
