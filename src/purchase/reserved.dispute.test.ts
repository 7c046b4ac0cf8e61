/** Disputes of payments whose traffic is reserved for proxy users. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import type { Finding, FoundDispute } from '#payments'
import { accountIdOf, app, type App, type Customer, press, refusalOf } from '#test/app'
import { newBoot } from '#test/traffic'
import {
  balancesOf,
  creditTraffic,
  lease,
  returnReserves,
  settle as settleTraffic,
  verifyTraffic,
} from '#traffic'
import { findInvoice, settle, verifyMoney } from './purchase.ts'

const pool = 'residential'
const gb = 1_000_000_000
const big = (bytes: number) => BigInt(bytes)

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

async function sound(): Promise<void> {
  for (const verify of [verifyLedger, verifyTraffic, verifyMoney])
    expect(await verify(shop.database.db)).toEqual([])
}

/** A customer whose payments of these GB are disputed one by one. */
async function payer(...bought: number[]) {
  const customer = await shop.customer()
  const invoices: string[] = []
  for (const amount of bought) invoices.push(await shop.buy(customer, { pool, gb: amount }))
  return { customer, invoices, disputed: invoices[0] ?? '' }
}

let labels = 0
const reserve = (customer: Customer, bytes: number) =>
  customer.call('create_proxy_user', {
    pool,
    label: `reserved ${++labels}`,
    reserved: true,
    total_bytes: bytes,
  })

/** GB that are free, and those that each proxy user may use in all, in the order in which they were made. */
async function gbOf(customer: Customer) {
  const balances = await balancesOf(shop.database.db, BigInt(await accountIdOf(customer)))
  const { users } = await customer.call('get_proxy_users', { pool })
  return {
    free: Number(balances.get(pool)?.total) / gb,
    users: users.map(({ total_bytes: total }) => Number(total) / gb),
  }
}

async function invoiceOf(number: string) {
  const invoice = await findInvoice(shop.database.db, number)
  if (invoice === null) throw new Error(`no invoice ${number}`)
  return invoice
}

/** The processor's report of a dispute of a part of the payment. */
async function tell(number: string, state: FoundDispute['state'], id: string, part = 1n) {
  const { externalId, receivedMicros } = await invoiceOf(number)
  const micros = receivedMicros / part
  const found = {
    disputeId: id,
    price: { currency: 'USD', micros },
    state,
    respondBy: null,
    openedAt: shop.clock.now,
    isWithdrawn: state !== 'won',
    feeMicros: 0n,
  }
  const finding: Finding = {
    externalId: externalId ?? '',
    invoiceNumber: number,
    status: 'received',
    price: { currency: 'USD', micros: receivedMicros },
    receivedMicros,
    isTest: false,
    isDisputed: true,
    dispute: { state, respondBy: null },
    disputes: [found],
  }
  await settle(shop.database, shop.purchase(), 'sandbox', finding, shop.clock.now)
  await sound()
}

async function withheld(number: string): Promise<bigint> {
  const { rows } = await sql<{ bytes: bigint }>`
    select coalesce(sum(frozen_bytes) filter (where released_at is null), 0)::bigint as bytes
    from payment_dispute d join invoice i on i.id = d.invoice_id where i.number = ${number}`.execute(
    shop.database.db,
  )
  return rows[0]?.bytes ?? 0n
}

async function idOf(login: string): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`select id from proxy_user where login = ${login}`.execute(
    shop.database.db,
  )
  return rows[0]?.id ?? 0n
}

/** A gateway that leases for a proxy user, and reports what it used when it is told to. */
async function relaying(login: string, want: number) {
  const { db } = shop.database
  const boot = newBoot(`disputed-${login}`)
  const access = await idOf(login)
  const held = await lease(db, boot, { access, want_bytes: big(want) })
  return {
    bytes: Number(held.granted_bytes),
    report: async (used: number, close = true) => {
      const line = { lease: held.lease, access, charged_bytes: big(used), requests: 1, close }
      await settleTraffic(db, [boot.report([line], { at_ms: Date.now() })])
    },
  }
}

