import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { receiveWebhook, reconcileInvoices } from '#purchase'
import { balancesOf } from '#traffic'
import { sized } from '#test/size'
import { gb, type TopUpShop, topUpShop } from '#test/topup'
import { afterFailure, crossed, mostOf } from './rules.ts'

describe('a crossing', () => {
  it('comes only after the balance was above the threshold', () => {
    const balances = fc.array(fc.bigInt(0n, 10n), { maxLength: 40 })
    fc.assert(
      fc.property(balances, fc.bigInt(1n, 9n), (seen, below) => {
        let [isArmed, crossings, falls, wasAbove] = [false, 0, 0, false]
        for (const bytes of seen) {
          const look = crossed({ isArmed, credits: 1n }, { bytes, creditedBytes: 0n, credits: 1n }, below)
          if (look.isDue) crossings++
          isArmed = look.isArmed && !look.isDue
          if (bytes < below && wasAbove) falls++
          wasAbove = bytes >= below
        }
        expect(crossings).toBe(falls)
      }),
    )
  })

  it('between two checks is detected by the credit that raised the balance', () => {
    const held = { bytes: 1n, creditedBytes: 20n, credits: 2n }
    expect(crossed({ isArmed: false, credits: 1n }, held, 5n).isDue).toBe(true)
    expect(crossed({ isArmed: false, credits: 1n }, { ...held, creditedBytes: 4n }, 5n).isDue).toBe(false)
    expect(crossed({ isArmed: false, credits: 2n }, held, 5n).isDue).toBe(false)
  })

  it('whose charge may have taken money is not charged again', () => {
    const now = new Date()
    expect(afterFailure(0, 'no_answer', now)).toMatchObject({ retryAt: null, failures: 1, off: null })
    expect(afterFailure(2, 'declined', now)).toMatchObject({ retryAt: null, off: 'failures' })
    expect(afterFailure(1, 'switched_off', now)).toMatchObject({ failures: 1, retryAt: null })
  })

  it('has a ceiling: the price, or in another currency a tenth more in whole units', () => {
    expect(mostOf({ currency: 'USD', micros: 3_500_000n }).micros).toBe(3_500_000n)
    expect(mostOf({ currency: 'RUB', micros: 100_000_000n }).micros).toBe(110_000_000n)
    expect(mostOf({ currency: 'RUB', micros: 100_010_000n }).micros).toBe(111_000_000n)
  })
})

