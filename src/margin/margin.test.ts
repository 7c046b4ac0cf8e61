import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { removeTier, setTier } from '#catalog'
import { addCost, decimalGb } from '#exits'
import type { Pool } from '#contract/wire'
import { addUpHours, settle } from '#traffic'
import { purchaseLots } from '#purchase'
import { accountIdOf, app, type App, type Customer, press } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { line, newBoot, wrongInBooks } from '#test/traffic'
import { sized } from '#test/size'
import {
  addMargin,
  countMargin,
  type DividedSum,
  marginBy,
  noteCustomerMargins,
  marginOf,
  marginOfHours,
  type MarginPart,
  noMargin,
  sumMargin,
} from './margin.ts'

const gb = 1_000_000_000n
const usd = 1_000_000n
const hourMs = 3_600_000
const dayMs = 24 * hourMs

let shop: App
let office: Desk
let owner: StaffMember
/** Exits that cost 1.00 and 2.00 USD per GB. */
let cheap: bigint
let dear: bigint
let midnight: number

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  midnight = Math.floor(shop.clock.now.getTime() / dayMs) * dayMs - 60 * dayMs
  office = await desk(shop)
  owner = await office.staff('owner')
  const { rows } = await shop.database.pool.query<{ id: bigint }>(
    `insert into exit (pool, name, kind, everywhere)
     values ('residential', 'cheap', 'direct', true), ('residential', 'dear', 'direct', true) returning id`,
  )
  ;[cheap = 0n, dear = 0n] = rows.map(({ id }) => id)
  const terms = {
    fromDay: '2020-01-01',
    monthMicros: 0n,
    gbBytes: decimalGb,
    rounding: 'none',
  } as const
  for (const [exit, price] of [[cheap, usd] as const, [dear, 2n * usd] as const])
    await addCost(shop.database.db, exit, { ...terms, perGbMicros: price }, shop.clock.now)
})
afterAll(async () => {
  expect(await wrongInBooks(shop.database.db)).toEqual([])
  await office.close()
  await shop.close()
})
/** Each test uses a separate day, later than the previous test's; its computation ends on the day after. */
beforeEach(() => void (midnight += 3 * dayMs))

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
const db = () => shop.database.db
const later = () => new Date(midnight + dayMs - 1)
const count = () => countMargin(db(), new Date(midnight + 25 * hourMs))
const ofDay = (by: 'day' | 'hour' = 'day') =>
  marginOf(db(), { from: dayOf(midnight), to: dayOf(midnight), by }, later())

interface Holder {
  customer: Customer
  accountId: bigint
  relay: (exit: bigint | null, hour: number, charged: bigint, relayed?: bigint) => Promise<void>
}

/** A customer; their traffic, at most their balance, is settled at once. */
async function holder(pool: Pool = 'residential'): Promise<Holder> {
  const customer = await shop.customer()
  const accountId = BigInt(await accountIdOf(customer))
  const boot = newBoot(`gw${accountId}`)
  return {
    customer,
    accountId,
    relay: async (exit, hour, charged, relayed = charged) => {
      // A lease of the whole balance, which several gateways would otherwise share.
      const { rows } = await shop.database.pool.query<{ access: bigint; lease: bigint; granted: bigint }>(
        `insert into lease (access_id, gateway, boot, granted_bytes)
         select m.access_id, $1, $2, least($3::bigint, (
           select sum(balance) from ledger_balance where account_id in (m.bonus_account, m.paid_account)))
         from meter m where m.account_id = $4 and m.pool = $5
         returning access_id as access, id as lease, granted_bytes as granted`,
        [boot.gateway, boot.boot, charged, accountId, pool],
      )
      const [held] = rows
      if (held === undefined) throw new Error('this customer has bought nothing')
      const through = exit === null ? {} : { exit, relayed_bytes: relayed }
      const at_ms = midnight + hour * hourMs + hourMs / 2
      await settle(db(), [
        boot.report([line(held.lease, held.access, held.granted, { ...through, close: true })], { at_ms }),
      ])
    },
  }
}
const gift = (who: Holder, bytes: bigint) =>
  owner.call('give_traffic', {
    id: String(who.accountId),
    pool: 'residential',
    bytes: String(bytes),
    reason: 'a gesture',
    key: crypto.randomUUID(),
  })

const sum = (parts: readonly MarginPart[], of: (part: MarginPart) => bigint) =>
  parts.reduce((all, part) => all + of(part), 0n)