describe('a dispute of a customer with enough free traffic', () => {
  it('leaves the reserves of proxy users as they are, whether it is won or lost', async () => {
    for (const end of ['won', 'lost'] as const) {
      const { customer, disputed } = await payer(10, 10)
      await reserve(customer, 7 * gb)
      const id = randomUUID()
      await tell(disputed, 'needs_response', id)
      expect(await gbOf(customer)).toEqual({ free: 3, users: [7] })
      expect(await withheld(disputed)).toBe(big(10 * gb))
      await tell(disputed, end, id)
      expect(await gbOf(customer)).toEqual({ free: end === 'won' ? 13 : 3, users: [7] })
      expect(await withheld(disputed)).toBe(0n)
      expect(await invoiceOf(disputed)).toMatchObject(
        end === 'won'
          ? { state: 'paid', takenBackBytes: 0n, refundedMicros: 0n }
          : { state: 'refunded', takenBackBytes: big(10 * gb), refundedMicros: 35_000_000n },
      )
    }
  })
})

describe('a dispute of a customer whose traffic is reserved', () => {
  it('withholds what is free, then reserves, the newest proxy user’s first', async () => {
    const { customer, disputed } = await payer(10)
    await reserve(customer, 4 * gb)
    await reserve(customer, 5 * gb)
    const id = randomUUID()
    await tell(disputed, 'needs_response', id, 2n)
    expect(await gbOf(customer)).toEqual({ free: 0, users: [4, 1] })
    expect(await withheld(disputed)).toBe(big(5 * gb))
    // Nothing that is withheld can be reserved again.
    expect(await refusalOf(reserve(customer, 1))).toMatchObject({
      code: 'reserve_not_covered',
      details: { free: 0 },
    })
    // Traffic that the customer takes back from a proxy user is free again.
    await customer.call('take_proxy_user', { pool, number: 1, bytes: gb })
    expect(await gbOf(customer)).toEqual({ free: 1, users: [3, 1] })
    await tell(disputed, 'won', id, 2n)
    // It returns as free traffic: the customer decides whom it is given to.
    expect(await gbOf(customer)).toEqual({ free: 6, users: [3, 1] })
  })

  it('takes all of it when it is lost, once, however often that is reported', async () => {
    const { customer, disputed } = await payer(10)
    await reserve(customer, 10 * gb)
    const id = randomUUID()
    for (let times = 0; times < 2; times++) await tell(disputed, 'needs_response', id)
    expect(await gbOf(customer)).toEqual({ free: 0, users: [0] })
    for (let times = 0; times < 2; times++) await tell(disputed, 'lost', id)
    await tell(disputed, 'needs_response', id)
    expect(await gbOf(customer)).toEqual({ free: 0, users: [0] })
    expect(await invoiceOf(disputed)).toMatchObject({ state: 'refunded', takenBackBytes: big(10 * gb) })
  })

  it('takes it when the first report of the dispute says that it is lost', async () => {
    const { customer, disputed } = await payer(10, 2)
    await reserve(customer, 11 * gb)
    await tell(disputed, 'lost', randomUUID())
    expect(await gbOf(customer)).toEqual({ free: 0, users: [2] })
    expect(await invoiceOf(disputed)).toMatchObject({ state: 'refunded', takenBackBytes: big(10 * gb) })
  })

  it('keeps bonus traffic, also the part of it that is reserved', async () => {
    const { customer, disputed } = await payer(10)
    const accountId = await accountIdOf(customer)
    const { rows } = await sql<{ id: bigint }>`
      select id from access where account_id = ${accountId}`.execute(shop.database.db)
    const credit = {
      accessId: rows[0]?.id ?? 0n,
      part: 'bonus',
      kind: 'test_credit',
      reference: randomUUID(),
    }
    await creditTraffic(shop.database.db, { ...credit, part: 'bonus', bytes: big(2 * gb) })
    await reserve(customer, 12 * gb)
    const id = randomUUID()
    await tell(disputed, 'needs_response', id)
    expect(await withheld(disputed)).toBe(big(10 * gb))
    expect(await gbOf(customer)).toEqual({ free: 0, users: [2] })
    await tell(disputed, 'lost', id)
    expect(await gbOf(customer)).toEqual({ free: 0, users: [2] })
  })
})

