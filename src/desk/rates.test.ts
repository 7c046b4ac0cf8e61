import { afterAll, beforeAll, expect, it } from 'vitest'
import { createInvoice } from '#purchase'
import { accountIdOf, app, type App, refusalOf, purchaseDeps } from '#test/app'
import { bareMethod } from '#test/bare-method'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let owner: StaffMember
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' }, methods: [bareMethod('card'), bareMethod('yookassa', 'RUB')] })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const currencyOf = async (code: string) =>
  (await owner.call('currencies', {})).currencies.find((each) => each.code === code)
const dayOf = (days: number) =>
  new Date(shop.clock.now.getTime() + days * 24 * 3_600_000).toISOString().slice(0, 10)

it('a currency that a method collects is listed from the start, and its rate opens the method', async () => {
  expect(await currencyOf('RUB')).toMatchObject({ methods: ['yookassa'], shown: false, rate: null })
  const set = await owner.call('set_rate', { currency: 'RUB', per_usd: '92.50', reason: 'of the bank' })
  expect(set).toEqual({ in_force: true, per_usd: '92.50' })
  expect(await currencyOf('RUB')).toMatchObject({ rate: { per_usd: '92.50', state: 'fresh' } })
  expect(JSON.stringify(await owner.call('processors', {}))).not.toContain('"needs_rate":true')
  const [change] = (await owner.call('rate_changes', { currency: 'RUB' })).rows
  expect(change).toMatchObject({ by: owner.name, reason: 'of the bank', source: 'hand', per_usd: '92.50' })
  const { rows } = await owner.call('audit', {})
  expect(rows[0]).toMatchObject({ action: 'set_rate', subject_id: 'RUB', reason: 'of the bank' })
})

it.each([
  ['0', 'invalid_rate'],
  ['1e-30', 'invalid_rate'],
  ['1e30', 'invalid_rate'],
  ['-5', 'invalid_rate'],
  ['0.0000001', 'invalid_rate'],
])('no rate is %s', async (per_usd, code) => {
  expect(await refusalOf(owner.call('set_rate', { currency: 'RUB', per_usd }))).toMatchObject({ code })
})

it('a rate has no future day, and a rate older than the latest is history only', async () => {
  const of = (day: string) => owner.call('set_rate', { currency: 'RUB', per_usd: '80', day })
  expect(await refusalOf(of(dayOf(2)))).toMatchObject({ code: 'rate_of_the_future' })
  expect(await of(dayOf(-4))).toEqual({ in_force: false, per_usd: '92.50' })
  const usd = owner.call('set_rate', { currency: 'USD', per_usd: '1' })
  expect(await refusalOf(usd)).toMatchObject({ code: 'unknown_currency' })
})

it('a file is checked line by line, and entered whole or not at all', async () => {
  const bad = `currency,date,rate\nEUR,${dayOf(-1)},0.92\n=1+1,${dayOf(-1)},1\nEUR,x,1\n`
  const preview = await owner.call('preview_rates', { csv: bad })
  expect(preview.faulty).toBe(2)
  expect(preview.faults[0]).toMatch(/^Line 3, column currency: .*=1\+1/)
  expect(await refusalOf(owner.call('import_rates', { csv: bad }))).toMatchObject({
    code: 'rates_file_faulty',
  })
  expect(await currencyOf('EUR')).toBeUndefined()
  const good = `currency,date,rate\nEUR,${dayOf(-2)},0.91\nEUR,${dayOf(-1)},0.92\n`
  expect(await owner.call('preview_rates', { csv: good })).toMatchObject({
    faults: [],
    added: 2,
    changes: [{ currency: 'EUR', before: null, after: '0.92', on: dayOf(-1) }],
  })
  expect(await owner.call('import_rates', { csv: good })).toEqual({ added: 2, known: 0 })
  expect(await owner.call('import_rates', { csv: good })).toEqual({ added: 0, known: 2 })
  expect(await currencyOf('EUR')).toMatchObject({ rate: { per_usd: '0.92', on: dayOf(-1) } })
})

it('a member who may only read prices cannot change a rate', async () => {
  const viewer = await office.staff('viewer')
  await viewer.call('currencies', {})
  const acts = [
    viewer.call('set_rate', { currency: 'RUB', per_usd: '1' }),
    viewer.call('import_rates', { csv: 'currency,date,rate\n' }),
    viewer.call('set_display_currency', { currency: 'EUR', shown: true }),
  ]
  const refused = await Promise.all(acts.map(refusalOf))
  for (const { code } of refused) expect(code).toBe('no_permission')
})

it('the desk shows on an invoice the amounts shown to the customer, and their rates', async () => {
  await owner.call('set_display_currency', { currency: 'EUR', shown: true })
  const customer = await shop.customer()
  await customer.call('set_display_currency', { currency: 'EUR' })
  const accountId = BigInt(await accountIdOf(customer))
  const order = { accountId, pool: 'residential', gb: 10n, promocode: null, language: 'en' } as const
  const placed = { ...order, method: 'yookassa' }
  const { number } = await createInvoice(shop.database, purchaseDeps(shop.services), placed, shop.clock.now)
  await owner.call('set_display_currency', { currency: 'EUR', shown: false })
  expect(await owner.call('invoice', { number })).toMatchObject({
    price: { currency: 'RUB', micros: '3237500000', rate_micros: '92500000', rate_on: dayOf(0) },
    shown: { currency: 'EUR', micros: '32200000', rate_micros: '920000', rate_on: dayOf(-1) },
  })
  expect((await shop.anyone('site', {})).currencies).toEqual([])
})
