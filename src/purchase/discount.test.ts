import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { createCode, listCodes, type NewCode } from '#promo'
import { type App, app, type Customer, press, refusalOf, purchaseDeps } from '#test/app'
import { newAccount } from '#test/people'
import { sized } from '#test/size'
import { createInvoice, expireInvoices, findInvoice, settle } from './purchase.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

let made = 0
const invalid = { code: 'promocode_invalid', status: 422 }

async function newCode(given: Partial<NewCode> = {}): Promise<string> {
  const code = `code${++made}`
  const grant = { kind: 'discount' as const, discountPpm: 200_000, minGb: 1n }
  await createCode(shop.database.db, { code, grant, maxUses: null, expiresAt: null, ...given })
  return code
}

/** An order of 10 GB that costs 35 USD, and 28 USD with the code. */
async function order({ call }: Customer, promocode: string) {
  const url = await call('create_invoice_web', {
    payment_method: 'sandbox',
    amount: 10,
    pool: 'residential',
    promocode,
  })
  const number = url.split('/').at(-1) ?? ''
  return {
    number,
    press: (result: string) => press(shop.origin, number, result),
    find: async () => {
      const invoice = await findInvoice(shop.database.db, number)
      if (invoice === null) throw new Error('the invoice was just made')
      return invoice
    },
  }
}

const usesOf = async (code: string) =>
  (await listCodes(shop.database.db)).find((one) => one.code === code)?.uses
const pass = (minutes: number) => {
  shop.clock.now = new Date(shop.clock.now.getTime() + minutes * 60_000)
}
const lost = { state: 'underpaid', creditedBytes: 8_000_000_000n, dueMicros: 35_000_000n }
const won = { state: 'paid', creditedBytes: 10_000_000_000n, dueMicros: 28_000_000n }

