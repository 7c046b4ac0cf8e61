import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findNeeds } from '#desk'
import { setRate } from '#rates'
import { reconcileInvoices } from '#purchase'
import { receiptsOf } from '#receipts'
import { type App, app, type Customer, refusalOf } from '#test/app'
import { stripeMethod } from '../../src/payments/adapters/stripe.ts'
import { yookassaMethod } from '../../src/payments/adapters/yookassa.ts'
import { topUpDeps } from '../../src/main/services.ts'
import { FakeBtcpay } from './btcpay.ts'
import { FakeStripe } from './stripe.ts'
import { FakeYookassa } from './yookassa.ts'

const [yookassa, stripe, btcpay] = [new FakeYookassa(), new FakeStripe(), new FakeBtcpay()]
let shop: App

beforeAll(async () => {
  await Promise.all([yookassa.start(), stripe.start(), btcpay.start()])
  const base = { publicUrl: new URL('http://localhost:3000'), timeoutMs: 1500 }
  const { shopId, secretKey } = yookassa
  const { secretKey: key, webhookSecret } = stripe
  const card = { secretKey: key, webhookSecret, apiBase: stripe.url, makesInvoices: true, ...base }
  shop = await app({
    methods: [
      yookassaMethod({ shopId, secretKey, apiBase: yookassa.url, networks: [], ...base }),
      stripeMethod(card),
      btcpay.method(),
    ],
    env: {
      YOOKASSA_SHOP_ID: shopId,
      YOOKASSA_SECRET_KEY: secretKey,
      STRIPE_SECRET_KEY: key,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      RECEIPTS: 'yookassa',
      RECEIPTS_VAT_CODE: '1',
      RECEIPTS_BY_HAND: 'card',
      AUTO_TOP_UP: 'yookassa,card',
      DEMO: '0',
    },
  })
  await setRate(shop.database.db, { currency: 'RUB', perUsdMicros: 100_000_000n, setAt: shop.clock.now })
})
afterAll(async () => {
  await shop.close()
  for (const fake of [yookassa, stripe, btcpay]) fake.stop()
})
beforeEach(async () => {
  Object.assign(yookassa, { isRecurring: true, hasNoTill: false })
  await shop.database.pool.query('delete from refused_wish')
})

type Method = 'yookassa' | 'card' | 'crypto'

/** Orders 1 GB, with the method saved where that is wanted, and returns the number. */
async function order({ call }: Customer, method: Method, saves = false): Promise<string> {
  let number = ''
  const { save_consent: consent } = await call('get_top_ups', {})
  const wish = saves ? { save_consent: consent.sha256 } : {}
  await call(
    'create_invoice_web',
    { payment_method: method, amount: 1, pool: 'residential', ...wish },
    { onHeaders: (headers) => (number = headers.get('x-invoice-id') ?? '') },
  )
  return number
}

const needs = async () => {
  const deps = {
    secrets: shop.services.secrets,
    pinned: {},
    hasOwnDatabase: true,
    collecting: [],
  }
  const found = await findNeeds(shop.database, deps, { now: shop.clock.now, most: 9 })
  return found.find(({ kind }) => kind === 'wish_refused')?.subjects.map(({ key }) => key) ?? []
}
const offered = async ({ call }: Customer) => (await call('get_top_ups', {})).methods
const paymentsOf = (number: string) =>
  [...yookassa.payments.values()].filter(({ metadata }) => metadata['invoice'] === number)