const figures = (parts: readonly MarginPart[]) => ({
  charged: sum(parts, ({ chargedBytes }) => chargedBytes),
  bonus: sum(parts, ({ bonusBytes }) => bonusBytes),
  relayed: sum(parts, ({ relayedBytes }) => relayedBytes),
  earned: sum(parts, ({ earnedMicros }) => earnedMicros),
  cost: sum(parts, ({ costMicros }) => costMicros ?? 0n),
})
const through = (parts: readonly MarginPart[], exit: bigint) =>
  figures(parts.filter(({ exitId }) => exitId === exit))

const missing: DividedSum = { key: 'missing', count: 0n, ...noMargin }

const feePpm = (ppm: number) =>
  owner.call('set_fee_terms', {
    method: 'sandbox',
    percent_ppm: ppm,
    fixed_micros: '0',
    from: new Date(shop.clock.now.getTime() - hourMs).toISOString(),
    reason: 'by the contract',
  })

/** Makes the purchases and the traffic of the calculation by hand; returns the ids of A, B and C. */
async function byHand(): Promise<bigint[]> {
  await setTier(db(), { fromGb: 100, discountPpm: 100_000 })
  await feePpm(25_000)
  await owner.call('create_promo_codes', {
    codes: { kind: 'one', code: 'BYHAND' },
    grant: { kind: 'discount', discount_ppm: 200_000, min_gb: 1 },
    max_uses: null,
    expires_at: null,
    key: crypto.randomUUID(),
  })
  const a = await holder()
  const b = await holder()
  const c = await holder()
  await shop.database.pool.query('update account set invited_by = $1 where id = $2', [
    a.accountId,
    b.accountId,
  ])
  await shop.buy(b.customer, { pool: 'residential', gb: 10, promocode: 'BYHAND' })
  await shop.buy(c.customer, { pool: 'residential', gb: 100 })
  await gift(b, gb)
  const key = crypto.randomUUID()
  await owner.call('give_money', { id: String(a.accountId), micros: '700000', reason: 'a gesture', key })
  await a.customer.call('referral_payment', { pool: 'residential', amount: 1 })
  await b.relay(cheap, 19, gb)
  await b.relay(dear, 20, 2n * gb)
  await b.relay(cheap, 21, 3n * gb, (3n * gb) / 2n)
  await b.relay(dear, 21, 0n, gb / 4n)
  await c.relay(cheap, 21, 10n * gb)
  await a.relay(cheap, 22, gb)
  await feePpm(0)
  await removeTier(db(), 100)
  return [a.accountId, b.accountId, c.accountId]
}

/** The margin of the day by a dimension, its last hour included. */
const divided = async (by: 'customer' | 'tier' | 'promo') => {
  const rows = await marginBy(db(), by, { from: new Date(midnight), to: new Date(midnight + dayMs) }, later())
  return new Map(rows.map((row) => [row.key, row]))
}

