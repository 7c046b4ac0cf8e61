import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { type App, app, type Customer, refusalOf } from '#test/app'
import { codeKey } from './code.ts'
import { slotFor, type UseRow } from './slot.ts'
import { createCode, disableCode, type Grant, listCodes, type NewCode } from './promo.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

let made = 0
const invalid = { code: 'promocode_invalid', status: 422 }
const tenPercent: Grant = { kind: 'discount', discountPpm: 100_000, minGb: 1n }
const gift: Grant = { kind: 'traffic', pool: 'mobile', bytes: 1_500_000_000n }

async function newCode(given: Partial<NewCode> = {}): Promise<string> {
  const code = given.code ?? `Code-${++made}`
  const outcome = await createCode(shop.database.db, {
    code,
    grant: tenPercent,
    maxUses: null,
    expiresAt: null,
    ...given,
  })
  expect(outcome).toBe('created')
  return code
}

const later = (minutes: number) => new Date(shop.clock.now.getTime() + minutes * 60_000)
const info = (customer: Customer, code: string, amount: number | string = 10) =>
  customer.call('discount_promocode_info', { code, amount })
const activate = (customer: Customer, code: string) => customer.call('activate_traffic_promocode', { code })
const usesOf = async (code: string) =>
  (await listCodes(shop.database.db)).find((one) => one.code === code)?.uses

describe('a code', () => {
  it.each([
    ['  Summer ', 'summer'],
    ['ЛЕТО-2027', 'лето-2027'],
    ['ＦＵＬＬ１', 'full1'],
    ['ab', 'ab'],
    ['a', null],
    ['', null],
    ['a b', null],
    ['a\u0000b', null],
    ['\ud800ab', null],
    ["x'; drop table promocode", null],
    ['😀😀', null],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['x'.repeat(65), null],
  ])('%j is found by %j', (typed, key) => {
    expect(codeKey(typed)).toBe(key)
  })

  it('is created once, for all its spellings', async () => {
    const code = await newCode({ code: 'Only-Once' })
    const again = { grant: gift, maxUses: null, expiresAt: null }
    expect(await createCode(shop.database.db, { ...again, code: 'ONLY-ONCE' })).toBe('taken')
    expect(await createCode(shop.database.db, { ...again, code: 'only once' })).toBe('malformed')
    expect((await listCodes(shop.database.db)).filter((one) => one.code === code)).toHaveLength(1)
  })
})

describe('discount_promocode_info', () => {
  it('returns the discount of a code, in any letter case', async () => {
    const customer = await shop.customer()
    const expiresAt = later(60)
    const code = await newCode({ code: 'Spring', maxUses: 5n, expiresAt })
    const said = { discount: 0.1, expires_at: expiresAt.toISOString(), max_uses: 5, uses: 0 }
    for (const typed of [code, 'SPRING', ' spring ']) expect(await info(customer, typed)).toEqual(said)
    const endless = await newCode()
    expect(await info(customer, endless, '10')).toEqual({
      discount: 0.1,
      expires_at: null,
      max_uses: null,
      uses: 0,
    })
  })

  it('refuses what is unknown, malformed, expired, disabled, for traffic, or for a larger amount', async () => {
    const customer = await shop.customer()
    const expired = await newCode({ expiresAt: later(0) })
    const disabled = await newCode()
    await disableCode(shop.database.db, disabled.toLowerCase(), shop.clock.now)
    const forTraffic = await newCode({ grant: gift })
    const forMuch = await newCode({ grant: { ...tenPercent, minGb: 11n } })
    for (const code of ['nosuchcode', '', 'a\u0000b', expired, disabled, forTraffic, forMuch])
      expect(await refusalOf(info(customer, code))).toMatchObject(invalid)
    expect(await info(customer, forMuch, 11)).toMatchObject({ discount: 0.1 })
  })

  it('refuses an invalid amount', async () => {
    const customer = await shop.customer()
    const code = await newCode()
    for (const amount of [0, '1.5', '', 100_000_000])
      expect(await refusalOf(info(customer, code, amount))).toMatchObject({
        code: 'invalid_amount',
        status: 422,
      })
  })
})

describe('the place of a use', () => {
  const held = (nth: number, invoice: string, at: number): UseRow => ({
    nth,
    invoice,
    heldUntil: new Date(at),
    usedAt: null,
    operation: null,
  })
  const used = (nth: number, invoice: string): UseRow => ({
    ...held(nth, invoice, 0),
    heldUntil: null,
    usedAt: new Date(0),
  })

  it.each<[string, UseRow[], number, string | null, number | null]>([
    ['the first', [], 1, 'a', 1],
    ['behind the others', [used(1, 'a')], 2, 'b', 2],
    ['a gap that a cancelled hold left', [held(2, 'b', 5)], 2, 'c', 1],
    ['the own hold of an invoice', [held(1, 'a', 5), held(2, 'b', 9)], 2, 'b', 2],
    ['the hold that ends first, when no more are left', [held(1, 'a', 9), held(2, 'b', 5)], 2, 'c', 2],
    ['a hold, never a use', [used(1, 'a'), held(2, 'b', 5)], 2, 'c', 2],
    ['none after the last use', [used(1, 'a'), used(2, 'b')], 2, 'c', null],
    ['none when the limit was lowered below the uses', [used(1, 'a'), held(3, 'b', 5)], 1, 'b', null],
  ])('is %s', (_name, rows, usesPerPerson, invoice, nth) => {
    expect(slotFor(rows, usesPerPerson, invoice)?.nth ?? null).toBe(nth)
  })
})

