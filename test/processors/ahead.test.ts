/** Invoices created and settled while the database's clock was far ahead, after it was set back. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { reconcileInvoices, refundInvoice } from '#purchase'
import { purchaseDeps } from '../../src/main/services.ts'
import { btcpayMethod } from '../../src/payments/adapters/btcpay.ts'
import { FakeBtcpay } from './btcpay.ts'
import { till, type Till } from './till.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const rightMs = Date.now()
const aheadMs = rightMs + 400 * dayMs

const fake = new FakeBtcpay()
let desk: Till
let externalId: string
let number: string
beforeAll(async () => {
  await fake.start()
  const { apiKey, storeId, webhookSecret, url } = fake
  const publicUrl = new URL('http://localhost:3000')
  desk = await till({
    fake,
    method: btcpayMethod({ url, apiKey, storeId, webhookSecret, publicUrl, timeoutMs: 5000 }),
    made: () => [...fake.invoices.keys()],
    pay: (id) => fake.pay(id),
    notify: () => ({ headers: {}, body: '' }),
    alter: () => undefined,
  })
})
afterAll(() => desk.close())

/** One run of the poller at this time; returns the number of its requests about the invoice. */
async function poll(atMs: number): Promise<number> {
  const { database, services } = desk.shop
  fake.requests.length = 0
  await reconcileInvoices(database, purchaseDeps(services), new Date(atMs))
  return fake.requests.filter(({ path }) => path.endsWith(`/invoices/${externalId}`)).length
}

async function order(atMs: number): Promise<void> {
  desk.shop.clock.now = new Date(atMs)
  const made = await desk.order(await desk.shop.customer())
  number = made.number
  externalId = made.externalId
}

it('a late payment of a refunded invoice is found and credited', async () => {
  await order(aheadMs)
  fake.become(externalId, 'Expired', { paid: '17.50', additional: 'PaidPartial' })
  await poll(aheadMs + minuteMs)
  const { methods } = purchaseDeps(desk.shop.services)
  const refundedAt = new Date(aheadMs + 2 * minuteMs)
  await refundInvoice(desk.shop.database, { number, what: 'all', methods }, refundedAt)
  fake.become(externalId, 'Expired', { paid: '35.00', additional: 'PaidLate' })
  await poll(rightMs)
  expect(await desk.invoice(number)).toMatchObject({
    state: 'partly_refunded',
    received_micros: 35_000_000n,
    // The refund took back the first half; the second half was paid afterwards.
    credited_bytes: 10_000_000_000n,
    created_at: new Date(aheadMs),
  })
  expect(await verifyLedger(desk.shop.database.db)).toEqual([])
})

it('a paid invoice is checked every three days, and again after ten minutes when that failed', async () => {
  await order(aheadMs)
  fake.pay(externalId)
  await poll(aheadMs + minuteMs)
  expect((await desk.invoice(number)).state).toBe('paid')
  fake.trouble(500)
  expect(await poll(rightMs)).toBe(1)
  expect(await poll(rightMs + minuteMs)).toBe(0)
  expect(await poll(rightMs + 11 * minuteMs)).toBe(1)
  expect(await poll(rightMs + 2 * dayMs)).toBe(0)
  fake.become(externalId, 'Settled', { paid: '50.00', additional: 'PaidOver' })
  expect(await poll(rightMs + 3 * dayMs + 12 * minuteMs)).toBe(1)
  expect(await desk.invoice(number)).toMatchObject({ state: 'paid', received_micros: 50_000_000n })
})

it('an invoice some days ahead has its last check three days after its time', async () => {
  const madeMs = rightMs + 4 * dayMs
  await order(madeMs)
  fake.pay(externalId)
  await poll(madeMs + minuteMs)
  expect(await poll(rightMs)).toBe(1)
  fake.become(externalId, 'Settled', { paid: '50.00', additional: 'PaidOver' })
  expect(await poll(madeMs)).toBe(0)
  expect(await poll(madeMs + 3 * dayMs + minuteMs)).toBe(1)
  expect(await desk.invoice(number)).toMatchObject({ state: 'paid', received_micros: 50_000_000n })
  expect(await poll(madeMs + 4 * dayMs)).toBe(0)
})