describe('a discount code on an invoice', () => {
  it('is frozen in the quote and counted when the invoice is paid', async () => {
    const customer = await shop.customer()
    const code = await newCode()
    const { press: pay, find } = await order(customer, code.toUpperCase())
    expect(await find()).toMatchObject({
      promocode: code,
      promoDiscountPpm: 200_000,
      costMicros: 28_000_000n,
      fullCostMicros: 35_000_000n,
    })
    expect(await usesOf(code)).toBe(0n)
    await pay('paid')
    expect(await find()).toMatchObject({ ...won, promoLostAt: null })
    expect(await usesOf(code)).toBe(1n)
  })

  it('is accepted once per customer', async () => {
    const customer = await shop.customer()
    const code = await newCode()
    await (await order(customer, code)).press('paid')
    const usedUp = { code: 'promocode_person_limit', status: 422, details: { limit: 1 } }
    expect(await refusalOf(order(customer, code))).toMatchObject(usedUp)
    const info = customer.call('discount_promocode_info', { code, amount: 10 })
    expect(await refusalOf(info)).toMatchObject(usedUp)
  })

  it('is accepted as often per customer as it allows, each open invoice with a hold of its own', async () => {
    const [customer, another] = [await shop.customer(), await shop.customer()]
    const code = await newCode({ usesPerPerson: 2, maxUses: 2n })
    const orders = [await order(customer, code), await order(customer, code)]
    expect(await refusalOf(order(another, code))).toMatchObject(invalid)
    for (const one of orders) await one.press('paid')
    for (const one of orders) expect(await one.find()).toMatchObject(won)
    expect(await refusalOf(order(customer, code))).toMatchObject({ code: 'promocode_person_limit' })
    expect(await usesOf(code)).toBe(2n)
  })

  it('gives a customer as many discounts as it allows, of many invoices paid concurrently', async () => {
    const customer = await shop.customer()
    const code = await newCode({ usesPerPerson: 2 })
    const orders = []
    for (let count = 0; count < 6; count++) orders.push(await order(customer, code))
    await Promise.all(orders.map((one) => one.press('paid')))
    const paid = await Promise.all(orders.map((one) => one.find()))
    expect(paid.filter(({ state }) => state === 'paid')).toHaveLength(2)
    for (const invoice of paid) expect(invoice).toMatchObject(invoice.state === 'paid' ? won : lost)
    expect(await usesOf(code)).toBe(2n)
  })

  it('is refused for an order in a pool that it is not for', async () => {
    const customer = await shop.customer()
    const code = await newCode({ pools: ['mobile', 'datacenter'] })
    const elsewhere = { code: 'promocode_pool', status: 422, details: { pools: ['mobile', 'datacenter'] } }
    const asked = { code, amount: 10 }
    expect(await customer.call('discount_promocode_info', asked)).toMatchObject({ discount: 0.2 })
    expect(
      await refusalOf(customer.call('discount_promocode_info', { ...asked, pool: 'residential' })),
    ).toMatchObject(elsewhere)
    expect(await customer.call('discount_promocode_info', { ...asked, pool: 'mobile' })).toMatchObject({
      discount: 0.2,
    })
    expect(await refusalOf(order(customer, code))).toMatchObject(elsewhere)
  })

  it('for a first purchase is refused after one, and lost when another invoice was paid meanwhile', async () => {
    const customer = await shop.customer()
    const code = await newCode({ firstPurchase: true })
    const welcomed = await order(customer, code)
    await shop.buy(customer, { pool: 'mobile', gb: 1 })
    await welcomed.press('paid')
    expect(await welcomed.find()).toMatchObject({ ...lost, promoLostAt: shop.clock.now })
    expect(await usesOf(code)).toBe(0n)
    const refused = { code: 'promocode_first_purchase', status: 422 }
    expect(await refusalOf(order(customer, code))).toMatchObject(refused)
    const info = customer.call('discount_promocode_info', { code, amount: 10 })
    expect(await refusalOf(info)).toMatchObject(refused)
  })

  it('for a first purchase is given once to a customer who pays invoices with several such codes at once', async () => {
    const customer = await shop.customer()
    const orders = []
    for (let count = 0; count < 6; count++)
      orders.push(await order(customer, await newCode({ firstPurchase: true })))
    await Promise.all(orders.map((one) => one.press('paid')))
    const paid = await Promise.all(orders.map((one) => one.find()))
    expect(paid.filter(({ state }) => state === 'paid')).toHaveLength(1)
    for (const invoice of paid) expect(invoice).toMatchObject(invoice.state === 'paid' ? won : lost)
  })

  it('is held by an open invoice, so that no other customer is quoted the same use', async () => {
    const [first, second] = [await shop.customer(), await shop.customer()]
    const code = await newCode({ maxUses: 1n })
    const held = await order(first, code)
    expect(await refusalOf(order(second, code))).toMatchObject(invalid)
    const newer = await order(first, code)
    await held.press('cancelled')
    expect(await refusalOf(order(second, code))).toMatchObject(invalid)
    await newer.press('cancelled')
    const theirs = await order(second, code)
    await theirs.press('paid')
    expect(await theirs.find()).toMatchObject(won)
    expect(await usesOf(code)).toBe(1n)
  })

  it('is applied to a payment that is confirmed late, and after the code has ended', async () => {
    const customer = await shop.customer()
    const code = await newCode({ expiresAt: new Date(shop.clock.now.getTime() + 60_000), maxUses: 1n })
    const { press: pay, find } = await order(customer, code)
    pass(100)
    await expireInvoices(shop.database.db, shop.clock.now)
    expect((await find()).state).toBe('expired')
    await pay('paid')
    expect(await find()).toMatchObject(won)
  })

  it('is lost when its hold has ended and another customer used it: the money buys at the full price, and the invoice says so', async () => {
    const [first, second] = [await shop.customer(), await shop.customer()]
    const code = await newCode({ maxUses: 1n })
    const late = await order(first, code)
    pass(121)
    const quick = await order(second, code)
    await quick.press('paid')
    await late.press('paid')
    expect(await quick.find()).toMatchObject(won)
    expect(await late.find()).toMatchObject({ ...lost, promoLostAt: shop.clock.now })
    expect(await usesOf(code)).toBe(1n)
  })

  it('is applied when its hold has ended and a use is left', async () => {
    const code = await newCode({ maxUses: 1n })
    const late = await order(await shop.customer(), code)
    pass(121)
    await late.press('paid')
    expect(await late.find()).toMatchObject(won)
  })

  it('is decided by the first payment: after a loss, the rest of the full price completes the invoice', async () => {
    const code = await newCode({ maxUses: 1n })
    const late = await order(await shop.customer(), code)
    pass(121)
    await (await order(await shop.customer(), code)).press('paid')
    await late.press('paid')
    const rest = {
      invoiceNumber: late.number,
      outcome: 'received' as const,
      externalPaymentId: 'the rest',
      receivedMicros: 7_000_000n,
    }
    await settle(shop.database, purchaseDeps(shop.services), 'sandbox', rest, shop.clock.now)
    expect(await late.find()).toMatchObject({ state: 'paid', creditedBytes: 10_000_000_000n })
  })

  it('gives its last use to exactly one of many concurrent orders', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => shop.customer()))
    const code = await newCode({ maxUses: 1n })
    const orders = await Promise.allSettled(people.map((customer) => order(customer, code)))
    expect(orders.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const refused of orders)
      if (refused.status === 'rejected') expect(refused.reason).toMatchObject(invalid)
  })

  it('gives its last use to exactly one of many concurrent late payments', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => shop.customer()))
    const code = await newCode({ maxUses: 1n })
    const orders = []
    for (const customer of people) {
      orders.push(await order(customer, code))
      pass(121)
    }
    pass(121)
    await Promise.all(orders.map((one) => one.press('paid')))
    const paid = await Promise.all(orders.map((one) => one.find()))
    expect(paid.filter(({ state }) => state === 'paid')).toHaveLength(1)
    for (const invoice of paid) expect(invoice).toMatchObject(invoice.state === 'paid' ? won : lost)
    expect(await usesOf(code)).toBe(1n)
    expect(await verifyLedger(shop.database.db)).toEqual([])
  })

  it('in an open invoice of the customer is named at the second order, and goes to whichever is paid first', async () => {
    const customer = await shop.customer()
    const code = await newCode()
    const ask = () => customer.call('discount_promocode_info', { code, amount: 10 })
    expect(await ask()).not.toHaveProperty('open_invoice')
    const first = await order(customer, code)
    expect(await ask()).toMatchObject({ discount: 0.2, open_invoice: first.number })
    const second = await order(customer, code)
    await first.press('paid')
    await second.press('paid')
    expect([await first.find(), await second.find()]).toMatchObject([won, lost])
  })

  it('gives a customer who pays several of its invoices concurrently one discount', async () => {
    const customer = await shop.customer()
    const code = await newCode()
    const orders = []
    for (let count = 0; count < 6; count++) orders.push(await order(customer, code))
    await Promise.all(orders.map((one) => one.press('paid')))
    const paid = await Promise.all(orders.map((one) => one.find()))
    expect(paid.filter(({ state }) => state === 'paid')).toHaveLength(1)
    expect(await usesOf(code)).toBe(1n)
  })
})

