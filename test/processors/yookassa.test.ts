import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { setRate } from '#rates'
import { findLostSales, refundInvoice, sendRefunds } from '#purchase'
import { refusalOf } from '#test/app'
import { yookassaMethod } from '../../src/payments/adapters/yookassa.ts'
import { readPayments } from '../../src/main/settings/settings.payments.ts'
import { purchaseDeps } from '../../src/main/services.ts'
import { alterMetadata, lostSales } from './lost.sales.ts'
import { processorSuite } from './suite.ts'
import { FakeYookassa } from './yookassa.ts'

const fake = new FakeYookassa()
const theirs = '185.71.76.17'
/** Of today, since no order is taken at an old rate. */
const today = new Date().toISOString().slice(0, 10)
const setAt = new Date(`${today}T00:00:00Z`)

const desk = processorSuite(
  'yookassa',
  async () => {
    await fake.start()
    const { shopId, secretKey, url: apiBase } = fake
    const { networks = [] } =
      readPayments({ YOOKASSA_SHOP_ID: shopId, YOOKASSA_SECRET_KEY: secretKey }, { token: null, apiRoot: '' })
        .yookassa ?? {}
    const publicUrl = new URL('http://localhost:3000')
    return {
      fake,
      method: yookassaMethod({ shopId, secretKey, apiBase, networks, publicUrl, timeoutMs: 1500 }),
      made: () => [...fake.payments.keys()],
      pay: (externalId) => fake.pay(externalId),
      notify: (externalId, { serial = 0 } = {}) => {
        const object = { ...fake.payments.get(externalId), id: externalId, serial }
        const body = JSON.stringify({ type: 'notification', event: 'payment.succeeded', object })
        return { headers: { 'x-forwarded-for': theirs }, body }
      },
      alter: (externalId, { currency, amount, number, isTest }) => {
        const payment = fake.payments.get(externalId)
        if (payment === undefined) throw new Error(`no payment ${externalId}`)
        if (currency !== undefined) payment.amount = { ...payment.amount, currency }
        if (amount !== undefined) payment.amount = { ...payment.amount, value: amount }
        if (number !== undefined) payment.metadata['invoice'] = number
        if (isTest) payment.test = true
      },
    }
  },
  () => ({
    forgeries: ({ body }) => [
      ['from nowhere', { headers: {}, body }],
      ['from outside the /27', { headers: { 'x-forwarded-for': '185.71.76.32' }, body }],
      ['from a network that begins alike', { headers: { 'x-forwarded-for': '185.71.7.17' }, body }],
      ['with a forged first hop', { headers: { 'x-forwarded-for': `${theirs}, 198.51.100.7` }, body }],
      ['over IPv6 from elsewhere', { headers: { 'x-forwarded-for': '2a02:5181::1' }, body }],
    ],
    wrongAmount: '3237.49',
    badTime: null,
    hasTestMode: true,
    refunds: () =>
      [...fake.refunds.values()].map(({ amount }) => ({ amount: amount.value, currency: amount.currency })),
    refund: { amount: '3237.50', currency: 'RUB' },
  }),
  async ({ shop }) => {
    const { db } = shop.database
    const { call } = await shop.customer()
    expect(await shop.anyone('payment_systems', {})).not.toContainEqual(
      expect.objectContaining({ name: 'yookassa' }),
    )
    const order = { payment_method: 'yookassa', amount: 10, pool: 'residential' } as const
    expect(await refusalOf(call('create_invoice_web', order))).toMatchObject({
      code: 'payment_method_unavailable',
      status: 501,
    })
    await setRate(db, { currency: 'RUB', perUsdMicros: 80_000_000n, setAt: new Date('2026-11-01T09:00:00Z') })
    await setRate(db, { currency: 'RUB', perUsdMicros: 92_500_000n, setAt })
  },
)

it('requests roubles at the current rate, which the payer sees, and the invoice keeps', async () => {
  const { shop, order, pay, deliver, notify, invoice } = desk()
  const { db } = shop.database
  // Shown before an order, with the method.
  const offered = (await shop.anyone('payment_systems', {})).find(({ name }) => name === 'yookassa')
  expect(offered?.description).toMatch(new RegExp(`92\\.50.RUB .* 1.USD, .* ${today}\\.</small>$`))
  const { number, externalId } = await order(await shop.customer())
  expect(fake.payments.get(externalId)).toMatchObject({
    amount: { value: '3237.50', currency: 'RUB' },
    description: `10 GB residential, 35.00 USD по курсу 92.50 RUB от ${today}`,
    metadata: { invoice: number },
  })
  await setRate(db, { currency: 'RUB', perUsdMicros: 100_000_000n, setAt })
  try {
    pay(externalId)
    await deliver(notify(externalId))
    expect(await invoice(number)).toMatchObject({
      state: 'paid',
      received_micros: 35_000_000n,
      price_currency: 'RUB',
      price_micros: 3_237_500_000n,
      rate_per_usd_micros: 92_500_000n,
      rate_set_at: setAt,
    })
  } finally {
    await setRate(db, { currency: 'RUB', perUsdMicros: 92_500_000n, setAt })
  }
})

