/** The official client of Stripe talks to our fake as it does to Stripe, so that the fake stays honest. */
import { randomUUID } from 'node:crypto'
import Client from 'stripe'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeStripe } from './stripe.ts'

const fake = new FakeStripe()
let client: Client

beforeAll(async () => {
  await fake.start()
  const { hostname: host, port } = fake.url
  client = new Client(fake.secretKey, {
    host,
    port: Number(port),
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
  })
})
afterAll(() => fake.stop())

const open = (cents: number, minutes: number, idempotencyKey = randomUUID()) =>
  client.checkout.sessions.create(
    {
      mode: 'payment',
      line_items: [
        { quantity: 1, price_data: { currency: 'usd', unit_amount: cents, product_data: { name: '1 GB' } } },
      ],
      success_url: 'https://shop.example.net/',
      expires_at: Math.floor(Date.now() / 1000) + minutes * 60,
      metadata: { invoice: 'of a test' },
    },
    { idempotencyKey },
  )

it('the SDK reads a session with its charge and fee, and turns pages by itself', async () => {
  const made = await open(350, 60)
  expect(made).toMatchObject({ object: 'checkout.session', status: 'open', payment_status: 'unpaid' })
  const at = new Date('2026-08-31T20:59:00Z')
  fake.pay(made.id, at)
  const read = await client.checkout.sessions.retrieve(made.id, {
    expand: ['payment_intent.latest_charge.balance_transaction'],
  })
  const intent = read.payment_intent as Client.PaymentIntent
  const charge = intent.latest_charge as Client.Charge
  expect(charge.created).toBe(at.getTime() / 1000)
  expect((charge.balance_transaction as Client.BalanceTransaction).fee).toBe(40)
  fake.pageSize = 1
  await open(350, 60)
  const listed: string[] = []
  for await (const { id } of client.checkout.sessions.list({ limit: 1 })) listed.push(id)
  expect(listed).toHaveLength(2)
})

it('the SDK gets the errors that its documentation names', async () => {
  await expect(open(49, 60)).rejects.toMatchObject({
    type: 'StripeInvalidRequestError',
    code: 'amount_too_small',
  })
  await expect(open(350, 29)).rejects.toMatchObject({
    type: 'StripeInvalidRequestError',
    param: 'expires_at',
  })
  const key = randomUUID()
  const first = await open(350, 60, key)
  await expect(open(351, 60, key)).rejects.toMatchObject({ type: 'StripeIdempotencyError' })
  await expect(client.checkout.sessions.retrieve('cs_live_none')).rejects.toMatchObject({
    code: 'resource_missing',
    statusCode: 404,
  })
  const stranger = new Client('sk_live_another', {
    host: fake.url.hostname,
    port: Number(fake.url.port),
    protocol: 'http',
    maxNetworkRetries: 0,
  })
  await expect(stranger.checkout.sessions.retrieve(first.id)).rejects.toMatchObject({
    type: 'StripeAuthenticationError',
  })
})
