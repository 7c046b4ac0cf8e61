/**
 * Refunds that are made in BTCPay Server itself: in the books once, whatever happens to their notifications.
 */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { refund, sayReturned } from '#desk'
import { verifyLedger } from '#ledger'
import { askForRefunds, findInvoice, needyInvoices, returnedOf, watchReturns } from '#purchase'
import { systemAuthor } from '#staff'
import { sized } from '#test/size'
import { verifyBooks } from '../../src/main/books.ts'
import { purchaseDeps } from '../../src/main/services.ts'
import { FakeBtcpay, type Payout } from './btcpay.ts'
import { type Delivery, till, type Till } from './till.ts'

const fake = new FakeBtcpay()

function event(
  fields: Record<string, unknown>,
  { at = new Date(), secret = fake.webhookSecret } = {},
): Delivery {
  const deliveryId = randomUUID()
  const timestamp = Math.floor(at.getTime() / 1000)
  const all = {
    deliveryId,
    webhookId: 'hook',
    originalDeliveryId: deliveryId,
    isRedelivery: false,
    timestamp,
  }
  const body = JSON.stringify({ ...all, storeId: fake.storeId, ...fields }, null, 2)
  return { headers: { 'btcpay-sig': fake.sign(body, secret) }, body }
}

/** A notification about a payout. BTCPay 2.0 reports all changes of a payout as `PayoutCreated`. */
const about = ({ id, pullPaymentId, state }: Payout, type = 'PayoutUpdated') => ({
  type,
  payoutId: id,
  pullPaymentId,
  payoutState: state,
})

let desk: Till
beforeAll(async () => {
  await fake.start()
  desk = await till({
    fake,
    method: fake.method(),
    made: () => [...fake.invoices.keys()],
    pay: (externalId) => fake.pay(externalId),
    notify: (externalId) => event({ type: 'InvoiceSettled', invoiceId: externalId }),
    alter: () => undefined,
  })
})
beforeEach(() => fake.calm())
afterEach(async () => {
  expect(await verifyLedger(desk.shop.database.db)).toEqual([])
  expect(await verifyBooks(desk.shop.database.db)).toEqual([])
})
afterAll(() => desk.close())

const byText = (one: string, other: string) => (one < other ? -1 : 1)
const deps = () => purchaseDeps(desk.shop.services)
/** Moves each run eleven minutes after the one before, so that the lists are due each time. */
let minutes = 0
const watch = () => watchReturns(desk.shop.database, deps(), new Date(Date.now() + (minutes += 11) * 60_000))
const tell = (payout: Payout, type?: string) => desk.deliver(event(about(payout, type)))

/** An invoice over 35 USD, 10 GB, that is paid. */
async function sold() {
  const made = await desk.order(await desk.shop.customer())
  fake.pay(made.externalId)
  expect(await desk.deliver(desk.notify(made.externalId))).toBe(200)
  const found = async () => {
    const invoice = await findInvoice(desk.shop.database.db, made.number)
    if (invoice === null) throw new Error('no invoice')
    return { ...invoice, returned: await returnedOf(desk.shop.database.db, invoice.id) }
  }
  return { ...made, found }
}

