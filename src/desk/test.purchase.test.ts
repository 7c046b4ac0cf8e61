import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { app, type App, press, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { FakeBtcpay } from '#test/processors/btcpay'

const fake = new FakeBtcpay()
let shop: App
let office: Desk
let owner: StaffMember

beforeAll(async () => {
  await fake.start()
  shop = await app({ env: { DEMO: '0' }, methods: [fake.method()] })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  expect(await verifyLedger(shop.database.db)).toEqual([])
  await office.close()
  await shop.close()
  fake.stop()
})
beforeEach(() => fake.calm())

const order = (method: string) => ({ method, reason: 'a new key', key: randomUUID() })
const lastOf = async (method: string) =>
  (await owner.call('processors', {})).find((each) => each.method === method)?.test
const figures = async () => {
  const { money_in_micros: money, sold_bytes: sold, new_customers: people } = await owner.call('today', {})
  const day = shop.clock.now.toISOString().slice(0, 10)
  const asked = { by: 'method', from: day, until: day } as const
  const [sales, refunds] = await Promise.all([
    owner.call('report', { report: 'sales', ...asked }),
    owner.call('report', { report: 'refunds', ...asked }),
  ])
  const { count: _, ...sums } = await owner.call('invoice_sums', { settled_from: day, settled_until: day })
  return [money.today, sold.today, people.today, sales.rows, refunds.rows, sums]
}

it('a test purchase buys as a customer does, shows each step, and is no sale', async () => {
  const customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 1 })
  const before = await figures()
  const asked = order('sandbox')
  const made = await owner.call('test_purchase', asked)
  expect(made).toEqual({
    number: asked.key.replaceAll('-', ''),
    payment_url: expect.any(String),
    fault: null,
  })
  // A repeated request returns the same invoice.
  expect(await owner.call('test_purchase', asked)).toEqual(made)
  for (const other of [{ method: 'crypto' }, { receipt_email: 'other@example.com' }])
    expect((await refusalOf(owner.call('test_purchase', { ...asked, ...other }))).code).toBe('act_key_reused')
  const { number } = made
  const step = () => owner.call('invoice', { number })
  expect(await step()).toMatchObject({ is_test: true, state: 'pending', gb: 1, payments: [], events: [] })
  expect((await step()).acts).toMatchObject([{ action: 'test_purchase', reason: 'a new key' }])
  expect(await lastOf('sandbox')).toMatchObject({ number, state: 'pending' })

  expect((await press(shop.origin, number, 'paid')).status).toBe(303)
  const paid = await step()
  expect(paid).toMatchObject({
    state: 'paid',
    events: [{ verdict: 'credited' }],
    credited_bytes: '1000000000',
    referral: null,
  })
  expect(paid.payments).toHaveLength(1)
  await owner.call('refund_invoice', {
    key: randomUUID(),
    number,
    what: { kind: 'whole' },
    reason: 'it worked',
  })
  expect(await lastOf('sandbox')).toMatchObject({ number, state: 'refunded' })
  expect(await figures()).toEqual(before)

  const { rows } = await owner.call('customers', { tag: 'test' })
  expect(rows).toMatchObject([{ id: paid.customer_id, name: null, email: null, tags: ['test'] }])
})

it('a test purchase shows a failure in the processor’s own words, and continues when it is repeated', async () => {
  const asked = order('crypto')
  fake.trouble(403, 403, 403)
  const failed = await owner.call('test_purchase', asked)
  expect(failed).toMatchObject({ payment_url: null, fault: expect.stringContaining('403') })
  fake.calm()
  const made = await owner.call('test_purchase', asked)
  expect(made).toMatchObject({ number: failed.number, fault: null })
  expect(made.payment_url).toContain('http')
  expect((await owner.call('invoice', { number: made.number })).acts).toHaveLength(1)
  expect((await refusalOf(owner.call('test_purchase', order('card')))).code).toBe(
    'payment_method_unavailable',
  )
})

it('a test purchase uses one account, also when several begin concurrently; nobody can sign in to it', async () => {
  await Promise.all(Array.from({ length: 4 }, () => owner.call('test_purchase', order('sandbox'))))
  const { rows } = await shop.database.pool.query(
    'select username, email, password_hash from account where is_test',
  )
  expect(rows).toEqual([{ username: null, email: null, password_hash: null }])
})
