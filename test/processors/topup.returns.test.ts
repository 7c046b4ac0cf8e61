/** Charges without Checkout, of automatic top-up: their fees, and what processors return of them. */
import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { askForFees, findInvoice, returnedOf, watchReturns } from '#purchase'
import { gb, type TopUpShop, topUpShop } from '#test/topup'
import { verifyBooks } from '../../src/main/books.ts'
import { refund } from '#desk'
import { systemAuthor } from '#staff'

let desk: TopUpShop
let db: TopUpShop['shop']['database']['db']
beforeAll(async () => {
  desk = await topUpShop()
  db = desk.shop.database.db
})
afterEach(async () => {
  expect(await verifyLedger(db)).toEqual([])
  expect(await verifyBooks(db)).toEqual([])
})
afterAll(() => desk.close())

const half = gb / 2n
const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000)

/** A customer whose card was charged for 1 GB: 3.50 USD, or 350 roubles. */
async function charged(method?: 'yookassa') {
  const customer = await desk.customer()
  await desk.save(customer, method)
  await desk.switchOn(customer)
  // The first purchase was found a minute after the shop's clock: its traffic must be the older one.
  await desk.later(2)
  await desk.use(customer.accountId, half + 1n)
  expect(await desk.run()).toMatchObject({ made: 1, succeeded: 1 })
  const number = (await customer.call('invoices', {})).find(({ automatic }) => automatic)?.number ?? ''
  const found = async () => {
    const invoice = await findInvoice(db, number)
    if (invoice === null) throw new Error('no invoice')
    return { ...invoice, returned: await returnedOf(db, invoice.id) }
  }
  const { externalId } = await found()
  return { customer, number, externalId: externalId ?? '', found }
}

/** A notification of Stripe about a refund or a dispute, which contains only the payment's id. */
function tellStripe(type: string, object: object) {
  const body = JSON.stringify({ id: `evt_${randomUUID()}`, object: 'event', type, data: { object } })
  const seconds = Math.floor(desk.shop.clock.now.getTime() / 1000)
  const hmac = createHmac('sha256', desk.stripe.webhookSecret).update(`${seconds}.${body}`).digest('hex')
  return deliver('card', body, { 'stripe-signature': `t=${seconds},v1=${hmac}` })
}

const tellYookassa = ({ id, payment_id: payment }: { id: string; payment_id: string }) =>
  deliver(
    'yookassa',
    JSON.stringify({
      type: 'notification',
      event: 'refund.succeeded',
      object: { id, payment_id: payment },
    }),
  )

async function deliver(method: string, body: string, headers: Record<string, string> = {}) {
  const url = `${desk.shop.origin}/api/webhooks/${method}`
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  await answer.arrayBuffer()
  expect(answer.status).toBe(200)
}

async function posted(kind: string, reference: string) {
  const { rows } = await desk.shop.database.pool.query<{ kind: string; amount: bigint }>(
    `select a.kind, e.amount from ledger_transaction t join ledger_entry e on e.transaction_id = t.id
       join ledger_account a on a.id = e.account_id
     where t.kind = $1 and t.reference = $2 and a.customer_id is null and a.currency = 'usd' order by 1`,
    [kind, reference],
  )
  return Object.fromEntries(rows.map((row) => [row.kind, row.amount]))
}