describe('a dispute of a customer whose reserves were partly used', () => {
  it('takes what is unused and on no lease; the rest is a loss of the shop', async () => {
    const { customer, disputed } = await payer(10)
    const first = await reserve(customer, 4 * gb)
    const second = await reserve(customer, 5 * gb)
    const used = await relaying(first.login, 2 * gb)
    await used.report(used.bytes)
    const relayed = await relaying(second.login, gb)
    const id = randomUUID()
    await tell(disputed, 'needs_response', id)
    const left = 10 * gb - used.bytes - relayed.bytes
    expect(await withheld(disputed)).toBe(big(left))
    expect(await gbOf(customer)).toEqual({ free: 0, users: [used.bytes / gb, relayed.bytes / gb] })
    // The gateway relays a part of its lease, and gives the rest back to the reserve.
    await relayed.report(1000)
    await sound()
    await tell(disputed, 'lost', id)
    expect(await invoiceOf(disputed)).toMatchObject({
      state: 'refunded',
      refundedMicros: 35_000_000n,
      takenBackBytes: big(10 * gb - used.bytes - 1000),
    })
    expect(await gbOf(customer)).toEqual({ free: 0, users: [used.bytes / gb, 1000 / gb] })
  })

  it('gives back what it withheld when it is won, and used bytes stay used', async () => {
    const { customer, disputed } = await payer(10)
    const made = await reserve(customer, 10 * gb)
    const used = await relaying(made.login, gb)
    await used.report(used.bytes)
    const id = randomUUID()
    await tell(disputed, 'needs_response', id)
    expect(await withheld(disputed)).toBe(big(10 * gb - used.bytes))
    await tell(disputed, 'won', id)
    const now = await gbOf(customer)
    expect(now).toEqual({ free: (10 * gb - used.bytes) / gb, users: [used.bytes / gb] })
    // Used traffic is the oldest; what another payment bought is not touched.
    const second = await shop.buy(customer, { pool, gb: 1 })
    await tell(second, 'needs_response', randomUUID())
    expect((await gbOf(customer)).free).toBe(now.free)
  })

  it('takes what a deleted proxy user held on lease, once its gateway has given it back', async () => {
    const { customer, disputed } = await payer(10)
    const made = await reserve(customer, 10 * gb)
    const relayed = await relaying(made.login, gb)
    await customer.call('delete_proxy_user', { pool, number: made.number })
    const id = randomUUID()
    await tell(disputed, 'needs_response', id)
    expect(await withheld(disputed)).toBe(big(10 * gb - relayed.bytes))
    await relayed.report(500)
    expect(await returnReserves(shop.database.db)).toBe(1)
    await sound()
    expect((await gbOf(customer)).free).toBe((relayed.bytes - 500) / gb)
    await tell(disputed, 'lost', id)
    expect(await gbOf(customer)).toEqual({ free: 0, users: [] })
    expect(await invoiceOf(disputed)).toMatchObject({ takenBackBytes: big(10 * gb - 500) })
  })
})

describe('a disputed top-up of a money balance', () => {
  it('takes back reserved traffic that the balance has bought, and owes what was used', async () => {
    const customer = await shop.customer()
    const { number } = await customer.call('create_balance_invoice', {
      payment_method: 'sandbox',
      amount_usd: 35,
    })
    await press(shop.origin, number, 'paid')
    await customer.call('buy', { amount: 10, pool })
    const made = await reserve(customer, 10 * gb)
    const used = await relaying(made.login, gb)
    await used.report(used.bytes)
    const id = randomUUID()
    await tell(number, 'needs_response', id)
    expect(await gbOf(customer)).toEqual({ free: 0, users: [used.bytes / gb] })
    await tell(number, 'lost', id)
    const { balance_usd: balance, owed_usd: owed } = await customer.call('money_balance', {})
    expect(balance).toBe(0)
    expect(owed).toBeGreaterThan(0)
    expect(await gbOf(customer)).toEqual({ free: 0, users: [used.bytes / gb] })
  })
})
