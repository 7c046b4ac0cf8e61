import { createHmac } from 'node:crypto'
import Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { findLostSales, reconcileInvoices } from '#purchase'
import { purchaseDeps } from '../../src/main/services.ts'
import { stripeMethod } from '../../src/payments/adapters/stripe.ts'
import { alterMetadata, lostSales } from './lost.sales.ts'
import { processorSuite } from './suite.ts'
import { FakeStripe, type StripeDispute } from './stripe.ts'

const fake = new FakeStripe()
// The official client's own signatures, so that our verification is tested against them.
const { webhooks } = new Stripe('sk_test_unused')

const signed = (payload: string, at = new Date(), secret = fake.webhookSecret) =>
  webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(at.getTime() / 1000) })

function event(
  object: Record<string, unknown>,
  { type = 'checkout.session.completed', at = new Date(), serial = 0 } = {},
) {
  const body = JSON.stringify(
    { id: `evt_${serial}`, object: 'event', type, livemode: true, data: { object } },
    null,
    2,
  )
  return { headers: { 'stripe-signature': signed(body, at) }, body }
}

const desk = processorSuite(
  'card',
  async () => {
    await fake.start()
    const { secretKey, webhookSecret, url: apiBase } = fake
    const publicUrl = new URL('http://localhost:3000')
    return {
      fake,
      method: stripeMethod({ secretKey, webhookSecret, apiBase, publicUrl, timeoutMs: 1500 }),
      made: () => [...fake.sessions.keys()],
      pay: (externalId) => fake.pay(externalId),
      notify: (externalId, options) => event({ id: externalId, object: 'checkout.session' }, options),
      alter: (externalId, { currency, amount, number, isTest }) => {
        const session = fake.sessions.get(externalId)
        if (session === undefined) throw new Error(`no session ${externalId}`)
        if (currency !== undefined) session.currency = currency.toLowerCase()
        if (amount !== undefined) session.amount_total = Number(amount)
        if (number !== undefined) session.metadata['invoice'] = number
        if (isTest) session.livemode = false
      },
    }
  },
  () => ({
    forgeries: ({ headers, body }) => {
      const name = 'stripe-signature'
      const signature = headers[name] ?? ''
      const [time = ''] = signature.split(',')
      const unstamped = createHmac('sha256', fake.webhookSecret).update(body).digest('hex')
      return [
        ['no signature', { headers: {}, body }],
        ['no v1', { headers: { [name]: time }, body }],
        ['no time', { headers: { [name]: signature.slice(time.length + 1) }, body }],
        ['short', { headers: { [name]: signature.slice(0, -2) }, body }],
        ['not hex', { headers: { [name]: `${time},v1=${'x'.repeat(64)}` }, body }],
        [
          'another time',
          { headers: { [name]: signature.replace(time, `t=${Number(time.slice(2)) + 1}`) }, body },
        ],
        ['a signature of the body alone', { headers: { [name]: `${time},v1=${unstamped}` }, body }],
        ['another secret', { headers: { [name]: signed(body, new Date(), 'whsec_of_somebody_else') }, body }],
        ['re-serialised', { headers, body: JSON.stringify(JSON.parse(body)) }],
      ]
    },
    wrongAmount: '3499',
    badTime: 401,
    hasTestMode: true,
    refunds: () => fake.refunds.map(({ amount }) => ({ amount: String(amount), currency: 'USD' })),
    refund: { amount: '3500', currency: 'USD' },
  }),
)

