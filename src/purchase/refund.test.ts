import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesPerGb } from '#contract/wire'
import { balancesOfUser, customer, house, post, referralBalance, verifyLedger } from '#ledger'
import { createCode, listCodes } from '#promo'
import { owedMicros } from '#referral'
import { type App, app, type Customer, press, refusalOf, purchaseDeps } from '#test/app'
import { newAccount } from '#test/people'
import { balancesOf, lease, settle as settleTraffic, verifyTraffic } from '#traffic'
import { sized } from '#test/size'
import { createInvoice, findInvoice, payFromReferral, refundInvoice, settle } from './purchase.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const idOf = async ({ username }: Customer) =>
  (
    await shop.database.db
      .selectFrom('account')
      .select('id')
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
  ).id

/** Credits referral money without a purchase. */
const give = (accountId: bigint, micros: bigint) =>
  post(shop.database.db, {
    kind: 'test',
    reference: randomUUID(),
    postings: [
      { account: house.referralCost(), amount: -micros },
      { account: customer.referral(accountId), amount: micros },
    ],
  })

const heldBytes = async (accountId: bigint) =>
  (await balancesOf(shop.database.db, accountId)).get('residential')?.total ?? 0n

const order = { amount: 10, pool: 'residential' } as const
const sound = async () => {
  expect(await verifyLedger(shop.database.db)).toEqual([])
  expect(await verifyTraffic(shop.database.db)).toEqual([])
}

describe('referral_payment', () => {
  it('buys from the balance: the money is debited, the traffic credited, the invoice paid', async () => {
    const person = await shop.customer()
    const id = await idOf(person)
    await give(id, 40_000_000n)
    expect(await person.call('referral_payment', order)).toEqual({ ok: true })
    expect(await referralBalance(shop.database.db, id)).toBe(5_000_000n)
    expect(await heldBytes(id)).toBe(10n * bytesPerGb)
    const invoice = await shop.database.db
      .selectFrom('invoice')
      .selectAll()
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(invoice).toMatchObject({ method: 'referral', state: 'paid', received_micros: 35_000_000n })
  })

  it('refuses what the balance does not cover, and changes nothing', async () => {
    const person = await shop.customer()
    const id = await idOf(person)
    await give(id, 34_990_000n)
    expect(await refusalOf(person.call('referral_payment', order))).toMatchObject({
      code: 'insufficient_referral_balance',
      status: 402,
      message: 'На реферальном балансе 34.99 $, а нужно 35 $.',
      details: { balance: 34.99, cost: 35 },
    })
    expect(await referralBalance(shop.database.db, id)).toBe(34_990_000n)
    expect((await balancesOfUser(shop.database.db, id)).map(({ kind }) => kind)).toEqual(['referral'])
    const broke = await shop.customer()
    expect(await refusalOf(broke.call('referral_payment', order))).toMatchObject({ details: { balance: 0 } })
  })

  it.each([
    ['invalid_amount', { amount: 0 }],
    ['amount_too_large', { amount: 99_999_999 }],
    ['promocode_invalid', { promocode: 'nosuchcode' }],
  ])('refuses with %s', async (code, given) => {
    const { call } = await shop.customer()
    expect(await refusalOf(call('referral_payment', { ...order, ...given }))).toMatchObject({
      code,
      status: 422,
    })
  })

  it('takes a promo code and counts its use', async () => {
    const person = await shop.customer()
    const id = await idOf(person)
    await give(id, 28_000_000n)
    const grant = { kind: 'discount' as const, discountPpm: 200_000, minGb: 1n }
    await createCode(shop.database.db, { code: 'friends', grant, maxUses: 1n, expiresAt: null })
    const broke = await shop.customer()
    const wish = { ...order, promocode: 'Friends' }
    expect(await refusalOf(broke.call('referral_payment', wish))).toMatchObject({
      code: 'insufficient_referral_balance',
      details: { cost: 28 },
    })
    expect(await person.call('referral_payment', wish)).toEqual({ ok: true })
    expect(await referralBalance(shop.database.db, id)).toBe(0n)
    expect((await listCodes(shop.database.db))[0]).toMatchObject({ code: 'friends', uses: 1n })
    expect(await refusalOf(broke.call('referral_payment', wish))).toMatchObject({ code: 'promocode_invalid' })
  })

  it('earns the inviter nothing', async () => {
    const inviter = await shop.customer()
    const [info] = await inviter.call('legacy_referal_info', {})
    const person = { username: 'invited-by-link', email: 'invited@example.com', password: 'a password' }
    const code = new URL(info?.links.website ?? '').searchParams.get('ref')
    await shop.anyone('signup', { ...person, referral_id: code })
    const call = shop.client(
      await shop.anyone('signin', { username: person.username, password: person.password }),
    )
    await give(await idOf(person as Customer), 35_000_000n)
    await call('referral_payment', order)
    expect(await referralBalance(shop.database.db, await idOf(inviter))).toBe(0n)
  })

  it('spends the balance once under concurrent calls', async () => {
    const person = await shop.customer()
    const id = await idOf(person)
    await give(id, 80_000_000n)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, () => person.call('referral_payment', order)),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'insufficient_referral_balance' })
    expect(await referralBalance(shop.database.db, id)).toBe(10_000_000n)
    expect(await heldBytes(id)).toBe(20n * bytesPerGb)
    await sound()
  })

  it('buys once under one Idempotency-Key', async () => {
    const person = await shop.customer()
    const id = await idOf(person)
    await give(id, 80_000_000n)
    const options = { idempotencyKey: 'pay-once' }
    await Promise.allSettled(Array.from({ length: 8 }, () => person.call('referral_payment', order, options)))
    expect(await person.call('referral_payment', order, options)).toEqual({ ok: true })
    expect(await referralBalance(shop.database.db, id)).toBe(45_000_000n)
  })
})

