/**
 * Fees by the operator's terms, fees of Crypto Pay, and the part of a purchase after fees; Stripe's own
 * invoices.
 */
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import type { PaymentMethod } from '#payments'
import { feesOf, findInvoice, listFeeTerms, purchaseLots, reconcileInvoice, setFeeTerms } from '#purchase'
import { accountIdOf, type App, app } from '#test/app'
import { purchaseDeps } from '../../src/main/services.ts'
import { cryptobotMethod } from '../../src/payments/adapters/cryptobot.ts'
import { stripeMethod } from '../../src/payments/adapters/stripe.ts'
import { FakeBtcpay } from './btcpay.ts'
import { FakeCryptoPay } from './cryptopay.ts'
import type { FakeProcessor } from './fake.ts'
import { FakeStripe } from './stripe.ts'

const open: (() => Promise<void>)[] = []
const shops: App[] = []
afterEach(async () => {
  for (const { database } of shops) expect(await verifyLedger(database.db)).toEqual([])
})
afterAll(async () => {
  for (const close of open) await close()
})

async function shopWith(fake: FakeProcessor, method: () => PaymentMethod) {
  await fake.start()
  const shop = await app({ methods: [method()] })
  open.push(async () => {
    await shop.close()
    fake.stop()
  })
  shops.push(shop)
  const { db } = shop.database
  /** Orders 10 GB for 35 USD, pays, and lets the shop query the processor. */
  const buy = async (name: string, pay: (externalId: string) => void) => {
    const customer = await shop.customer()
    let number = ''
    const onHeaders = (headers: Headers) => (number = headers.get('x-invoice-id') ?? '')
    const order = { payment_method: name, amount: 10, pool: 'residential' } as const
    await customer.call('create_invoice_web', order, { onHeaders })
    pay((await findInvoice(db, number))?.externalId ?? '')
    await reconcileInvoice(shop.database, purchaseDeps(shop.services), number, shop.clock.now)
    const invoice = await findInvoice(db, number)
    if (invoice === null) throw new Error(`no invoice ${number}`)
    return { invoice, accountId: BigInt(await accountIdOf(customer)) }
  }
  return { shop, db, buy }
}

const publicUrl = new URL('http://localhost:3000')

describe('fees by terms', () => {
  it('are those of the time of the payment; without terms a fee is unknown, and not zero', async () => {
    const fake = new FakeBtcpay()
    const { shop, db, buy } = await shopWith(fake, () => fake.method())
    const settled = (id: string) => fake.become(id, 'Settled', { paid: '35.00', payment: 'Settled' })
    const before = await buy('crypto', settled)
    expect(before.invoice).toMatchObject({ state: 'paid', feeMicros: null })
    const setAt = shop.clock.now
    const set = (validFrom: Date, percentPpm: number, fixedMicros: bigint) =>
      setFeeTerms(db, { method: 'crypto', validFrom, percentPpm, fixedMicros, setAt, setBy: 'test' })
    await set(new Date(setAt.getTime() - 60_000), 10_000, 100_000n)
    await set(new Date(setAt.getTime() + 86_400_000), 500_000, 0n)
    const { invoice, accountId } = await buy('crypto', settled)
    // 1 % of 35 USD and ten cents.
    expect(invoice.feeMicros).toBe(450_000n)
    expect(await feesOf(db, invoice.id)).toMatchObject([
      { kind: 'payment', source: 'terms', usdMicros: 450_000n },
    ])
    expect(await purchaseLots(db, [{ accountId, pool: 'residential' }])).toMatchObject([
      { micros: 35_000_000n, feeMicros: 450_000n },
    ])
    expect((await findInvoice(db, before.invoice.number))?.feeMicros).toBeNull()
    expect((await listFeeTerms(db)).map(({ percentPpm }) => percentPpm)).toEqual([500_000, 10_000])
    await expect(db.deleteFrom('fee_terms').execute()).rejects.toMatchObject({ code: '23001' })
  })
})

it('the fee of Crypto Pay is a part of what was paid, and unknown in another asset', async () => {
  const fake = new FakeCryptoPay()
  const { buy } = await shopWith(fake, () =>
    cryptobotMethod({ token: fake.token, apiBase: fake.url, publicUrl, timeoutMs: 5000 }),
  )
  expect((await buy('cryptobot', (id) => fake.pay(id))).invoice.feeMicros).toBe(1_050_000n)
  const strange = await buy('cryptobot', (id) => {
    fake.pay(id)
    Object.assign(fake.invoices.get(id) ?? {}, { fee_asset: 'TON' })
  })
  expect(strange.invoice).toMatchObject({ state: 'paid', feeMicros: null })
})

it('Stripe makes an invoice for the payer where the setting says so', async () => {
  for (const makesInvoices of [true, false]) {
    const fake = new FakeStripe()
    const { buy } = await shopWith(fake, () =>
      stripeMethod({
        secretKey: fake.secretKey,
        webhookSecret: fake.webhookSecret,
        apiBase: fake.url,
        publicUrl,
        timeoutMs: 5000,
        makesInvoices,
      }),
    )
    await buy('card', (id) => fake.pay(id))
    const made = fake.requests.find(
      ({ method, path }) => method === 'POST' && path === '/v1/checkout/sessions',
    )
    const form = new URLSearchParams(made?.body)
    expect(form.get('invoice_creation[enabled]')).toBe(makesInvoices ? 'true' : null)
  }
})