describe('the margin of a day', () => {
  /*
   * By hand. Exits: cheap 1.00, dear 2.00 per GB. Price of residential 3.50 per GB.
   *
   * The processor keeps 2.5 %. A invited B (share 10 %).
   * B buys 10 GB with a code of 20 %: 28.00, fee 0.70, A's share 2.80. B was given 1 GB.
   * C buys 100 GB at the tier of 10 %: 315.00, fee 7.875; nobody invited C.
   * A was given 0.70, and buys 1 GB for 3.50 from the balance: of it the share paid 2.80.
   *
   * B  19:00 cheap  1 GB of the bonus                       earns 0       costs 1.00, of it bonus 1.00
   * B  20:00 dear   2 GB                                    earns 5.60    fee 0.14  share 0.56  costs 4.00
   * B  21:00 cheap  1.5 GB at the double tariff: 3 GB       earns 8.40    fee 0.21  share 0.84  costs 1.50
   * B  21:00 dear   0.25 GB of a failed attempt             earns 0       costs 0.50, of it forgiven 0.50
   * C  21:00 cheap  10 GB                                   earns 31.50   fee 0.7875      costs 10.00
   * A  22:00 cheap  1 GB                                    earns 2.80    costs 1.00
   *
   * B: revenue 14.00 − fee 0.35 − share 1.40 − cost 7.00 (free 1.50) = 5.25
   * C: 31.50 − 0.7875 − 10.00 = 20.7125.   A: 2.80 − 1.00 = 1.80.
   */
  it('is exact by customer, tier and code, with fee and share, as calculated by hand', async () => {
    const [a, b, c] = await byHand()
    const of = ({ key: _key, count: _count, ...sums }: DividedSum) => sums
    for (const prepare of [async () => undefined, count, count]) {
      await prepare()
      const customers = await divided('customer')
      expect([...customers.keys()].toSorted()).toEqual([a, b, c].map((who) => String(who)).toSorted())
      expect(of(customers.get(String(b)) ?? missing)).toEqual({
        chargedBytes: 6n * gb,
        bonusBytes: gb,
        relayedBytes: (19n * gb) / 4n,
        revenueMicros: 14_000_000n,
        feeMicros: 350_000n,
        shareMicros: 1_400_000n,
        earnedMicros: 12_250_000n,
        costMicros: 7_000_000n,
        freeCostMicros: 1_500_000n,
        marginMicros: 5_250_000n,
        uncostedBytes: 0n,
      })
      expect(customers.get(String(c))).toMatchObject({
        revenueMicros: 31_500_000n,
        feeMicros: 787_500n,
        marginMicros: 20_712_500n,
      })
      expect(customers.get(String(a))).toMatchObject({ revenueMicros: 2_800_000n, marginMicros: 1_800_000n })
      // The list of customers is ordered by the same figures.
      await noteCustomerMargins(db(), later())
      const noted = await db().selectFrom('account_margin').selectAll().execute()
      const notedOf = new Map(noted.map((row) => [String(row.account_id), row.micros]))
      for (const [id, { marginMicros }] of customers) expect(notedOf.get(id)).toBe(marginMicros)
      const tiers = await divided('tier')
      // Tier 0: what A and B bought. Tier 10 %: what C bought. No tier: bonus and forgiven traffic.
      expect(tiers.get('0')).toMatchObject({
        revenueMicros: 16_800_000n,
        costMicros: 6_500_000n,
        freeCostMicros: 0n,
      })
      expect(tiers.get('100000')).toMatchObject({ marginMicros: 20_712_500n })
      expect(tiers.get('')).toMatchObject({
        revenueMicros: 0n,
        costMicros: 1_500_000n,
        freeCostMicros: 1_500_000n,
      })
      const codes = await divided('promo')
      expect(codes.get('BYHAND')).toMatchObject({ marginMicros: 6_750_000n, revenueMicros: 14_000_000n })
      expect(codes.get('(none)')).toMatchObject({ marginMicros: 22_512_500n })
      expect(codes.get('')).toMatchObject({ marginMicros: -1_500_000n })
    }
  })

  it('is the revenue of used traffic less the cost of its exits, to the cent', async () => {
    const who = await holder()
    // 10 GB at 3.50: 35.00.
    await shop.buy(who.customer, { pool: 'residential', gb: 10 })
    await gift(who, gb)
    // Bonus is used first: 1 GB of it earns nothing and costs 1.00.
    await who.relay(cheap, 19, gb)
    // 2 GB by the dear exit: earns 7.00, costs 4.00.
    await who.relay(dear, 20, 2n * gb)
    // 1.5 GB at the double tariff: 3 GB charged earn 10.50; what the seller counts is 1.5 GB, 1.50.
    await who.relay(cheap, 21, 3n * gb, (3n * gb) / 2n)
    // An exit took 0.25 GB and failed: nothing is charged, and the dear one costs 0.50.
    await who.relay(dear, 21, 0n, gb / 4n)
    const expected = {
      [String(cheap)]: {
        charged: 4n * gb,
        bonus: gb,
        relayed: (5n * gb) / 2n,
        earned: 10_500_000n,
        cost: 2_500_000n,
      },
      [String(dear)]: {
        charged: 2n * gb,
        bonus: 0n,
        relayed: (9n * gb) / 4n,
        earned: 7_000_000n,
        cost: 4_500_000n,
      },
    }
    // The result is the same before the computation, after it, and after a repetition.
    for (const prepare of [async () => undefined, count, count]) {
      await prepare()
      const parts = await ofDay()
      for (const exit of [cheap, dear]) expect(through(parts, exit)).toEqual(expected[String(exit)])
      const hours = await ofDay('hour')
      expect(figures(hours)).toEqual(figures(parts))
      expect(
        through(
          hours.filter(({ hour }) => hour === 21),
          dear,
        ),
      ).toMatchObject({ earned: 0n, cost: 500_000n })
    }
  })

  it('counts traffic of a referral balance as earning nothing, and refunds against what was earned', async () => {
    const who = await holder()
    await owner.call('give_money', {
      id: String(who.accountId),
      micros: String(7n * usd),
      reason: 'a gesture',
      key: crypto.randomUUID(),
    })
    await who.customer.call('referral_payment', { pool: 'residential', amount: 2 })
    await who.relay(cheap, 1, 2n * gb)
    const number = await shop.buy(who.customer, { pool: 'residential', gb: 2 })
    await who.relay(cheap, 4, gb)
    await count()
    expect(figures(await ofDay())).toMatchObject({ earned: 3_500_000n, cost: 3_000_000n })
    await owner.call('refund_invoice', {
      key: randomUUID(),
      number,
      what: { kind: 'whole' },
      reason: 'asked for it',
    })
    await count()
    expect(
      figures(
        await marginOf(
          db(),
          { from: dayOf(midnight), to: dayOf(midnight + dayMs) },
          new Date(midnight + 25 * hourMs),
        ),
      ),
    ).toMatchObject({
      earned: 0n,
      cost: 3_000_000n,
    })
  })

  it('includes reports that arrived days later, once', async () => {
    const who = await holder()
    await shop.buy(who.customer, { pool: 'residential', gb: 3 })
    await who.relay(cheap, 1, gb)
    await count()
    await addUpHours(db())
    await who.relay(cheap, 1, gb)
    // So late that no run checks this hour by default.
    const muchLater = new Date(midnight + 20 * dayMs)
    for (let times = 0; times < 2; times++) {
      await countMargin(db(), muchLater)
      expect(figures(await ofDay())).toMatchObject({ charged: 2n * gb, earned: 7_000_000n, cost: 2_000_000n })
    }
  })

  it('includes the first report of an hour, however late it arrived', async () => {
    const who = await holder()
    await shop.buy(who.customer, { pool: 'residential', gb: 3 })
    await countMargin(db(), new Date(midnight + 10 * dayMs))
    await who.relay(dear, 5, gb)
    await addUpHours(db())
    await countMargin(db(), new Date(midnight + 10 * dayMs))
    expect(figures(await ofDay())).toMatchObject({ charged: gb, earned: 3_500_000n, cost: 2_000_000n })
  })

  it('is unknown for an exit without a cost, and distributes a monthly cost over the hours', async () => {
    const who = await holder('mobile')
    const { rows } = await shop.database.pool.query<{ id: bigint }>(
      `insert into exit (pool, name, kind, everywhere) values ('mobile', 'flat', 'direct', true) returning id`,
    )
    const flat = rows[0]?.id ?? 0n
    await shop.buy(who.customer, { pool: 'mobile', gb: 1 })
    await who.relay(flat, 1, gb)
    await count()
    const isFlat = ({ exitId }: MarginPart) => exitId === flat
    expect((await ofDay()).filter(isFlat)).toMatchObject([{ costMicros: null, earnedMicros: 7_900_000n }])
    expect((await divided('customer')).get(String(who.accountId))).toMatchObject({
      revenueMicros: 7_900_000n,
      costMicros: 0n,
      marginMicros: 0n,
      uncostedBytes: gb,
    })
    const days = new Date(
      Date.UTC(new Date(midnight).getUTCFullYear(), new Date(midnight).getUTCMonth() + 1, 0),
    ).getUTCDate()
    const terms = {
      fromDay: '2020-01-01',
      perGbMicros: 0n,
      gbBytes: decimalGb,
      rounding: 'none',
    } as const
    await addCost(db(), flat, { ...terms, monthMicros: BigInt(days) * usd }, shop.clock.now)
    expect((await ofDay()).filter(isFlat)).toMatchObject([{ costMicros: usd }])
    const atSix = await marginOf(
      db(),
      { from: dayOf(midnight), to: dayOf(midnight) },
      new Date(midnight + 6 * hourMs - 1),
    )
    expect(atSix.filter(isFlat)).toMatchObject([{ costMicros: usd / 4n }])
  })
})

