import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, app, type Customer, press, refusalOf } from '#test/app'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

async function order({ call }: Customer, amount = 10) {
  const url = await call('create_invoice_web', { payment_method: 'sandbox', amount, pool: 'residential' })
  return { url, number: url.split('/').at(-1) ?? '' }
}

describe('invoice', () => {
  it('shows an open one with the page where it is paid', async () => {
    const customer = await shop.customer()
    const { url, number } = await order(customer)
    expect(await customer.call('invoice', { number })).toMatchObject({
      number,
      pool: 'residential',
      gb: 10,
      method: 'sandbox',
      state: 'pending',
      cost_usd: 35,
      received_usd: 0,
      credited: 0,
      settled_at: null,
      payment_url: url,
    })
  })

  it('shows the outcome of the payment, and no payment page any more', async () => {
    const customer = await shop.customer()
    const { number } = await order(customer)
    await press(shop.origin, number, 'paid')
    expect(await customer.call('invoice', { number })).toMatchObject({
      state: 'paid',
      received_usd: 35,
      credited: 10_000,
      settled_at: expect.stringMatching(/Z$/),
      payment_url: null,
    })
  })

  it('shows half the money for half the traffic', async () => {
    const customer = await shop.customer()
    const { number } = await order(customer)
    await press(shop.origin, number, 'underpaid')
    expect(await customer.call('invoice', { number })).toMatchObject({
      state: 'underpaid',
      cost_usd: 35,
      received_usd: 17.5,
      credited: 5000,
    })
  })

  it('is refused to other customers', async () => {
    const { number } = await order(await shop.customer())
    const stranger = await shop.customer()
    for (const asked of [number, 'ffffffffffffffffffff', ''])
      expect(await refusalOf(stranger.call('invoice', { number: asked }))).toMatchObject({
        code: 'invoice_not_found',
        status: 404,
      })
  })
})

describe('invoices', () => {
  it('are the customer’s own, the newest first, 50 at a time', async () => {
    const customer = await shop.customer()
    const { number: anothers } = await order(await shop.customer())
    expect(await customer.call('invoices', {})).toEqual([])
    for (let amount = 1; amount <= 51; amount++) {
      await order(customer, amount)
      // An hour later the invoice is closed, and others may be made.
      shop.clock.now = new Date(shop.clock.now.getTime() + 5 * 60_000)
    }
    const list = await customer.call('invoices', {})
    expect(list.map(({ gb }) => gb)).toEqual(Array.from({ length: 50 }, (_, index) => 51 - index))
    const before = list.at(-1)?.number
    expect(await customer.call('invoices', { before })).toMatchObject([{ gb: 1 }])
    for (const wrong of [anothers, 'ffffffffffffffffffff', ''])
      expect(await refusalOf(customer.call('invoices', { before: wrong }))).toMatchObject({
        code: 'invoice_not_found',
      })
  })

  it('include a purchase from the referral balance', async () => {
    const inviter = await shop.customer()
    const [info] = await inviter.call('legacy_referal_info', {})
    const code = new URL(info?.links.website ?? '').searchParams.get('ref')
    const person = { username: 'invitedone', email: 'invitedone@example.com', password: 'password of it' }
    await shop.anyone('signup', { ...person, referral_id: code })
    const token = await shop.anyone('signin', { username: person.username, password: person.password })
    await shop.buy({ ...person, token, call: shop.client(token) }, { pool: 'residential', gb: 100 })
    await inviter.call('referral_payment', { amount: 1, pool: 'mobile' })
    expect(await inviter.call('invoices', {})).toMatchObject([
      { method: 'referral', state: 'paid', pool: 'mobile', gb: 1, cost_usd: 7.9, credited: 1000 },
    ])
  })
})