describe('a refund made in BTCPay', () => {
  it('is counted once when its payout is completed, for repeated notifications in any order', async () => {
    const { externalId, found } = await sold()
    const payout = fake.claim(fake.refundInServer(externalId))
    for (const state of ['AwaitingApproval', 'AwaitingPayment', 'InProgress'] as const) {
      payout.state = state
      expect(await tell(payout)).toBe(200)
      expect(await found()).toMatchObject({
        state: 'paid',
        refundedMicros: 0n,
        returned: [{ state: 'waiting' }],
      })
    }
    payout.state = 'Completed'
    const told = { ...payout, state: 'AwaitingPayment' as const }
    await Promise.all([tell(payout), tell(payout), tell(told, 'PayoutCreated'), watch()])
    await tell(told)
    expect(await watch()).toBe(0)
    expect(await found()).toMatchObject({
      state: 'refunded',
      refundedMicros: 35_000_000n,
      takenBackBytes: 10_000_000_000n,
      returned: [{ refundId: payout.id, state: 'counted', usdMicros: 35_000_000n, lostBytes: 0n }],
    })
  })

  it('is found in the lists when its notification is lost, also when it was claimed long ago', async () => {
    const { externalId, found } = await sold()
    const payout = fake.claim(fake.refundInServer(externalId, { amount: '10.00' }))
    payout.date -= 90 * 24 * 3600
    await watch()
    expect(await found()).toMatchObject({ state: 'paid', returned: [] })
    payout.state = 'Completed'
    await watch()
    expect(await found()).toMatchObject({ state: 'partly_refunded', refundedMicros: 10_000_000n })
  })

  it('counts each payout of several claims and several refunds, and none that was cancelled', async () => {
    const { externalId, found } = await sold()
    const pull = fake.refundInServer(externalId, { amount: '20.00' })
    const first = fake.claim(pull, { amount: '5.01', state: 'Completed' })
    const cancelled = fake.claim(pull, { amount: '14.99', state: 'Cancelled' })
    const rest = fake.claim(pull, { amount: '14.99' })
    await Promise.all([tell(first), tell(cancelled)])
    expect(await found()).toMatchObject({ refundedMicros: 5_010_000n })
    rest.state = 'Completed'
    fake.claim(fake.refundInServer(externalId, { amount: '15.00' }), { state: 'Completed' })
    await watch()
    expect(await found()).toMatchObject({ refundedMicros: 35_000_000n, takenBackBytes: 10_000_000_000n })
    expect((await found()).returned.map(({ state }) => state).toSorted(byText)).toEqual([
      'counted',
      'counted',
      'counted',
      'failed',
    ])
  })

  it('in the coin of the whole payment returns all of it, in any parts of a satoshi', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 25_000 }), { maxLength: 3 }), async (parts) => {
        const { externalId, found } = await sold()
        const pull = fake.refundInServer(externalId, { currency: 'BTC' })
        let left = 50_000
        for (const part of [...parts, 50_000]) {
          const satoshi = Math.min(part, left)
          left -= satoshi
          if (satoshi === 0) continue
          await tell(fake.claim(pull, { amount: (satoshi / 1e8).toFixed(8), state: 'Completed' }))
          const returned = (35_000_000n * BigInt(50_000 - left)) / 50_000n
          expect((await found()).refundedMicros).toBe(returned)
        }
        expect(await found()).toMatchObject({ refundedMicros: 35_000_000n, takenBackBytes: 10_000_000_000n })
      }),
      { numRuns: sized(3, 6) },
    )
  })

  it('is counted when its pull payment was archived, which hides the payout from every list', async () => {
    const { externalId, found } = await sold()
    const pull = fake.refundInServer(externalId)
    const payout = fake.claim(pull, { state: 'Completed' })
    pull.archived = true
    await watch()
    expect(await found()).toMatchObject({ state: 'paid' })
    await tell(payout)
    expect(await found()).toMatchObject({ state: 'refunded', refundedMicros: 35_000_000n })
  })

  it('of an overpayment takes no traffic, in the coin and in the currency of the invoice', async () => {
    for (const currency of ['BTC', 'USD']) {
      const { externalId, number } = await desk.order(await desk.shop.customer())
      fake.become(externalId, 'Settled', { paid: '49.00', additional: 'PaidOver' })
      await desk.deliver(desk.notify(externalId))
      const over = currency === 'BTC' ? '0.0002' : '14.00'
      const pull = fake.refundInServer(externalId, { currency, amount: over })
      await tell(fake.claim(pull, { state: 'Completed' }))
      expect(await findInvoice(desk.shop.database.db, number)).toMatchObject({
        receivedMicros: 49_000_000n,
        refundedMicros: 14_000_000n,
        takenBackBytes: 0n,
      })
    }
  })

  it('never returns more than was received', async () => {
    const { externalId, found } = await sold()
    const pull = fake.refundInServer(externalId, { amount: '999999999999.99' })
    await tell(fake.claim(pull, { state: 'Completed' }))
    await tell(fake.claim(pull, { amount: '5', state: 'Completed' }))
    expect(await found()).toMatchObject({ refundedMicros: 35_000_000n, takenBackBytes: 10_000_000_000n })
  })
})

