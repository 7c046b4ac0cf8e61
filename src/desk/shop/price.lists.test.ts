/** Price lists: made and assigned at the desk, and applied wherever a customer sees or pays a price. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogParts, pricesOfList } from '#catalog'
import type { DeskInput } from '#contract/desk/contract'
import { pathOf } from '#contract/wire'
import { chargeToMake, findInvoice } from '#purchase'
import { accountIdOf, app, type App, type Customer, press, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { eraseAsShown } from '#test/erasure'

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

type Terms = Pick<DeskInput<'create_price_list'>, 'prices' | 'tiers'>
const wholesale: Terms = {
  prices: [
    { pool: 'mobile', off_ppm: 250_000 },
    { pool: 'residential', per_gb_micros: '2000000' },
  ],
  tiers: [{ from_gb: 10, discount_ppm: 500_000 }],
}
let made = 0
const listOf = (terms: Terms = wholesale) =>
  owner.call('create_price_list', { name: `List ${++made}`, ...terms, reason: 'agreed' })
const assign = (id: string, listId: string | null, by = owner) =>
  by.call('assign_price_list', { id, list_id: listId, reason: 'agreed' })

/** A customer with a list of these terms. */
async function withList(terms: Terms = wholesale) {
  const customer = await shop.customer()
  const [id, list] = [await accountIdOf(customer), await listOf(terms)]
  await assign(id, list.id)
  return { customer, id, list }
}
const buy = async ({ call }: Customer, gb: number, more: object = {}, options: object = {}) => {
  const order = { payment_method: 'sandbox', amount: gb, pool: 'residential' as const, ...more }
  const number = (await call('create_invoice_web', order, options)).split('/').at(-1) ?? ''
  const invoice = await findInvoice(shop.database.db, number)
  if (invoice === null) throw new Error('no invoice')
  return invoice
}

describe('the prices of a list', () => {
  const shopPrices = { prices: new Map([['mobile' as const, 3n]]), tiers: [{ fromGb: 5, discountPpm: 1 }] }

  it('are never zero, and the list sells nothing that the shop does not sell', () => {
    const almostAll = pricesOfList(shopPrices, {
      prices: new Map([
        ['mobile', { offPpm: 999_999 }],
        ['residential', { perGbMicros: 5n }],
      ]),
      tiers: null,
    })
    expect(almostAll).toEqual({ prices: new Map([['mobile', 1n]]), tiers: shopPrices.tiers })
  })

  it('follow the shop where the list has a discount, and where it has no price', async () => {
    const { customer } = await withList({ prices: [{ pool: 'mobile', off_ppm: 500_000 }], tiers: null })
    expect(await customer.call('prices', {})).toMatchObject({ residential: 3.5, mobile: 3.95 })
    const seen = await owner.call('prices', {})
    const dearer = seen.prices.map((one) =>
      one.pool === 'mobile' ? { ...one, per_gb_micros: '10000000' } : one,
    )
    await owner.call('change_prices', { seen, prices: dearer, tiers: seen.tiers, reason: 'test' })
    expect(await customer.call('prices', {})).toMatchObject({ mobile: 5 })
    await owner.call('change_prices', { seen: { ...seen, prices: dearer }, ...seen, reason: 'back' })
  })
})

