import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesPerGb } from '#contract/wire'
import { transaction } from '#db'
import { verifyLedger } from '#ledger'
import type { Finding, FoundDispute } from '#payments'
import { type App, app, type Customer, press, refusalOf, accountIdOf } from '#test/app'
import { sized } from '#test/size'
import { line, newBoot } from '#test/traffic'
import { balancesOf, lease, settle as settleTraffic, verifyTraffic } from '#traffic'
import { moneyHistory } from './history.ts'
import {
  giveBalance,
  moneyOf,
  planRefund,
  refundInvoice,
  sendPlanned,
  settle,
  takeOffBalance,
  verifyMoney,
} from '../purchase.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const order = { amount: 10, pool: 'residential' } as const
/** What 10 GB cost. */
const cost = 35_000_000n

const idOf = async (person: Customer) => BigInt(await accountIdOf(person))
const money = async (person: Customer) => moneyOf(shop.database.db, await idOf(person))
const invoiceOf = (number: string) =>
  shop.database.db.selectFrom('invoice').selectAll().where('number', '=', number).executeTakeFirstOrThrow()
const held = async (person: Customer) =>
  (await balancesOf(shop.database.db, await idOf(person))).get('residential')?.total ?? 0n

/** Every kind of proof that the books are sound. */
async function sound(): Promise<void> {
  expect(await verifyLedger(shop.database.db)).toEqual([])
  expect(await verifyTraffic(shop.database.db)).toEqual([])
  expect(await verifyMoney(shop.database.db)).toEqual([])
}

async function ordered(person: Customer, usd: number): Promise<string> {
  const invoice = await person.call('create_balance_invoice', { payment_method: 'sandbox', amount_usd: usd })
  return invoice.number
}

async function toppedUp(person: Customer, usd: number): Promise<string> {
  const number = await ordered(person, usd)
  expect((await press(shop.origin, number, 'paid')).status).toBe(303)
  return number
}

const refund = (number: string, what: 'all' | 'unused' | bigint) =>
  refundInvoice(shop.database, { number, what }, shop.clock.now)

/** The processor's report of a paid top-up. */
async function told(number: string, more: Partial<Finding>): Promise<string> {
  const row = await invoiceOf(number)
  const price = { currency: 'USD', micros: row.cost_micros }
  const finding: Finding = {
    externalId: row.external_id ?? '',
    invoiceNumber: number,
    status: 'received',
    price,
    receivedMicros: row.received_micros,
    isTest: false,
    isDisputed: false,
    ...more,
  }
  return settle(shop.database, shop.purchase(), 'sandbox', finding, shop.clock.now)
}

const dispute = (state: FoundDispute['state'], micros: bigint, disputeId: string): Partial<Finding> => ({
  isDisputed: true,
  dispute: { state, respondBy: null },
  disputes: [
    {
      disputeId,
      price: { currency: 'USD', micros },
      state,
      respondBy: null,
      openedAt: shop.clock.now,
      isWithdrawn: state !== 'won',
      feeMicros: 0n,
    },
  ],
})

