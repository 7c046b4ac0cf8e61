/** The order in which the poller checks invoices, as observed by a fake processor. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { reconcileInvoices } from '#purchase'
import { type App, app, type Customer } from '#test/app'
import { purchaseDeps } from '../../src/main/services.ts'
import { FakeBtcpay } from './btcpay.ts'

const fake = new FakeBtcpay()
let shop: App
let many: Customer
beforeAll(async () => {
  await fake.start()
  shop = await app({ methods: [fake.method()] })
})
afterAll(async () => {
  await shop.close()
  fake.stop()
})
beforeEach(async () => {
  await shop.database.pool.query('delete from invoice')
  many = await shop.customer()
})

/** Creates an invoice and returns the processor's id of it. */
async function order({ call }: Customer): Promise<string> {
  await call('create_invoice_web', { payment_method: 'crypto', amount: 10, pool: 'residential' })
  return [...fake.invoices.keys()].at(-1) ?? ''
}

/** Opens more invoices than the limit allows, as an account could over many hours. */
async function openMany(count: number): Promise<void> {
  const externalId = await order(many)
  await shop.database.pool.query(
    `insert into invoice (number, external_id, account_id, pool, method, gb, per_gb_micros, volume_discount_ppm,
       cost_micros, full_cost_micros, expires_at)
     select 'copy' || n, 'copy' || n, account_id, pool, method, gb, per_gb_micros, volume_discount_ppm,
       cost_micros, full_cost_micros, expires_at
     from invoice, generate_series(2, $1) n where external_id = $2`,
    [count, externalId],
  )
}

/** One run of the poller, this many seconds later: the processor's ids in the order they were asked about. */
async function run(secondsLater = 0): Promise<string[]> {
  fake.requests.length = 0
  const { database, services } = shop
  await reconcileInvoices(database, purchaseDeps(services), new Date(Date.now() + secondsLater * 1000))
  return fake.requests.map(({ path }) => path.split('/').at(-1) ?? '')
}

/** Concurrent requests may arrive in any order. */
const atOnce = 4

it('the poller checks one of each account before a second one of any', async () => {
  await openMany(400)
  const others = await Promise.all([1, 2, 3].map(async () => shop.customer()))
  const theirs: string[] = []
  for (const other of others) theirs.push(await order(other))
  const asked = await run()
  for (const externalId of theirs) {
    expect(asked).toContain(externalId)
    expect(asked.indexOf(externalId)).toBeLessThan(others.length + 1 + atOnce)
  }
  expect(asked).toHaveLength(300)
})

it('the poller checks every one of a long list before any of them again', async () => {
  await openMany(400)
  const other = await order(await shop.customer())
  const first = await run()
  const second = await run(60)
  expect(new Set(first).size).toBe(300)
  expect(new Set([...first, ...second]).size).toBe(401)
  for (const asked of [first, second]) expect(asked.indexOf(other)).toBeLessThan(2 + atOnce)
})

it('the poller keeps the position of those that could not be checked at a failing processor', async () => {
  await openMany(40)
  const other = await order(await shop.customer())
  fake.trouble(...Array.from({ length: 3 * atOnce }, () => 500))
  const failed = await run()
  expect(failed.length).toBeLessThan(3 + 2 * atOnce)
  fake.calm()
  // Too early for the checked ones, but not for the others.
  const asked = await run(1)
  expect(asked).toHaveLength(41 - failed.length)
  expect([...failed, ...asked]).toContain(other)
  expect(new Set([...failed, ...asked]).size).toBe(41)
})