describe('a refund in the coin at a rate that BTCPay does not report', () => {
  const amount = '0.00042'
  const say = (number: string, refundId: string, micros: bigint) =>
    sayReturned(
      desk.shop.database,
      deps(),
      systemAuthor(),
      { number, refundId, micros, reason: null },
      new Date(),
    )
  async function unclear() {
    const made = await sold()
    const pull = fake.refundInServer(made.externalId, { currency: 'BTC', amount })
    const payout = fake.claim(pull, { state: 'Completed' })
    await tell(payout)
    return { ...made, payout }
  }
  const waiting = async () =>
    (await needyInvoices(desk.shop.database.db, { now: new Date(), soon: new Date(), most: 10 }))
      .filter(({ need }) => need === 'refund_unclear')
      .flatMap(({ numbers }) => numbers)

  it('is reported to staff, counts once with the value they enter, and blocks a second refund at the desk until then', async () => {
    const { number, payout, found } = await unclear()
    await Promise.all([tell(payout), watch()])
    expect(await watch()).toBe(0)
    expect(await waiting()).toEqual([number])
    expect(await found()).toMatchObject({
      state: 'paid',
      refundedMicros: 0n,
      returned: [{ state: 'unclear', price: { currency: 'BTC', micros: 420n } }],
    })
    const wish = { number, what: 'all', reason: null } as const
    await expect(refund(desk.shop.database, deps(), systemAuthor(), wish, new Date())).rejects.toThrow(
      'return_unclear',
    )
    const said = await Promise.allSettled([
      say(number, payout.id, 30_000_000n),
      say(number, payout.id, 30_000_000n),
    ])
    expect(said.map(({ status }) => status).toSorted(byText)).toEqual(['fulfilled', 'rejected'])
    await tell(payout)
    expect(await waiting()).toEqual([])
    expect(await found()).toMatchObject({
      refundedMicros: 30_000_000n,
      returned: [{ state: 'counted', usdMicros: 30_000_000n, price: { currency: 'USD' } }],
    })
    const { done } = await refund(desk.shop.database, deps(), systemAuthor(), wish, new Date())
    expect(done?.refundedMicros).toBe(5_000_000n)
  })

  it('that returned nothing of the invoice changes nothing of it', async () => {
    const { number, externalId, payout, found } = await unclear()
    await say(number, payout.id, 0n)
    await tell(payout)
    expect(await waiting()).toEqual([])
    expect(await found()).toMatchObject({ state: 'paid', refundedMicros: 0n })
    fake.claim(fake.refundInServer(externalId), { state: 'Completed' })
    await watch()
    expect(await found()).toMatchObject({ refundedMicros: 35_000_000n, takenBackBytes: 10_000_000_000n })
    await expect(say(number, payout.id, 1_000_000n)).rejects.toThrow('return_not_found')
  })
})

