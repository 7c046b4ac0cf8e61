import { afterAll, beforeAll, expect, it } from 'vitest'
import { findInvoice } from '#purchase'
import { type App, app, refusalOf } from '#test/app'
import { type Desk, desk } from '#test/desk'
import { evidenceOf } from './payments/evidence.ts'

let shop: App
let office: Desk
beforeAll(async () => {
  shop = await app()
  office = await desk(shop)
})
afterAll(() => shop.close())

it('the evidence is a PDF of a disputed invoice alone, for those who may, in the language of the desk', async () => {
  const customer = await shop.customer()
  const number = await shop.buy(customer, { pool: 'mobile', gb: 2 })
  const operator = await office.staff('operator')
  expect((await refusalOf(operator.call('dispute_evidence', { number }))).code).toBe('invoice_not_disputed')
  await shop.database.pool.query('update invoice set disputed_at = now() where number = $1', [number])
  const file = await operator.call('dispute_evidence', { number })
  expect(file.type).toBe('application/pdf')
  expect(await file.slice(0, 5).text()).toBe('%PDF-')
  const support = await office.staff('support')
  expect((await refusalOf(support.call('dispute_evidence', { number }))).code).toBe('no_permission')
})

it('the evidence says who bought what, when it was delivered, and from where it was used', async () => {
  const customer = await shop.customer()
  const number = await shop.buy(customer, { pool: 'mobile', gb: 2 })
  const invoice = await findInvoice(shop.database.db, number)
  if (invoice === null) throw new Error('no invoice')
  await shop.database.pool.query('update invoice set disputed_at = now() where number = $1', [number])
  for (const language of ['ru', 'en'] as const) {
    const { sections } = await evidenceOf(shop.database.db, invoice, language, shop.clock.now)
    const texts = sections.flatMap(({ facts = [] }) => facts.map(([, value]) => value))
    expect(texts).toContain(number)
    expect(texts).toContain(customer.username)
    expect(texts.some((text) => text.startsWith('2.000 GB'))).toBe(true)
    expect(sections).toHaveLength(10)
    const rows = sections.flatMap(({ table }) => table?.rows ?? [])
    const [signedIn] = rows.filter((row) => row.at(-1) === (language === 'ru' ? 'паролем' : 'password'))
    expect(signedIn?.[1]).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
  }
})