describe('guessing', () => {
  it('is throttled, over all calls with a code', async () => {
    const customer = await shop.customer()
    const code = await newCode()
    const order = { payment_method: 'sandbox', amount: 1, pool: 'mobile' } as const
    const guesses = [
      () => info(customer, 'guess'),
      () => activate(customer, 'guess'),
      () => customer.call('create_invoice_web', { ...order, promocode: 'guess' }),
      () => customer.call('referral_payment', { amount: 1, pool: 'mobile', promocode: 'guess' }),
    ]
    const answers = await Promise.all(
      Array.from({ length: 70 }, (_, index) => refusalOf(guesses[index % 4]?.() ?? Promise.resolve())),
    )
    expect(answers.filter((answer) => answer.code === 'promocode_invalid')).toHaveLength(60)
    expect(answers.filter((answer) => answer.code === 'too_many_attempts')).toHaveLength(10)
    expect(await refusalOf(info(customer, code))).toMatchObject({ code: 'too_many_attempts', status: 429 })
    await customer.call('create_invoice_web', order)
    shop.clock.now = later(15)
    for (let count = 0; count < 70; count++) await info(customer, code)
  })
})

describe('activate_traffic_promocode', () => {
  it('credits bonus traffic and returns it', async () => {
    const customer = await shop.customer()
    const code = await newCode({ code: 'Welcome', grant: gift })
    expect(await activate(customer, 'WELCOME ')).toEqual({ pool: 'mobile', traffic: 1.5 })
    const [profile] = await customer.call('legacy_profile', {})
    expect(profile?.mobile).toMatchObject({
      balance: 1.5,
      balance_format: '1.50 GB',
      password: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
    })
    expect(await refusalOf(activate(customer, code))).toMatchObject({ code: 'promocode_used', status: 409 })
    expect(await usesOf(code)).toBe(1n)
  })

  it('informs a customer that they have already used a code, even after it has expired', async () => {
    const customer = await shop.customer()
    const code = await newCode({ grant: gift })
    await activate(customer, code)
    await disableCode(shop.database.db, code, shop.clock.now)
    expect(await refusalOf(activate(customer, code))).toMatchObject({ code: 'promocode_used' })
    expect(await refusalOf(activate(await shop.customer(), code))).toMatchObject(invalid)
  })

  it('refuses what is unknown, expired, used up or a discount', async () => {
    const customer = await shop.customer()
    const usedUp = await newCode({ grant: gift, maxUses: 1n })
    await activate(await shop.customer(), usedUp)
    const expired = await newCode({ grant: gift, expiresAt: later(-1) })
    for (const code of ['nosuchcode', '', usedUp, expired, await newCode()])
      expect(await refusalOf(activate(customer, code))).toMatchObject(invalid)
  })

  it('gives the last uses to exactly as many of concurrent customers', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => shop.customer()))
    const code = await newCode({ grant: gift, maxUses: 3n })
    const outcomes = await Promise.allSettled(people.map((customer) => activate(customer, code)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(invalid)
    const profiles = await Promise.all(people.map(({ call }) => call('legacy_profile', {})))
    expect(profiles.filter(([profile]) => profile?.mobile.balance === 1.5)).toHaveLength(3)
    expect(await usesOf(code)).toBe(3n)
  })

  it('credits a customer as often as the code allows, under concurrent calls', async () => {
    const [customer, another] = [await shop.customer(), await shop.customer()]
    const code = await newCode({ grant: gift, usesPerPerson: 3 })
    const attempts = Array.from({ length: 15 }, () => [activate(customer, code), activate(another, code)])
    const outcomes = await Promise.allSettled(attempts.flat())
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(6)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'promocode_used' })
    for (const { call } of [customer, another]) {
      const [profile] = await call('legacy_profile', {})
      expect(profile?.mobile.balance).toBe(4.5)
    }
    expect(await usesOf(code)).toBe(6n)
    expect(await verifyLedger(shop.database.db)).toEqual([])
  })

  it('is limited by a constraint of the database too', async () => {
    const customer = await shop.customer()
    const code = await newCode({ grant: gift, usesPerPerson: 2 })
    await activate(customer, code)
    await activate(customer, code)
    const again = sql`
      insert into promo_use (promocode_id, account_id, nth, used_at)
      select promocode_id, account_id, 3, used_at from promo_use join promocode p on p.id = promocode_id
      where p.code = ${code} limit 1`.execute(shop.database.db)
    await expect(again).rejects.toThrow('as often as it may')
  })

  it('credits a customer once under concurrent calls', async () => {
    const customer = await shop.customer()
    const code = await newCode({ grant: gift })
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => activate(customer, code)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const [profile] = await customer.call('legacy_profile', {})
    expect(profile?.mobile.balance).toBe(1.5)
    expect(await usesOf(code)).toBe(1n)
    expect(await verifyLedger(shop.database.db)).toEqual([])
  })
})
