import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { storeWebhook } from '#payments'
import { reconcileInvoice, reconcileInvoices } from '#purchase'
import { stripeMethod } from '../../src/payments/adapters/stripe.ts'
import { purchaseDeps } from '../../src/main/services.ts'
import { FakeStripe } from '../processors/stripe.ts'
import { type Delivery, till, type Till } from '../processors/till.ts'

const fake = new FakeStripe()
let desk: Till

/** A genuine event about a session, signed as Stripe signs; or altered as `how` specifies. */
interface How {
  at?: Date
  id?: string
  type?: string
  secret?: string
  object?: Record<string, unknown>
}

function event(externalId: string, how: How = {}): Delivery {
  const { at = new Date(), id = `evt_${randomUUID()}`, type = 'checkout.session.completed' } = how
  const object = how.object ?? { id: externalId, object: 'checkout.session' }
  const body = JSON.stringify({ id, type, data: { object } }, null, 2)
  return { body, headers: { 'stripe-signature': signature(body, at, how.secret) } }
}

function signature(body: string, at: Date, secret = fake.webhookSecret): string {
  const seconds = Math.floor(at.getTime() / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

const minutes = (count: number) => new Date(Date.now() + count * 60_000)
const session = (externalId: string) => {
  const found = fake.sessions.get(externalId)
  if (found === undefined) throw new Error(`no session ${externalId}`)
  return found
}

beforeAll(async () => {
  await fake.start()
  const { secretKey, webhookSecret, url: apiBase } = fake
  const publicUrl = new URL('http://localhost:3000')
  desk = await till({
    fake,
    method: stripeMethod({ secretKey, webhookSecret, apiBase, publicUrl, timeoutMs: 5000 }),
    made: () => [...fake.sessions.keys()],
    pay: (externalId) => fake.pay(externalId),
    notify: (externalId) => event(externalId),
    alter: () => undefined,
  })
})
afterAll(async () => {
  expect(await verifyLedger(desk.shop.database.db)).toEqual([])
  await desk.close()
})

type Send = (externalId: string) => Promise<number | number[]>
const one =
  (how: How | ((externalId: string) => How)): Send =>
  (externalId) =>
    desk.deliver(event(externalId, typeof how === 'function' ? how(externalId) : how))
const spoiled =
  (spoil: (delivery: Delivery) => Delivery): Send =>
  (externalId) =>
    desk.deliver(spoil(event(externalId)))
const header = (value: string): Send =>
  spoiled(({ body }) => ({ body, headers: { 'stripe-signature': value } }))
const withHeader = (change: (given: string) => string): Send =>
  spoiled(({ body, headers }) => ({
    body,
    headers: { 'stripe-signature': change(headers['stripe-signature'] ?? '') },
  }))
const times =
  (count: number, of: (index: number, externalId: string) => Delivery): Send =>
  (externalId) =>
    Promise.all(Array.from({ length: count }, (_, index) => desk.deliver(of(index, externalId))))
const inOrder =
  (...sends: Send[]): Send =>
  async (externalId) => {
    const statuses: number[] = []
    for (const send of sends) statuses.push(...[await send(externalId)].flat())
    return statuses
  }
const deps = () => purchaseDeps(desk.shop.services)
const look = async (externalId: string) => {
  const { number } = await desk.shop.database.db
    .selectFrom('invoice')
    .select('number')
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow()
  return reconcileInvoice(desk.shop.database, deps(), number, new Date())
}

/** The deliveries, the expected answer to each, and how often the paid invoice is credited afterwards. */
const table: [string, Send, number | number[], 0 | 1][] = [
  ['a genuine one', one({}), 200, 1],
  [
    'the same twice, one after the other',
    inOrder(...[1, 2].map(() => one({ id: 'evt_same' }))),
    [200, 200],
    1,
  ],
  ['forty with one id at once', times(40, (_, id) => event(id, { id: 'evt_forty' })), 200, 1],
  ['forty with ids of their own at once', times(40, (_, id) => event(id)), 200, 1],
  [
    'one id with different contents',
    inOrder(one({ id: 'evt_a', type: 'checkout.session.expired' }), one({ id: 'evt_a' })),
    [200, 200],
    1,
  ],
  ['expired after completed', inOrder(one({}), one({ type: 'checkout.session.expired' })), [200, 200], 1],
  ['expired before completed', inOrder(one({ type: 'checkout.session.expired' }), one({})), [200, 200], 1],
  [
    'a refund before the payment',
    inOrder(
      one((id) => ({
        type: 'charge.refunded',
        object: { id: 'ch_1', object: 'charge', payment_intent: session(id).payment_intent },
      })),
      one({}),
    ),
    [200, 200],
    1,
  ],
  ['no signature', spoiled(({ body }) => ({ body, headers: {} })), 401, 0],
  ['an empty signature', header(''), 401, 0],
  ['a signature of nonsense', header('t=now,v1=abc'), 401, 0],
  ['a signature that is too short', withHeader((given) => given.slice(0, -2)), 401, 0],
  ['a signature that is too long', withHeader((given) => `${given}00`), 401, 0],
  [
    'a signature that is not hex',
    withHeader((given) => given.replace(/v1=.*/, `v1=${'z'.repeat(64)}`)),
    401,
    0,
  ],
  ['a signature without its time', withHeader((given) => given.replace(/^t=\d+,/, '')), 401, 0],
  [
    'a signature of another time',
    withHeader((given) => given.replace(/^t=\d+/, (text) => `t=${Number(text.slice(2)) - 1}`)),
    401,
    0,
  ],
  ['a signature with another secret', one({ secret: 'whsec_of_somebody_else' }), 401, 0],
  ['a signature with an empty secret', one({ secret: '' }), 401, 0],
  [
    'a wrong signature beside the right one',
    withHeader((given) => given.replace(',v1=', `,v1=${'0'.repeat(64)},v1=`)),
    200,
    1,
  ],
  [
    'a reserialised body',
    spoiled(({ body, headers }) => ({ headers, body: JSON.stringify(JSON.parse(body)) })),
    401,
    0,
  ],
  ['a body with a byte more', spoiled(({ body, headers }) => ({ headers, body: `${body} ` })), 401, 0],
  ['a body that is cut off', spoiled(({ body, headers }) => ({ headers, body: body.slice(0, -1) })), 401, 0],
  ['one of six minutes ago', one({ at: minutes(-6) }), 401, 0],
  ['one of four minutes ago', one({ at: minutes(-4) }), 200, 1],
  ['one of the future', one({ at: minutes(10) }), 401, 0],
  ['one of next year', one({ at: minutes(365 * 24 * 60) }), 401, 0],
  [
    'one of another kind',
    one({ type: 'customer.created', object: { id: 'cus_1', object: 'customer' } }),
    200,
    0,
  ],
  [
    'one about a session that does not exist',
    one({ object: { id: 'cs_live_none', object: 'checkout.session' } }),
    200,
    0,
  ],
  [
    'one that states a payment: it is verified at the processor',
    one((id) => ({
      object: { id, object: 'checkout.session', amount_total: 99_999_900, payment_status: 'paid' },
    })),
    200,
    1,
  ],
  [
    'one at the moment the customer returns',
    async (id) => (await Promise.all([desk.deliver(event(id)), look(id), look(id)]))[0],
    200,
    1,
  ],
  [
    'one that was stored, with its process killed before processing',
    async (id) => {
      const { headers, body } = event(id)
      await storeWebhook(
        desk.shop.database.db,
        'card',
        { headers, body: Buffer.from(body), ip: '127.0.0.1' },
        new Date(),
      )
      await reconcileInvoices(desk.shop.database, deps(), new Date(Date.now() + 60_000))
      return 200
    },
    200,
    1,
  ],
  [
    'none at all: the poller finds it',
    async () => {
      await reconcileInvoices(desk.shop.database, deps(), new Date(Date.now() + 120_000))
      return 200
    },
    200,
    1,
  ],
]

describe(`P7: ${table.length} ways of a notification`, () => {
  it.each(table)('%s', async (_what, send, status, credited) => {
    const { number, externalId } = await desk.order(await desk.shop.customer())
    desk.pay(externalId)
    const answer = await send(externalId)
    expect(new Set([answer].flat())).toEqual(new Set([status].flat()))
    expect(await desk.invoice(number)).toMatchObject({
      state: credited === 1 ? 'paid' : 'pending',
      received_micros: BigInt(credited) * 35_000_000n,
      credited_bytes: BigInt(credited) * 10_000_000_000n,
    })
    const { rows } = await desk.shop.database.pool.query<{ count: bigint }>(
      'select count(*) from payment join invoice on invoice.id = invoice_id where number = $1',
      [number],
    )
    expect(rows).toEqual([{ count: BigInt(credited) }])
  })
})

it('P7: one that is refused because of neighbouring forgers gets Retry-After, and is found by the poller in the meantime', async () => {
  const { number, externalId } = await desk.order(await desk.shop.customer())
  desk.pay(externalId)
  const from = (ip: string, { headers, body }: Delivery) =>
    fetch(`${desk.shop.origin}/api/webhooks/card`, {
      method: 'POST',
      headers: { 'x-forwarded-for': ip, ...headers },
      body,
    })
  const forgery = () => event(externalId, { secret: 'whsec_of_somebody_else' })
  for (let at = 0; at < 60; at++)
    expect((await from(`2001:db8:5:${(at + 16).toString(16)}::1`, forgery())).status).toBe(401)
  const refused = await from('2001:db8:5:5::1', event(externalId))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
  expect((await desk.invoice(number)).state).toBe('pending')
  await reconcileInvoices(desk.shop.database, deps(), new Date())
  expect((await desk.invoice(number)).state).toBe('paid')
})