describe('create_balance_invoice', () => {
  it('answers with the invoice and its page; the payment is credited to the balance, no traffic is', async () => {
    const person = await shop.customer()
    const invoice = await person.call('create_balance_invoice', {
      payment_method: 'sandbox',
      amount_usd: 100,
    })
    expect(invoice).toMatchObject({ pool: 'balance', gb: 0, state: 'pending', cost_usd: 100, pay_to: [] })
    expect(invoice.payment_url).toBe(`http://localhost:3000/sandbox/pay/${invoice.number}`)
    for (let time = 0; time < 2; time++) await press(shop.origin, invoice.number, 'paid')
    expect(await person.call('money_balance', {})).toEqual({
      balance_usd: 100,
      withheld_usd: 0,
      owed_usd: 0,
      history: [
        {
          id: expect.any(String),
          at: expect.any(String),
          kind: 'top_up',
          amount_usd: 100,
          invoice: invoice.number,
        },
      ],
      next: null,
    })
    expect(await held(person)).toBe(0n)
    expect(await person.call('invoice_documents', { number: invoice.number })).toEqual([])
    await sound()
  })

  it('credits what was really paid: less, more, and late', async () => {
    const person = await shop.customer()
    const number = await ordered(person, 100)
    await press(shop.origin, number, 'underpaid')
    const part = (await money(person)).micros
    expect(part).toBeGreaterThan(0n)
    await shop.database.db
      .updateTable('invoice')
      .set({ expires_at: new Date(0) })
      .where('number', '=', number)
      .where('settled_at', 'is', null)
      .execute()
    expect(await told(number, { receivedMicros: 130_000_000n })).toBe('credited')
    expect((await money(person)).micros).toBe(130_000_000n)
    expect(await told(number, { receivedMicros: 130_000_000n })).toBe('known_payment')
    expect((await person.call('invoice', { number })).state).toBe('paid')
    await sound()
  })

  it.each([0, -5, 4, 4.99, 10.5, 1e30, 10_001, Number.MAX_SAFE_INTEGER])(
    'refuses %d dollars',
    async (amount_usd) => {
      const { call } = await shop.customer()
      const answer = call('create_balance_invoice', { payment_method: 'sandbox', amount_usd })
      expect(await refusalOf(answer)).toMatchObject({ code: 'invalid_top_up', status: 422 })
    },
  )

  it('refuses payment from a balance, also its own', async () => {
    const { call } = await shop.customer()
    for (const payment_method of ['balance', 'referral'])
      expect(
        await refusalOf(call('create_balance_invoice', { payment_method, amount_usd: 50 })),
      ).toMatchObject({ code: 'invalid_payment_method' })
  })

  it('earns the inviter their share when money is paid in, and none when it is spent', async () => {
    const inviter = await shop.customer()
    const [info] = await inviter.call('legacy_referal_info', {})
    const code = new URL(info?.links.website ?? '').searchParams.get('ref')
    const person = { username: 'invited-prepaid', email: 'prepaid@example.com', password: 'a password' }
    await shop.anyone('signup', { ...person, referral_id: code })
    const call = shop.client(
      await shop.anyone('signin', { username: person.username, password: person.password }),
    )
    const invited = { ...person, call } as Customer
    const number = await toppedUp(invited, 100)
    const earned = async () => (await inviter.call('legacy_referal_info', {}))[0]?.balance
    const share = await earned()
    expect(share).toBeGreaterThan(0)
    await call('buy', order)
    expect(await earned()).toBe(share)
    await refund(number, 65_000_000n)
    expect(Number(await earned())).toBeCloseTo(Number(share) * 0.35, 6)
    await sound()
  })
})

describe('buy', () => {
  it('buys with a token, in one step, at the price of an order; the invoice is paid and has a document', async () => {
    const person = await shop.customer()
    await toppedUp(person, 100)
    const token = await person.call('reseller_token', {})
    const call = shop.client(token)
    const bought = await call('buy', order)
    expect(bought).toEqual({
      invoice: expect.stringMatching(/^[0-9a-f]{20}$/),
      short_number: expect.any(String),
      pool: 'residential',
      credited: 10_000,
      cost_usd: 35,
      balance_usd: 65,
    })
    expect(await held(person)).toBe(10n * bytesPerGb)
    expect(await call('invoice', { number: bought.invoice })).toMatchObject({
      method: 'balance',
      state: 'paid',
      received_usd: 35,
    })
    expect((await call('money_balance', {})).history.map(({ kind, invoice }) => [kind, invoice])[0]).toEqual([
      'purchase',
      bought.invoice,
    ])
    await sound()
  })

  it('refuses what the balance does not cover and says what is missing; nothing is changed', async () => {
    const person = await shop.customer()
    await toppedUp(person, 30)
    expect(await refusalOf(person.call('buy', order))).toMatchObject({
      code: 'insufficient_balance',
      status: 402,
      details: { balance: 30, cost: 35, missing: 5 },
    })
    expect(await held(person)).toBe(0n)
    expect((await money(person)).micros).toBe(30_000_000n)
    for (const [code, given] of [
      ['invalid_amount', { amount: 0 }],
      ['invalid_pool', { pool: 'balance' }],
      ['promocode_invalid', { promocode: 'nosuchcode' }],
    ] as const)
      expect(await refusalOf(person.call('buy', { ...order, ...given } as never))).toMatchObject({ code })
  })

  it('executes a key once, also for twenty concurrent calls', async () => {
    const person = await shop.customer()
    await toppedUp(person, 100)
    const idempotencyKey = randomUUID()
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => person.call('buy', order, { idempotencyKey })),
    )
    const good = answers.filter((one) => one.status === 'fulfilled')
    expect(new Set(good.map(({ value }) => value.invoice)).size).toBe(1)
    expect((await money(person)).micros).toBe(65_000_000n)
    const again = await person.call('buy', order, { idempotencyKey })
    expect(good.map(({ value }) => value.invoice)).toContain(again.invoice)
    const other = person.call('buy', { ...order, amount: 1 }, { idempotencyKey })
    expect(await refusalOf(other)).toMatchObject({ code: 'idempotency_key_reused' })
  })

  it('sells the last dollars once when many buy at once', async () => {
    const person = await shop.customer()
    await toppedUp(person, 80)
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => person.call('buy', order)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect((await money(person)).micros).toBe(80_000_000n - 2n * cost)
    expect(await held(person)).toBe(20n * bytesPerGb)
    await sound()
  })

  it('is refused to a blocked account and its token', async () => {
    const person = await shop.customer()
    await toppedUp(person, 100)
    const token = await person.call('reseller_token', {})
    const id = await idOf(person)
    await sql`update account set blocked_at = now(), blocked_reason = 'fraud' where id = ${id}`.execute(
      shop.database.db,
    )
    expect(await refusalOf(shop.client(token)('buy', order))).toMatchObject({ status: 401 })
    expect((await moneyOf(shop.database.db, id)).micros).toBe(100_000_000n)
  })
})