/**
 * Each dimension adds up to the total in every figure, and its purchases to their revenue.
 */
async function expectDivisionsAddUp() {
  const span = { from: new Date(midnight), to: new Date(midnight + 2 * dayMs) }
  const now = new Date(midnight + 25 * hourMs)
  const whole = sumMargin(await marginOfHours(db(), span, now), () => '').get('') ?? noMargin
  for (const by of ['customer', 'tier', 'promo'] as const) {
    const rows = await marginBy(db(), by, span, now)
    expect(
      rows.reduce((all, row) => addMargin(all, row), noMargin),
      by,
    ).toEqual(whole)
    // Every byte and every micro-USD of revenue belongs to a customer; only the monthly cost of an idle exit
    // is unassigned.
    const rest = rows.find(({ key }) => key === '') ?? noMargin
    if (by === 'customer')
      expect(rest).toMatchObject({ ...noMargin, costMicros: rest.costMicros, marginMicros: -rest.costMicros })
    const { rows: parts } = await shop.database.pool.query<{ revenue: bigint; fee: bigint; share: bigint }>(
      `select coalesce(sum(revenue_micros), 0)::bigint as revenue, coalesce(sum(fee_micros), 0)::bigint as fee,
        coalesce(sum(share_micros), 0)::bigint as share from margin_part where hour >= $1 and hour < $2`,
      [span.from, span.to],
    )
    expect(parts[0]).toEqual({ revenue: whole.revenueMicros, fee: whole.feeMicros, share: whole.shareMicros })
  }
}

