import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setPrice } from '#catalog'
import { setRate } from '#rates'
import { createInvoice, findInvoice, reconcileInvoices, watchReturns } from '#purchase'
import { receiptEmailOf } from '#receipts'
import { accountIdOf, type App, app, type Customer, refusalOf } from '#test/app'
import { stripeMethod } from '../../src/payments/adapters/stripe.ts'
import { yookassaMethod } from '../../src/payments/adapters/yookassa.ts'
import { purchaseDeps } from '../../src/main/services.ts'
import { FakeBtcpay } from './btcpay.ts'
import { FakeStripe } from './stripe.ts'
import { FakeYookassa } from './yookassa.ts'

const [yookassa, stripe, btcpay] = [new FakeYookassa(), new FakeStripe(), new FakeBtcpay()]
let shop: App
let customer: Customer

beforeAll(async () => {
  yookassa.fiscalises = true
  await Promise.all([yookassa.start(), stripe.start(), btcpay.start()])
  const base = { publicUrl: new URL('http://localhost:3000'), timeoutMs: 1500 }
  const { shopId, secretKey } = yookassa
  const { secretKey: key, webhookSecret } = stripe
  const card = stripeMethod({ secretKey: key, webhookSecret, apiBase: stripe.url, ...base })
  shop = await app({
    methods: [
      yookassaMethod({ shopId, secretKey, apiBase: yookassa.url, networks: [], ...base }),
      { ...card, looksPerMinute: 5 },
      btcpay.method(),
    ],
    env: {
      YOOKASSA_SHOP_ID: shopId,
      YOOKASSA_SECRET_KEY: secretKey,
      RECEIPTS: 'yookassa',
      RECEIPTS_VAT_CODE: '1',
    },
  })
  await setRate(shop.database.db, { currency: 'RUB', perUsdMicros: 80_000_000n, setAt: shop.clock.now })
  customer = await shop.customer()
})
afterAll(async () => {
  await shop.close()
  for (const fake of [yookassa, stripe, btcpay]) fake.stop()
})

const order = { payment_method: 'card', amount: 1, pool: 'residential' } as const

describe('the least amount of a method', () => {
  it('is listed with the method; an order below it is refused before the processor is asked', async () => {
    const { db } = shop.database
    const least = Object.fromEntries(
      (await shop.anyone('payment_systems', {})).map(({ name, least_usd: usd }) => [name, usd]),
    )
    // One rouble at 80 for a dollar is a cent and a quarter: two cents.
    expect(least).toEqual({ sandbox: undefined, yookassa: 0.02, card: 0.5, crypto: 1 })
    for (const [micros, name, text] of [
      [490_000n, 'card', '0.50 USD'],
      [990_000n, 'crypto', '1.00 USD'],
      [10_000n, 'yookassa', '1.00 RUB'],
    ] as const) {
      await setPrice(db, 'residential', micros)
      const fake = { card: stripe, crypto: btcpay, yookassa }[name]
      const asked = fake.requests.length
      expect(
        await refusalOf(customer.call('create_invoice_web', { ...order, payment_method: name })),
      ).toMatchObject({
        code: 'amount_below_method',
        status: 422,
        details: { field: 'amount', least: text },
      })
      expect(fake.requests.length).toBe(asked)
    }
    for (const [micros, name] of [
      [500_000n, 'card'],
      [1_000_000n, 'crypto'],
      [20_000n, 'yookassa'],
    ] as const) {
      await setPrice(db, 'residential', micros)
      await customer.call('create_invoice_web', { ...order, payment_method: name })
    }
    await setPrice(db, 'residential', 3_500_000n)
  })
})