describe('money_balance', () => {
  it('pages through the changes, and shows nobody the changes of another', async () => {
    const person = await shop.customer()
    const stranger = await shop.customer()
    await toppedUp(person, 500)
    for (let time = 0; time < 52; time++) await person.call('buy', { ...order, amount: 1 })
    const first = await person.call('money_balance', {})
    expect(first.history).toHaveLength(50)
    const rest = await person.call('money_balance', { after: first.next ?? '' })
    expect(rest.history).toHaveLength(3)
    expect(rest.next).toBeNull()
    const sum = [...first.history, ...rest.history].reduce((all, one) => all + one.amount_usd, 0)
    expect(sum).toBeCloseTo(first.balance_usd, 6)
    expect((await stranger.call('money_balance', { after: first.next ?? '' })).history).toEqual([])
    expect(await refusalOf(person.call('money_balance', { after: '0 or 1' }))).toMatchObject({ status: 422 })
    const number = first.history[0]?.invoice ?? ''
    expect(await refusalOf(stranger.call('invoice', { number }))).toMatchObject({ code: 'invoice_not_found' })
  })
})

describe('a refund', () => {
  it('of a purchase goes back to the balance, in parts too', async () => {
    const person = await shop.customer()
    await toppedUp(person, 100)
    const { invoice } = await person.call('buy', order)
    expect(await refund(invoice, 7_000_000n)).toMatchObject({ way: 'balance', refundedMicros: 7_000_000n })
    expect(await held(person)).toBe(8n * bytesPerGb)
    await refund(invoice, 'unused')
    expect((await money(person)).micros).toBe(100_000_000n)
    expect(await held(person)).toBe(0n)
    await sound()
  })

  it('of a top-up returns what is unspent, never more than the balance holds', async () => {
    const person = await shop.customer()
    const number = await toppedUp(person, 100)
    await person.call('buy', order)
    await expect(refund(number, 65_010_000n)).rejects.toMatchObject({ code: 'invalid_refund_amount' })
    await refund(number, 5_000_000n)
    expect(await refund(number, 'all')).toMatchObject({ refundedMicros: 60_000_000n })
    expect((await money(person)).micros).toBe(0n)
    await expect(refund(number, 'all')).rejects.toMatchObject({ code: 'balance_spent' })
    expect((await invoiceOf(number)).state).toBe('partly_refunded')
    await sound()
  })

  it('of a top-up during a purchase: the money is used for one of them only', async () => {
    for (let time = 0; time < 4; time++) {
      const person = await shop.customer()
      const number = await toppedUp(person, 35)
      const [bought, returned] = await Promise.allSettled([person.call('buy', order), refund(number, 'all')])
      expect([bought.status, returned.status].toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await money(person)).toEqual({ micros: 0n, frozenMicros: 0n, owedMicros: 0n })
    }
    await sound()
  })
})

