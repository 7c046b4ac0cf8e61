import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CallError } from '#contract/client'
import { transaction } from '#db'
import { balancesOfUser, verifyLedger } from '#ledger'
import { refundInvoice } from '#purchase'
import { accountIdOf, app, type App, type Customer } from '#test/app'
import { payPayout, refusePayout, takePayout, verifyPayouts } from './referral.ts'

const network = 'usdt_trc20'
const wallet = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const usd = 1_000_000n

let shop: App
beforeAll(async () => {
  shop = await app({ env: { PAYOUTS: '1', PAYOUT_LEAST_USD: '1' } })
})
afterEach(async () => {
  const { db } = shop.database
  expect([...(await verifyLedger(db)), ...(await verifyPayouts(db))]).toEqual([])
})
afterAll(() => shop.close())

type Inviter = Customer & { id: bigint; guest: Customer; invoice: string }

let guests = 0
/** A customer whose share equals a guest's whole payment: $35. */
async function inviter(): Promise<Inviter> {
  const customer = await shop.customer()
  await sql`update account set pers_percent_ppm = 1000000 where username = ${customer.username}`.execute(
    shop.database.db,
  )
  await sql`update account_device set first_at = first_at - interval '30 days'`.execute(shop.database.db)
  const [info] = await customer.call('legacy_referal_info', {})
  const username = `payout-guest${++guests}`
  const person = { username, email: `${username}@example.com`, password: 'guest password' }
  const code = new URL(info?.links.website ?? '').searchParams.get('ref')
  await shop.from(`198.19.0.${guests}`)('signup', { ...person, referral_id: code })
  const token = await shop.anyone('signin', { username, password: person.password })
  const guest = { ...person, token, call: shop.client(token) }
  const invoice = await shop.buy(guest, { pool: 'residential', gb: 10 })
  return { ...customer, id: BigInt(await accountIdOf(customer)), guest, invoice }
}
const ask = ({ call }: Customer, micros: bigint, more: object = {}) =>
  call('request_payout', { micros: String(micros), network, wallet, ...more })
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof CallError) return error.code
      const { code } = error as { code?: string }
      return code ?? String(error)
    },
  )
/** The balance, and the amount reserved for a payout. */
async function held({ id }: Inviter): Promise<[bigint, bigint]> {
  const all = await balancesOfUser(shop.database.db, id)
  const of = (kind: string) => all.find((one) => one.kind === kind)?.balance ?? 0n
  return [of('referral'), of('referral_payout')]
}
const owed = async ({ id }: Inviter) =>
  (
    await shop.database.db
      .selectFrom('referrer')
      .select('owed_micros')
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()
  ).owed_micros