it('the adapter uses the payment’s data, not the notification’s', async () => {
  const { shop, order, deliver, invoice } = desk()
  const { number, externalId } = await order(await shop.customer())
  const lie = { ...fake.payments.get(externalId), status: 'succeeded', paid: true }
  const body = JSON.stringify({ type: 'notification', event: 'payment.succeeded', object: lie })
  expect(await deliver({ headers: { 'x-forwarded-for': theirs }, body })).toBe(200)
  expect(await invoice(number)).toMatchObject({ state: 'pending', checked_verdict: 'waiting' })
})

it('the adapter accepts notifications over IPv6 and from IPv4-mapped addresses', async () => {
  const { shop, order, pay, deliver, notify, invoice } = desk()
  for (const ip of ['2a02:5180:0:1509::5', `::ffff:${theirs}`]) {
    const { number, externalId } = await order(await shop.customer())
    pay(externalId)
    expect(await deliver({ ...notify(externalId), headers: { 'x-forwarded-for': ip } })).toBe(200)
    expect(await invoice(number)).toMatchObject({ state: 'paid' })
  }
})

it('the adapter ends an invoice whose payment was cancelled, and never one that was paid', async () => {
  const { shop, order, pay, deliver, invoice } = desk()
  const [open, paid] = [await order(await shop.customer()), await order(await shop.customer())]
  const cancelled = (id: string) => {
    const body = JSON.stringify({ type: 'notification', event: 'payment.canceled', object: { id } })
    return deliver({ headers: { 'x-forwarded-for': theirs }, body })
  }
  Object.assign(fake.payments.get(open.externalId) ?? {}, { status: 'canceled' })
  expect(await cancelled(open.externalId)).toBe(200)
  expect(await invoice(open.number)).toMatchObject({ state: 'cancelled' })
  pay(paid.externalId)
  // Out of order: the notification of the cancellation is outdated, as the query shows.
  expect(await cancelled(paid.externalId)).toBe(200)
  expect(await invoice(paid.number)).toMatchObject({ state: 'paid' })
})

it('the adapter ignores events that are not about payments, and records that', async () => {
  const { deliver, verdicts } = desk()
  for (const body of [
    'not json',
    '[]',
    JSON.stringify({ type: 'notification', event: 'payout.succeeded', object: { id: randomUUID() } }),
  ]) {
    expect(await deliver({ headers: { 'x-forwarded-for': theirs }, body })).toBe(200)
    expect((await verdicts()).at(-1)).toBe('ignored')
  }
})

it('the adapter returns the part of the roubles for the unused traffic', async () => {
  const { shop, order, pay, deliver, notify } = desk()
  const { number, externalId } = await order(await shop.customer())
  pay(externalId)
  await deliver(notify(externalId))
  const { database } = shop
  const { methods } = purchaseDeps(shop.services)
  await refundInvoice(database, { number, what: 'unused', methods }, new Date())
  await sendRefunds(database, purchaseDeps(shop.services), new Date())
  const refund = [...fake.refunds.values()].find((one) => one.payment_id === externalId)
  expect(refund).toMatchObject({
    amount: { value: '3237.50', currency: 'RUB' },
    description: expect.stringMatching(`^${number}-`) as string,
  })
})

lostSales('yookassa', desk, (id, change) => alterMetadata(fake.payments.get(id)?.metadata, change))

it('the adapter leaves a lost sale that was refunded to the operator, on any page of the list', async () => {
  const { shop, order, pay } = desk()
  fake.pageSize = 1
  const [older, newer] = [await order(await shop.customer()), await order(await shop.customer())]
  for (const { number, externalId } of [older, newer]) {
    pay(externalId)
    await shop.database.pool.query('delete from invoice where number = $1', [number])
  }
  Object.assign(fake.payments.get(older.externalId) ?? {}, {
    refunded_amount: { value: '1.00', currency: 'RUB' },
  })
  const since = new Date(Date.now() - 60_000)
  const { sales } = await findLostSales(shop.database, purchaseDeps(shop.services), { since })
  const reasonOf = ({ externalId }: { externalId: string }) =>
    sales.find((sale) => sale.payment.externalId === externalId)?.reason
  expect([reasonOf(older), reasonOf(newer)]).toEqual(['refunded', null])
  fake.pageSize = 100
})
