/**
 * Refunds and disputes at Stripe that the desk did not order: in the books once, whatever happens to their
 * notifications.
 */
import fc from 'fast-check'
import Stripe from 'stripe'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { refund } from '#desk'
import { makeDocuments } from '#documents'
import { verifyLedger } from '#ledger'
import { PaymentMethods } from '#payments'
import {
  askForFees,
  findInvoice,
  readReturned,
  reconcileInvoice,
  refundInvoice,
  type RefundOf,
  returnedOf,
  sendRefunds,
  watchReturns,
  askForRefunds,
  planRefund,
  refundsOf,
  sendPlanned,
} from '#purchase'
import { systemAuthor } from '#staff'
import { accountIdOf, type Customer } from '#test/app'
import { sized } from '#test/size'
import { verifyBooks } from '../../src/main/books.ts'
import { purchaseDeps } from '../../src/main/services.ts'
import { stripeMethod } from '../../src/payments/adapters/stripe.ts'
import { FakeStripe } from './stripe.ts'
import { till, type Till } from './till.ts'

const fake = new FakeStripe()
const { webhooks } = new Stripe('sk_test_unused')
let serial = 0

function event(object: Record<string, unknown>, type: string) {
  const payload = JSON.stringify({ id: `evt_${serial++}`, object: 'event', type, data: { object } })
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = webhooks.generateTestHeaderString({ payload, secret: fake.webhookSecret, timestamp })
  return { headers: { 'stripe-signature': signature }, body: payload }
}

let desk: Till
beforeAll(async () => {
  await fake.start()
  const { secretKey, webhookSecret, url: apiBase } = fake
  const publicUrl = new URL('http://localhost:3000')
  desk = await till({
    fake,
    method: stripeMethod({ secretKey, webhookSecret, apiBase, publicUrl, timeoutMs: 5000 }),
    made: () => [...fake.sessions.keys()],
    pay: (externalId) => fake.pay(externalId),
    notify: (externalId) =>
      event({ id: externalId, object: 'checkout.session' }, 'checkout.session.completed'),
    alter: () => undefined,
  })
})
afterEach(async () => {
  expect(await verifyLedger(desk.shop.database.db)).toEqual([])
  expect(await verifyBooks(desk.shop.database.db)).toEqual([])
})
afterAll(() => desk.close())

const deps = () => purchaseDeps(desk.shop.services)
const soon = (minutes = 0) => new Date(Date.now() + minutes * 60_000)

/** An invoice over 35 USD, 10 GB, that is paid. */
async function sold(customer?: Customer) {
  const buyer = customer ?? (await desk.shop.customer())
  const made = await desk.order(buyer)
  fake.pay(made.externalId)
  expect(await desk.deliver(desk.notify(made.externalId))).toBe(200)
  return { ...made, buyer }
}

const tell = (object: object, type: string) => desk.deliver(event({ ...object }, type))
const found = async (number: string) => {
  const invoice = await findInvoice(desk.shop.database.db, number)
  if (invoice === null) throw new Error(`no invoice ${number}`)
  return { ...invoice, returned: await returnedOf(desk.shop.database.db, invoice.id) }
}
async function paidBytes(customer: Customer): Promise<bigint> {
  const { rows } = await desk.shop.database.pool.query<{ balance: bigint }>(
    `select b.balance from ledger_account a join ledger_balance b on b.account_id = a.id
     where a.customer_id = $1 and a.kind = 'traffic_paid'`,
    [await accountIdOf(customer)],
  )
  return rows[0]?.balance ?? 0n
}
/** The amounts on the shop's own accounts in transactions of this kind and reference, by kind of account. */
async function booked(kind: string, reference: string) {
  const { rows } = await desk.shop.database.pool.query<{ kind: string; amount: bigint }>(
    `select a.kind, e.amount from ledger_transaction t join ledger_entry e on e.transaction_id = t.id
       join ledger_account a on a.id = e.account_id
     where t.kind = $1 and t.reference = $2 and a.customer_id is null and a.currency = 'usd' order by 1`,
    [kind, reference],
  )
  return Object.fromEntries(rows.map((row) => [row.kind, row.amount]))
}