describe('an answer of BTCPay', () => {
  it('that lists a counted payout under another invoice does not count it again', async () => {
    const [first, second] = [await sold(), await sold()]
    const pull = fake.refundInServer(first.externalId)
    const payout = fake.claim(pull, { state: 'Completed' })
    await tell(payout)
    pull.name = `Refund ${second.externalId}`
    await tell(payout)
    await watch()
    expect(await first.found()).toMatchObject({ state: 'refunded', refundedMicros: 35_000_000n })
    expect(await second.found()).toMatchObject({ state: 'paid', refundedMicros: 0n, returned: [] })
  })

  it('that is lost or slow is requested again: the notification is refused, and the lists find the payout', async () => {
    const { externalId, found } = await sold()
    const payout = fake.claim(fake.refundInServer(externalId), { state: 'Completed' })
    for (const trouble of [500, 'malformed', 429] as const) {
      fake.trouble(trouble)
      expect(await tell(payout)).toBe(503)
    }
    fake.trouble('none', 'none', 'none', 500)
    expect(await tell(payout)).toBe(503)
    fake.trouble('none', 500)
    await watch()
    expect(await found()).toMatchObject({ state: 'paid' })
    await watch()
    expect(await found()).toMatchObject({ state: 'refunded' })
  })

  it('that arrives after a newer one was counted changes nothing', async () => {
    const { externalId, found } = await sold()
    const payout = fake.claim(fake.refundInServer(externalId))
    const held = fake.hold()
    const old = tell(payout)
    const release = await held
    payout.state = 'Completed'
    await tell(payout)
    release()
    await old
    expect(await found()).toMatchObject({ state: 'refunded', refundedMicros: 35_000_000n })
  })

  it('with payouts of other invoices or currencies, negative or endless amounts counts none', async () => {
    const { externalId, found } = await sold()
    const pull = fake.refundInServer(externalId)
    const foreign = fake.claim(fake.refundInServer('x'.repeat(22), { amount: '35' }), { state: 'Completed' })
    const salary = fake.claim(fake.refundInServer(externalId, { name: 'Salary of May', amount: '35' }), {
      state: 'Completed',
    })
    const without = fake.claim(pull, { state: 'Completed' })
    without.pullPaymentId = null
    for (const amount of ['-35.00', '1e9', '', '0', '9'.repeat(40)])
      fake.claim(pull, { amount, state: 'Completed' })
    const other = fake.claim(pull, { state: 'Completed' })
    other.originalCurrency = 'EUR'
    await watch()
    for (const payout of fake.payouts.slice(-9)) await tell(payout)
    await desk.deliver(event({ ...about(foreign), payoutId: 'nosuch' }))
    await desk.deliver(event({ ...about(salary), payoutId: '../invoices' }))
    expect(await found()).toMatchObject({ state: 'paid', refundedMicros: 0n })
  })

  it('without the permission to read refunds does not prevent the credit of a payment', async () => {
    fake.isLimited = true
    try {
      const { found } = await sold()
      expect(await found()).toMatchObject({ state: 'paid', receivedMicros: 35_000_000n })
    } finally {
      fake.isLimited = false
    }
  })
})

describe('a notification of a payout', () => {
  it('that is forged, of another store or too old counts nothing', async () => {
    const { externalId, found } = await sold()
    const payout = fake.claim(fake.refundInServer(externalId), { state: 'Completed' })
    expect(await desk.deliver(event(about(payout), { secret: 'another' }))).toBe(401)
    expect(await desk.deliver(event({ ...about(payout), storeId: 'AnotherStore' }))).toBe(200)
    const at = new Date(Date.now() - 25 * 3600_000)
    expect(await desk.deliver(event(about(payout), { at }))).toBe(200)
    expect(new Set((await desk.verdicts()).slice(-3))).toEqual(new Set(['another_shop', 'forged', 'stale']))
    expect(await found()).toMatchObject({ state: 'paid' })
  })
})