describe('a refund of a top-up that staff will send by hand', () => {
  const planned = (number: string, what: 'all' | bigint) =>
    planRefund(shop.database, { number, what }, shop.clock.now)

  it('reserves its money: nothing is bought from it meanwhile', async () => {
    const person = await shop.customer()
    const number = await toppedUp(person, 50)
    const { name } = await planned(number, 20_000_000n)
    expect(await refusalOf(person.call('buy', order))).toMatchObject({ code: 'insufficient_balance' })
    await sendPlanned(shop.database, { name, reference: 'sent' }, shop.clock.now)
    expect(await money(person)).toEqual({ micros: 30_000_000n, frozenMicros: 0n, owedMicros: 0n })
    await sound()
  })

  it('is planned once for the same money, by two at once too', async () => {
    const person = await shop.customer()
    const numbers = [await toppedUp(person, 35), await toppedUp(person, 35)]
    await person.call('buy', order)
    const ends = await Promise.allSettled(numbers.map((number) => planned(number, 35_000_000n)))
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await sound()
  })

  it('is booked once it was sent, although the balance was emptied meanwhile: the rest is owed', async () => {
    const person = await shop.customer()
    const number = await toppedUp(person, 35)
    const { name } = await planned(number, 35_000_000n)
    const some = { accountId: await idOf(person), micros: 5_000_000n, reference: randomUUID() }
    await transaction(shop.database.db, (tx) => takeOffBalance(tx, { ...some, kind: 'staff_taking' }))
    await sendPlanned(shop.database, { name, reference: 'sent' }, shop.clock.now)
    expect(await money(person)).toEqual({ micros: 0n, frozenMicros: 0n, owedMicros: 5_000_000n })
    await sound()
  })
})

describe('money that the processor takes back', () => {
  it('of two top-ups at once is withheld for both, from the traffic that it bought too', async () => {
    for (let time = 0; time < 4; time++) {
      const person = await shop.customer()
      const numbers = [await toppedUp(person, 35), await toppedUp(person, 35)]
      await person.call('buy', order)
      await Promise.all(
        numbers.map((number) => told(number, dispute('needs_response', 35_000_000n, randomUUID()))),
      )
      expect(await money(person)).toEqual({ micros: 0n, frozenMicros: 70_000_000n, owedMicros: 0n })
      expect(await held(person)).toBe(0n)
    }
    await sound()
  })

  it('stays decided on the invoice when an older answer arrives', async () => {
    const person = await shop.customer()
    const number = await toppedUp(person, 35)
    const id = randomUUID()
    await told(number, dispute('needs_response', 35_000_000n, id))
    await told(number, dispute('won', 35_000_000n, id))
    await told(number, dispute('under_review', 35_000_000n, id))
    expect((await invoiceOf(number)).dispute_state).toBe('won')
  })

  it('comes from the balance, then from unused traffic that it bought; the rest is owed and paid off first', async () => {
    const person = await shop.customer()
    const number = await toppedUp(person, 100)
    await person.call('buy', order)
    const refundId = randomUUID()
    const sent = {
      refundId,
      name: null,
      price: { currency: 'USD', micros: 100_000_000n },
      state: 'sent',
      madeAt: shop.clock.now,
      feeMicros: null,
    } as const
    expect(await told(number, { refunds: [sent] })).toBe('returned')
    expect(await money(person)).toEqual({ micros: 0n, frozenMicros: 0n, owedMicros: 0n })
    expect(await held(person)).toBe(0n)
    expect((await invoiceOf(number)).state).toBe('refunded')
    await sound()
  })

  it('is owed when the traffic is gone; the next top-up pays it off', async () => {
    const person = await shop.customer()
    const number = await toppedUp(person, 35)
    await person.call('buy', order)
    await useAll(await idOf(person))
    const id = randomUUID()
    expect(await told(number, dispute('needs_response', 35_000_000n, id))).toBe('returned')
    expect(await told(number, dispute('lost', 35_000_000n, id))).toBe('returned')
    expect(await money(person)).toEqual({ micros: 0n, frozenMicros: 0n, owedMicros: 35_000_000n })
    expect(await refusalOf(person.call('buy', order))).toMatchObject({ code: 'insufficient_balance' })
    await toppedUp(person, 50)
    expect(await money(person)).toEqual({ micros: 15_000_000n, frozenMicros: 0n, owedMicros: 0n })
    await sound()
  })

  it('is withheld while a dispute is open, and released when it is won', async () => {
    const person = await shop.customer()
    const number = await toppedUp(person, 100)
    await person.call('buy', order)
    const id = randomUUID()
    expect(await told(number, dispute('needs_response', 100_000_000n, id))).toBe('returned')
    expect(await money(person)).toEqual({ micros: 0n, frozenMicros: 100_000_000n, owedMicros: 0n })
    expect(await held(person)).toBe(0n)
    await sound()
    await told(number, dispute('won', 100_000_000n, id))
    expect(await money(person)).toEqual({ micros: 100_000_000n, frozenMicros: 0n, owedMicros: 0n })
    const { history } = await person.call('money_balance', {})
    expect(history.map(({ kind }) => kind)).toEqual([
      'released',
      'withheld',
      'purchase_refund',
      'purchase',
      'top_up',
    ])
    expect(history.every(({ invoice }) => invoice !== null)).toBe(true)
    await sound()
  })

  it('stays withheld for the payer when the dispute is lost, and can be refunded by the shop meanwhile', async () => {
    const person = await shop.customer()
    const number = await toppedUp(person, 100)
    const id = randomUUID()
    await told(number, dispute('needs_response', 100_000_000n, id))
    await refund(number, 40_000_000n)
    expect(await money(person)).toEqual({ micros: 0n, frozenMicros: 60_000_000n, owedMicros: 0n })
    await told(number, dispute('lost', 100_000_000n, id))
    expect(await money(person)).toEqual({ micros: 0n, frozenMicros: 0n, owedMicros: 0n })
    await sound()
  })
})

