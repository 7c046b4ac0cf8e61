/** Tests that hold for every processor, whatever its protocol: run against each adapter and its fake. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { reconcileInvoice, reconcileInvoices, refundInvoice, replayWebhook, sendRefunds } from '#purchase'
import { refusalOf } from '#test/app'
import { purchaseDeps } from '../../src/main/services.ts'
import type { FakeProcessor } from './fake.ts'
import { type Delivery, type Driver, till, type Till } from './till.ts'

export interface Expectations {
  /** Unverifiable deliveries, derived from a genuine one, each with its fault. */
  forgeries: (genuine: Delivery) => [string, Delivery][]
  /** Reports a wrong sum in the processor's own format. */
  wrongAmount: string
  /** Whether a bad time makes a delivery forged (401) or merely stale (200); null: it has no time. */
  badTime: 401 | 200 | null
  hasTestMode: boolean
  /** The part of the price that the processor was requested to return, and its currency. */
  refunds: (() => { amount: string; currency: string }[]) | null
  refund: { amount: string; currency: string }
}

const wholeBytes = 10_000_000_000n

export function processorSuite(
  name: string,
  makeDriver: () => Promise<Driver>,
  expectationsOf: (fake: FakeProcessor) => Expectations,
  setUp: (till: Till) => Promise<void> = async () => undefined,
): () => Till {
  let desk: Till
  beforeAll(async () => {
    desk = await till(await makeDriver())
    await setUp(desk)
  })
  afterEach(async () => {
    desk.fake.calm()
    expect(await verifyLedger(desk.shop.database.db)).toEqual([])
  })
  afterAll(() => desk.close())

  const deps = () => purchaseDeps(desk.shop.services)
  const order = async () => desk.order(await desk.shop.customer())
  const isPaid = async (number: string) => {
    expect(await desk.invoice(number)).toMatchObject({
      state: 'paid',
      received_micros: 35_000_000n,
      credited_bytes: wholeBytes,
    })
    const { rows } = await desk.shop.database.pool.query<{ count: bigint }>(
      'select count(*) from payment join invoice on invoice.id = invoice_id where number = $1',
      [number],
    )
    expect(rows).toEqual([{ count: 1n }])
  }
  const isUntouched = async (number: string) => {
    expect(await desk.invoice(number)).toMatchObject({
      state: 'pending',
      received_micros: 0n,
      credited_bytes: 0n,
    })
  }

  describe(`${name}: a payment`, () => {
    it('is listed, made, paid, announced and credited', async () => {
      expect((await desk.shop.anyone('payment_systems', {})).map((one) => one.name)).toContain(
        desk.method.name,
      )
      const { number, externalId, paymentUrl } = await order()
      expect(paymentUrl).toMatch(/^https:\/\//)
      await desk.deliver(desk.notify(externalId))
      await isUntouched(number)
      desk.pay(externalId)
      expect(await desk.deliver(desk.notify(externalId, { serial: 1 }))).toBe(200)
      await isPaid(number)
      expect((await desk.verdicts()).at(-1)).toBe('credited')
    })

    it('needs a key that the processor accepts: a test call finds out, and makes nothing', async () => {
      const before = desk.fake.requests.length
      await desk.method.check?.()
      const asked = desk.fake.requests.slice(before)
      expect(asked).toHaveLength(1)
      expect(asked[0]?.path).not.toMatch(/create/i)
      desk.fake.trouble(401)
      await expect(desk.method.check?.()).rejects.toMatchObject({ isDenied: true })
    })

    it('is credited once by forty concurrent deliveries, half of them separate events', async () => {
      const { number, externalId } = await order()
      desk.pay(externalId)
      const deliveries = Array.from({ length: 40 }, (_, index) =>
        desk.notify(externalId, { serial: index < 20 ? 0 : index }),
      )
      const answers = await Promise.all(deliveries.map(desk.deliver))
      expect(new Set(answers)).toEqual(new Set([200]))
      await isPaid(number)
    })

    it('is credited when it is announced before the processor has answered', async () => {
      const held = desk.fake.hold()
      const ordered = order()
      const release = await held
      const externalId = desk.made().at(-1) ?? ''
      desk.pay(externalId)
      expect(await desk.deliver(desk.notify(externalId))).toBe(200)
      release()
      const { number, externalId: noted } = await ordered
      expect(noted).toBe(externalId)
      await isPaid(number)
    })

    it('is credited once when the customer returns at the moment of the notification', async () => {
      const { number, externalId } = await order()
      desk.pay(externalId)
      const now = desk.shop.clock.now
      const [status, ...verdicts] = await Promise.all([
        desk.deliver(desk.notify(externalId)),
        reconcileInvoice(desk.shop.database, deps(), number, now),
        reconcileInvoice(desk.shop.database, deps(), number, now),
      ])
      expect([status, verdicts.every((one) => one === 'credited' || one === 'known_payment')]).toEqual([
        200,
        true,
      ])
      await isPaid(number)
    })

    it('whose notification was lost is found by the poller, even late', async () => {
      const { number, externalId } = await order()
      desk.pay(externalId)
      const { database } = desk.shop
      await database.db
        .updateTable('invoice')
        .set({ state: 'expired' })
        .where('number', '=', number)
        .execute()
      const sums = await Promise.all([1, 2].map(() => reconcileInvoices(database, deps(), new Date())))
      expect(sums.reduce((total, { credited }) => total + credited, 0)).toBeGreaterThan(0)
      await isPaid(number)
    })
  })

  describe(`${name}: a notification`, () => {
    it('that cannot be verified is refused and credits nothing', async () => {
      const { number, externalId } = await order()
      desk.pay(externalId)
      for (const [what, forgery] of expectationsOf(desk.fake).forgeries(desk.notify(externalId)))
        expect([what, await desk.deliver(forgery)]).toEqual([what, 401])
      await isUntouched(number)
      expect(await desk.deliver(desk.notify(externalId))).toBe(200)
      await isPaid(number)
      const forgeries = expectationsOf(desk.fake).forgeries(desk.notify(externalId))
      for (const [, forgery] of forgeries) await desk.deliver(forgery)
      expect((await desk.verdicts()).includes('credited')).toBe(true)
    })

    it('with an old or a future time is not processed', async () => {
      const { badTime } = expectationsOf(desk.fake)
      if (badTime === null) return
      const { number, externalId } = await order()
      desk.pay(externalId)
      const day = 24 * 60 * 60_000
      for (const offset of [-day - 60_000, 10 * 60_000, 365 * day]) {
        const at = new Date(desk.shop.clock.now.getTime() + offset)
        expect([offset, await desk.deliver(desk.notify(externalId, { at }))]).toEqual([offset, badTime])
      }
      await isUntouched(number)
    })

    it('about a payment of another sum, currency or invoice, or a test payment, is recorded and credits nothing', async () => {
      const { wrongAmount, hasTestMode } = expectationsOf(desk.fake)
      const other = await order()
      const cases: [Parameters<Driver['alter']>[1], string][] = [
        [{ amount: wrongAmount }, 'wrong_amount'],
        [{ currency: 'EUR' }, 'wrong_currency'],
        [{ number: other.number }, 'another_invoice'],
        [{ number: 'ffffffffffffffffffff' }, 'unknown_invoice'],
        ...(hasTestMode ? [[{ isTest: true as const }, 'test_mode'] as [{ isTest: true }, string]] : []),
      ]
      for (const [change, verdict] of cases) {
        const { number, externalId } = await order()
        desk.pay(externalId)
        desk.alter(externalId, change)
        expect(await desk.deliver(desk.notify(externalId))).toBe(200)
        expect((await desk.verdicts()).at(-1)).toBe(verdict)
        await isUntouched(number)
      }
      await isUntouched(other.number)
    })

    it('about an object unknown to the processor credits nothing', async () => {
      const { externalId } = await order()
      const strange = /^\d+$/.test(externalId)
        ? '999999'
        : externalId.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
      expect(await desk.deliver(desk.notify(strange))).toBe(200)
      expect((await desk.verdicts()).at(-1)).toBe('unknown_invoice')
    })

    it.each([
      ['fails', 500],
      ['has too much to do', 429],
      ['answers nonsense', 'malformed'],
    ] as const)(
      'that arrives while the processor %s is answered with a request for a retry, and replayed',
      async (_what, trouble) => {
        const { number, externalId } = await order()
        desk.pay(externalId)
        const delivery = desk.notify(externalId)
        // The official client of Stripe makes three attempts itself.
        desk.fake.trouble(trouble, trouble, trouble)
        expect(await desk.deliver(delivery)).toBe(503)
        expect((await desk.verdicts()).at(-1)).toBe('unreachable')
        await isUntouched(number)
        desk.fake.calm()
        const { db } = desk.shop.database
        const { id } = await db
          .selectFrom('webhook_event')
          .select('id')
          .orderBy('id', 'desc')
          .executeTakeFirstOrThrow()
        const later = new Date(desk.shop.clock.now.getTime() + 48 * 60 * 60_000)
        expect(await replayWebhook(desk.shop.database, deps(), id, later)).toBe('credited')
        expect(await replayWebhook(desk.shop.database, deps(), id, later)).toBe('known_payment')
        expect((await desk.verdicts()).at(-1)).toBe('credited')
        await isPaid(number)
      },
    )
  })

  describe(`${name}: an order`, () => {
    it('whose answer was lost is found again: one invoice at the processor', async () => {
      const before = desk.made().length
      desk.fake.trouble('lost')
      const { number, externalId } = await order()
      expect(desk.made().slice(before)).toEqual([externalId])
      desk.pay(externalId)
      await desk.deliver(desk.notify(externalId))
      await isPaid(number)
    })

    it('is refused when the processor is down, and creates nothing there', async () => {
      const before = desk.made().length
      desk.fake.trouble(500, 500, 500, 500, 500, 500)
      expect(await refusalOf(order())).toMatchObject({ code: 'payment_failed', status: 502 })
      desk.fake.calm()
      desk.fake.trouble(400)
      expect(await refusalOf(order())).toMatchObject({ code: 'payment_failed' })
      expect(desk.made().length).toBe(before)
    })
  })

  describe(`${name}: a refund`, () => {
    it('is returned by the processor, once, whatever message is lost', async () => {
      const { refunds, refund } = expectationsOf(desk.fake)
      const { number, externalId } = await order()
      desk.pay(externalId)
      await desk.deliver(desk.notify(externalId))
      const { database } = desk.shop
      const { methods } = deps()
      await refundInvoice(database, { number, what: 'all', methods }, new Date())
      const { rows } = await database.pool.query<{ invoice_id: bigint }>(
        'select invoice_id from refund join invoice on invoice.id = invoice_id where number = $1 and refund.external_id is not null',
        [number],
      )
      if (refunds === null) return expect(rows).toEqual([])
      const id = rows[0]?.invoice_id ?? 0n
      const start = new Date()
      const minutes = (count: number) => new Date(start.getTime() + count * 60_000)
      desk.fake.trouble(500, 500, 500)
      expect(await sendRefunds(database, deps(), start, id)).toBe(0)
      desk.fake.calm()
      // Claimed by the previous attempt; two workers later share it.
      expect(await sendRefunds(database, deps(), minutes(1), id)).toBe(0)
      const sent = await Promise.all([3, 3].map((count) => sendRefunds(database, deps(), minutes(count), id)))
      expect(sent.reduce((total, count) => total + count, 0)).toBe(1)
      // As after a crash between the processor's answer and its recording, and a day of downtime.
      desk.fake.forgetKeys()
      await database.pool.query(`
        alter table refund disable trigger stays;
        update refund set state = 'due', sent_at = null, ended_at = null, reference = null where invoice_id = ${id};
        alter table refund enable trigger stays`)
      expect(await sendRefunds(database, deps(), minutes(6), id)).toBe(1)
      return expect(refunds()).toEqual([refund])
    })

    it('is not sent twice concurrently, whatever the clocks', async () => {
      const { refunds } = expectationsOf(desk.fake)
      const { number, externalId } = await order()
      desk.pay(externalId)
      await desk.deliver(desk.notify(externalId))
      const { database } = desk.shop
      await refundInvoice(database, { number, what: 'all', methods: deps().methods }, new Date())
      if (refunds === null) return
      const before = refunds().length
      const held = desk.fake.hold()
      const first = sendRefunds(database, deps(), new Date())
      const release = await held
      // A worker whose clock is an hour behind treats the claim as one from a wrong clock.
      const second = await sendRefunds(database, deps(), new Date(Date.now() - 3_600_000))
      desk.fake.calm()
      release()
      expect([await first, second]).toEqual([1, 0])
      expect(refunds().length).toBe(before + 1)
    })
  })
  return () => desk
}