/** What a dispute has moved so far between cash and the account of disputed money. */
async function disputed(id: string) {
  const { rows } = await desk.shop.database.pool.query<{ kind: string; amount: bigint }>(
    `select a.kind, sum(e.amount)::bigint as amount from ledger_transaction t join ledger_entry e on e.transaction_id = t.id
       join ledger_account a on a.id = e.account_id
     where t.kind = 'dispute' and t.reference like $1 group by 1 order by 1`,
    [`card:${id}:%`],
  )
  return Object.fromEntries(rows.map((row) => [row.kind, row.amount]))
}

describe('a refund in the dashboard', () => {
  it('is posted once like one of our own, for repeated notifications', async () => {
    const { number, externalId, buyer } = await sold()
    const refund = fake.refundInDashboard(externalId)
    await Promise.all([
      tell(refund, 'refund.created'),
      tell(refund, 'refund.updated'),
      tell({ id: 'ch_1', object: 'charge', payment_intent: refund.payment_intent }, 'charge.refunded'),
    ])
    const verdicts = await desk.verdicts()
    expect(verdicts.slice(-3)).toHaveLength(3)
    expect(new Set(verdicts.slice(-3))).toEqual(new Set(['known_payment', 'returned']))
    expect(await found(number)).toMatchObject({
      state: 'refunded',
      refundedMicros: 35_000_000n,
      takenBackBytes: 10_000_000_000n,
      returned: [{ refundId: refund.id, state: 'counted', usdMicros: 35_000_000n, lostBytes: 0n }],
    })
    expect(await paidBytes(buyer)).toBe(0n)
    expect(await booked('refund', `card:${refund.id}`)).toEqual({
      'cash:card': -35_000_000n,
      sales: 35_000_000n,
    })
  })

  it('is counted with the fee of the payment that Stripe returns with it', async () => {
    const { number, externalId } = await sold()
    const refund = fake.refundInDashboard(externalId, { amount: 1750 })
    if (refund.balance_transaction !== null) refund.balance_transaction.fee = -50
    await tell(refund, 'refund.created')
    await tell(refund, 'refund.updated')
    expect(await found(number)).toMatchObject({ refundedMicros: 17_500_000n })
    expect(await booked('processor_fee', `card:refund:${refund.id}`)).toEqual({
      'cash:card': 500_000n,
      processor_fees: -500_000n,
    })
  })

  it('is found by the poller when its notification is lost, and is not checked again', async () => {
    const { number, externalId } = await sold()
    fake.refundInDashboard(externalId, { amount: 1000 })
    await watchReturns(desk.shop.database, deps(), soon(11))
    expect(await found(number)).toMatchObject({ state: 'partly_refunded', refundedMicros: 10_000_000n })
    expect(await watchReturns(desk.shop.database, deps(), soon(22))).toBe(0)
  })

  it('is counted in parts to the last cent, with a credit note for each', async () => {
    const { number, externalId, buyer } = await sold()
    const { database } = desk.shop
    const { id } = await found(number)
    const amounts = [1, 1234, 2265]
    for (const amount of amounts) {
      await tell(fake.refundInDashboard(externalId, { amount }), 'refund.created')
      await makeDocuments(database, { zone: 'UTC', isDemo: true }, id, soon())
    }
    expect(await found(number)).toMatchObject({
      refundedMicros: 35_000_000n,
      takenBackBytes: 10_000_000_000n,
    })
    expect(await paidBytes(buyer)).toBe(0n)
    const { rows } = await database.pool.query<{ amount_micros: bigint }>(
      `select amount_micros from document where invoice_id = $1 and kind = 'credit_note' order by id`,
      [id],
    )
    expect(rows.map((row) => row.amount_micros)).toEqual([10_000n, 12_340_000n, 22_650_000n])
  })

  it('records the used part as a loss, and all of it where the setting says so', async () => {
    const one = await sold()
    const keeping = { ...deps(), takesBack: async () => false }
    fake.refundInDashboard(one.externalId)
    await reconcileInvoice(desk.shop.database, keeping, one.number, soon())
    expect(await found(one.number)).toMatchObject({
      refundedMicros: 35_000_000n,
      takenBackBytes: 0n,
      returned: [{ lostBytes: 10_000_000_000n }],
    })
    expect(await paidBytes(one.buyer)).toBe(10_000_000_000n)
  })

  it('is counted with its payment when both are first seen together', async () => {
    const buyer = await desk.shop.customer()
    const { number, externalId } = await desk.order(buyer)
    fake.pay(externalId)
    const refund = fake.refundInDashboard(externalId, { amount: 500 })
    expect(await tell(refund, 'refund.created')).toBe(200)
    expect((await desk.verdicts()).at(-1)).toBe('credited')
    expect(await found(number)).toMatchObject({ receivedMicros: 35_000_000n, refundedMicros: 5_000_000n })
    await desk.deliver(desk.notify(externalId))
    expect(await found(number)).toMatchObject({ refundedMicros: 5_000_000n })
  })

  it('is counted with the rest of its worth when an earlier one comes back', async () => {
    const { number, externalId } = await sold()
    const { database } = desk.shop
    const first = fake.refundInDashboard(externalId, { amount: 3000 })
    await tell(first, 'refund.created')
    // The desk orders a refund of the rest; before it is sent, another refund is made in the dashboard.
    await refundInvoice(database, { number, what: 'all', methods: deps().methods }, soon())
    const second = fake.refundInDashboard(externalId, { amount: 400 })
    await tell(second, 'refund.created')
    expect((await found(number)).returned.find(({ refundId }) => refundId === second.id)).toMatchObject({
      state: 'counted',
      usdMicros: 0n,
    })
    first.status = 'failed'
    await tell(first, 'refund.updated')
    await sendRefunds(database, deps(), soon())
    const invoice = await found(number)
    expect(invoice).toMatchObject({ state: 'partly_refunded', refundedMicros: 9_000_000n })
    expect(invoice.returned.find(({ refundId }) => refundId === second.id)).toMatchObject({
      usdMicros: 4_000_000n,
    })
    expect(await booked('refund', `card:${second.id}:rest:0`)).toEqual({
      'cash:card': -4_000_000n,
      sales: 4_000_000n,
    })
    // A repeated notification changes nothing; when this refund comes back too, everything is given back.
    await tell(second, 'refund.updated')
    expect(await found(number)).toMatchObject({ refundedMicros: 9_000_000n })
    second.status = 'failed'
    await tell(second, 'refund.updated')
    expect(await found(number)).toMatchObject({ refundedMicros: 5_000_000n })
  })

  it('waits while it is pending, is counted once it is sent, and is undone when it fails', async () => {
    const { number, externalId, buyer } = await sold()
    const refund = fake.refundInDashboard(externalId, { status: 'pending' })
    await tell(refund, 'refund.created')
    expect(await found(number)).toMatchObject({ state: 'paid', returned: [{ state: 'waiting' }] })
    refund.status = 'succeeded'
    await tell(refund, 'refund.updated')
    expect(await found(number)).toMatchObject({ state: 'refunded' })
    await makeDocuments(desk.shop.database, { zone: 'UTC', isDemo: true }, (await found(number)).id, soon())
    refund.status = 'failed'
    await watchReturns(desk.shop.database, deps(), soon(40))
    expect(await found(number)).toMatchObject({
      state: 'paid',
      refundedMicros: 0n,
      takenBackBytes: 0n,
      returned: [{ state: 'reversed' }],
    })
    expect(await paidBytes(buyer)).toBe(10_000_000_000n)
    // The credit note stays, and a document of the sale corrects it.
    const { id } = await found(number)
    await makeDocuments(desk.shop.database, { zone: 'UTC', isDemo: true }, id, soon(41))
    const { rows } = await desk.shop.database.pool.query<{ kind: string; amount_micros: bigint }>(
      'select kind, amount_micros from document where invoice_id = $1 order by id',
      [id],
    )
    expect(rows.map((row) => [row.kind, row.amount_micros])).toEqual([
      ['invoice', 35_000_000n],
      ['credit_note', 35_000_000n],
      ['invoice', 35_000_000n],
    ])
    // An older answer that arrives now changes nothing.
    refund.status = 'succeeded'
    await tell(refund, 'refund.updated')
    expect(await found(number)).toMatchObject({ state: 'paid' })
  })

  it('of our own is recognised when its notification arrives before or after the answer, and when the answer is lost', async () => {
    const { number, externalId } = await sold()
    const { database } = desk.shop
    await refundInvoice(database, { number, what: 10_000_000n, methods: deps().methods }, soon())
    await sendRefunds(database, deps(), soon())
    const own = fake.refunds.at(-1)
    expect(own?.metadata).toEqual({ invoice: number, refund: expect.stringMatching(`^${number}-`) as string })
    await tell(own ?? {}, 'refund.created')
    expect(await found(number)).toMatchObject({ refundedMicros: 10_000_000n, returned: [{ state: 'own' }] })
    // A refund of the rest in the dashboard is a separate one.
    await tell(fake.refundInDashboard(externalId, { amount: 2500 }), 'refund.created')
    expect(await found(number)).toMatchObject({ refundedMicros: 35_000_000n })
  })
})