/** All sales less all refunds, as the ledger has them. */
async function salesOfLedger(): Promise<bigint> {
  const { rows } = await shop.database.pool.query<{ sum: bigint }>(
    `select coalesce(-sum(e.amount), 0)::bigint as sum from ledger_entry e join ledger_account a on a.id = e.account_id
     where a.customer_id is null and a.kind = 'sales'`,
  )
  return rows[0]?.sum ?? 0n
}

it('the margin equals the money of purchases less the paid and unused part, for any sequence of events', async () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constant('buy' as const), gb: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant('gift' as const), bytes: fc.bigInt(1n, gb) }),
    fc.record({
      kind: fc.constant('relay' as const),
      exit: fc.constantFrom(0, 1, 2),
      hour: fc.integer({ min: 0, max: 10 }),
      bytes: fc.bigInt(0n, 2n * gb + 7n),
    }),
    fc.record({
      kind: fc.constant('refund' as const),
      what: fc.constantFrom('whole' as const, 'unused' as const),
    }),
    fc.record({ kind: fc.constant('count' as const) }),
  )
  const inviter = await holder()
  await feePpm(31_415)
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 14 }), async (acts) => {
      const soldBefore = await salesOfLedger()
      const who = await holder()
      await shop.database.pool.query('update account set invited_by = $1 where id = $2', [
        inviter.accountId,
        who.accountId,
      ])
      const numbers: string[] = []
      numbers.push(await shop.buy(who.customer, { pool: 'residential', gb: 2 }))
      for (const one of acts) {
        if (one.kind === 'buy')
          numbers.push(await shop.buy(who.customer, { pool: 'residential', gb: one.gb }))
        if (one.kind === 'gift') await gift(who, one.bytes)
        if (one.kind === 'count') await count()
        if (one.kind === 'relay') await who.relay([cheap, dear, null][one.exit] ?? null, one.hour, one.bytes)
        const number = one.kind === 'refund' ? numbers.shift() : undefined
        if (one.kind === 'refund' && number !== undefined)
          await owner
            .call('refund_invoice', {
              key: randomUUID(),
              number,
              what: { kind: one.what },
              reason: 'asked for it',
            })
            // A purchase that is used up cannot be refunded.
            .catch((error: unknown) => {
              if ((error as { code?: string }).code !== 'nothing_unused') throw error
            })
      }
      await count()
      const { rows } = await shop.database.pool.query<{
        bought: bigint
        money: bigint
        held: bigint
      }>(
        `select sum(credited_bytes - taken_back_bytes)::bigint as bought, sum(received_micros - refunded_micros)::bigint as money,
          (select b.balance from ledger_balance b join ledger_account a on a.id = b.account_id
           where a.customer_id = $1 and a.kind = 'traffic_paid' and a.pool = 'residential') as held
         from invoice where account_id = $1 and settled_at is not null`,
        [who.accountId],
      )
      const { rows: positions } = await shop.database.pool.query<{ used: bigint; earned: bigint }>(
        `select coalesce(sum(used_bytes), 0)::bigint as used, coalesce(sum(revenue_micros), 0)::bigint as earned from margin_lot where account_id = $1`,
        [who.accountId],
      )
      const { bought = 0n, money = 0n, held = 0n } = rows[0] ?? {}
      const { used = 0n, earned = 0n } = positions[0] ?? {}
      // By the ledger, traffic bought less traffic held was used; and the money of the invoices matches the
      // ledger.
      expect(used).toBe(bought - held)
      expect(money).toBe((await salesOfLedger()) - soldBefore)
      expect(earned).toBeLessThanOrEqual(money)
      if (held === 0n) expect(earned).toBe(money)
      await expectDivisionsAddUp()
    }),
    { numRuns: sized(4, 8), endOnFailure: true },
  )
  const counted = await shop.database.pool.query<{ sum: bigint }>(
    'select sum(revenue_micros)::bigint as sum from margin_hour',
  )
  const positions = await shop.database.pool.query<{ sum: bigint }>(
    'select sum(revenue_micros)::bigint as sum from margin_lot',
  )
  expect(counted.rows[0]?.sum).toBe(positions.rows[0]?.sum)
})