describe('an order by card', () => {
  it('that is repeated in its last half hour gets a page, and one page only', async () => {
    stripe.trouble(...Array.from({ length: 30 }, () => 500))
    const { database, services } = shop
    const number = randomBytes(10).toString('hex')
    const accountId = BigInt(await accountIdOf(customer))
    const goods = { accountId, pool: 'residential', gb: 1n, promocode: null, language: 'en' } as const
    const buy = () =>
      createInvoice(database, purchaseDeps(services), { ...goods, method: 'card', number }, shop.clock.now)
    stripe.trouble(500, 500, 500)
    await expect(buy()).rejects.toMatchObject({ code: 'payment_failed' })
    stripe.calm()
    // Forty minutes later, by both clocks.
    await database.pool.query(
      `update invoice set created_at = created_at - interval '40 minutes', expires_at = expires_at - interval '40 minutes'
       where number = $1`,
      [number],
    )
    const made = stripe.sessions.size
    stripe.trouble('none', 'lost')
    const { paymentUrl } = await buy()
    expect(stripe.sessions.size).toBe(made + 1)
    const session = [...stripe.sessions.values()].at(-1)
    expect(paymentUrl).toBe(session?.url)
    stripe.pay(session?.id ?? '')
    await reconcileInvoices(shop.database, purchaseDeps(shop.services), new Date(Date.now() + 60_000))
    expect(await findInvoice(shop.database.db, number)).toMatchObject({ state: 'paid' })
  })
})

describe('the poller', () => {
  it('keeps to the budget of a processor, whatever the number of workers', async () => {
    for (let index = 0; index < 8; index++) await (await shop.customer()).call('create_invoice_web', order)
    const looks = () => stripe.requests.filter(({ method }) => method === 'GET').length
    const begun = Date.now() + 600_000
    const at = (seconds: number) => new Date(begun + seconds * 1000)
    const deps = purchaseDeps(shop.services)
    const before = looks()
    await Promise.all([0, 1, 2].map(() => reconcileInvoices(shop.database, deps, at(0))))
    expect(looks() - before).toBe(5)
    await reconcileInvoices(shop.database, deps, at(30))
    expect(looks() - before).toBe(5)
    await reconcileInvoices(shop.database, deps, at(61))
    expect(looks() - before).toBe(10)
  })

  it('lists refunds from the first invoice of the method, not from 1970', async () => {
    await watchReturns(shop.database, purchaseDeps(shop.services), new Date())
    const lists = yookassa.requests.filter(({ path }) => path === '/v3/refunds')
    const since = new Date(lists[0]?.query.get('created_at.gte') ?? 0)
    expect(Date.now() - since.getTime()).toBeLessThan(36 * 86_400_000)
  })
})

describe('an address of receipts', () => {
  it('of an international domain is sent in its encoded form', async () => {
    const buyer = await shop.customer()
    const email = 'anna@почта.рф'
    await buyer.call('create_invoice_web', { ...order, payment_method: 'yookassa', receipt_email: email })
    const body = JSON.parse(yookassa.requests.at(-1)?.body ?? '') as {
      receipt: { customer: { email: string } }
    }
    expect(body.receipt.customer.email).toBe('anna@xn--80a1acny.xn--p1ai')
  })

  it('with a name in other letters is refused at the field, and is not taken from the account', async () => {
    const buyer = await shop.customer()
    const wish = { ...order, payment_method: 'yookassa', receipt_email: 'анна@example.com' }
    expect(await refusalOf(buyer.call('create_invoice_web', wish))).toMatchObject({
      code: 'invalid_receipt_email',
      details: { field: 'receipt_email' },
    })
    const accountId = BigInt(await accountIdOf(buyer))
    await shop.database.pool.query('update account set email = $1 where id = $2', [
      'анна@example.com',
      accountId,
    ])
    expect(await receiptEmailOf(shop.database.db, accountId)).toEqual({ email: null, isOwn: false })
    const without = { ...order, payment_method: 'yookassa' }
    expect(await refusalOf(buyer.call('create_invoice_web', without))).toMatchObject({
      code: 'receipt_email_required',
    })
  })
})
