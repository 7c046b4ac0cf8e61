/**
 * The second factor by a member's sum of acts in a day: an act in small parts needs it like a single large
 * one.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deskWire, type DeskName } from '#contract/desk/wire'
import { type Database, openDatabase, transaction } from '#db'
import { verifyLedger } from '#ledger'
import { giveMoney, takePayout } from '#referral'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { planRefund } from '#purchase'

const wallet = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const usd = 1_000_000n

let shop: App
let office: Desk
let other: Database
let otherOffice: Desk
let member: StaffMember

beforeAll(async () => {
  shop = await app({
    env: {
      DEMO: '0',
      DESK_STEP_UP_USD: '100',
      DESK_STEP_UP_GB: '100',
      RECEIPTS: 'manual',
      RECEIPTS_ITEM_NAME: 'Traffic, {pool}',
      PAYOUTS: '1',
      PAYOUT_LEAST_USD: '1',
    },
  })
  office = await desk(shop)
  // A second process of the desk, with connections of its own.
  other = await openDatabase({ databaseUrl: shop.database.url, dataDir: '', role: 'guest' })
  otherOffice = await desk({ ...shop, database: other, services: { ...shop.services, database: other } })
})
afterAll(async () => {
  expect(await verifyLedger(shop.database.db)).toEqual([])
  await otherOffice.close()
  await office.close()
  await other.close()
  await shop.close()
})

const later = (minutes: number) => {
  shop.clock.now = new Date(shop.clock.now.getTime() + minutes * 60_000)
}
/** A member whose second factor is not fresh any more. */
const stale = async () => {
  const made = await office.staff('owner')
  later(11)
  return made
}
const signInAgain = async ({ browser, name, password, secret }: StaffMember) => {
  await browser.call('sign_in', { name, password })
  await browser.call('confirm_totp', { code: await office.code(secret) })
  later(11)
}
beforeEach(async () => {
  member = await stale()
})

const codeOf = (act: Promise<unknown>) =>
  act.then(
    () => 'done',
    (refusal: { code: string }) => refusal.code,
  )
const gift = (id: string, micros: bigint) => ({
  id,
  micros: String(micros),
  reason: 'a gesture',
  key: randomUUID(),
})
const reason = 'as agreed'

const payoutOf = async (micros: bigint) => {
  const customer = await shop.customer()
  const accountId = await accountIdOf(customer)
  await transaction(shop.database.db, (tx) =>
    giveMoney(tx, { accountId: BigInt(accountId), micros, kind: 'staff_gift', reference: randomUUID() }),
  )
  await shop.database.db.updateTable('session').set({ proved_at: shop.clock.now }).execute()
  await shop.database.db
    .updateTable('account_device')
    .set({ first_at: new Date(0) })
    .execute()
  await customer.call('request_payout', { micros: String(micros), network: 'usdt_trc20', wallet })
  return (await member.call('payouts', { customer: accountId })).rows[0]?.id ?? ''
}
/** An invoice of $35. */
const sold = async (customer: Customer) => shop.buy(customer, { pool: 'residential', gb: 10 })

/** An act worth $35 or 35 GB for each call: the first function prepares it, the returned one does it. */
const acts = {
  give_money: async () => {
    const given = gift(await accountIdOf(await shop.customer()), 35n * usd)
    return () => member.call('give_money', given)
  },
  refund_invoice: async () => {
    const number = await sold(await shop.customer())
    return () => member.call('refund_invoice', { key: randomUUID(), number, what: { kind: 'whole' }, reason })
  },
  send_refund: async () => {
    const number = await sold(await shop.customer())
    const { name } = await planRefund(shop.database, { number, what: 'all' }, shop.clock.now)
    return () => member.call('send_refund', { id: name, reason })
  },
  register_receipt: async () => {
    const invoice = await sold(await shop.customer())
    const id = (await member.call('receipts', { invoice })).rows[0]?.id ?? ''
    return () => member.call('register_receipt', { id, number: '17' })
  },
  settle_return: async () => {
    const number = await sold(await shop.customer())
    await shop.database.pool.query(
      `insert into processor_refund (method, refund_id, invoice_id, cause, state, currency, amount_micros, made_at, changed_at)
       select method, $1, id, 'refund', 'unclear', 'BTC', 50, now(), now() from invoice where number = $1`,
      [number],
    )
    return () => member.call('settle_return', { number, id: number, micros: '1000000', reason })
  },
  take_payout: async () => {
    const id = await payoutOf(35n * usd)
    return () => member.call('take_payout', { id, micros: '35000000' })
  },
  pay_payout: async () => {
    const id = await payoutOf(35n * usd)
    await transaction(shop.database.db, (tx) =>
      takePayout(tx, { id: BigInt(id), micros: 35n * usd }, shop.clock.now),
    )
    return () => member.call('pay_payout', { id, reference: 'a transaction' })
  },
  give_traffic: async () => {
    const id = await accountIdOf(await shop.customer())
    const bytes = String(35n * 1_000_000_000n)
    return () => member.call('give_traffic', { id, pool: 'mobile', bytes, reason, key: randomUUID() })
  },
} satisfies Partial<Record<DeskName, () => Promise<() => Promise<unknown>>>>
const does = async (name: keyof typeof acts) => codeOf((await acts[name]())())