/** A gateway relays all traffic of a customer. */
async function useAll(accountId: bigint): Promise<void> {
  const { db } = shop.database
  const { id: access } = await db
    .selectFrom('access')
    .select('id')
    .where('account_id', '=', accountId)
    .where('pool', '=', 'residential')
    .executeTakeFirstOrThrow()
  const boot = newBoot(`gw${accountId}`)
  await sql`insert into gateway_boot (gateway, boot) values (${boot.gateway}, ${boot.boot})`.execute(db)
  for (;;) {
    const grant = await lease(db, boot, { access, want_bytes: 1_000_000_000_000n })
    if (grant.granted_bytes === 0n) return
    const used = line(grant.lease, access, grant.granted_bytes, { close: true })
    await settleTraffic(db, [boot.report([used], { at_ms: Date.now() })])
  }
}

describe('any order of top-ups, purchases, refunds, disputes and acts of staff', () => {
  const acts = fc.array(
    fc.record({
      act: fc.constantFrom('topUp', 'buy', 'buy', 'refund', 'dispute', 'end', 'give', 'take', 'both'),
      size: fc.integer({ min: 1, max: 40 }),
      isWon: fc.boolean(),
    }),
    { minLength: 8, maxLength: 14 },
  )

  it('keeps the balance above zero, equal to its entries, and never sells what was not paid', async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (plan) => {
        const person = await shop.customer()
        const id = await idOf(person)
        const open: { number: string; micros: bigint; id: string }[] = []
        const { db } = shop.database
        const numbers = async () =>
          db
            .selectFrom('invoice')
            .select(['number', 'pool', 'cost_micros'])
            .where('account_id', '=', id)
            .execute()
        for (const { act, size, isWon } of plan) {
          const all = await numbers()
          const one = all[size % Math.max(1, all.length)]
          const some = { accountId: id, micros: BigInt(size) * 1_000_000n, reference: randomUUID() }
          const wish = { amount: size, pool: 'residential' } as const
          if (act === 'topUp') await toppedUp(person, size + 5)
          if (act === 'buy') await person.call('buy', wish).catch(() => undefined)
          if (act === 'both' && one !== undefined)
            await Promise.allSettled([person.call('buy', wish), refund(one.number, 'all')])
          if (act === 'refund' && one !== undefined)
            await refund(one.number, isWon ? 'unused' : some.micros).catch(() => undefined)
          if (act === 'give') await transaction(db, (tx) => giveBalance(tx, { ...some, kind: 'staff_gift' }))
          if (act === 'take')
            await transaction(db, (tx) => takeOffBalance(tx, { ...some, kind: 'staff_taking' }))
          if (act === 'dispute' && one?.pool === 'balance') {
            const made = { number: one.number, micros: one.cost_micros, id: randomUUID() }
            open.push(made)
            await told(made.number, dispute('needs_response', made.micros, made.id))
          }
          const ending = act === 'end' ? open.shift() : undefined
          if (ending !== undefined)
            await told(ending.number, dispute(isWon ? 'won' : 'lost', ending.micros, ending.id))
        }
        const { micros } = await moneyOf(db, id)
        const history = await moneyHistory(db, id, { before: null, limit: 1000 })
        expect(history.reduce((sum, change) => sum + change.micros, 0n)).toBe(micros)
        await sound()
      }),
      { numRuns: sized(5, 60) },
    )
  })
})