describe('a charge of a saved card at Stripe', () => {
  it('has its fee, which is posted once', async () => {
    const { externalId, found } = await charged()
    expect(externalId).toMatch(/^pi_/)
    // 2.9 % and 30 cents of 3.50 USD; the answer to the charge does not report the fee.
    expect(await askForFees(desk.shop.database, desk.deps, soon(1))).toBeGreaterThan(0)
    expect(await found()).toMatchObject({ feeMicros: 400_000n })
    await tellStripe('payment_intent.succeeded', { id: externalId, object: 'payment_intent' })
    await desk.run()
    expect(await posted('processor_fee', `card:payment:${externalId}`)).toEqual({
      'cash:card': -400_000n,
      processor_fees: 400_000n,
    })
    expect(await found()).toMatchObject({ state: 'paid', receivedMicros: 3_500_000n, feeMicros: 400_000n })
  })

  it('is refunded in the dashboard: with two notifications or none, it is counted once', async () => {
    const { externalId, found, number } = await charged()
    const part = desk.stripe.refundInDashboard(externalId, { amount: 100 })
    await Promise.all([tellStripe('refund.created', part), tellStripe('refund.updated', part)])
    expect(await found()).toMatchObject({ state: 'partly_refunded', refundedMicros: 1_000_000n })
    desk.stripe.refundInDashboard(externalId, { amount: 150 })
    await watchReturns(desk.shop.database, desk.deps, soon(11))
    expect(await found()).toMatchObject({
      refundedMicros: 2_500_000n,
      returned: [{ state: 'counted' }, { state: 'counted' }],
    })
    expect(await posted('refund', `card:${part.id}`)).toEqual({
      'cash:card': -1_000_000n,
      sales: 1_000_000n,
    })
    // The desk refunds the rest.
    const wish = { number, what: 'all', reason: null } as const
    const { done, made } = await refund(desk.shop.database, desk.deps, systemAuthor(), wish, soon(12))
    expect(done?.refundedMicros).toBe(1_000_000n)
    expect(made).toMatchObject({ state: 'done', price: { micros: 1_000_000n } })
    expect(desk.stripe.leftOf(externalId)).toBe(0)
  })

  it('is disputed: the unused traffic is withheld, and a loss takes it back and books the fee', async () => {
    const { externalId, found } = await charged()
    const dispute = desk.stripe.dispute(externalId)
    await tellStripe('charge.dispute.created', dispute)
    expect(await found()).toMatchObject({
      state: 'paid',
      disputeState: 'needs_response',
      refundedMicros: 0n,
    })
    desk.stripe.closeDispute(dispute, 'lost')
    await watchReturns(desk.shop.database, desk.deps, soon(30))
    expect(await found()).toMatchObject({
      state: 'refunded',
      disputeState: 'lost',
      refundedMicros: 3_500_000n,
      returned: [{ cause: 'dispute', refundId: dispute.id, state: 'counted' }],
    })
    await tellStripe('charge.dispute.closed', dispute)
    expect(await posted('processor_fee', `card:dispute:${dispute.id}:1:15000000`)).toMatchObject({
      processor_fees: 15_000_000n,
    })
    expect(await posted('refund', `card:${dispute.id}`)).toMatchObject({ 'cash:card': -3_500_000n })
  })

  it('that is returned is not charged again, though its traffic is gone: top-up is switched off', async () => {
    const { customer, externalId, found } = await charged()
    const before = desk.stripe.saved.intents.size
    await tellStripe('refund.created', desk.stripe.refundInDashboard(externalId))
    expect(await found()).toMatchObject({ state: 'refunded', refundedMicros: 3_500_000n })
    expect(await desk.run()).toMatchObject({ made: 0 })
    expect(desk.stripe.saved.intents.size).toBe(before)
    const state = async () => (await customer.call('get_top_ups', {})).pools
    expect(await state()).toMatchObject([{ on: false, off_reason: 'charge_returned' }])
    // With a new consent it begins again.
    await desk.later(1)
    await desk.switchOn(customer)
    expect(await desk.run()).toMatchObject({ made: 1, succeeded: 1 })
  })
})

describe('a charge of a saved method at YooKassa', () => {
  it('is booked with its commission, and is refunded in the cabinet once', async () => {
    const { externalId, found } = await charged('yookassa')
    await desk.later(11)
    const { feeMicros } = await found()
    expect(feeMicros).toBeGreaterThan(0n)
    expect(await posted('processor_fee', `yookassa:payment:${externalId}`)).toEqual({
      'cash:yookassa': -(feeMicros ?? 0n),
      processor_fees: feeMicros,
    })
    const part = desk.yookassa.refundInCabinet(externalId, { value: '100.00' })
    await Promise.all([tellYookassa(part), tellYookassa(part)])
    expect(await found()).toMatchObject({ state: 'partly_refunded', refundedMicros: 1_000_000n })
    desk.yookassa.refundInCabinet(externalId, { value: '250.00' })
    await watchReturns(desk.shop.database, desk.deps, soon(40))
    expect(await found()).toMatchObject({
      refundedMicros: 3_500_000n,
      returned: [{ state: 'counted' }, { state: 'counted' }],
    })
  })
})