async function openOf({ id }: Inviter): Promise<bigint> {
  const row = await shop.database.db
    .selectFrom('referral_payout')
    .select('id')
    .where('account_id', '=', id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return row.id
}
const rowsOf = async ({ call }: Customer) => (await call('get_payouts', {})).rows
const take = (id: bigint, micros: bigint) =>
  transaction(shop.database.db, (tx) => takePayout(tx, { id, micros }, shop.clock.now))
const pay = (id: bigint, reference = 'tx-1') =>
  transaction(shop.database.db, (tx) => payPayout(tx, { id, reference }, shop.clock.now))
const refuse = (id: bigint, reason = 'the wallet is of an exchange') =>
  transaction(shop.database.db, (tx) => refusePayout(tx, { id, reason }, shop.clock.now))
const refund = ({ invoice: number }: Inviter, what: 'all' | bigint = 'all') =>
  refundInvoice(shop.database, { number, what }, shop.clock.now)
const letters = async ({ email }: Customer) => {
  const { rows } = await sql<{ event: string }>`
    select data ->> 'event' as event from mail where template = 'payout' and recipient = ${email} order by created_at`.execute(
    shop.database.db,
  )
  return rows.map(({ event }) => event)
}

describe('a payout', () => {
  it('is reserved, marked as being sent, paid and reported to the customer', async () => {
    const customer = await inviter()
    const [before] = await held(customer)
    const shown = await ask(customer, 10n * usd)
    expect(shown.rows).toMatchObject([
      { number: 1, micros: '10000000', network, wallet, state: 'requested', reference: null },
    ])
    expect(shown.balance_micros).toBe(String(before - 10n * usd))
    expect(await held(customer)).toEqual([before - 10n * usd, 10n * usd])
    const id = await openOf(customer)
    expect(await codeOf(pay(id))).toBe('payout_changed')
    expect(await codeOf(take(id, 9n * usd))).toBe('payout_changed')
    expect([await take(id, 10n * usd), await take(id, 10n * usd)]).toEqual([true, false])
    expect([await pay(id), await pay(id)]).toEqual([true, false])
    expect(await codeOf(pay(id, 'tx-2'))).toBe('payout_changed')
    expect(await codeOf(refuse(id))).toBe('payout_changed')
    expect(await held(customer)).toEqual([before - 10n * usd, 0n])
    expect(await rowsOf(customer)).toMatchObject([{ state: 'paid', reference: 'tx-1', reason: null }])
    expect(await letters(customer)).toEqual(['requested', 'paid'])
    const { rows } = await sql<{ kind: string; amount: bigint }>`
      select a.kind, e.amount from ledger_transaction t join ledger_entry e on e.transaction_id = t.id
        join ledger_account a on a.id = e.account_id
      where t.kind = 'payout_paid' and t.reference = ${`payout ${id}`} order by a.kind`.execute(
      shop.database.db,
    )
    expect(rows).toEqual([
      { kind: 'cash:by_hand', amount: -10n * usd },
      { kind: 'payouts', amount: 10n * usd },
      { kind: 'referral_paid', amount: 10n * usd },
      { kind: 'referral_payout', amount: -10n * usd },
    ])
  })

  it('is returned when it is cancelled or refused, and another one can be requested', async () => {
    const customer = await inviter()
    const [before] = await held(customer)
    await ask(customer, 10n * usd)
    expect(await codeOf(ask(customer, 5n * usd))).toBe('payout_open')
    const { rows } = await customer.call('cancel_payout', { number: 1 })
    expect(rows).toMatchObject([{ state: 'cancelled' }])
    expect(await codeOf(customer.call('cancel_payout', { number: 1 }))).toBe('done')
    expect(await held(customer)).toEqual([before, 0n])
    await ask(customer, 5n * usd)
    const id = await openOf(customer)
    await take(id, 5n * usd)
    expect(await codeOf(customer.call('cancel_payout', { number: 2 }))).toBe('payout_not_open')
    await refuse(id)
    expect(await held(customer)).toEqual([before, 0n])
    const [last] = await rowsOf(customer)
    expect(last).toMatchObject({ number: 2, state: 'refused', reason: 'the wallet is of an exchange' })
    expect(await codeOf(customer.call('cancel_payout', { number: 2 }))).toBe('payout_not_open')
    expect(await letters(customer)).toEqual(['requested', 'requested', 'refused'])
  })

  it('is refused when the request is invalid or the account may not make it', async () => {
    const [customer, other] = [await inviter(), await inviter()]
    const codes = {
      payout_address: { wallet: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u' },
      payout_too_small: { micros: '999999' },
      insufficient_referral_balance: { micros: '35000001' },
      invalid_network: { network: 'dogecoin' },
    }
    for (const [code, more] of Object.entries(codes))
      expect(await codeOf(ask(customer, usd, more))).toBe(code)
    for (const micros of ['-1000000', '1e7', '1000000.5', '', '9'.repeat(16)])
      expect(await codeOf(ask(customer, usd, { micros })), micros).toBe('invalid_micros')
    await ask(other, 5n * usd)
    expect(await codeOf(customer.call('cancel_payout', { number: 1 }))).toBe('payout_not_found')
    await sql`update session set proved_at = null`.execute(shop.database.db)
    expect(await codeOf(ask(customer, usd))).toBe('proof_needed')
    await sql`update session set proved_at = ${shop.clock.now}`.execute(shop.database.db)
    await sql`insert into security_changed values (${customer.id}, ${shop.clock.now})`.execute(
      shop.database.db,
    )
    expect(await codeOf(ask(customer, usd))).toBe('payout_on_hold')
    expect((await customer.call('get_payouts', {})).hold_until).not.toBeNull()
    // A new device alone causes a refusal.
    await sql`delete from security_changed where account_id = ${customer.id}`.execute(shop.database.db)
    expect((await customer.call('get_payouts', {})).hold_until).toBeNull()
    await sql`update account_device set first_at = ${shop.clock.now} where account_id = ${customer.id}`.execute(
      shop.database.db,
    )
    expect(await codeOf(ask(customer, usd))).toBe('payout_on_hold')
    expect(await held(customer)).toEqual([35n * usd, 0n])
    const token = await shop.client(other.token)('reseller_token', {})
    const program = shop.client(token)
    expect(await codeOf(program('get_payouts', {}))).toBe('not_for_reseller_token')
    expect(await codeOf(ask({ ...other, call: program }, usd))).toBe('not_for_reseller_token')
  })

  it('is not offered where payouts are off, or not in this network', async () => {
    const customer = await inviter()
    const set = (name: string, value: number) =>
      sql`insert into shop_setting (name, value, changed_by, changed_at) values (${name}, ${value}, 'test', now())`.execute(
        shop.database.db,
      )
    await set('payout_usdt_trc20', 0)
    expect((await customer.call('get_payouts', {})).networks).toEqual(['usdt_ton', 'btc', 'ltc'])
    expect(await codeOf(ask(customer, usd))).toBe('payout_network')
    await set('payout_usdt_trc20', 1)
    const closed = await app()
    const there = await closed.customer()
    expect((await there.call('get_payouts', {})).is_on).toBe(false)
    expect(await codeOf(ask(there, 100n * usd))).toBe('payouts_off')
    await closed.close()
  })

  it('pays a debt first when it is returned', async () => {
    const customer = await inviter()
    await ask(customer, 35n * usd)
    const id = await openOf(customer)
    await take(id, 35n * usd)
    await refund(customer)
    // The money may be on its way, so the refunded share becomes a debt.
    expect([await held(customer), await owed(customer)]).toEqual([[0n, 35n * usd], 35n * usd])
    await refuse(id)
    expect([await held(customer), await owed(customer)]).toEqual([[0n, 0n], 0n])
  })
})

describe('a refund of a guest', () => {
  it('is taken from the balance, then from the requested payout, which it can end', async () => {
    const customer = await inviter()
    const [one, two] = [
      await shop.buy(customer.guest, { pool: 'residential', gb: 1 }),
      await shop.buy(customer.guest, { pool: 'residential', gb: 2 }),
    ]
    await ask(customer, 40_500_000n)
    await refund({ ...customer, invoice: one })
    expect([await held(customer), await owed(customer)]).toEqual([[1_500_000n, 40_500_000n], 0n])
    await refund({ ...customer, invoice: two })
    expect([await held(customer), await owed(customer)]).toEqual([[0n, 35n * usd], 0n])
    expect(await rowsOf(customer)).toMatchObject([
      { state: 'requested', micros: '35000000', asked_micros: '40500000' },
    ])
    await refund(customer)
    expect([await held(customer), await owed(customer)]).toEqual([[0n, 0n], 0n])
    expect(await rowsOf(customer)).toMatchObject([{ state: 'refused', micros: '0', reason: null }])
    expect(await letters(customer)).toEqual(['requested', 'reduced', 'refused'])
  })
})

describe('at once', () => {
  it('one of many concurrent requests succeeds', async () => {
    const customer = await inviter()
    const codes = await Promise.all(Array.from({ length: 6 }, () => codeOf(ask(customer, 20n * usd))))
    expect(codes.toSorted()).toEqual(['done', ...Array.from({ length: 5 }, () => 'payout_open')])
    expect(await held(customer)).toEqual([15n * usd, 20n * usd])
  })

  it('repeated requests with one idempotency key make one payout', async () => {
    const customer = await inviter()
    const input = { micros: '2000000', network, wallet } as const
    const send = () => customer.call('request_payout', input, { idempotencyKey: 'one-payout' })
    await Promise.allSettled(Array.from({ length: 4 }, send))
    expect((await send()).rows).toHaveLength(1)
    await customer.call('cancel_payout', { number: 1 })
    // The repetition gets the original answer and requests nothing new.
    await send()
    expect(await rowsOf(customer)).toMatchObject([{ number: 1, state: 'cancelled' }])
  })

  it('a request and purchases from the balance never spend the same money twice', async () => {
    for (let round = 0; round < 3; round++) {
      const customer = await inviter()
      const order = { amount: 8, pool: 'residential', promocode: null } as const
      const codes = await Promise.all([
        codeOf(customer.call('referral_payment', order)),
        codeOf(ask(customer, 20n * usd)),
      ])
      expect(codes.toSorted()).toEqual(['done', 'insufficient_referral_balance'])
      const [balance, requested] = await held(customer)
      expect([7n * usd, 15n * usd]).toContain(balance)
      expect(requested).toBe(balance === 7n * usd ? 0n : 20n * usd)
    }
  })

  it('either the customer cancels a payout or staff mark it as being sent; then it is paid', async () => {
    const ends = new Set<string>()
    for (let round = 0; round < 6; round++) {
      const customer = await inviter()
      await ask(customer, 20n * usd)
      const id = await openOf(customer)
      const both = [
        () => codeOf(customer.call('cancel_payout', { number: 1 })),
        async () => {
          const code = await codeOf(take(id, 20n * usd))
          return code === 'done' ? codeOf(pay(id)) : code
        },
      ]
      if (round % 2 === 1) both.reverse()
      const codes = await Promise.all(both.map((one) => one()))
      if (round % 2 === 1) codes.reverse()
      const [row] = await rowsOf(customer)
      ends.add(row?.state ?? '')
      expect(codes).toEqual(row?.state === 'paid' ? ['payout_not_open', 'done'] : ['done', 'payout_changed'])
      expect(await held(customer)).toEqual([row?.state === 'paid' ? 15n * usd : 35n * usd, 0n])
    }
    expect([...ends].every((end) => end === 'paid' || end === 'cancelled')).toBe(true)
  })

  it('a refund and a payout neither lose nor create money', async () => {
    for (let round = 0; round < 4; round++) {
      const customer = await inviter()
      await ask(customer, 35n * usd)
      const id = await openOf(customer)
      const steps = [
        () => refund(customer, 17_500_000n),
        async () => {
          const code = await codeOf(take(id, 35n * usd))
          return code === 'done' ? codeOf(pay(id)) : code
        },
      ]
      if (round % 2 === 1) steps.reverse()
      await Promise.all(steps.map((step) => step()))
      const [row] = await rowsOf(customer)
      const [balance, requested] = await held(customer)
      expect(balance).toBe(0n)
      // Either paid in full with half of it owed, or half of it left and nothing owed.
      if (row?.state === 'paid') expect([requested, await owed(customer)]).toEqual([0n, 17_500_000n])
      else expect([row?.state, requested, await owed(customer)]).toEqual(['requested', 17_500_000n, 0n])
    }
  })

  it('a payout is either paid by one member or refused by another, never both', async () => {
    const customer = await inviter()
    await ask(customer, 35n * usd)
    const id = await openOf(customer)
    await take(id, 35n * usd)
    const codes = await Promise.all([codeOf(pay(id)), codeOf(refuse(id))])
    expect(codes.toSorted()).toEqual(['done', 'payout_changed'])
  })
})

describe('ledger verify', () => {
  it('finds a request whose money is not reserved, and one that is recorded as paid without a payment', async () => {
    const { db } = shop.database
    const customer = await inviter()
    await ask(customer, 10n * usd)
    const id = await openOf(customer)
    await sql`update referral_payout set micros = micros - 1 where id = ${id}`.execute(db)
    const [found] = await verifyPayouts(db)
    expect(found).toMatchObject({ subject: `account ${customer.id}` })
    await sql`update referral_payout set micros = asked_micros, state = 'paid', reference = 'x', taken_at = now(), ended_at = now()
      where id = ${id}`.execute(db)
    expect((await verifyPayouts(db)).map(({ subject }) => subject)).toEqual([
      `account ${customer.id}`,
      `payout ${id}`,
    ])
    await sql`update referral_payout set state = 'requested', reference = null, taken_at = null, ended_at = null where id = ${id}`.execute(
      db,
    )
  })
})