/** An inviter with a guest who has bought 10 GB for 35 USD. */
async function purchase() {
  const { db } = shop.database
  const inviter = await newAccount(db)
  const buyer = await newAccount(db)
  await db.updateTable('account').set({ invited_by: inviter }).where('id', '=', buyer).execute()
  const buy = async () => {
    const wish = { accountId: buyer, pool: 'residential', gb: 10n, promocode: null, language: 'en' } as const
    const placed = { ...wish, method: 'sandbox' }
    const { number } = await createInvoice(shop.database, purchaseDeps(shop.services), placed, new Date())
    await pay(number, 35_000_000n)
    return number
  }
  return { inviter, buyer, buy, number: await buy() }
}

const pay = (number: string, receivedMicros: bigint) =>
  settle(
    shop.database,
    purchaseDeps(shop.services),
    'sandbox',
    { invoiceNumber: number, outcome: 'received', externalPaymentId: randomUUID(), receivedMicros },
    new Date(),
  )

const refund = (number: string, what: 'all' | 'unused' = 'all') =>
  refundInvoice(shop.database, { number, what }, new Date())

/** Relays bytes as a gateway would, and gives the lease back unless it is kept. */
async function use(buyer: bigint, bytes: bigint, { keep = false } = {}) {
  const { db } = shop.database
  const { rows } = await sql<{ access_id: bigint }>`
    select access_id from meter where account_id = ${buyer}`.execute(db)
  const access = rows[0]?.access_id ?? 0n
  const boot = { gateway: randomUUID(), boot: randomUUID() }
  await sql`insert into gateway_boot (gateway, boot) values (${boot.gateway}, ${boot.boot})`.execute(db)
  let [id, granted] = [0n, 0n]
  const wanted = keep ? bytes + 1_000_000n : bytes
  while (granted < wanted) {
    const grant = await lease(db, boot, { access, want_bytes: wanted - granted })
    if (grant.granted_bytes === 0n) throw new Error('the lease was not granted')
    id = grant.lease
    granted += grant.granted_bytes
  }
  const line = { access, lease: id, charged_bytes: bytes, requests: 1, close: !keep }
  await settleTraffic(db, [{ ...boot, sequence: 1, at_ms: Date.now(), lines: [line] }])
  const last = { ...line, charged_bytes: 0n, requests: 0, close: true }
  return {
    promised: keep ? granted - bytes : 0n,
    giveBack: () => settleTraffic(db, [{ ...boot, sequence: 2, at_ms: Date.now(), lines: [last] }]),
    ask: () => lease(db, boot, { access, want_bytes: 1n }),
  }
}

