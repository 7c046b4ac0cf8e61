import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CallError, createClient } from '#contract/client'
import { exchangedBytes } from '#contract/moves/rules'
import type { Pool } from '#contract/wire'
import { transaction } from '#db'
import { verifyLedger } from '#ledger'
import { balancesOf, lease } from '#traffic'
import { accountIdOf, app, type App, type Customer } from '#test/app'
import { newBoot } from '#test/traffic'
import { applyDisputes } from '../disputes.ts'
import { findInvoice } from '../invoices/invoice.ts'
import { refundInvoice } from '../refund.ts'
import { disputedGifts } from '../lots/gifts.ts'
import { evened, paidPerGb, purchaseLots } from '../lots/purchase.lots.ts'
import { partsOf, type Source } from '../lots/moved.sources.ts'

const gb = 1_000_000_000n
const sum = (
  of: readonly Pick<Source, 'bytes' | 'micros' | 'paidMicros'>[],
  what: 'bytes' | 'micros' | 'paidMicros',
) => of.reduce((all, one) => all + one[what], 0n)

const source = fc.record<Source>({
  invoiceId: fc.bigInt(1n, 9n),
  moveId: fc.constant(null),
  bytes: fc.bigInt(-(10n ** 12n), 10n ** 15n),
  micros: fc.bigInt(-(10n ** 9n), 10n ** 13n),
  feeMicros: fc.bigInt(0n, 10n ** 9n),
  shareMicros: fc.bigInt(0n, 10n ** 9n),
  paidMicros: fc.bigInt(-(10n ** 9n), 10n ** 13n),
})

describe('what was paid for moved traffic', () => {
  it('is neither lost nor made', () => {
    fc.assert(
      fc.property(fc.array(source, { maxLength: 8 }), fc.bigInt(1n, 10n ** 16n), (sources, bytes) => {
        const even = evened(sources)
        expect(even.every((one) => one.bytes >= 0n)).toBe(true)
        expect(sum(even, 'micros')).toBe(sum(sources, 'micros'))
        const all = sum(sources, 'bytes')
        expect(sum(even, 'bytes')).toBe(all < 0n ? 0n : all)
        const parts = partsOf(even, bytes)
        const held = sum(even, 'bytes')
        expect(sum(parts, 'bytes')).toBe(bytes < held ? bytes : held)
        for (const part of parts) expect(part.bytes).toBeGreaterThan(0n)
        // All of the bytes take all of their money with them.
        if (bytes >= held)
          expect(sum(parts, 'micros')).toBe(
            sum(
              even.filter((one) => one.bytes > 0n),
              'micros',
            ),
          )
      }),
    )
  })

  it('is worth no more than the list price, and no more than what was paid', () => {
    const price = fc.bigInt(1n, 10n ** 9n)
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 17n),
        price,
        price,
        fc.bigInt(0n, 10n ** 16n),
        (bytes, fromMicros, toMicros, paidMicros) => {
          const got = exchangedBytes(bytes, { fromMicros, toMicros, paidMicros })
          const worth = [bytes * fromMicros, paidMicros * gb]
          expect(worth.every((each) => got * toMicros <= each)).toBe(true)
          expect(worth.some((each) => (got + 1n) * toMicros > each)).toBe(true)
        },
      ),
    )
  })

  it('never grows by a chain of exchanges, whatever was paid for each part', () => {
    const pools = ['a', 'b', 'c'] as const
    const lot = fc.record({ bytes: fc.bigInt(1n, 10n ** 13n), micros: fc.bigInt(0n, 10n ** 11n) })
    const step = fc.record({
      from: fc.constantFrom(...pools),
      to: fc.constantFrom(...pools),
      share: fc.bigInt(1n, 100n),
    })
    const prices = fc.record({
      a: fc.bigInt(1n, 10n ** 8n),
      b: fc.bigInt(1n, 10n ** 8n),
      c: fc.bigInt(1n, 10n ** 8n),
    })
    fc.assert(
      fc.property(
        fc.array(lot, { minLength: 1, maxLength: 4 }),
        fc.array(step, { maxLength: 12 }),
        prices,
        (bought, steps, priceOf) => {
          const held: Record<(typeof pools)[number], Source[]> = { a: [], b: [], c: [] }
          held.a = bought.map(({ bytes, micros }, n) => ({
            invoiceId: BigInt(n),
            moveId: null,
            bytes,
            micros,
            feeMicros: 0n,
            shareMicros: 0n,
            paidMicros: micros,
          }))
          const listed = () => pools.reduce((all, pool) => all + sum(held[pool], 'bytes') * priceOf[pool], 0n)
          const paid = () => pools.reduce((all, pool) => all + sum(held[pool], 'paidMicros'), 0n)
          const [listedFirst, paidFirst] = [listed(), paid()]
          for (const { from, to, share } of steps) {
            const bytes = (sum(held[from], 'bytes') * share) / 100n
            if (from === to || bytes === 0n) continue
            const parts = partsOf(held[from], bytes)
            const paidMicros = sum(parts, 'paidMicros')
            const got = exchangedBytes(bytes, {
              fromMicros: priceOf[from],
              toMicros: priceOf[to],
              paidMicros,
            })
            if (got === 0n) continue
            held[from] = held[from].map((source) => {
              const gone = parts.filter(({ invoiceId }) => invoiceId === source.invoiceId)
              return {
                ...source,
                bytes: source.bytes - sum(gone, 'bytes'),
                micros: source.micros - sum(gone, 'micros'),
                paidMicros: source.paidMicros - sum(gone, 'paidMicros'),
              }
            })
            const invoiceId = BigInt(held.a.length + held.b.length + held.c.length)
            held[to] = [
              ...held[to],
              { invoiceId, moveId: null, bytes: got, micros: 0n, feeMicros: 0n, shareMicros: 0n, paidMicros },
            ]
            // The traffic received is worth no more than was paid for it, and all traffic together no more
            // than before.
            expect(got * priceOf[to]).toBeLessThanOrEqual(paidMicros * gb)
            expect(listed()).toBeLessThanOrEqual(listedFirst)
            expect(paid()).toBe(paidFirst)
          }
        },
      ),
    )
  })
})

