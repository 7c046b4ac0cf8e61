/** A payment method that staff stop offering, in all parts of the shop. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { reconcileInvoices } from '#purchase'
import { app, type App, type Customer, purchaseDeps, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { FakeBtcpay } from '#test/processors/btcpay'

const fake = new FakeBtcpay()
let shop: App
let office: Desk
let owner: StaffMember
let customer: Customer

beforeAll(async () => {
  await fake.start()
  shop = await app({ env: { DEMO: '0' }, methods: [fake.method()] })
  office = await desk(shop)
  owner = await office.staff('owner')
  customer = await shop.customer()
})
afterAll(async () => {
  await office.close()
  await shop.close()
  fake.stop()
})
beforeEach(() => offer(true))

async function offer(isOffered: boolean): Promise<void> {
  await office.stepUp(owner)
  const value = isOffered ? '1' : '0'
  await owner.call('change_setting', { name: 'offer_crypto', value, reason: 'the processor is away' })
}
const order = { payment_method: 'crypto', amount: 2, pool: 'residential' } as const
const topUp = { payment_method: 'crypto', amount_usd: 20 } as const
const listed = async () => (await shop.anyone('payment_systems', {})).map(({ name }) => name)
const atDesk = async () => (await owner.call('processors', {})).find(({ method }) => method === 'crypto')
const lastAtProcessor = () => [...fake.invoices.keys()].at(-1) ?? ''

it('a method that is no longer offered is on no list, and an order or a top-up from an old page is refused with a sentence that says why', async () => {
  expect(await listed()).toContain('crypto')
  await offer(false)
  expect(await listed()).toEqual(['sandbox'])
  const before = fake.invoices.size
  for (const asked of [
    (language: 'ru' | 'en') => shop.client(customer.token, language)('create_invoice_web', order),
    (language: 'ru' | 'en') => shop.client(customer.token, language)('create_balance_invoice', topUp),
  ]) {
    expect(await refusalOf(asked('en'))).toMatchObject({
      status: 409,
      code: 'payment_method_not_offered',
      message: 'The shop no longer takes payments by this method. Choose another one.',
    })
    expect((await refusalOf(asked('ru'))).message).toContain('больше не принимает оплату этим способом')
  }
  expect(fake.invoices.size).toBe(before)
  expect(await customer.call('invoices', {})).toEqual([])
  await offer(true)
  expect(await listed()).toContain('crypto')
  expect(await customer.call('create_invoice_web', order)).toContain('https://')
})

it('a method that is no longer offered credits an open invoice that is paid afterwards, by its notification or by polling', async () => {
  const bought = async () => Number((await customer.call('legacy_profile', {}))[0]?.residential.balance ?? 0)
  const before = await bought()
  await customer.call('create_invoice_web', order)
  const first = lastAtProcessor()
  await customer.call('create_invoice_web', order)
  const second = lastAtProcessor()
  await offer(false)
  fake.pay(first)
  const body = JSON.stringify({
    deliveryId: 'one',
    type: 'InvoiceSettled',
    timestamp: Math.floor(Date.now() / 1000),
    storeId: fake.storeId,
    invoiceId: first,
  })
  const answer = await fetch(`${shop.origin}/api/webhooks/crypto`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'btcpay-sig': fake.sign(body) },
    body,
  })
  expect(answer.status).toBe(200)
  expect(await bought()).toBe(before + 2000)
  fake.pay(second)
  const later = new Date(shop.clock.now.getTime() + 60_000)
  await reconcileInvoices(shop.database, purchaseDeps(shop.services), later)
  expect(await bought()).toBe(before + 4000)
})

it('a method that is no longer offered continues an order that was made before, under its idempotency key', async () => {
  const idempotencyKey = randomUUID()
  const url = await customer.call('create_invoice_web', order, { idempotencyKey })
  await offer(false)
  expect(await customer.call('create_invoice_web', order, { idempotencyKey })).toBe(url)
})

it('the desk shows it as connected, makes test purchases by it, and keeps and undoes the change', async () => {
  await offer(false)
  expect(await atDesk()).toMatchObject({ is_set: true, is_offered: false, needs_rate: false })
  const asked = { method: 'crypto', reason: 'new keys', key: randomUUID() }
  expect(await owner.call('test_purchase', asked)).toMatchObject({ fault: null })
  const { rows: changes } = await owner.call('setting_changes', { name: 'offer_crypto' })
  expect(changes[0]).toMatchObject({ before: '1', after: '0', reason: 'the processor is away' })
  const { rows: entries } = await owner.call('audit', {})
  const entry = entries.find(({ action }) => action === 'change_setting') ?? expect.fail('no entry')
  await owner.call('undo_act', { entry: entry.id, reason: 'it is back' })
  expect(await atDesk()).toMatchObject({ is_offered: true })
})