describe('for events in any order', () => {
  const person = fc.nat(3)
  const event = fc.oneof(
    fc.record({ what: fc.constant('order' as const), person }),
    fc.record({ what: fc.constant('pay' as const), invoice: fc.nat(9) }),
    fc.record({ what: fc.constant('cancel' as const), invoice: fc.nat(9) }),
    fc.record({ what: fc.constant('wait' as const), minutes: fc.constantFrom(30, 90, 130) }),
  )

  it('a code is used at most as often as allowed, in all and by each customer, and exactly by those who got its discount', async () => {
    const { db } = shop.database
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 4, maxLength: 24 }),
        fc.bigInt({ min: 1n, max: 5n }),
        fc.integer({ min: 1, max: 3 }),
        async (events, maxUses, usesPerPerson) => {
          const code = await newCode({ maxUses, usesPerPerson })
          const people = await Promise.all(Array.from({ length: 4 }, () => newAccount(db)))
          const numbers: string[] = []
          let now = shop.clock.now
          for (const one of events) {
            if (one.what === 'wait') now = new Date(now.getTime() + one.minutes * 60_000)
            else if (one.what === 'order') {
              const accountId = people[one.person] ?? 0n
              const wish = { accountId, pool: 'mobile', gb: 10n, promocode: code, language: 'ru' } as const
              try {
                const placed = { ...wish, method: 'sandbox' }
                numbers.push(
                  (await createInvoice(shop.database, purchaseDeps(shop.services), placed, now)).number,
                )
              } catch (refusal) {
                expect(['promocode_invalid', 'promocode_person_limit']).toContain(
                  (refusal as { code: string }).code,
                )
              }
            } else {
              const number = numbers[one.invoice]
              if (number === undefined) continue
              const invoice = await findInvoice(db, number)
              const notification = {
                invoiceNumber: number,
                outcome: one.what === 'pay' ? ('received' as const) : ('cancelled' as const),
                externalPaymentId: number,
                receivedMicros: one.what === 'pay' ? (invoice?.costMicros ?? 0n) : 0n,
              }
              await settle(shop.database, purchaseDeps(shop.services), 'sandbox', notification, now)
            }
          }
          const { rows } = await sql<{ uses: bigint; used: bigint; discounted: bigint; most: bigint }>`
            with discounted as (
              select i.account_id from invoice i join promocode c on c.id = i.promocode_id
              where c.code = ${code} and i.received_micros > 0 and i.promo_lost_at is null)
            select c.uses,
              (select count(*) from promo_use u where u.promocode_id = c.id and u.used_at is not null) as used,
              (select count(*) from discounted) as discounted,
              (select coalesce(max(count), 0) from (select count(*) from discounted group by account_id) each)::bigint as most
            from promocode c where c.code = ${code}`.execute(db)
          const [sums] = rows
          expect(sums?.uses).toBe(sums?.used)
          expect(sums?.uses).toBe(sums?.discounted)
          expect((sums?.most ?? 99n) <= BigInt(usesPerPerson)).toBe(true)
          expect((sums?.uses ?? 99n) <= maxUses).toBe(true)
        },
      ),
      { numRuns: sized(8, 25) },
    )
    expect(await verifyLedger(db)).toEqual([])
  }, 60_000)
})