/** A step of a random sequence: each keeps the invariants. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('use' as const), percent: fc.integer({ min: 1, max: 100 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('run' as const), workers: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('bank' as const),
      says: fc.constantFrom('insufficient_funds', 'generic_decline', 'authentication_required'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('trouble' as const),
      how: fc.constantFrom('lost', 'malformed', 500, 429),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('notify' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pay' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('again' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('off' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

describe('any life of a top-up', () => {
  let desk: TopUpShop
  beforeAll(async () => {
    // Short timeouts, so that an unresponsive processor does not slow down the test.
    desk = await topUpShop({ timeoutMs: 400 })
  })
  afterAll(() => desk.close())

  it('takes money at most once for each crossing, and never more than its bound in a month', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        desk.stripe.calm()
        desk.stripe.saved.bank.length = 0
        desk.stripe.saved.intents.clear()
        const customer = await desk.customer()
        await desk.save(customer)
        const terms = { month_usd: 11, below_bytes: Number(gb) / 2 }
        await desk.switchOn(customer, terms)
        let agreed = 1
        let falls = 0
        for (const one of steps) {
          if (one.do === 'again') agreed += Number(await desk.switchOn(customer, terms).then(() => true))
          else falls += await act(one, customer)
        }
        await rest()
        await check(customer.accountId, { most: falls + agreed })
        await customer.call('switch_off_top_up', { pool: 'residential' })
      }),
      { numRuns: sized(10, 150) },
    )
  }, 600_000)

  type Customer = Awaited<ReturnType<TopUpShop['customer']>>

  /** Returns how often the balance fell through the threshold. */
  async function act(one: Step, { accountId, call }: Customer): Promise<number> {
    const { shop, stripe } = desk
    const { db } = shop.database
    if (one.do === 'use') {
      const left = (await balancesOf(db, accountId)).get('residential')?.total ?? 0n
      const bytes = (left * BigInt(one.percent)) / 100n
      if (bytes > 0n) await desk.use(accountId, bytes)
      return left >= gb / 2n && left - bytes < gb / 2n ? 1 : 0
    }
    if (one.do === 'run') await Promise.all(Array.from({ length: one.workers }, desk.run))
    if (one.do === 'bank') stripe.saved.bank.push(one.says as 'generic_decline')
    if (one.do === 'trouble') stripe.trouble(...Array.from({ length: one.times }, () => one.how as 500))
    if (one.do === 'notify') await notify()
    if (one.do === 'pay')
      for (const [id, { status }] of stripe.sessions) if (status === 'open') stripe.pay(id)
    if (one.do === 'wait') await desk.later(one.hours * 60)
    if (one.do === 'off') await call('switch_off_top_up', { pool: 'residential' })
    return 0
  }

  /** Each payment is notified twice. */
  async function notify(): Promise<void> {
    const { shop, stripe } = desk
    const { createHmac } = await import('node:crypto')
    for (const { id, status } of stripe.saved.intents.values()) {
      if (status !== 'succeeded') continue
      const event = {
        id: `evt_${id}`,
        type: 'payment_intent.succeeded',
        data: { object: { id, object: 'payment_intent' } },
      }
      const body = Buffer.from(JSON.stringify(event))
      const seconds = Math.floor(shop.clock.now.getTime() / 1000)
      const hmac = createHmac('sha256', stripe.webhookSecret).update(`${seconds}.`).update(body).digest('hex')
      const headers = { 'stripe-signature': `t=${seconds},v1=${hmac}` }
      const deliver = () =>
        receiveWebhook(
          shop.database,
          desk.deps,
          { method: 'card', headers, body, ip: '127.0.0.1' },
          shop.clock.now,
        ).catch(() => 'refused')
      await Promise.all([deliver(), deliver()])
    }
  }

  /** The processor answers again, and all open charges reach a final state. */
  async function rest(): Promise<void> {
    desk.stripe.calm()
    desk.stripe.saved.bank.length = 0
    for (let round = 0; round < 4; round++) {
      await desk.later(11)
      await desk.run()
      await notify()
    }
    const { shop } = desk
    await reconcileInvoices(shop.database, desk.deps, shop.clock.now)
  }

  async function check(accountId: bigint, { most }: { most: number }): Promise<void> {
    const { db } = desk.shop.database
    const { rows } = await sql<{ crossing: bigint; month: string; paid: bigint; cost: bigint }>`
      select c.crossing, c.month, count(*) filter (where i.received_micros > 0) as paid,
        coalesce(sum(i.received_micros), 0)::bigint as cost
      from top_up_charge c join invoice i on i.id = c.invoice_id where c.account_id = ${accountId}
      group by 1, 2`.execute(db)
    for (const { crossing, paid } of rows) expect(paid, `crossing ${crossing}`).toBeLessThanOrEqual(1n)
    const months = Map.groupBy(rows, ({ month }) => month)
    for (const [month, of] of months)
      expect(
        of.reduce((sum, { cost }) => sum + cost, 0n),
        month,
      ).toBeLessThanOrEqual(11_000_000n)
    const paid = rows.reduce((sum, row) => sum + row.paid, 0n)
    expect(paid).toBeLessThanOrEqual(BigInt(most))
    // Each payment of the processor is in the ledger exactly once.
    const intents = [...desk.stripe.saved.intents.values()].filter(({ status }) => status === 'succeeded')
    const { rows: received } = await sql<{ number: string; received: bigint; cost: bigint }>`
      select number, received_micros as received, cost_micros as cost from invoice
      where is_automatic and received_micros > 0`.execute(db)
    for (const { received: is, cost } of received) expect(is).toBe(cost)
    const numbers = new Set(received.map(({ number }) => number))
    for (const { metadata } of intents) expect(numbers).toContain(metadata['invoice'])
    expect(new Set(intents.map(({ metadata }) => metadata['invoice'])).size).toBe(intents.length)
    expect(await verifyLedger(db)).toEqual([])
  }
})