describe('the books below the report', () => {
  const books = async () => {
    const day = dayOf(midnight)
    const { foot, agrees } = await owner.call('margin_report', { by: 'tier', from: day, until: day })
    const row = (key: string) => foot.find((one) => one.key === key)
    return { agrees, foot, row }
  }

  it('match the ledger, with share debts, gifts of money and test purchases', async () => {
    const [inviter, guest] = [await holder(), await holder()]
    await shop.database.pool.query('update account set invited_by = $1 where id = $2', [
      inviter.accountId,
      guest.accountId,
    ])
    // A share of 7.00, which is spent on 2 GB; then the purchase is returned, and 7.00 are owed.
    const number = await shop.buy(guest.customer, { pool: 'residential', gb: 20 })
    await inviter.customer.call('referral_payment', { pool: 'residential', amount: 2 })
    await inviter.relay(cheap, 3, gb)
    await count()
    expect((await books()).agrees).toBe('equal')
    await owner.call('refund_invoice', {
      key: randomUUID(),
      number,
      what: { kind: 'whole' },
      reason: 'asked for it',
    })
    expect((await books()).agrees).toBe('equal')
    // A gift of 9.00 pays the debt, and the rest of it pays for an order.
    const give = { id: String(inviter.accountId), reason: 'a gesture' }
    await owner.call('give_money', { ...give, micros: '9000000', key: crypto.randomUUID() })
    await owner.call('take_money', { ...give, micros: '500000', key: crypto.randomUUID() })
    await owner.call('give_money', { ...give, micros: '2000000', key: crypto.randomUUID() })
    const test = { method: 'sandbox', reason: 'a test', key: crypto.randomUUID() }
    const tested = await owner.call('test_purchase', test)
    await press(shop.origin, tested.number, 'paid')
    await inviter.customer.call('referral_payment', { pool: 'residential', amount: 1 })
    await countMargin(db(), new Date(midnight + 26 * hourMs))
    const { agrees, row } = await books()
    expect(agrees).toBe('equal')
    expect(row('ledger')?.name).toBe('equal to the sum of the three')
    expect(row('difference')).toBeUndefined()
  })

  it('report the amount of a difference', async () => {
    await shop.database.pool.query(
      `update margin_hour set fee_micros = fee_micros + 1 where (hour, pool, exit_id) = (
         select hour, pool, exit_id from margin_hour limit 1)`,
    )
    const { agrees, row } = await books()
    expect(agrees).toBe('differs')
    expect(row('difference')).toMatchObject({ revenue_micros: '0', fee_micros: '-1', share_micros: '0' })
  })
})

it('the books exclude test purchases from revenue', async () => {
  const tested = await owner.call('test_purchase', {
    method: 'sandbox',
    reason: 'a test',
    key: crypto.randomUUID(),
  })
  await press(shop.origin, tested.number, 'paid')
  const { rows } = await shop.database.pool.query<{ id: bigint; pool: string; bytes: bigint }>(
    `select account_id as id, pool, credited_bytes as bytes from invoice where number = $1`,
    [tested.number],
  )
  const [bought] = rows
  expect(bought?.bytes).toBe(gb)
  const lots = await purchaseLots(db(), [{ accountId: bought?.id ?? 0n, pool: bought?.pool ?? '' }])
  expect(lots).toEqual([])
})
