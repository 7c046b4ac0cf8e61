import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CallError } from '#contract/client'
import { exchangedBytes } from '#contract/moves/rules'
import { verifyLedger } from '#ledger'
import { balancesOf, lease } from '#traffic'
import { accountIdOf, app, type App, type Customer } from '#test/app'
import { newBoot } from '#test/traffic'
import { purchaseLots } from '../lots.ts'
import { refundInvoice } from '../refund.ts'
import { evened } from '../lots.ts'
import { partsOf, type Source } from './parts.ts'

const gb = 1_000_000_000n
const sum = (of: readonly { bytes: bigint; micros: bigint }[], what: 'bytes' | 'micros') =>
  of.reduce((all, one) => all + one[what], 0n)

const source = fc.record<Source>({
  invoiceId: fc.bigInt(1n, 9n),
  moveId: fc.constant(null),
  bytes: fc.bigInt(-(10n ** 12n), 10n ** 15n),
  micros: fc.bigInt(-(10n ** 9n), 10n ** 13n),
  feeMicros: fc.bigInt(0n, 10n ** 9n),
  shareMicros: fc.bigInt(0n, 10n ** 9n),
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

  it('is never worth more after an exchange, there and back again', () => {
    const price = fc.bigInt(1n, 10n ** 9n)
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 17n), price, price, (bytes, fromMicros, toMicros) => {
        const there = exchangedBytes(bytes, { fromMicros, toMicros })
        expect(there * toMicros).toBeLessThanOrEqual(bytes * fromMicros)
        expect((there + 1n) * toMicros).toBeGreaterThan(bytes * fromMicros)
        const back = exchangedBytes(there, { fromMicros: toMicros, toMicros: fromMicros })
        expect(back).toBeLessThanOrEqual(bytes)
      }),
    )
  })
})

describe('gigabytes', () => {
  let shop: App
  beforeAll(async () => {
    shop = await app()
  })
  afterAll(() => shop.close())

  /** A customer of ten days with so many GB, whose owner was just proved. */
  async function owner(buys: number): Promise<Customer & { id: bigint }> {
    const customer = await shop.customer()
    if (buys > 0) await shop.buy(customer, { pool: 'residential', gb: buys })
    const id = BigInt(await accountIdOf(customer))
    await sql`update account set created_at = now() - interval '10 days' where id = ${id}`.execute(
      shop.database.db,
    )
    return { ...customer, id }
  }
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

  it('are given with what was paid for them, and both are told', async () => {
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

  it('on lease stay where they are', async () => {
    const [from, to] = [await owner(1), await owner(0)]
    const { rows } = await sql<{ id: bigint }>`
      select id from subuser where account_id = ${from.id}`.execute(shop.database.db)
    const grant = await lease(shop.database.db, newBoot(), {
      subuser: rows[0]?.id ?? 0n,
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

  it('are not found with another customer, whatever is asked', async () => {
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

  it('are exchanged at the prices of both pools, and only at those that were shown', async () => {
    const from = await owner(10)
    const swap = (toBytes: bigint) =>
      from.call('exchange_traffic', {
        pool: 'residential',
        to_pool: 'mobile',
        megabytes: 1000,
        to_bytes: String(toBytes),
      })
    const prices = { fromMicros: 3_500_000n, toMicros: 7_900_000n }
    const right = exchangedBytes(gb, prices)
    expect(await codeOf(swap(right + 1n))).toBe('move_quote_changed')
    expect(await codeOf(swap(right))).toBe('done')
    expect([await held(from), await held(from, 'mobile')]).toEqual([9n * gb, right])
    const lots = [...(await lotsOf(from)), ...(await lotsOf(from, 'mobile'))]
    expect(sum(lots, 'micros')).toBe(35_000_000n)
    expect((await verifyLedger(shop.database.db)).length).toBe(0)
  })
})