describe('the letter about a payment', () => {
  const lettersTo = (customer: Customer) =>
    shop.database.db
      .selectFrom('mail')
      .select(['template', 'language', 'data'])
      .where('recipient', '=', customer.email)
      .where('template', '=', 'payment_received')
      .orderBy('created_at')
      .execute()

  it('is written with the payment, and says when a discount was lost', async () => {
    const [first, second] = [await shop.customer(), await shop.customer()]
    const code = await newCode({ maxUses: 1n })
    const late = await order(first, code)
    pass(121)
    const quick = await order(second, code)
    await Promise.all(Array.from({ length: 5 }, () => quick.press('paid')))
    await late.press('paid')
    const [letter, ...more] = await lettersTo(second)
    expect(more).toEqual([])
    expect(letter).toMatchObject({ language: 'ru' })
    expect(letter?.data).toEqual({
      invoice: quick.number,
      short_number: expect.stringMatching(/^\d{4}-\d{6}$/) as string,
      pool: 'residential',
      received_micros: '28000000',
      credited_bytes: '10000000000',
      is_full: true,
      promo_lost: false,
    })
    expect((await lettersTo(first))[0]?.data).toMatchObject({ is_full: false, promo_lost: true })
  })

  it('is not written to a customer without an address', async () => {
    const accountId = await newAccount(shop.database.db)
    const wish = {
      accountId,
      pool: 'mobile',
      gb: 1n,
      promocode: null,
      language: 'ru',
      method: 'sandbox',
    } as const
    const { number } = await createInvoice(shop.database, purchaseDeps(shop.services), wish, shop.clock.now)
    await press(shop.origin, number, 'paid')
    expect(await findInvoice(shop.database.db, number)).toMatchObject({ state: 'paid' })
  })
})
