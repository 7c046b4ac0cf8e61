import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isReservedUserId } from '#feed/user.ids'
import { closeBills } from '#ledger'
import { erasePerson, previewErasure } from '#personal-data'
import { findInvoice, refundInvoice } from '#purchase'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { wrongInBooks } from '#test/traffic'
import { lease, returnReserves, settle } from '#traffic'

const pool = 'residential'
const gb = 1_000_000_000

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

async function owner(bought = 10) {
  const customer = await shop.customer()
  const invoice = await shop.buy(customer, { pool, gb: bought })
  return { customer, invoice, accountId: BigInt(await accountIdOf(customer)) }
}

let labels = 0
const reserve = (customer: Customer, bytes: number) =>
  customer.call('create_proxy_user', {
    pool,
    label: `reserved ${++labels}`,
    reserved: true,
    total_bytes: bytes,
  })
const poolOf = async (customer: Customer) => (await customer.call('legacy_profile', {}))[0]?.[pool]
const sound = async () => expect(await wrongInBooks(shop.database.db)).toEqual([])

async function idOf(login: string): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`select id from proxy_user where login = ${login}`.execute(
    shop.database.db,
  )
  return rows[0]?.id ?? 0n
}

describe('a proxy user with a reserve', () => {
  it('takes its traffic from the balance, beside which it is shown, and gives it back when deleted', async () => {
    const { customer } = await owner()
    expect(await poolOf(customer)).not.toHaveProperty('reserved')
    const made = await reserve(customer, 4 * gb)
    expect(made).toMatchObject({ reserved: true, total_bytes: 4 * gb })
    expect(isReservedUserId(await idOf(made.login))).toBe(true)
    expect(await poolOf(customer)).toMatchObject({
      balance: 6000,
      reserved: 4000,
      reserved_format: '4.00 GB',
    })
    const key = { pool, number: made.number } as const
    const give = (bytes: number) =>
      customer.call('give_proxy_user', { ...key, bytes }, { idempotencyKey: `more-${made.login}` })
    expect(await give(2 * gb)).toMatchObject({ total_bytes: 6 * gb })
    await sql`update idempotency_key set status = null, claimed_at = now() - interval '10 seconds'`.execute(
      shop.database.db,
    )
    expect(await give(2 * gb)).toMatchObject({ total_bytes: 6 * gb })
    expect(await refusalOf(customer.call('give_proxy_user', { ...key, bytes: 5 * gb }))).toMatchObject({
      code: 'reserve_not_covered',
      details: { free: 4 * gb },
    })
    await customer.call('take_proxy_user', { ...key, bytes: gb })
    expect(await poolOf(customer)).toMatchObject({ balance: 5000, reserved: 5000 })
    expect(await refusalOf(customer.call('change_proxy_user', { ...key, total_bytes: gb }))).toMatchObject({
      code: 'user_is_reserved',
    })
    await customer.call('change_proxy_user', { ...key, day_bytes: gb, total_bytes: 5 * gb })
    await customer.call('delete_proxy_user', key)
    expect(await poolOf(customer)).toMatchObject({ balance: 10_000 })
    expect(await poolOf(customer)).not.toHaveProperty('reserved')
    await sound()
  })

  it('is made with many others, all or none, and two payments at once give twice', async () => {
    const { customer } = await owner()
    const users = (count: number, bytes: number) =>
      Array.from({ length: count }, () => ({
        label: `many ${++labels}`,
        reserved: true,
        total_bytes: bytes,
      }))
    expect(
      await refusalOf(customer.call('create_proxy_users', { pool, users: users(11, gb) })),
    ).toMatchObject({ code: 'reserve_not_covered' })
    expect((await customer.call('get_proxy_users', { pool })).count).toBe(0)
    const empty = [{ label: 'empty', reserved: true }]
    const made = await customer.call('create_proxy_users', { pool, users: [...users(3, gb), ...empty] })
    expect(made.users.map(({ total_bytes: total }) => total)).toEqual([gb, gb, gb, 0])
    const [one] = made.users
    const give = { pool, number: one?.number ?? 0, bytes: 2 * gb } as const
    await Promise.all([customer.call('give_proxy_user', give), customer.call('give_proxy_user', give)])
    expect(await poolOf(customer)).toMatchObject({ balance: 3000, reserved: 7000 })
    const unlimited = { pool, label: 'none', reserved: true, total_bytes: null } as const
    expect(await refusalOf(customer.call('create_proxy_user', unlimited))).toMatchObject({
      code: 'invalid_user_limit',
    })
    await sound()
  })

  it('is called back for a take, and what its gateway used stays', async () => {
    const { customer } = await owner()
    const made = await reserve(customer, gb)
    const id = await idOf(made.login)
    const { db } = shop.database
    const boot = { gateway: 'reserved-take', boot: 'b' }
    const held = await lease(db, boot, { access: id, want_bytes: BigInt(gb) })
    expect(held.granted_bytes > 0n).toBe(true)
    const take = customer.call('take_proxy_user', { pool, number: made.number, bytes: gb - 700 })
    const line = { lease: held.lease, access: id, charged_bytes: 700n, requests: 1, close: true }
    await settle(db, [{ ...boot, sequence: 1, at_ms: Date.now(), lines: [line] }])
    expect(await take).toMatchObject({ total_bytes: 700, used: { total_bytes: 700 } })
    await sound()
  })

  it('leaves the bill and the statistics of the pool whole: reserving is no usage, and usage counts once', async () => {
    const { customer, accountId } = await owner()
    const made = await reserve(customer, gb)
    const id = await idOf(made.login)
    const { db } = shop.database
    const boot = { gateway: 'reserved-bill', boot: 'b' }
    const held = await lease(db, boot, { access: id, want_bytes: 500n })
    const line = { lease: held.lease, access: id, charged_bytes: 500n, requests: 2, close: true }
    await settle(db, [{ ...boot, sequence: 1, at_ms: Date.now(), lines: [line] }])
    await sql`update bill_since set hour = date_trunc('hour', now(), 'UTC') - interval '1 hour'`.execute(db)
    const none = () => Promise.resolve([])
    await closeBills(db, {
      paidPerGb: (_db, holdings) => Promise.resolve(holdings.map(() => null)),
      requests: none,
    })
    const { rows } = await sql<{ held: bigint; billed: bigint; charged: bigint }>`
      select (select sum(b.balance) from ledger_account a join ledger_balance b on b.account_id = a.id
          where a.customer_id = ${accountId} and a.currency = 'byte')::bigint as held,
        coalesce((select sum(charged_bytes - credited_bytes) from bill_line where account_id = ${accountId}), 0)::bigint as billed,
        (select sum(charged_bytes) from usage_hour u join meter m on m.access_id = u.access_id
          where m.account_id = ${accountId})::bigint as charged`.execute(db)
    expect(rows).toMatchObject([{ held: 10n * BigInt(gb) - 500n, charged: 500n }])
    await sound()
  })

  it('counts as unused traffic in a refund: free traffic is taken first, then reserves', async () => {
    const { customer, invoice } = await owner()
    const made = await reserve(customer, 7 * gb)
    const refund = { number: invoice, what: 'all' } as const
    const { takenBackBytes } = await refundInvoice(shop.database, refund, new Date())
    expect(takenBackBytes).toBe(10n * BigInt(gb))
    expect(await findInvoice(shop.database.db, invoice)).toMatchObject({ state: 'refunded' })
    const { users } = await customer.call('get_proxy_users', { pool })
    expect(users).toMatchObject([{ number: made.number, total_bytes: 0 }])
    expect(await poolOf(customer)).toMatchObject({ balance: 0 })
    await sound()
  })

  it('loses no traffic to gifts and exchanges, and the worth of the purchase is unchanged', async () => {
    const { customer, invoice } = await owner()
    await reserve(customer, 9 * gb)
    const swap = { pool, to_pool: 'mobile', megabytes: 1500 } as const
    expect(
      await refusalOf(customer.call('exchange_traffic', { ...swap, to_bytes: '600000000' })),
    ).toMatchObject({ code: expect.stringMatching(/move_(not_covered|quote_changed)/) as string })
    // What is reserved counts as unused, so a refund of what is unused returns all of the money.
    const refund = { number: invoice, what: 'unused' } as const
    const { refundedMicros, takenBackBytes } = await refundInvoice(shop.database, refund, new Date())
    expect([refundedMicros, takenBackBytes]).toEqual([35_000_000n, 10n * BigInt(gb)])
    await sound()
  })

  it('has its traffic written off with the rest when the account is erased, also what gateways hold', async () => {
    const { customer, accountId } = await owner()
    const made = await reserve(customer, 7 * gb)
    const id = await idOf(made.login)
    const { db } = shop.database
    const boot = { gateway: 'reserved-erase', boot: 'b' }
    const held = await lease(db, boot, { access: id, want_bytes: 64_000n })
    const deps = { secrets: shop.services.secrets, forgetAnswers: () => Promise.resolve() }
    const seen = await previewErasure(db, accountId)
    const erase = (writesOff: boolean) => {
      const how = { accountId, writesOff, reason: 'asked', seen }
      return erasePerson(shop.database, deps, how, new Date(), async () => {})
    }
    expect(await refusalOf(erase(false))).toMatchObject({ code: 'balance_left' })
    const { writtenOff } = await erase(true)
    expect(writtenOff.traffic.get(pool)).toBe(10n * BigInt(gb) - held.granted_bytes)
    await settle(db, [
      {
        ...boot,
        sequence: 1,
        at_ms: Date.now(),
        lines: [{ lease: held.lease, access: id, charged_bytes: 100n, requests: 1, close: true }],
      },
    ])
    expect(await returnReserves(db)).toBe(1)
    await sound()
  })
})