describe('a refund of the desk', () => {
  const giveBack = (number: string, what: 'all' | bigint = 'all') =>
    refund(desk.shop.database, deps(), systemAuthor(), { number, what, reason: null }, new Date())

  it('is not counted again when the customer claims it, in parts', async () => {
    const { number, found } = await sold()
    const { made: sent } = await giveBack(number)
    const pull = fake.pullPayments.find(({ id }) => id === sent.reference)
    if (pull === undefined) throw new Error('no pull payment')
    const part = fake.claim(pull, { amount: '11.00', state: 'Completed' })
    await Promise.all([tell(part), watch()])
    fake.claim(pull, { amount: '24.00', state: 'Completed' })
    await watch()
    expect(await found()).toMatchObject({ refundedMicros: 35_000_000n })
    expect((await found()).returned.map(({ state }) => state)).toEqual(['own', 'own'])
  })

  it('covers only what BTCPay has not returned by itself, even without a notification', async () => {
    const { number, externalId, found } = await sold()
    fake.claim(fake.refundInServer(externalId, { amount: '10.00' }), { state: 'Completed' })
    const { done, made: sent } = await giveBack(number)
    expect(done?.refundedMicros).toBe(25_000_000n)
    expect(sent).toMatchObject({ state: 'sent', price: { currency: 'USD', micros: 25_000_000n } })
    expect(await found()).toMatchObject({ refundedMicros: 35_000_000n })
  })

  it('is not made while a refund made in BTCPay can be claimed, and that one is then the refund', async () => {
    const { number, externalId, found } = await sold()
    const pull = fake.refundInServer(externalId)
    const { made: sent } = await giveBack(number)
    expect(sent.state).toBe('failed')
    expect(sent.fault).toContain(pull.id)
    expect(fake.pullPayments.filter(({ name }) => name.startsWith(`Refund ${number}`))).toEqual([])
    await tell(fake.claim(pull, { state: 'Completed' }))
    expect(await found()).toMatchObject({ refundedMicros: 35_000_000n, returned: [{ state: 'counted' }] })
  })

  it('does not include what BTCPay has returned, even if no answer had reported it', async () => {
    const { number, externalId, found } = await sold()
    const payout = fake.claim(fake.refundInServer(externalId), { state: 'Completed' })
    fake.trouble(500)
    const { made: sent } = await giveBack(number)
    expect(sent.state).toBe('failed')
    expect(sent.fault).toContain('returned by the processor itself: 35.00 USD')
    expect(fake.pullPayments.filter(({ name }) => name.startsWith(`Refund ${number}`))).toEqual([])
    await tell(payout)
    expect(await found()).toMatchObject({ refundedMicros: 35_000_000n, returned: [{ state: 'counted' }] })
  })
})

describe('a refund of the shop', () => {
  const give = (number: string, what: bigint | 'all') =>
    refund(desk.shop.database, deps(), systemAuthor(), { number, what, reason: null }, new Date())
  const ask = (later: number) =>
    askForRefunds(desk.shop.database, deps(), new Date(Date.now() + later * 60_000))

  it('is done when all of it was claimed and paid, also when both happen in parts', async () => {
    const { number, found } = await sold()
    const [first, second] = [await give(number, 20_000_000n), await give(number, 'all')]
    expect([first.made.state, second.made.state]).toEqual(['sent', 'sent'])
    const pull = fake.pullPayments.find(({ id }) => id === first.made.reference)
    if (pull === undefined) throw new Error('no pull payment')
    const payout = fake.claim(pull, { amount: '5.00', state: 'Completed' })
    await tell(payout)
    expect(await ask(6)).toBe(0)
    fake.claim(pull, { amount: '15.00', state: 'Completed' })
    expect(await ask(20)).toBe(1)
    await watch()
    expect(await found()).toMatchObject({ state: 'refunded', refundedMicros: 35_000_000n })
    expect((await found()).returned.map(({ state }) => state)).toEqual(['own', 'own'])
  })

  it('that is archived before it was claimed is undone, except for the part already paid', async () => {
    const { number, found } = await sold()
    const { made } = await give(number, 20_000_000n)
    const pull = fake.pullPayments.find(({ id }) => id === made.reference)
    if (pull === undefined) throw new Error('no pull payment')
    await tell(fake.claim(pull, { amount: '7.00', state: 'Completed' }))
    pull.archived = true
    expect(await ask(40)).toBe(1)
    const after = await found()
    expect(after).toMatchObject({
      state: 'partly_refunded',
      refundedMicros: 7_000_000n,
      takenBackBytes: 2_000_000_000n,
    })
    // The order of the two records depends on whether the notification or the list is read first.
    expect(after.returned.toSorted((one, other) => (one.state < other.state ? -1 : 1))).toMatchObject([
      { state: 'counted', usdMicros: 7_000_000n },
      { state: 'failed' },
    ])
  })
})
