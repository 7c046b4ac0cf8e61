import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { type App, app, type Customer, press } from '#test/app'
import { referralCalls } from './referral.calls.ts'
import { campaigns, setDefaultSharePpm } from './referral.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

async function infoOf({ call }: Customer) {
  const [info] = await call('legacy_referal_info', {})
  if (info === undefined) throw new Error('the answer has one element')
  return info
}

let guests = 0
/** A customer who signed up by another customer's link. */
async function guestOf(inviter: Customer, source?: string): Promise<Customer> {
  const code = new URL((await infoOf(inviter)).links.website).searchParams.get('ref')
  const username = `guest${++guests}-of-somebody`
  const person = { username, email: `${username}@example.com`, password: 'guest password' }
  await shop.anyone('signup', { ...person, referral_id: code, admin_referral_code: source ?? null })
  const token = await shop.anyone('signin', { username, password: person.password })
  return { ...person, token, call: shop.client(token) }
}

const setOwnPercent = ({ username }: Customer, ppm: number) =>
  shop.database.db
    .updateTable('account')
    .set({ pers_percent_ppm: ppm })
    .where('username', '=', username)
    .execute()

describe('legacy_referal_info', () => {
  it('has balance, count, percent and links', async () => {
    const customer = await shop.customer()
    expect(await infoOf(customer)).toEqual({
      balance: 0,
      ref_num: 0,
      percent: 0.1,
      links: {
        website: expect.stringMatching(/^http:\/\/localhost:3000\/\?ref=[0-9a-f]{12}$/),
        telegram: null,
      },
    })
    await guestOf(customer)
    expect((await infoOf(customer)).ref_num).toBe(1)
  })

  it('links to the bot when there is one', async () => {
    const customer = await shop.customer()
    const { links } = await infoOf(customer)
    const code = new URL(links.website).searchParams.get('ref')
    const account = await shop.database.db
      .selectFrom('account')
      .select('id')
      .where('username', '=', customer.username)
      .executeTakeFirstOrThrow()
    const calls = referralCalls({
      publicUrl: new URL('https://shop.example.net'),
      telegramBot: 'shop_bot',
      payoutRules: async () => ({ isOn: false, leastMicros: 1n, networks: [] }),
    })
    const context = { database: shop.database, account } as unknown as Parameters<
      typeof calls.legacy_referal_info
    >[1]
    const [info] = await calls.legacy_referal_info({}, context)
    expect(info?.links).toEqual({
      website: `https://shop.example.net/?ref=${code}`,
      telegram: `https://t.me/shop_bot?start=${code}`,
    })
  })
})

describe('a share', () => {
  it('is earned when an invited customer pays, once per payment, in the transaction of the payment', async () => {
    const inviter = await shop.customer()
    const guest = await guestOf(inviter)
    const number = await shop.buy(guest, { pool: 'residential', gb: 10 })
    await Promise.all(Array.from({ length: 10 }, () => press(shop.origin, number, 'paid')))
    expect(await infoOf(inviter)).toMatchObject({ balance: 3.5, ref_num: 1 })
    const [profile] = await inviter.call('legacy_profile', {})
    expect(profile?.ref_balance_usd).toBe(3.5)
    expect((await infoOf(guest)).balance).toBe(0)
  })

  it('is the share of the received money, when that is less', async () => {
    const inviter = await shop.customer()
    const guest = await guestOf(inviter)
    const url = await guest.call('create_invoice_web', {
      payment_method: 'sandbox',
      amount: 10,
      pool: 'residential',
    })
    await press(shop.origin, url.split('/').at(-1) ?? '', 'underpaid')
    expect((await infoOf(inviter)).balance).toBe(1.75)
  })

  it('uses the inviter’s own percentage if set, otherwise the operator’s', async () => {
    const inviter = await shop.customer()
    const guest = await guestOf(inviter)
    await setOwnPercent(inviter, 250_000)
    expect((await infoOf(inviter)).percent).toBe(0.25)
    await shop.buy(guest, { pool: 'residential', gb: 1 })
    expect((await infoOf(inviter)).balance).toBe(0.875)
    await setOwnPercent(inviter, 0)
    await setDefaultSharePpm(shop.database.db, 50_000)
    expect((await infoOf(inviter)).percent).toBe(0.05)
    await shop.buy(guest, { pool: 'residential', gb: 1 })
    expect((await infoOf(inviter)).balance).toBe(1.05)
    await setDefaultSharePpm(shop.database.db, 100_000)
  })

  it('adds up when many invited customers pay concurrently', async () => {
    const inviter = await shop.customer()
    const invited = await Promise.all(Array.from({ length: 10 }, () => guestOf(inviter)))
    await Promise.all(invited.map((guest) => shop.buy(guest, { pool: 'datacenter', gb: 10 })))
    expect(await infoOf(inviter)).toMatchObject({ balance: 7, ref_num: 10 })
    expect(await verifyLedger(shop.database.db)).toEqual([])
  })
})

describe('referral_earnings', () => {
  it('has every day of the period, for the customer’s own guests only, net of refunds', async () => {
    const [inviter, other] = await Promise.all([shop.customer(), shop.customer()])
    const guest = await guestOf(inviter)
    await shop.buy(guest, { pool: 'residential', gb: 10 })
    await shop.buy(guest, { pool: 'residential', gb: 10 })
    const earned = await inviter.call('referral_earnings', { days: 30 })
    expect(earned).toHaveLength(30)
    expect(earned.at(-1)).toMatchObject({ earned_usd: 7, payments: 2 })
    expect(earned.slice(0, -1).every(({ earned_usd: usd }) => usd === 0)).toBe(true)
    expect(earned.map(({ day }) => day)).toEqual(earned.map(({ day }) => day).toSorted())
    expect(await inviter.call('referral_earnings', { days: 90 })).toHaveLength(90)
    const others = await other.call('referral_earnings', { days: 30 })
    expect(others.every(({ payments }) => payments === 0)).toBe(true)
    await shop.database.db
      .updateTable('referral_earning')
      .set({ undone_micros: 3_500_000n })
      .where(
        'inviter_id',
        '=',
        (
          await shop.database.db
            .selectFrom('account')
            .select('id')
            .where('username', '=', inviter.username)
            .executeTakeFirstOrThrow()
        ).id,
      )
      .execute()
    expect((await inviter.call('referral_earnings', { days: 30 })).at(-1)).toMatchObject({
      earned_usd: 0,
      payments: 0,
    })
  })
})

describe('a campaign', () => {
  it('counts its sign-ups, its paying customers and their money', async () => {
    const inviter = await shop.customer()
    const [buyer] = await Promise.all([guestOf(inviter, 'forum-7'), guestOf(inviter, 'forum-7')])
    await guestOf(inviter, 'forum-8')
    await shop.buy(buyer, { pool: 'residential', gb: 10 })
    await shop.buy(buyer, { pool: 'residential', gb: 10 })
    expect(await campaigns(shop.database.db)).toEqual([
      { code: 'forum-7', signUps: 2n, buyers: 1n, revenueMicros: 70_000_000n },
      { code: 'forum-8', signUps: 1n, buyers: 0n, revenueMicros: 0n },
    ])
  })
})
