/** The number of an invoice that a person can say. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { invoiceNamed } from '#purchase'
import { app, type App, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let owner: StaffMember
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

it('a customer sees the short number of an invoice, by which staff find it', async () => {
  const customer = await shop.customer()
  const number = await shop.buy(customer, { pool: 'residential', gb: 1 })
  const { short_number: short } = await customer.call('invoice', { number })
  expect(short).toMatch(new RegExp(`^${new Date().getUTCFullYear()}-\\d{6}$`))
  expect(await customer.call('invoices', {})).toMatchObject([{ short_number: short }])
  expect(await owner.call('invoice', { number: short })).toMatchObject({ number, short_number: short })
  expect((await owner.call('invoices', { text: short })).rows).toMatchObject([{ number }])
  expect(await owner.call('find', { text: ` ${short} ` })).toContainEqual({
    kind: 'invoice',
    id: number,
    title: short,
    by: 'invoice_number',
  })
  const { rows } = await shop.database.pool.query(
    `select data from mail where template = 'payment_received' and data ->> 'invoice' = $1`,
    [number],
  )
  expect(rows).toMatchObject([{ data: { short_number: short } }])
})

it('the short number of another year finds nothing, and none opens an invoice for a customer', async () => {
  const customer = await shop.customer()
  const number = await shop.buy(customer, { pool: 'residential', gb: 1 })
  const { short_number: short } = await customer.call('invoice', { number })
  const { db } = shop.database
  expect(await invoiceNamed(db, `1999${short.slice(4)}`)).toBeNull()
  expect(await invoiceNamed(db, short.replace('-', '-00'))).toMatchObject({ number })
  expect(await invoiceNamed(db, '2026-999999999999999999')).toBeNull()
  for (const text of ['2026-0', '2026-', '20261-1', '2026-1x', '\0'])
    expect(await invoiceNamed(db, text)).toBeNull()
  const stranger = await shop.customer()
  for (const one of [stranger, customer])
    expect((await refusalOf(one.call('invoice', { number: short }))).code).toBe('invoice_not_found')
})