describe('card', () => {
  it('requests cents from Stripe, with our number, the language and the goods', async () => {
    const { number, externalId, paymentUrl } = await desk().order(await desk().shop.customer())
    expect(fake.sessions.get(externalId)).toMatchObject({
      amount_total: 3500,
      currency: 'usd',
      client_reference_id: number,
      metadata: { invoice: number },
      locale: 'ru',
      name: '10 GB residential',
      url: paymentUrl,
    })
  })

  it('asks for an invoice of Stripe together with the customer that it needs', async () => {
    const { secretKey, webhookSecret, url: apiBase } = fake
    const publicUrl = new URL('http://localhost:3000')
    const options = { secretKey, webhookSecret, apiBase, publicUrl, timeoutMs: 1500, makesInvoices: true }
    const { externalId } = await stripeMethod(options).create({
      number: 'with-an-invoice',
      price: { currency: 'USD', micros: 35_000_000n },
      description: '10 GB residential',
      language: 'en',
      lifeSeconds: 3600,
      expiresAt: new Date(Date.now() + 3_600_000),
      order: 'an order',
      isRepeat: false,
      receipt: null,
      savesMethod: false,
      without: [],
    })
    expect(fake.sessions.get(externalId)).toMatchObject({ saves: false, amount_total: 3500 })
  })

  it('credits nothing while the session is complete but not yet paid', async () => {
    const { shop, order, deliver, invoice } = desk()
    const { number, externalId } = await order(await shop.customer())
    Object.assign(fake.sessions.get(externalId) ?? {}, { status: 'complete' })
    expect(await deliver(event({ id: externalId, object: 'checkout.session' }))).toBe(200)
    expect(await invoice(number)).toMatchObject({ state: 'pending', checked_verdict: 'waiting' })
    fake.pay(externalId)
    const type = 'checkout.session.async_payment_succeeded'
    expect(await deliver(event({ id: externalId, object: 'checkout.session' }, { type }))).toBe(200)
    expect(await invoice(number)).toMatchObject({ state: 'paid' })
  })

  it('accepts any of several signatures, as during a change of the secret', async () => {
    const { shop, order, deliver, invoice } = desk()
    const { number, externalId } = await order(await shop.customer())
    fake.pay(externalId)
    const { headers, body } = event({ id: externalId, object: 'checkout.session' })
    const [time, right] = (headers['stripe-signature'] ?? '').split(',')
    const wrong = `v1=${'0'.repeat(64)}`
    expect(await deliver({ headers: { 'stripe-signature': `${time},${wrong},${right}` }, body })).toBe(200)
    expect(await invoice(number)).toMatchObject({ state: 'paid' })
  })

  it('records a dispute on the invoice of the disputed payment, and takes nothing back automatically', async () => {
    const { shop, order, pay, deliver, notify, invoice } = desk()
    const { number, externalId } = await order(await shop.customer())
    pay(externalId)
    await deliver(notify(externalId))
    const payment = fake.sessions.get(externalId)?.payment_intent ?? ''
    fake.disputed.add(payment)
    const dispute = { id: 'dp_1', object: 'dispute', payment_intent: payment }
    expect(await deliver(event(dispute, { type: 'charge.dispute.created' }))).toBe(200)
    expect(await invoice(number)).toMatchObject({
      state: 'paid',
      disputed_at: shop.clock.now,
      dispute_state: null,
      dispute_respond_by: null,
    })
  })

  it('keeps until when a dispute has to be answered, and how it ends, by later notifications and the poller', async () => {
    const { shop, order, pay, deliver, notify, invoice } = desk()
    const { number, externalId } = await order(await shop.customer())
    pay(externalId)
    await deliver(notify(externalId))
    const payment = fake.sessions.get(externalId)?.payment_intent ?? ''
    const dueBy = Math.floor(shop.clock.now.getTime() / 1000) + 7 * 86_400
    const dispute: StripeDispute = {
      id: 'dp_2',
      object: 'dispute',
      payment_intent: payment,
      status: 'needs_response',
      amount: 3500,
      currency: 'usd',
      created: Math.floor(Date.now() / 1000),
      balance_transactions: [],
      evidence_details: { due_by: dueBy, has_evidence: false },
    }
    fake.disputed.add(payment)
    fake.disputes.push(dispute)
    const notice = (type: string) => deliver(event({ ...dispute }, { type }))
    expect(await notice('charge.dispute.created')).toBe(200)
    const known = { disputed_at: shop.clock.now, dispute_state: 'needs_response' }
    expect(await invoice(number)).toMatchObject({ ...known, dispute_respond_by: new Date(dueBy * 1000) })
    // The bank gives more time, and a notification reports this.
    dispute.evidence_details.due_by = dueBy + 86_400
    await notice('charge.dispute.updated')
    expect(await invoice(number)).toMatchObject({
      ...known,
      dispute_respond_by: new Date((dueBy + 86_400) * 1000),
    })
    // The notification of its end is lost: the poller asks, but not every minute.
    Object.assign(dispute, { status: 'won', evidence_details: { due_by: null, has_evidence: true } })
    const poll = (minutes: number) =>
      reconcileInvoices(
        shop.database,
        purchaseDeps(shop.services),
        new Date(shop.clock.now.getTime() + minutes * 60_000),
      )
    await poll(1)
    const over = { ...known, dispute_state: 'won', dispute_respond_by: null }
    await poll(6 * 60 + 2)
    expect(await invoice(number)).toMatchObject(over)
    const asked = fake.requests.length
    await poll(12 * 60 + 5)
    expect(fake.requests.slice(asked).filter(({ query }) => query.get('payment_intent') === payment)).toEqual(
      [],
    )
  })

  it('ignores events about unknown payments', async () => {
    const { deliver, verdicts } = desk()
    expect(await deliver(event({ id: 'cus_1', object: 'customer' }, { type: 'customer.created' }))).toBe(200)
    expect((await verdicts()).at(-1)).toBe('ignored')
  })
})

lostSales('card', desk, (id, change) => alterMetadata(fake.sessions.get(id)?.metadata, change))

it('the recovery leaves a lost sale that was refunded or disputed to the operator, on any page of the list', async () => {
  const { shop, order, pay } = desk()
  fake.pageSize = 1
  const [refunded, disputed] = [await order(await shop.customer()), await order(await shop.customer())]
  for (const { number, externalId } of [refunded, disputed]) {
    pay(externalId)
    await shop.database.pool.query('delete from invoice where number = $1', [number])
  }
  const payment = ({ externalId }: { externalId: string }) =>
    fake.sessions.get(externalId)?.payment_intent ?? ''
  fake.disputed.add(payment(disputed))
  fake.refundInDashboard(refunded.externalId, { amount: 100 })
  const since = new Date(Date.now() - 60_000)
  const { sales } = await findLostSales(shop.database, purchaseDeps(shop.services), { since })
  const reasonOf = ({ externalId }: { externalId: string }) =>
    sales.find((sale) => sale.payment.externalId === externalId)?.reason
  expect([reasonOf(refunded), reasonOf(disputed)]).toEqual(['refunded', 'disputed'])
  fake.pageSize = 100
})