describe('gigabytes', () => {
  let shop: App
  beforeAll(async () => {
    shop = await app()
  })
  afterAll(() => shop.close())

  /** A customer whose account is ten days old, with this many GB and a fresh proof of its owner. */
  async function owner(buys: number): Promise<Customer & { id: bigint }> {
    const customer = await shop.customer()
    if (buys > 0) await shop.buy(customer, { pool: 'residential', gb: buys })
    const id = BigInt(await accountIdOf(customer))
    await sql`update account set created_at = now() - interval '10 days' where id = ${id}`.execute(
      shop.database.db,
    )
    await knownFor(id, 10)
    return { ...customer, id }
  }
  /** The account was signed in to from its device and country so many days ago. */
  const knownFor = (id: bigint, days: number) =>
    sql`update account_device set first_at = now() - make_interval(days => ${days}) where account_id = ${id}`.execute(
      shop.database.db,
    )
  const held = async ({ id }: { id: bigint }, pool = 'residential') =>
    (await balancesOf(shop.database.db, id)).get(pool)?.paid ?? 0n
  const lotsOf = ({ id }: { id: bigint }, pool = 'residential') =>
    purchaseLots(shop.database.db, [{ accountId: id, pool }])
  const give = (from: Customer, to: Customer, megabytes: number) =>
    from.call('give_traffic', { pool: 'residential', megabytes, to: to.username })
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error: unknown) => (error instanceof CallError ? error.code : String(error)),
    )

  it('are given with the money paid for them, and both customers are notified', async () => {
    const [from, to] = [await owner(10), await owner(0)]
    const [before] = await lotsOf(from)
    const { rows } = await give(from, to, 2500)
    expect(rows).toMatchObject([{ kind: 'given', who: to.username, bytes: '2500000000' }])
    expect([await held(from), await held(to)]).toEqual([7_500_000_000n, 2_500_000_000n])
    const all = [...(await lotsOf(from)), ...(await lotsOf(to))]
    expect(all.map(({ bytes }) => bytes)).toEqual([7_500_000_000n, 2_500_000_000n])
    expect(sum(all, 'micros')).toBe(before?.micros)
    const letters = await sql<{ event: string }>`
      select data ->> 'event' as event from mail where template = 'traffic_moved' and recipient = any(${[from.email, to.email]})
`.execute(shop.database.db)
    expect(letters.rows.map(({ event }) => event).toSorted()).toEqual(['given', 'received'])
    expect(await codeOf(give(to, from, 100))).toBe('gift_not_yet')
    expect((await verifyLedger(shop.database.db)).length).toBe(0)
  })

  it('cannot be given twice, by any number of calls at once', async () => {
    const [from, to] = [await owner(1), await owner(0)]
    const codes = await Promise.all(Array.from({ length: 4 }, () => codeOf(give(from, to, 600))))
    expect(codes.toSorted()).toEqual(['done', 'move_not_covered', 'move_not_covered', 'move_not_covered'])
    expect([await held(from), await held(to)]).toEqual([400_000_000n, 600_000_000n])
  })

  it('go both ways at once without a deadlock, and none is lost', async () => {
    const [one, two] = [await owner(5), await owner(5)]
    const codes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => codeOf(n % 2 === 0 ? give(one, two, 1000) : give(two, one, 700))),
    )
    expect(new Set(codes)).toEqual(new Set(['done']))
    expect([await held(one), await held(two)]).toEqual([3_800_000_000n, 6_200_000_000n])
    const lots = [...(await lotsOf(one)), ...(await lotsOf(two))]
    expect(sum(lots, 'bytes')).toBe(10n * gb)
    const { rows } = await sql<{ micros: bigint }>`
      select sum(received_micros)::bigint as micros from invoice where account_id in (${one.id}, ${two.id})`.execute(
      shop.database.db,
    )
    expect(sum(lots, 'micros')).toBe(rows[0]?.micros)
  })

  it('on lease are not moved', async () => {
    const [from, to] = [await owner(1), await owner(0)]
    const { rows } = await sql<{ id: bigint }>`
      select id from access where account_id = ${from.id}`.execute(shop.database.db)
    const grant = await lease(shop.database.db, newBoot(), {
      access: rows[0]?.id ?? 0n,
      want_bytes: 500_000_000n,
    })
    expect(grant.granted_bytes).toBeGreaterThan(0n)
    expect(await codeOf(give(from, to, 1000))).toBe('move_not_covered')
  })

  it('wait after a change of the password, and need the owner', async () => {
    const [from, to] = [await owner(1), await owner(0)]
    await from.call('change_account_password', {
      old_password: from.password,
      new_password: 'another long password of it',
    } as never)
    expect(await codeOf(give(from, to, 100))).toBe('gift_on_hold')
    shop.clock.now = new Date(shop.clock.now.getTime() + 73 * 3_600_000)
    expect(await codeOf(give(from, to, 100))).toBe('proof_needed')
    shop.clock.now = new Date()
  })

  it('of another customer are not found by any call', async () => {
    const [from, to] = [await owner(1), await owner(0)]
    const named = (name: string) =>
      codeOf(from.call('give_traffic', { pool: 'residential', megabytes: 100, to: name }))
    const codes = await Promise.all([
      named('nobody at all'),
      named(to.email),
      named(from.username),
      named(''),
    ])
    // An address that nobody has confirmed may be a stranger's.
    expect(new Set(codes)).toEqual(new Set(['receiver_not_found']))
    await sql`update account set blocked_at = now() where id = ${to.id}`.execute(shop.database.db)
    expect(await codeOf(give(from, to, 100))).toBe('receiver_not_found')
  })

  it('that were given away are not returned by a refund, and the margin adds up', async () => {
    const [from, to] = [await owner(0), await owner(0)]
    const number = await shop.buy(from, { pool: 'residential', gb: 4 })
    await give(from, to, 3000)
    const refund = await refundInvoice(shop.database, { number, what: 'unused' }, shop.clock.now)
    expect(refund.takenBackBytes).toBe(gb)
    expect(refund.refundedMicros * 4n).toBe(14_000_000n)
    expect([await held(from), await held(to)]).toEqual([0n, 3n * gb])
    const lots = [...(await lotsOf(from)), ...(await lotsOf(to))]
    expect(sum(lots, 'micros')).toBe(14_000_000n - refund.refundedMicros)
    expect(sum(lots, 'bytes')).toBe(3n * gb)
  })

  describe('that were exchanged', () => {
    const exchange = async (of: Customer, pool: Pool, toPool: Pool, megabytes: number) => {
      const wish = { pool, to_pool: toPool, megabytes }
      const { to_bytes } = await of.call('quote_exchange', wish)
      await of.call('exchange_traffic', { ...wish, to_bytes })
      return BigInt(to_bytes)
    }
    const refund = (number: string, what: 'all' | 'unused' | bigint = 'all') =>
      refundInvoice(shop.database, { number, what }, shop.clock.now)
    const pools = ['residential', 'mobile', 'datacenter'] as const
    const allLots = async (of: { id: bigint }) =>
      (await Promise.all(pools.map((pool) => lotsOf(of, pool)))).flat()

    it('are taken back by a refund from the pool where they are', async () => {
      const from = await owner(0)
      const number = await shop.buy(from, { pool: 'residential', gb: 10 })
      const mobile = await exchange(from, 'residential', 'mobile', 10_000)
      const made = await refund(number, 'unused')
      expect(made).toMatchObject({ refundedMicros: 35_000_000n, takenBackBytes: 10n * gb, givenBytes: 0n })
      expect([...made.byPool]).toEqual([['mobile', mobile]])
      expect([await held(from), await held(from, 'mobile')]).toEqual([0n, 0n])
      expect(sum(await allLots(from), 'micros')).toBe(0n)
      expect((await verifyLedger(shop.database.db)).length).toBe(0)
    })

    it('in a chain are taken in proportion, and those given away are reported as a loss', async () => {
      const [from, to] = [await owner(0), await owner(0)]
      await shop.buy(from, { pool: 'residential', gb: 5 })
      const number = await shop.buy(from, { pool: 'residential', gb: 10 })
      const mobile = await exchange(from, 'residential', 'mobile', 10_000)
      const datacenter = await exchange(from, 'mobile', 'datacenter', 4000)
      await sql`update session set proved_at = ${shop.clock.now}`.execute(shop.database.db)
      const inMobile = mobile - 4n * gb
      await from.call('give_traffic', {
        pool: 'mobile',
        megabytes: Number(inMobile / 1_000_000n),
        to: to.username,
      })
      const made = await refund(number)
      const given = (inMobile / 1_000_000n) * 1_000_000n
      // Rounded down to whole bytes at each exchange.
      expect(10n * gb - made.takenBackBytes - (given * 10n * gb) / mobile).toBeLessThan(5n)
      expect(made.givenBytes).toBe((given * 10n * gb) / mobile)
      expect(made.byPool.get('datacenter')).toBe(datacenter)
      expect([await held(from), await held(from, 'datacenter'), await held(to, 'mobile')]).toEqual([
        5n * gb,
        0n,
        given,
      ])
      const lots = [...(await allLots(from)), ...(await allLots(to))]
      expect(sum(lots, 'micros')).toBe(17_500_000n)
      expect((await verifyLedger(shop.database.db)).length).toBe(0)
    })

    it('are withheld by a dispute and taken when it is lost; later purchases are not', async () => {
      const from = await owner(0)
      const number = await shop.buy(from, { pool: 'residential', gb: 10 })
      const mobile = await exchange(from, 'residential', 'mobile', 10_000)
      const invoice = await findInvoice(shop.database.db, number)
      if (invoice === null) throw new Error('there is no invoice')
      const dispute = (state: 'needs_response' | 'lost') =>
        transaction(shop.database.db, (tx) =>
          applyDisputes(
            tx,
            invoice.id,
            [
              {
                disputeId: `dispute-${number}`,
                price: invoice.price,
                state,
                openedAt: shop.clock.now,
                respondBy: null,
                isWithdrawn: false,
                feeMicros: 0n,
              },
            ],
            { takesBack: true },
            shop.clock.now,
          ),
        )
      expect(await dispute('needs_response')).toBe(1)
      expect([await held(from), await held(from, 'mobile')]).toEqual([0n, 0n])
      const later = await shop.buy(from, { pool: 'residential', gb: 4 })
      await dispute('lost')
      expect(await findInvoice(shop.database.db, number)).toMatchObject({
        refundedMicros: 35_000_000n,
        takenBackBytes: 10n * gb,
      })
      expect(await held(from)).toBe(4n * gb)
      expect((await refund(later, 'unused')).refundedMicros).toBe(14_000_000n)
      expect(mobile).toBeGreaterThan(0n)
      expect((await verifyLedger(shop.database.db)).length).toBe(0)
    })
  })

  describe('given away before the payment is disputed', () => {
    async function disputed() {
      const [from, same, other] = [await owner(0), await owner(0), await owner(0)]
      const number = await shop.buy(from, { pool: 'residential', gb: 10 })
      // One browser at one address; the other one was never there.
      await sql`update session set ip = '203.0.113.77', user_agent = 'a browser'
        where account_id in (${from.id}, ${same.id})`.execute(shop.database.db)
      for (const to of [same, other]) await give(from, to, 3000)
      const invoice = await findInvoice(shop.database.db, number)
      if (invoice === null) throw new Error('there is no invoice')
      const told = { disputeId: `gifts-${number}`, price: invoice.price, openedAt: shop.clock.now }
      const dispute = (state: 'needs_response' | 'won' | 'lost') =>
        transaction(shop.database.db, (tx) =>
          applyDisputes(
            tx,
            invoice.id,
            [{ ...told, state, respondBy: null, feeMicros: 0n, isWithdrawn: false }],
            { takesBack: true },
            shop.clock.now,
          ),
        )
      const gifts = () => disputedGifts(shop.database.db, invoice.id)
      return { from, same, other, dispute, gifts, invoice }
    }

    it('is withheld from the same person until the dispute is won, and only noted for others', async () => {
      const { from, same, other, dispute, gifts } = await disputed()
      await shop.buy(same, { pool: 'residential', gb: 1 })
      await dispute('needs_response')
      await dispute('needs_response')
      expect([await held(from), await held(same), await held(other)]).toEqual([0n, gb, 3n * gb])
      expect(await gifts()).toMatchObject([
        { signal: 'device', bytes: 3n * gb, frozenBytes: 3n * gb },
        { signal: null, bytes: 3n * gb, frozenBytes: 0n },
      ])
      await dispute('won')
      expect([await held(from), await held(same), await held(other)]).toEqual([4n * gb, 4n * gb, 3n * gb])
      expect((await gifts()).map(({ frozenBytes }) => frozenBytes)).toEqual([0n, 0n])
      expect((await verifyLedger(shop.database.db)).length).toBe(0)
    })

    it('is withheld also where the same person has reserved it for a proxy user', async () => {
      const { same, dispute, gifts } = await disputed()
      const { number } = await same.call('create_proxy_user', {
        pool: 'residential',
        label: 'reserved',
        reserved: true,
        total_bytes: Number(3n * gb),
      })
      const total = async () =>
        (await same.call('get_proxy_user', { pool: 'residential', number })).total_bytes
      await dispute('needs_response')
      expect((await gifts())[0]).toMatchObject({ signal: 'device', frozenBytes: 3n * gb })
      expect([await held(same), await total()]).toEqual([0n, 0])
      await dispute('won')
      expect([await held(same), await total()]).toEqual([3n * gb, 0])
      expect((await verifyLedger(shop.database.db)).length).toBe(0)
    })

    it('stays withheld once the dispute is lost; the receiver refunds only their own purchase', async () => {
      const { same, dispute } = await disputed()
      await dispute('needs_response')
      const number = await shop.buy(same, { pool: 'residential', gb: 2 })
      await dispute('lost')
      expect(await held(same)).toBe(2n * gb)
      const wish = { number, what: 'unused' } as const
      expect(await refundInvoice(shop.database, wish, shop.clock.now)).toMatchObject({
        refundedMicros: 7_000_000n,
      })
      expect(await held(same)).toBe(0n)
      expect((await verifyLedger(shop.database.db)).length).toBe(0)
    })
  })

  it('are exchanged at the prices of both pools, and only at those that were shown', async () => {
    const from = await owner(10)
    const swap = (toBytes: bigint) =>
      from.call('exchange_traffic', {
        pool: 'residential',
        to_pool: 'mobile',
        megabytes: 1000,
        to_bytes: String(toBytes),
      })
    const prices = { fromMicros: 3_500_000n, toMicros: 7_900_000n, paidMicros: 3_500_000n }
    const right = exchangedBytes(gb, prices)
    expect(await codeOf(swap(right + 1n))).toBe('move_quote_changed')
    expect(await codeOf(swap(right))).toBe('done')
    expect([await held(from), await held(from, 'mobile')]).toEqual([9n * gb, right])
    const lots = [...(await lotsOf(from)), ...(await lotsOf(from, 'mobile'))]
    expect(sum(lots, 'micros')).toBe(35_000_000n)
    expect((await verifyLedger(shop.database.db)).length).toBe(0)
  })

  it('move once by a call that is repeated after its answer was lost, or made twice at once', async () => {
    const [from, to] = [await owner(5), await owner(0)]
    const order = { pool: 'residential', megabytes: 1000, to: to.username } as const
    const options = { idempotencyKey: 'gift' }
    const ends = await Promise.all([1, 2, 3].map(() => codeOf(from.call('give_traffic', order, options))))
    expect(ends.filter((end) => end !== 'idempotency_key_busy')).toContain('done')
    expect([await held(from), await held(to)]).toEqual([4n * gb, gb])
    // As after a kill between the work and the recording of its answer, and a proof that has ended meanwhile.
    await sql`update idempotency_key set status = null, claimed_at = now() - interval '10 seconds'`.execute(
      shop.database.db,
    )
    await sql`update session set proved_at = null where account_id = ${from.id}`.execute(shop.database.db)
    expect(await codeOf(from.call('give_traffic', order, options))).toBe('done')
    expect([await held(from), await held(to)]).toEqual([4n * gb, gb])
    expect(await codeOf(from.call('give_traffic', order, { idempotencyKey: 'another' }))).toBe('proof_needed')
  })

  it('are not given without a proof under the key of another call, which needs none', async () => {
    const [from, to] = [await owner(5), await owner(0)]
    const options = { idempotencyKey: 'of-an-exchange' }
    const wish = { pool: 'residential', to_pool: 'mobile', megabytes: 1000 } as const
    const { to_bytes } = await from.call('quote_exchange', wish)
    await sql`update session set proved_at = null where account_id = ${from.id}`.execute(shop.database.db)
    expect(await codeOf(from.call('exchange_traffic', { ...wish, to_bytes }, options))).toBe('done')
    const order = { pool: 'residential', megabytes: 1000, to: to.username } as const
    expect(await codeOf(from.call('give_traffic', order, options))).toBe('proof_needed')
  })

  it('are exchanged once by a call that is repeated after its answer was lost', async () => {
    const from = await owner(5)
    const wish = { pool: 'residential', to_pool: 'mobile', megabytes: 1000 } as const
    const { to_bytes } = await from.call('quote_exchange', wish)
    const swap = () =>
      codeOf(from.call('exchange_traffic', { ...wish, to_bytes }, { idempotencyKey: 'swap' }))
    const ends = await Promise.all([swap(), swap(), swap()])
    expect(ends).toContain('done')
    await sql`update idempotency_key set status = null, claimed_at = now() - interval '10 seconds'`.execute(
      shop.database.db,
    )
    expect(await swap()).toBe('done')
    expect([await held(from), await held(from, 'mobile')]).toEqual([4n * gb, BigInt(to_bytes)])
  })

  it('bought at a discount are exchanged for what was paid, and their price is on the bill', async () => {
    const from = await owner(0)
    const number = await shop.buy(from, { pool: 'datacenter', gb: 1000 })
    const { rows } = await sql<{ micros: bigint }>`
      select received_micros as micros from invoice where number = ${number}`.execute(shop.database.db)
    const paid = rows[0]?.micros ?? 0n
    const prices = await from.call('prices', {})
    const micros = (usd = 0) => BigInt(Math.round(usd * 1e6))
    expect(paid).toBeLessThan(micros(prices.datacenter) * 1000n)
    const wish = { pool: 'datacenter', to_pool: 'mobile', megabytes: 1_000_000 } as const
    const { to_bytes } = await from.call('quote_exchange', wish)
    expect(BigInt(to_bytes)).toBe((paid * gb) / micros(prices.mobile))
    await from.call('exchange_traffic', { ...wish, to_bytes })
    const holding = (pool: string) => ({ accountId: from.id, pool })
    const [inMobile, inDatacenter] = await paidPerGb(shop.database.db, [
      holding('mobile'),
      holding('datacenter'),
    ])
    // Rounded down to bytes, so that a GB cost a fraction of a micro-USD more than the list price.
    expect(inMobile).toBe(micros(prices.mobile))
    expect(inDatacenter).toBe(paid / 1000n)
    // Given on to another customer, it keeps its price.
    const to = await owner(0)
    await sql`update session set proved_at = ${shop.clock.now}`.execute(shop.database.db)
    await from.call('give_traffic', { pool: 'mobile', megabytes: 1000, to: to.username })
    const [given] = await paidPerGb(shop.database.db, [{ accountId: to.id, pool: 'mobile' }])
    expect([0n, 1n]).toContain((given ?? 0n) - micros(prices.mobile))
  })

  it('that nobody has paid for are worth nothing', async () => {
    const from = await owner(2)
    const wish = { pool: 'residential', to_pool: 'mobile', megabytes: 1000 } as const
    const quote = (pool: 'residential' | 'datacenter') =>
      from.call('quote_exchange', { ...wish, pool }).then(({ to_bytes }) => to_bytes)
    expect(await quote('datacenter')).toBe('0')
    expect(await codeOf(from.call('exchange_traffic', { ...wish, pool: 'datacenter', to_bytes: '0' }))).toBe(
      'move_quote_changed',
    )
  })

  it('are not exchanged beyond the bound of a day, nor where the shop has switched that off', async () => {
    const from = await owner(5)
    const set = (name: string, value: number) =>
      sql`insert into shop_setting (name, value, changed_by, changed_at) values (${name}, ${value}, 'test', clock_timestamp())`.execute(
        shop.database.db,
      )
    const swap = async (megabytes: number) => {
      const wish = { pool: 'residential', to_pool: 'mobile', megabytes } as const
      const { to_bytes } = await from.call('quote_exchange', wish)
      return codeOf(from.call('exchange_traffic', { ...wish, to_bytes }))
    }
    try {
      await set('exchange_gb_per_day', 2)
      expect(await Promise.all([swap(1500), swap(1500)])).toContain('done')
      expect((await from.call('get_moves', {})).exchange_left_today_bytes).toBe('500000000')
      expect(await swap(600)).toBe('exchange_too_large')
      await set('exchanges', 0)
      expect(await swap(100)).toBe('exchanges_off')
      expect((await from.call('get_moves', {})).exchanges).toBe(false)
    } finally {
      await set('exchange_gb_per_day', 1000)
      await set('exchanges', 1)
    }
  })

  it('are not given away from a new device or country, unless a second factor was used', async () => {
    const [from, to] = [await owner(5), await owner(0)]
    const arrive = async (headers: Record<string, string>) => {
      const there: typeof fetch = (input, init) =>
        shop.fetch(input, {
          ...init,
          headers: { ...(init?.headers as object), 'x-forwarded-for': '198.51.100.77', ...headers },
        })
      const client = (token: string | null) =>
        createClient({ baseUrl: shop.origin, token: () => token, language: () => 'en', fetch: there })
      const { username, password } = from
      return client(await client(null)('signin', { username, password }))
    }
    const thief = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0', 'cf-ipcountry': 'BR' }
    const order = { pool: 'residential', megabytes: 100, to: to.username } as const
    await arrive(thief)
    // The second sign-in does not make the device a known one.
    const call = await arrive(thief)
    expect(await codeOf(call('give_traffic', order))).toBe('gift_new_device')
    expect(await call('get_moves', {})).toMatchObject({
      hold_until: expect.any(String),
      hold_reason: 'new_device',
    })
    expect(await codeOf(from.call('give_traffic', order))).toBe('done')
    // Nor does a known browser in another country, nor many sign-ins that push the known ones out.
    expect(await codeOf((await arrive({ 'cf-ipcountry': 'BR' }))('give_traffic', order))).toBe(
      'gift_new_device',
    )
    await sql`delete from account_device where account_id = ${from.id}`.execute(shop.database.db)
    expect(await codeOf(call('give_traffic', order))).toBe('gift_new_device')
    await sql`update session set factor_at = now() where account_id = ${from.id}`.execute(shop.database.db)
    expect(await codeOf(call('give_traffic', order))).toBe('done')
  })
})