describe('the second factor', () => {
  it('is asked for by every call that is declared so', () => {
    const declared = (Object.keys(deskWire) as DeskName[]).filter((name) =>
      deskWire[name].stepUp.startsWith('by '),
    )
    expect(Object.keys(acts).toSorted()).toEqual(declared.toSorted())
  })

  for (const name of Object.keys(acts) as (keyof typeof acts)[])
    it(`is needed by the part of ${name} that reaches the limit, and then permits further parts`, async () => {
      expect(await does(name)).toBe('done')
      expect(await does(name)).toBe('done')
      expect(await does(name)).toBe('step_up_needed')
      await office.stepUp(member)
      expect(await does(name)).toBe('done')
    })

  it('is needed when different acts with money together reach the limit', async () => {
    expect(await does('give_money')).toBe('done')
    expect(await does('refund_invoice')).toBe('done')
    expect(await does('take_payout')).toBe('step_up_needed')
    // Traffic has a limit of its own.
    expect(await does('give_traffic')).toBe('done')
  })

  it('is asked for at the second of six gifts of $99, of each member', async () => {
    const id = await accountIdOf(await shop.customer())
    const slices = async (who: StaffMember) => {
      const codes = []
      for (let each = 0; each < 6; each += 1)
        codes.push(await codeOf(who.call('give_money', gift(id, 99n * usd))))
      return codes
    }
    const refused = Array<string>(5).fill('step_up_needed')
    expect(await slices(member)).toEqual(['done', ...refused])
    expect(await slices(await stale())).toEqual(['done', ...refused])
  })

  it('counts over midnight, and forgets an act after 24 hours', async () => {
    const id = await accountIdOf(await shop.customer())
    const midnight = new Date(shop.clock.now)
    midnight.setUTCHours(23, 50, 0, 0)
    if (midnight <= shop.clock.now) midnight.setUTCDate(midnight.getUTCDate() + 1)
    shop.clock.now = midnight
    await signInAgain(member)
    shop.clock.now = new Date(Math.max(shop.clock.now.getTime(), midnight.getTime() + 9 * 60_000))
    const give = () => codeOf(member.call('give_money', gift(id, 99n * usd)))
    expect(await give()).toBe('done')
    later(20)
    expect(await give()).toBe('step_up_needed')
    later(24 * 60)
    await signInAgain(member)
    expect(await give()).toBe('done')
  })

  it('is not avoided by concurrent acts in two processes', async () => {
    const id = await accountIdOf(await shop.customer())
    const browser = otherOffice.browser()
    browser.cookie = member.browser.cookie
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, each) =>
        codeOf((each % 2 === 0 ? member : browser).call('give_money', gift(id, 30n * usd))),
      ),
    )
    expect(answers.filter((code) => code === 'done')).toHaveLength(3)
    expect((await member.call('customer', { id })).referral_micros).toBe(String(90n * usd))
  })

  it('leaves no trace of an act that it stops, and counts a repeated act once', async () => {
    const id = await accountIdOf(await shop.customer())
    const once = gift(id, 60n * usd)
    for (let each = 0; each < 3; each += 1) expect(await codeOf(member.call('give_money', once))).toBe('done')
    const number = await sold(await shop.customer())
    await member.call('give_money', gift(id, 10n * usd))
    const whole = { number, what: { kind: 'whole' }, reason } as const
    expect(await refusalOf(member.call('refund_invoice', { ...whole, key: randomUUID() }))).toMatchObject({
      code: 'step_up_needed',
    })
    expect((await member.call('invoice', { number })).state).toBe('paid')
  })

  it('counts a payout once although it is taken and then paid', async () => {
    const id = await payoutOf(60n * usd)
    expect(await codeOf(member.call('take_payout', { id, micros: String(60n * usd) }))).toBe('done')
    expect(await codeOf(member.call('pay_payout', { id, reference: 'a transaction' }))).toBe('done')
    expect(await does('give_money')).toBe('done')
    expect(await does('give_money')).toBe('step_up_needed')
  })
})