describe('a wish that a processor refuses to the shop', () => {
  it('does not lose the sale: the method is not saved, staff are notified, and it is not offered', async () => {
    yookassa.isRecurring = false
    const customer = await shop.customer()
    expect(await offered(customer)).toContain('yookassa')
    const number = await order(customer, 'yookassa', true)
    expect(paymentsOf(number)).toHaveLength(1)
    expect(await needs()).toEqual(['yookassa: save_method'])
    expect(await offered(customer)).not.toContain('yookassa')
    // A page that was loaded before still sends the wish: the order is made by one request.
    const asked = yookassa.requests.length
    await order(customer, 'yookassa', true)
    expect(yookassa.requests.length - asked).toBe(1)
    yookassa.pay(paymentsOf(number)[0]?.id ?? '')
    await reconcileInvoices(shop.database, topUpDeps(shop.services), shop.clock.now)
    expect(await customer.call('invoice', { number })).toMatchObject({ state: 'paid' })
  })

  it('is sent again after a week, and staff are no longer told once it is granted', async () => {
    yookassa.isRecurring = false
    const customer = await shop.customer()
    await order(customer, 'yookassa', true)
    yookassa.isRecurring = true
    await shop.database.pool.query(`update refused_wish set refused_at = refused_at - interval '8 days'`)
    expect(await needs()).toEqual(['yookassa: save_method'])
    expect(await offered(customer)).toContain('yookassa')
    await order(customer, 'yookassa', true)
    expect(await needs()).toEqual([])
  })

  it('is one payment, also when the answer to the second request is lost', async () => {
    yookassa.isRecurring = false
    const customer = await shop.customer()
    yookassa.trouble('none', 'lost')
    const number = await order(customer, 'yookassa', true)
    expect(paymentsOf(number)).toHaveLength(1)
  })

  it('of a receipt leaves it to be registered by hand once the money is there', async () => {
    yookassa.hasNoTill = true
    const customer = await shop.customer()
    const number = await order(customer, 'yookassa')
    const receipts = () => receiptsOf(shop.database.db, [number], shop.clock.now)
    expect(await receipts()).toEqual([])
    yookassa.pay(paymentsOf(number)[0]?.id ?? '')
    await reconcileInvoices(shop.database, topUpDeps(shop.services), shop.clock.now)
    expect(await receipts()).toMatchObject([{ kind: 'payment', state: 'due', registrar: 'manual' }])
    expect(await needs()).toEqual(['yookassa: receipt'])
    // The next order asks again: a receipt that can be registered is not left out.
    yookassa.hasNoTill = false
    await order(customer, 'yookassa')
    expect(await needs()).toEqual([])
  })

  it('is not recorded for a method whose receipts are registered by hand', async () => {
    const customer = await shop.customer()
    const number = await order(customer, 'card')
    stripe.pay([...stripe.sessions.keys()].at(-1) ?? '')
    await reconcileInvoices(shop.database, topUpDeps(shop.services), new Date(Date.now() + 120_000))
    expect(await receiptsOf(shop.database.db, [number], shop.clock.now)).toMatchObject([
      { kind: 'payment', state: 'due', registrar: 'manual', method: 'card' },
    ])
    stripe.sessions.clear()
  })

  it('of Stripe’s own invoice, and of a language that BTCPay Server does not know, is left out', async () => {
    const customer = await shop.customer()
    stripe.trouble(403)
    await order(customer, 'card')
    expect([...stripe.sessions.values()]).toHaveLength(1)
    expect(JSON.stringify(stripe.requests.at(-1)?.body)).not.toContain('invoice_creation')
    btcpay.trouble(422)
    await order(customer, 'crypto')
    expect(btcpay.requests.at(-1)?.body).not.toContain('defaultLanguage')
    expect(await needs()).toEqual(['card: invoice', 'crypto: language'])
  })

  it('is not blamed when the processor refuses the order without it too', async () => {
    const customer = await shop.customer()
    stripe.trouble(400, 400)
    expect(await refusalOf(order(customer, 'card'))).toMatchObject({ code: 'payment_failed' })
    expect(await needs()).toEqual([])
    // A refused key is not caused by a wish: the order is not retried.
    const asked = btcpay.requests.length
    btcpay.trouble(401)
    expect(await refusalOf(order(customer, 'crypto'))).toMatchObject({ code: 'payment_failed' })
    expect(btcpay.requests.length - asked).toBe(1)
  })
})