describe('a customer with a price list', () => {
  it('gets its prices by session and by token, and others get those of the shop', async () => {
    const { customer } = await withList()
    const own = { residential: 2, residential_premium: 5.9, datacenter: 0.7, mobile: 5.925 }
    expect(await customer.call('prices', {})).toEqual(own)
    const program = shop.client(await customer.call('reseller_token', {}))
    expect(await program('prices', {})).toEqual(own)
    expect(await program('calculate', { amounts: [9, 10, 1000] })).toEqual([0, 0.5, 0.5])
    for (const other of [shop.anyone, (await shop.customer()).call]) {
      expect(await other('prices', {})).toMatchObject({ residential: 3.5, mobile: 7.9 })
      expect(await other('calculate', { amounts: [10, 100] })).toEqual([0, 0.1])
    }
  })

  it('never sees the answer of another from a cache, and a wrong token is refused', async () => {
    const { customer } = await withList()
    const asked = (token?: string) =>
      fetch(`${shop.origin}${pathOf('prices')}`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      })
    for (const answer of [await asked(), await asked(customer.token)]) {
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('vary')).toContain('authorization')
      expect(answer.headers.get('etag')).toBeNull()
    }
    expect((await asked('tpr_forged')).status).toBe(401)
  })

  it('pays its prices; a promo code comes off on top, and the order names the list', async () => {
    const { customer, list } = await withList()
    await owner.call('create_promo_codes', {
      codes: { kind: 'one', code: `TENTH${made}` },
      grant: { kind: 'discount', discount_ppm: 100_000, min_gb: 1, first_purchase: false, pools: null },
      max_uses: null,
      uses_per_person: 9,
      expires_at: null,
      key: crypto.randomUUID(),
    })
    const plain = await buy(customer, 10)
    expect(plain).toMatchObject({ costMicros: 10_000_000n, perGbMicros: 2_000_000n, priceList: list.name })
    const cheaper = await buy(customer, 10, { promocode: `TENTH${made}` })
    expect(cheaper).toMatchObject({ costMicros: 9_000_000n, fullCostMicros: 10_000_000n })
    expect(await owner.call('invoice', { number: plain.number })).toMatchObject({ price_list: list.name })
  })

  it('keeps the price of an open invoice when the list changes, also under its key', async () => {
    const { customer, id, list } = await withList()
    const options = { idempotencyKey: 'one-order' }
    const first = await buy(customer, 1, {}, options)
    const prices = [{ pool: 'residential' as const, per_gb_micros: '9000000' }]
    const { id: listId, name, version } = list
    await owner.call('change_price_list', {
      id: listId,
      name,
      version,
      prices,
      tiers: null,
      reason: 'dearer',
    })
    expect((await buy(customer, 1)).costMicros).toBe(9_000_000n)
    expect(await buy(customer, 1, {}, options)).toMatchObject({
      number: first.number,
      costMicros: 2_000_000n,
    })
    await assign(id, null)
    await press(shop.origin, first.number, 'paid')
    expect(await findInvoice(shop.database.db, first.number)).toMatchObject({
      state: 'paid',
      receivedMicros: 2_000_000n,
      creditedBytes: 1_000_000_000n,
    })
  })

  it('is charged its prices by automatic top-up and from the referral balance', async () => {
    const { customer, id } = await withList()
    const order = { accountId: BigInt(id), pool: 'mobile' as const, gb: 4n, language: 'en' as const }
    const { methods } = shop.services
    const charge = await shop.database.db
      .transaction()
      .execute((tx) => chargeToMake(tx, methods.get('sandbox'), order, shop.clock.now))
    expect(charge.costMicros).toBe(23_700_000n)
    await office.stepUp(owner)
    await owner.call('give_money', { id, micros: '2000000', reason: 'test', key: crypto.randomUUID() })
    await customer.call('referral_payment', { amount: 1, pool: 'residential' })
    expect((await customer.call('legacy_referal_info', {}))[0]?.balance).toBe(0)
  })

  it('exchanges at its own prices, at most for what was paid, and is refunded what was paid', async () => {
    const { customer, id } = await withList()
    const invoice = await buy(customer, 4)
    await press(shop.origin, invoice.number, 'paid')
    const wish = { pool: 'residential', to_pool: 'mobile', megabytes: 1000 } as const
    const quote = async () => BigInt((await customer.call('quote_exchange', wish)).to_bytes)
    expect(await quote()).toBe((2_000_000n * 1_000_000_000n) / 5_925_000n)
    expect((await customer.call('get_moves', {})).pools).toContainEqual(
      expect.objectContaining({ pool: 'mobile', micros_per_gb: '5925000' }),
    )
    // At the shop's prices a GB is worth $3.50, but $2 was paid for it.
    await assign(id, null)
    expect(await quote()).toBe((2_000_000n * 1_000_000_000n) / 7_900_000n)
    await office.stepUp(owner)
    const preview = await owner.call('preview_refund', {
      number: invoice.number,
      what: { kind: 'unused' },
    })
    expect(preview).toMatchObject({ refunded_micros: '8000000' })
  })

  it('is found and shown by its list at the desk, and has it in an export', async () => {
    const { id, list } = await withList()
    const [row] = (await owner.call('customers', { price_list: list.id })).rows
    expect(row).toMatchObject({ id, price_list: list.name })
    expect(await owner.call('customer', { id })).toMatchObject({
      price_list: { id: list.id, name: list.name },
    })
    const part = catalogParts.find(({ name }) => name === 'price_list')
    const { rows } = (await part?.rows(BigInt(id), sql``).execute(shop.database.db)) ?? { rows: [] }
    expect(rows).toMatchObject([{ name: list.name }])
  })
})

