/** The limit of open invoices per account, under concurrent orders and over several processes. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountCalled } from '#accounts'
import { type Database, openDatabase } from '#db'
import type { Refusal } from '#lib/refusal'
import { type App, app, type Customer, press, refusalOf, purchaseDeps } from '#test/app'
import { maxOpenInvoices } from './invoices/invoice.ts'
import { createInvoice } from './purchase.ts'

let shop: App
let other: Database
beforeAll(async () => {
  // Fast enough to reach no other limit.
  shop = await app({ accountPace: { perSecond: 1000, atOnce: 1000 } })
  other = await openDatabase({ databaseUrl: shop.database.url, dataDir: '', role: 'guest' })
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const order = { payment_method: 'sandbox', amount: 10, pool: 'residential' } as const
const hundred = Array.from({ length: 100 }, (_, n) => n)

async function statesOf({ call }: Customer): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { state } of await call('invoices', {})) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

it('open invoices are at most twenty under concurrent orders; the refusal says what to do', async () => {
  const customer = await shop.customer()
  const outcomes = await Promise.allSettled(hundred.map(() => customer.call('create_invoice_web', order)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(maxOpenInvoices)
  expect(await statesOf(customer)).toEqual({ pending: 20 })
  const refused = (language: 'ru' | 'en') =>
    refusalOf(shop.client(customer.token, language)('create_invoice_web', order))
  expect(await refused('en')).toMatchObject({
    code: 'too_many_open_invoices',
    status: 409,
    message:
      'You already have 20 unpaid invoices, the maximum. Pay one of them, or wait: the first one closes in 60 min.',
    details: { limit: 20, minutes: 60 },
  })
  expect((await refused('ru')).message).toContain('Оплатите один из них или подождите')
  // Other customers can still buy.
  expect(await (await shop.customer()).call('create_invoice_web', order)).toContain('/sandbox/pay/')
})

it('open invoices become fewer when one is paid or expires', async () => {
  const customer = await shop.customer()
  const urls = []
  for (let n = 0; n < maxOpenInvoices; n++) urls.push(await customer.call('create_invoice_web', order))
  expect(await refusalOf(customer.call('create_invoice_web', order))).toMatchObject({ status: 409 })
  await press(shop.origin, urls[0]?.split('/').at(-1) ?? '', 'paid')
  expect(await customer.call('create_invoice_web', order)).toContain('/sandbox/pay/')
  expect(await refusalOf(customer.call('create_invoice_web', order))).toMatchObject({ status: 409 })
  shop.clock.now = new Date(shop.clock.now.getTime() + 61 * 60_000)
  expect(await customer.call('create_invoice_web', order)).toContain('/sandbox/pay/')
})

/** The same order of a customer at the slice's door, in one process or another. */
async function wishOf({ username }: Customer) {
  const accountId = (await accountCalled(shop.database.db, username))?.id ?? 0n
  const wish = { accountId, pool: 'residential', gb: 1n, promocode: null, language: 'en' } as const
  return (database: Database, number?: string) =>
    createInvoice(
      database,
      purchaseDeps(shop.services),
      { ...wish, method: 'sandbox', ...(number === undefined ? {} : { number }) },
      shop.clock.now,
    )
}

it('open invoices are at most twenty over all processes together', async () => {
  const make = await wishOf(await shop.customer())
  const outcomes = await Promise.all(
    hundred.map((n) =>
      make(n % 2 === 0 ? shop.database : other).then(
        () => 'made',
        (refusal: Refusal) => refusal.code,
      ),
    ),
  )
  expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(maxOpenInvoices)
  expect(outcomes.filter((outcome) => outcome === 'too_many_open_invoices')).toHaveLength(80)
})

it('open invoices do not refuse the repetition of the order that made the last of them', async () => {
  const make = await wishOf(await shop.customer())
  for (let n = 1; n < maxOpenInvoices; n++) await make(shop.database)
  const last = await make(shop.database, 'the-last-one')
  expect(await make(other, 'the-last-one')).toEqual(last)
})