describe('refundInvoice', () => {
  it('takes back all traffic while none is used', async () => {
    const { buyer, inviter, number } = await purchase()
    expect(await referralBalance(shop.database.db, inviter)).toBe(3_500_000n)
    expect(await refund(number)).toEqual({
      name: expect.stringMatching(`^${number}-`) as string,
      way: 'hand',
      refundedMicros: 35_000_000n,
      takenBackBytes: 10n * bytesPerGb,
      byPool: new Map([['residential', 10n * bytesPerGb]]),
      givenBytes: 0n,
      creditedBytes: 10n * bytesPerGb,
    })
    expect(await heldBytes(buyer)).toBe(0n)
    expect(await referralBalance(shop.database.db, inviter)).toBe(0n)
    expect(await findInvoice(shop.database.db, number)).toMatchObject({ state: 'refunded' })
    await sound()
  })

  it('takes back the unused traffic, never below zero', async () => {
    const { buyer, number } = await purchase()
    await use(buyer, 4n * bytesPerGb)
    expect(await refund(number)).toMatchObject({
      refundedMicros: 35_000_000n,
      takenBackBytes: 6n * bytesPerGb,
    })
    expect(await heldBytes(buyer)).toBe(0n)
    await sound()
  })

  it('returns all but the cost of the used traffic, and the same fraction of the inviter’s share', async () => {
    const { buyer, inviter, number } = await purchase()
    await use(buyer, 4n * bytesPerGb)
    expect(await refund(number, 'unused')).toMatchObject({ refundedMicros: 21_000_000n })
    expect(await referralBalance(shop.database.db, inviter)).toBe(1_400_000n)
    await sound()
  })

  it('of unused traffic returns nothing for the traffic of another invoice, and leaves the invoice paid', async () => {
    const { buyer, buy, number } = await purchase()
    await buy()
    await use(buyer, 10n * bytesPerGb)
    await expect(refund(number, 'unused')).rejects.toMatchObject({ code: 'nothing_unused' })
    expect(await findInvoice(shop.database.db, number)).toMatchObject({ state: 'paid', refundedMicros: 0n })
    expect(await heldBytes(buyer)).toBe(10n * bytesPerGb)
    await sound()
  })

  it('first recalls what gateways hold, and takes it', async () => {
    const { buyer, number } = await purchase()
    const { promised, giveBack, ask } = await use(buyer, bytesPerGb, { keep: true })
    expect(promised).toBeGreaterThan(0n)
    const refunding = refund(number)
    const { db } = shop.database
    await expect
      .poll(async () => (await sql`select from meter where paused_until > now()`.execute(db)).rows.length)
      .toBe(1)
    // While it waits, no gateway gets any bytes, and none is told that there are none.
    expect(await ask()).toMatchObject({ granted_bytes: 0n, outstanding: true })
    await giveBack()
    expect((await refunding).takenBackBytes).toBe(9n * bytesPerGb)
    expect(await heldBytes(buyer)).toBe(0n)
    expect(await ask()).toMatchObject({ granted_bytes: 0n, outstanding: false })
    await sound()
  })

  it('leaves traffic that a gateway holds on lease', async () => {
    const { buyer, number } = await purchase()
    const { promised } = await use(buyer, bytesPerGb, { keep: true })
    const { takenBackBytes } = await refund(number)
    expect(takenBackBytes).toBe(9n * bytesPerGb - promised)
    expect(await heldBytes(buyer)).toBe(promised)
    await sound()
  })

  it('refuses an invoice that is unknown, open or refunded', async () => {
    const { number } = await purchase()
    await refund(number)
    await expect(refund(number)).rejects.toMatchObject({ code: 'invoice_not_refundable' })
    await expect(refund('nosuchnumber')).rejects.toMatchObject({ code: 'invoice_not_found' })
    const url = await (
      await shop.customer()
    ).call('create_invoice_web', { payment_method: 'sandbox', ...order })
    const open = url.split('/').at(-1) ?? ''
    await expect(refund(open)).rejects.toMatchObject({
      code: 'invoice_not_refundable',
      details: { state: 'pending' },
    })
    await press(shop.origin, open, 'paid')
    await refund(open)
  })

  it('happens once under concurrent calls', async () => {
    const { buyer, buy, number } = await purchase()
    await buy()
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => refund(number)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await heldBytes(buyer)).toBe(10n * bytesPerGb)
  })

  it('credits a payment that arrives after it', async () => {
    const { buyer, inviter, number } = await purchase()
    await use(buyer, 4n * bytesPerGb)
    await refund(number)
    await pay(number, 35_000_000n)
    expect(await heldBytes(buyer)).toBe(6n * bytesPerGb)
    expect(await referralBalance(shop.database.db, inviter)).toBe(3_500_000n)
    // Money received after it can be refunded as well.
    expect((await findInvoice(shop.database.db, number))?.state).toBe('partly_refunded')
    expect(await refund(number)).toMatchObject({ refundedMicros: 35_000_000n })
    await sound()
  })

  it('returns referral money to the referral balance', async () => {
    const { db } = shop.database
    const accountId = await newAccount(db)
    await give(accountId, 35_000_000n)
    const wish = { accountId, pool: 'residential', gb: 10n, promocode: null, language: 'ru' } as const
    const number = await payFromReferral(shop.database, purchaseDeps(shop.services), wish, new Date())
    expect(await referralBalance(db, accountId)).toBe(0n)
    await refund(number)
    expect(await referralBalance(db, accountId)).toBe(35_000_000n)
    expect(await heldBytes(accountId)).toBe(0n)
    await sound()
  })

  it('offsets a share that was already spent against the next ones', async () => {
    const { db } = shop.database
    const { inviter, buy, number } = await purchase()
    const wish = { accountId: inviter, pool: 'datacenter', gb: 4n, promocode: null, language: 'ru' } as const
    await payFromReferral(shop.database, purchaseDeps(shop.services), wish, new Date())
    expect(await referralBalance(db, inviter)).toBe(700_000n)
    await refund(number)
    expect([await referralBalance(db, inviter), await owedMicros(db, inviter)]).toEqual([0n, 2_800_000n])
    await buy()
    expect([await referralBalance(db, inviter), await owedMicros(db, inviter)]).toEqual([700_000n, 0n])
    await sound()
  })
})