describe('a price list at the desk', () => {
  it('is not changed from an older version, and two lists have no common name', async () => {
    const list = await listOf()
    const change = { id: list.id, name: list.name, version: list.version, ...wholesale, reason: 'test' }
    const both = await Promise.allSettled([1, 2].map(() => owner.call('change_price_list', change)))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect((await refusalOf(owner.call('change_price_list', change))).code).toBe('price_list_changed')
    const named = { ...wholesale, name: list.name.toUpperCase(), reason: 'test' }
    expect((await refusalOf(owner.call('create_price_list', named))).code).toBe('price_list_taken')
    const other = await listOf()
    const renamed = { ...change, id: other.id, version: other.version, name: list.name }
    expect((await refusalOf(owner.call('change_price_list', renamed))).code).toBe('price_list_taken')
  })

  it('has a history with what it said before, from which it is restored', async () => {
    const list = await listOf()
    const other: Terms = { prices: [], tiers: [] }
    const { id, name, version } = list
    await owner.call('change_price_list', { id, name, version, ...other, reason: 'a mistake' })
    const [change] = (await owner.call('price_list_changes', {})).rows
    expect(change).toMatchObject({ list_id: id, before: wholesale, after: other, reason: 'a mistake' })
    if (change?.before == null) throw new Error('no terms')
    const back = { id, name, version: version + 1, ...change.before, reason: 'undone' }
    expect(await owner.call('change_price_list', back)).toMatchObject(wholesale)
  })

  it('is removed only when no customer has it', async () => {
    const { id, list } = await withList()
    const drop = () => owner.call('remove_price_list', { id: list.id, version: list.version, reason: 'over' })
    expect((await refusalOf(drop())).code).toBe('price_list_in_use')
    expect(await assign(id, null)).toEqual({ changed: true })
    expect(await assign(id, null)).toEqual({ changed: false })
    await drop()
    expect((await refusalOf(assign(id, list.id))).code).toBe('price_list_not_found')
  })

  it('says in a bulk dry run who has it already, and shows a change in the timeline', async () => {
    const { id, list } = await withList()
    const other = await accountIdOf(await shop.customer())
    const tried = await owner.call('try_bulk', { act: 'price_list', ids: [id, other], list_id: list.id })
    expect(tried).toMatchObject({ will: 1, unchanged: 1 })
    const { rows } = await owner.call('customer_timeline', { id })
    expect(rows.map(({ facts }) => Object.values(facts))).toContainEqual(
      expect.arrayContaining(['assign_price_list']),
    )
  })

  it('is assigned by members who may change prices, and not to a person whose data was erased', async () => {
    const support = await office.staff('support')
    const { id, list } = await withList()
    expect((await refusalOf(assign(id, null, support))).status).toBe(403)
    await office.stepUp(owner)
    await eraseAsShown(owner, { id, reason: 'asked for it', write_off: false })
    expect((await refusalOf(assign(id, list.id))).code).toBe('customer_erased')
    expect((await owner.call('price_lists', {})).find((one) => one.id === list.id)?.customers).toBe(0)
  })
})

it('a list that sells below cost is a need once a customer has it', async () => {
  const { rows } = await sql<{ id: bigint }>`
    insert into exit (pool, name, kind, everywhere) values ('residential', 'dear', 'direct', true) returning id`.execute(
    shop.database.db,
  )
  await office.stepUp(owner)
  await owner.call('set_exit_cost', {
    id: String(rows[0]?.id),
    from: shop.clock.now.toISOString().slice(0, 10),
    per_gb_micros: '1900000',
    month_micros: '0',
    binary_gb: false,
    rounding: 'none',
    reason: 'the contract',
  })
  const below = async () =>
    (await owner.call('today', {})).needs_you.find(({ kind }) => kind === 'below_cost')?.examples ?? []
  const draft: Terms = { prices: [{ pool: 'residential', per_gb_micros: '1800000' }], tiers: [] }
  const list = await listOf(draft)
  expect(list.below_cost).toBe(true)
  const preview = await owner.call('preview_price_list', { id: null, ...draft })
  expect(preview.find(({ pool, gb }) => pool === 'residential' && gb === 1)).toMatchObject({
    now_micros: '3500000',
    then_micros: '1800000',
    below_cost: true,
  })
  expect(await below()).not.toContain(list.name)
  await assign(await accountIdOf(await shop.customer()), list.id)
  expect(await below()).toContain(list.name)
})