describe('refunds at the desk in parts', () => {
  const give = (number: string, what: RefundOf) =>
    refund(desk.shop.database, deps(), systemAuthor(), { number, what, reason: null }, soon())

  it('return any parts under keys of their own, until nothing is left', async () => {
    const { number, externalId, buyer } = await sold()
    for (const what of [17_500_000n, 10_000_000n, 'all'] as const) await give(number, what)
    const made = await refundsOf(desk.shop.database.db, (await found(number)).id)
    expect(made.map(({ state, usdMicros, takenBackBytes }) => [state, usdMicros, takenBackBytes])).toEqual([
      ['done', 17_500_000n, 5_000_000_000n],
      ['done', 10_000_000n, 2_857_142_857n],
      ['done', 7_500_000n, 2_142_857_143n],
    ])
    const own = fake.refunds.filter((one) => made.some(({ name }) => one.metadata['refund'] === name))
    expect(own.map(({ amount }) => amount)).toEqual([1750, 1000, 750])
    expect(await found(number)).toMatchObject({ state: 'refunded', refundedMicros: 35_000_000n })
    expect(await paidBytes(buyer)).toBe(0n)
    for (const one of own) await tell(one, 'refund.created')
    expect((await found(number)).returned.map(({ state }) => state)).toEqual(['own', 'own', 'own'])
    await expect(give(number, 'all')).rejects.toMatchObject({ code: 'invoice_not_refundable' })
    expect(fake.leftOf(own[0]?.payment_intent ?? externalId)).toBe(0)
  })

  it('remain when another one fails late, which gives back what it took and can be made again', async () => {
    const { number, buyer } = await sold()
    await give(number, 17_500_000n)
    expect(await found(number)).toMatchObject({ state: 'partly_refunded', refundedMicros: 17_500_000n })
    fake.refundStatus = 'pending'
    const late = await give(number, 10_000_000n)
    fake.refundStatus = 'succeeded'
    expect(late.made).toMatchObject({ state: 'sent' })
    const failed = fake.refunds.find(({ id }) => id === late.made.reference)
    if (failed === undefined) throw new Error('no refund')
    failed.status = 'failed'
    // No notification arrives: the shop queries the refund by its id.
    expect(await askForRefunds(desk.shop.database, deps(), soon(1))).toBe(0)
    expect(await askForRefunds(desk.shop.database, deps(), soon(6))).toBe(1)
    expect(await found(number)).toMatchObject({
      state: 'partly_refunded',
      refundedMicros: 17_500_000n,
      takenBackBytes: 5_000_000_000n,
    })
    expect(await paidBytes(buyer)).toBe(5_000_000_000n)
    expect(await booked('refund', `${late.made.name}:reversed`)).toEqual({
      'cash:card': 10_000_000n,
      sales: -10_000_000n,
    })
    // Older answers that arrive now change nothing.
    failed.status = 'succeeded'
    await tell(failed, 'refund.updated')
    expect(await found(number)).toMatchObject({ refundedMicros: 17_500_000n })
    failed.status = 'failed'
    expect((await give(number, 10_000_000n)).made).toMatchObject({ state: 'done' })
    expect(await found(number)).toMatchObject({ refundedMicros: 27_500_000n })
  })

  it('that come back after they were sent give back what they took', async () => {
    const { number, buyer } = await sold()
    const { made } = await give(number, 'all')
    const own = fake.refunds.find(({ id }) => id === made.reference)
    if (own === undefined) throw new Error('no refund')
    own.status = 'failed'
    await tell(own, 'refund.failed')
    await tell(own, 'refund.failed')
    expect(await found(number)).toMatchObject({ state: 'paid', refundedMicros: 0n, takenBackBytes: 0n })
    expect(await paidBytes(buyer)).toBe(10_000_000_000n)
  })

  it('of the same money made at once return it once', async () => {
    const { number, buyer } = await sold()
    const ends = await Promise.allSettled(Array.from({ length: 6 }, () => give(number, 10_000_000n)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await found(number)).toMatchObject({ state: 'partly_refunded', refundedMicros: 30_000_000n })
    expect(await paidBytes(buyer)).toBe(1_428_571_429n)
  })
})

describe('a refund at the desk, after a part that was returned in the dashboard unseen', () => {
  const sentOf = async (number: string) => {
    const { rows } = await desk.shop.database.pool.query<{
      state: string
      micros: bigint
      fault: string | null
    }>(
      `select state, amount_micros as micros, fault from refund
       where invoice_id = (select id from invoice where number = $1) order by id`,
      [number],
    )
    return rows
  }
  const giveBack = (number: string, what: RefundOf) =>
    refund(desk.shop.database, deps(), systemAuthor(), { number, what, reason: null }, soon())

  it('records the part and returns the rest, once', async () => {
    const { number, externalId, buyer } = await sold()
    const part = fake.refundInDashboard(externalId, { amount: 1000 })
    const { done } = await giveBack(number, 'all')
    expect(done).toMatchObject({ refundedMicros: 25_000_000n })
    expect(await sentOf(number)).toEqual([{ state: 'done', micros: 25_000_000n, fault: null }])
    expect(fake.leftOf(part.payment_intent)).toBe(0)
    await tell(part, 'refund.created')
    await tell(fake.refunds.at(-1) ?? {}, 'refund.created')
    await watchReturns(desk.shop.database, deps(), soon(11))
    expect(await found(number)).toMatchObject({
      state: 'refunded',
      refundedMicros: 35_000_000n,
      takenBackBytes: 10_000_000_000n,
    })
    // Stripe's times have seconds: which of two is the first is not known.
    const { returned } = await found(number)
    expect(returned.toSorted((a, b) => (a.state < b.state ? -1 : 1))).toMatchObject([
      { refundId: part.id, state: 'counted', usdMicros: 10_000_000n },
      { state: 'own', usdMicros: 0n },
    ])
    expect(await paidBytes(buyer)).toBe(0n)
    expect(await booked('refund', done?.name ?? '')).toEqual({
      'cash:card': -25_000_000n,
      sales: 25_000_000n,
    })
    await expect(giveBack(number, 'all')).rejects.toMatchObject({ code: 'invoice_not_refundable' })
  })

  it('returns no more than is left, by amount and by what is unused', async () => {
    const { number, externalId } = await sold()
    fake.refundInDashboard(externalId, { amount: 3000 })
    await expect(giveBack(number, 10_000_000n)).rejects.toMatchObject({ code: 'invalid_refund_amount' })
    expect(await found(number)).toMatchObject({ refundedMicros: 30_000_000n })
    expect((await giveBack(number, 'unused')).done).toMatchObject({ refundedMicros: 5_000_000n })
    const all = await sold()
    fake.refundInDashboard(all.externalId)
    await expect(giveBack(all.number, 'all')).rejects.toMatchObject({ code: 'invoice_not_refundable' })
  })

  it('is sent again while Stripe rejects the key, and succeeds once the key is right', async () => {
    const { number } = await sold()
    const { database } = desk.shop
    await refundInvoice(database, { number, what: 'all', methods: deps().methods }, soon())
    const { secretKey, webhookSecret, url: apiBase } = fake
    const locked = stripeMethod({
      secretKey: `${secretKey}_of_yesterday`,
      webhookSecret,
      apiBase,
      publicUrl: new URL('http://localhost:3000'),
      timeoutMs: 5000,
    })
    const faults: string[] = []
    await sendRefunds(
      database,
      {
        ...deps(),
        methods: new PaymentMethods([locked]),
        noteFault: (_method, { message }) => void faults.push(message),
      },
      soon(),
    )
    expect(await sentOf(number)).toMatchObject([{ state: 'due', fault: faults[0] }])
    expect(faults[0]).toContain('Invalid API Key')
    await sendRefunds(database, deps(), soon(3))
    expect(await sentOf(number)).toEqual([{ state: 'done', micros: 35_000_000n, fault: null }])
  })

  it('that Stripe refuses takes nothing, states the rest, and can be made again', async () => {
    const { number, externalId, buyer } = await sold()
    fake.refundInDashboard(externalId, { amount: 1000 })
    fake.trouble('malformed', 'malformed', 'malformed')
    await readReturned(desk.shop.database, deps(), number, soon())
    fake.calm()
    await refundInvoice(desk.shop.database, { number, what: 'all', methods: deps().methods }, soon())
    await sendRefunds(desk.shop.database, deps(), soon())
    const [sent] = await sentOf(number)
    expect(sent).toMatchObject({ state: 'failed' })
    expect(sent?.fault).toContain('returned by the processor itself: 10.00 USD, left to return: 25.00 USD')
    expect(await found(number)).toMatchObject({ state: 'paid', refundedMicros: 0n, takenBackBytes: 0n })
    expect(await paidBytes(buyer)).toBe(10_000_000_000n)
    const { done } = await giveBack(number, 'all')
    expect(done).toMatchObject({ refundedMicros: 25_000_000n })
    expect(await sentOf(number)).toMatchObject([{ state: 'failed' }, { state: 'done', fault: null }])
    expect(await found(number)).toMatchObject({ state: 'refunded', refundedMicros: 35_000_000n })
  })
})

describe('a dispute', () => {
  it('withholds the unused traffic until it is won, and its fee is returned', async () => {
    const { number, externalId, buyer } = await sold()
    const dispute = fake.dispute(externalId)
    await tell(dispute, 'charge.dispute.created')
    await tell(dispute, 'charge.dispute.funds_withdrawn')
    expect(await paidBytes(buyer)).toBe(0n)
    expect(await found(number)).toMatchObject({
      state: 'paid',
      disputeState: 'needs_response',
      refundedMicros: 0n,
    })
    expect(await disputed(dispute.id)).toEqual({ 'cash:card': -35_000_000n, disputed: 35_000_000n })
    fake.closeDispute(dispute, 'won')
    await tell(dispute, 'charge.dispute.funds_reinstated')
    await tell(dispute, 'charge.dispute.closed')
    expect(await paidBytes(buyer)).toBe(10_000_000_000n)
    expect(await disputed(dispute.id)).toEqual({ 'cash:card': 0n, disputed: 0n })
    expect(await found(number)).toMatchObject({ state: 'paid', disputeState: 'won', returned: [] })
    expect(await booked('processor_fee', `card:dispute:${dispute.id}:1:15000000`)).toMatchObject({
      processor_fees: 15_000_000n,
    })
    expect(await booked('processor_fee', `card:dispute:${dispute.id}:2:0`)).toMatchObject({
      processor_fees: -15_000_000n,
    })
  })

  it('books each of its fees, also one that is returned and charged again', async () => {
    const { externalId } = await sold()
    const dispute = fake.dispute(externalId)
    await tell(dispute, 'charge.dispute.created')
    for (const fee of [-1500, 1500]) {
      const [withdrawn] = dispute.balance_transactions
      if (withdrawn === undefined) throw new Error('nothing was withdrawn')
      dispute.balance_transactions.push({ ...withdrawn, id: `txn_${fee}`, fee })
      for (let times = 0; times < 2; times++) await tell(dispute, 'charge.dispute.updated')
    }
    const { rows } = await desk.shop.database.pool.query<{ usd_micros: bigint }>(
      `select usd_micros from processor_fee where kind = 'dispute' and subject like $1 order by subject`,
      [`${dispute.id}:%`],
    )
    expect(rows.map(({ usd_micros: micros }) => micros)).toEqual([15_000_000n, -15_000_000n, 15_000_000n])
  })

  it('that is lost returns the money, takes the traffic, and leaves its fee', async () => {
    const { number, externalId, buyer } = await sold()
    const dispute = fake.dispute(externalId)
    fake.closeDispute(dispute, 'lost')
    // All notifications are lost.
    await watchReturns(desk.shop.database, deps(), soon(60))
    expect(await found(number)).toMatchObject({
      state: 'refunded',
      disputeState: 'lost',
      refundedMicros: 35_000_000n,
      returned: [{ cause: 'dispute', refundId: dispute.id, state: 'counted' }],
    })
    expect(await paidBytes(buyer)).toBe(0n)
    await tell(dispute, 'charge.dispute.closed')
    expect(await found(number)).toMatchObject({ refundedMicros: 35_000_000n })
    expect(Object.values(await disputed(dispute.id)).every((amount) => amount === 0n)).toBe(true)
    expect(await booked('refund', `card:${dispute.id}`)).toMatchObject({ 'cash:card': -35_000_000n })
  })
})

describe('a second dispute of a payment', () => {
  it('withholds the traffic until it is decided, however often the first one is reported as won', async () => {
    const { number, externalId, buyer } = await sold()
    const first = fake.dispute(externalId)
    await tell(first, 'charge.dispute.created')
    fake.closeDispute(first, 'won')
    await tell(first, 'charge.dispute.closed')
    expect(await paidBytes(buyer)).toBe(10_000_000_000n)
    const second = fake.dispute(externalId)
    for (const type of ['created', 'funds_withdrawn', 'updated']) await tell(second, `charge.dispute.${type}`)
    expect(await paidBytes(buyer)).toBe(0n)
    expect(await found(number)).toMatchObject({ disputeState: 'needs_response' })
    fake.closeDispute(second, 'lost')
    await tell(second, 'charge.dispute.closed')
    expect(await found(number)).toMatchObject({
      state: 'refunded',
      disputeState: 'lost',
      refundedMicros: 35_000_000n,
      takenBackBytes: 10_000_000_000n,
    })
    expect(await paidBytes(buyer)).toBe(0n)
  })

  it('that is won leaves withheld what the older one withholds, and the purchase disputed', async () => {
    const { number, externalId, buyer } = await sold()
    const older = fake.dispute(externalId, { amount: 2100 })
    await tell(older, 'charge.dispute.created')
    const newer = fake.dispute(externalId, { amount: 1400 })
    await tell(newer, 'charge.dispute.created')
    expect(await paidBytes(buyer)).toBe(0n)
    fake.closeDispute(newer, 'won')
    for (let times = 0; times < 2; times++) await tell(newer, 'charge.dispute.closed')
    expect(await paidBytes(buyer)).toBe(4_000_000_000n)
    expect(await found(number)).toMatchObject({ disputeState: 'needs_response' })
    fake.closeDispute(older, 'won')
    for (let times = 0; times < 2; times++) await tell(older, 'charge.dispute.closed')
    expect(await paidBytes(buyer)).toBe(10_000_000_000n)
    expect(await found(number)).toMatchObject({ disputeState: 'won' })
  })
})

describe('a dispute in place of a refund', () => {
  it('withholds the traffic again when Stripe refuses the refund, and returns the money once it is lost', async () => {
    const { number, externalId, buyer } = await sold()
    const { database } = desk.shop
    const dispute = fake.dispute(externalId)
    await tell(dispute, 'charge.dispute.created')
    await refundInvoice(database, { number, what: 'all', methods: deps().methods }, soon())
    await sendRefunds(database, deps(), soon())
    const stateOf = async () => {
      const { rows } = await database.pool.query<{ state: string }>(
        'select state from refund where invoice_id = (select id from invoice where number = $1)',
        [number],
      )
      return rows[0]?.state
    }
    expect(await stateOf()).toBe('failed')
    expect(await found(number)).toMatchObject({ state: 'paid', takenBackBytes: 0n, refundedMicros: 0n })
    // The customer gets none of it back before the dispute is over.
    expect(await paidBytes(buyer)).toBe(0n)
    fake.closeDispute(dispute, 'lost')
    await tell(dispute, 'charge.dispute.closed')
    expect(await stateOf()).toBe('failed')
    expect(await found(number)).toMatchObject({
      state: 'refunded',
      takenBackBytes: 10_000_000_000n,
      refundedMicros: 35_000_000n,
      returned: [{ cause: 'dispute', state: 'counted' }],
    })
    expect(await paidBytes(buyer)).toBe(0n)
  })

  it('releases no more than a refund of a part takes', async () => {
    const { number, externalId, buyer } = await sold()
    const { database } = desk.shop
    const dispute = fake.dispute(externalId)
    await tell(dispute, 'charge.dispute.created')
    // Sent by hand: Stripe refuses refunds of what is disputed.
    const { name } = await planRefund(database, { number, what: 7_000_000n }, soon())
    expect(await sendPlanned(database, { name, reference: null }, soon())).toMatchObject({
      takenBackBytes: 2_000_000_000n,
    })
    expect(await paidBytes(buyer)).toBe(0n)
    fake.closeDispute(dispute, 'won')
    await tell(dispute, 'charge.dispute.closed')
    expect(await paidBytes(buyer)).toBe(8_000_000_000n)
  })
})

describe('the fee', () => {
  it('is recorded as Stripe reports it, posted once, and requested later when Stripe has not booked it yet', async () => {
    const { number, externalId } = await sold()
    expect(await found(number)).toMatchObject({ feeMicros: 1_320_000n })
    await desk.deliver(desk.notify(externalId))
    expect(await booked('processor_fee', `card:payment:${externalId}`)).toEqual({
      'cash:card': -1_320_000n,
      processor_fees: 1_320_000n,
    })
    const buyer = await desk.shop.customer()
    const late = await desk.order(buyer)
    fake.pay(late.externalId)
    const payment = fake.sessions.get(late.externalId)?.payment_intent ?? ''
    fake.fees.set(payment, null)
    await desk.deliver(desk.notify(late.externalId))
    expect(await found(late.number)).toMatchObject({ state: 'paid', feeMicros: null })
    fake.fees.set(payment, 99)
    await askForFees(desk.shop.database, deps(), soon(61))
    expect(await found(late.number)).toMatchObject({ feeMicros: 990_000n })
    expect(await askForFees(desk.shop.database, deps(), soon(200))).toBe(0)
  })
})

it('the total includes what Stripe returned, despite repeated, lost and reordered notifications', async () => {
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom('refund', 'fail', 'tell', 'tell twice', 'poll', 'stale'),
      amount: fc.integer({ min: 1, max: 2000 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  let minutes = 1000
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { number, externalId, buyer } = await sold()
      const made: ReturnType<typeof fake.refundInDashboard>[] = []
      const left = () =>
        3500 -
        made.filter(({ status }) => status === 'succeeded').reduce((sum, { amount }) => sum + amount, 0)
      for (const { what, amount } of all) {
        const last = made[amount % Math.max(1, made.length)]
        if (what === 'refund' && left() >= amount) made.push(fake.refundInDashboard(externalId, { amount }))
        else if (what === 'fail' && last?.status === 'succeeded') last.status = 'failed'
        else if (what === 'poll') await watchReturns(desk.shop.database, deps(), soon((minutes += 11)))
        else if (what.startsWith('tell') && last !== undefined)
          await Promise.all(
            Array.from({ length: what === 'tell' ? 1 : 2 }, () => tell(last, 'refund.updated')),
          )
        else if (what === 'stale') await desk.deliver(desk.notify(externalId))
      }
      await watchReturns(desk.shop.database, deps(), soon((minutes += 11)))
      const invoice = await found(number)
      expect(invoice.receivedMicros - invoice.refundedMicros).toBe(BigInt(left()) * 10_000n)
      expect(await paidBytes(buyer)).toBe(invoice.creditedBytes - invoice.takenBackBytes)
      expect(invoice.returned.reduce((sum, one) => sum + one.lostBytes, 0n)).toBe(0n)
    }),
    { numRuns: sized(5, 15) },
  )
}, 120_000)