describe('for purchases, spending and refunds in any order', () => {
  const event = fc.oneof(
    { weight: 3, arbitrary: fc.record({ what: fc.constant('buy' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ what: fc.constant('spend' as const), gb: fc.bigInt({ min: 1n, max: 9n }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        what: fc.constant('refund' as const),
        invoice: fc.nat(8),
        how: fc.constantFrom('all' as const, 'unused' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ what: fc.constant('use' as const), share: fc.bigInt({ min: 2n, max: 4n }) }),
    },
  )

  it('the inviter’s balance less their debt is the sum earned and kept less the sum spent', async () => {
    const { db } = shop.database
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 3, maxLength: 14 }), async (events) => {
        const { inviter, buyer, buy, number } = await purchase()
        const numbers = [number]
        for (const one of events) {
          if (one.what === 'buy') numbers.push(await buy())
          else if (one.what === 'use') {
            const bytes = (await heldBytes(buyer)) / one.share
            if (bytes > 0n) await use(buyer, bytes)
          } else {
            const wish = { accountId: inviter, pool: 'datacenter', promocode: null, language: 'ru' } as const
            const work =
              one.what === 'spend'
                ? payFromReferral(
                    shop.database,
                    purchaseDeps(shop.services),
                    { ...wish, gb: one.gb },
                    new Date(),
                  ).then((made) => numbers.push(made))
                : refund(numbers[one.invoice % numbers.length] ?? '', one.how)
            await work.catch((refusal: unknown) =>
              expect(['insufficient_referral_balance', 'invoice_not_refundable', 'nothing_unused']).toContain(
                (refusal as { code: string }).code,
              ),
            )
          }
        }
        const { rows } = await sql<{ kept: bigint; spent: bigint }>`
          select (select coalesce(sum(earned_micros - undone_micros), 0)::bigint
                  from referral_earning where inviter_id = ${inviter}) as kept,
            (select coalesce(sum(received_micros - refunded_micros), 0)::bigint
             from invoice where account_id = ${inviter}) as spent`.execute(db)
        const [balance, owed] = [await referralBalance(db, inviter), await owedMicros(db, inviter)]
        expect(balance - owed).toBe((rows[0]?.kept ?? 0n) - (rows[0]?.spent ?? 0n))
        expect(balance === 0n || owed === 0n).toBe(true)
      }),
      { numRuns: sized(6, 15) },
    )
    await sound()
  }, 60_000)

  it('does not deadlock when payments, spending and refunds of the same people are concurrent', async () => {
    const { db } = shop.database
    const { inviter, buy } = await purchase()
    const numbers = await Promise.all(Array.from({ length: 8 }, () => buy()))
    const wish = { accountId: inviter, pool: 'datacenter', gb: 2n, promocode: null, language: 'ru' } as const
    const outcomes = await Promise.allSettled([
      ...numbers.map((number) => refund(number)),
      ...Array.from({ length: 8 }, () => buy()),
      ...Array.from({ length: 8 }, () =>
        payFromReferral(shop.database, purchaseDeps(shop.services), wish, new Date()),
      ),
    ])
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'insufficient_referral_balance' })
    const spent = outcomes.slice(16).filter(({ status }) => status === 'fulfilled').length
    const balance = await referralBalance(db, inviter)
    expect(balance - (await owedMicros(db, inviter))).toBe(31_500_000n - 1_400_000n * BigInt(spent))
    await sound()
  })
})
