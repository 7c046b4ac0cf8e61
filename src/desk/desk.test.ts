import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { unblockDue } from '#accounts'
import { verifyLedger } from '#ledger'
import { lease } from '#traffic'
import { app, type App, type Customer, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let owner: StaffMember

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0', DESK_STEP_UP_GB: '50' } })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  expect(await verifyLedger(shop.database.db)).toEqual([])
  await office.close()
  await shop.close()
})
// Each code of an authenticator app moves the clock; the owner stays signed in.
beforeEach(async () => void (await owner.call('session', {})))

const gb = 1_000_000_000n
const act = (id: string) => ({ id, reason: 'a gesture', key: randomUUID() })
const idOf = async ({ call }: Customer) => String((await call('legacy_profile', {}))[0]?.user_id)
const newcomer = async (name?: string) => {
  const customer = await shop.customer(name)
  return { customer, id: await idOf(customer) }
}
const later = (minutes: number) => {
  shop.clock.now = new Date(shop.clock.now.getTime() + minutes * 60_000)
}

describe('traffic that staff give', () => {
  it('arrives as bonus once per key, and shows in ledger and timeline with who and why', async () => {
    const { id, customer } = await newcomer()
    const gift = {
      ...act(id),
      pool: 'mobile' as const,
      bytes: String(2n * gb),
      reason: 'sorry for the outage',
    }
    const answers = await Promise.all([1, 2, 3].map(() => owner.call('give_traffic', gift)))
    expect(answers).toEqual(Array(3).fill({ bytes: String(2n * gb), balance_bytes: String(2n * gb) }))
    expect((await customer.call('legacy_profile', {}))[0]?.mobile.balance_format).toBe('2.00 GB')
    const { rows } = await owner.call('customer_ledger', { id, account: 'mobile' })
    expect(rows).toMatchObject([
      { kind: 'staff_gift', reference: gift.key, part: 'bonus', amount: String(2n * gb) },
    ])
    const { rows: events } = await owner.call('customer_timeline', { id })
    expect(events.find(({ kind }) => kind === 'staff_act')).toMatchObject({
      facts: { action: 'give_traffic', reason: 'sorry for the outage' },
      by: { name: owner.name },
    })
    expect((await refusalOf(owner.call('give_traffic', { ...gift, bytes: '1' }))).code).toBe('act_key_reused')
    const other = await office.staff('owner')
    expect((await refusalOf(other.call('give_traffic', gift))).code).toBe('act_key_reused')
  })

  it('is limited a day for support, however many calls come at once', async () => {
    const support = await office.staff('support')
    const { id } = await newcomer()
    const give = (bytes: bigint) =>
      support.call('give_traffic', { ...act(id), pool: 'residential', bytes: String(bytes) })
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => give(gb)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await refusalOf(give(1n))).toMatchObject({ code: 'daily_limit', details: { limit: '5.00 GB' } })
    later(24 * 60 + 1)
    const { browser, name, password, secret } = support
    await browser.call('sign_in', { name, password })
    await browser.call('confirm_totp', { code: await office.code(secret) })
    await give(gb)
    owner = await office.staff('owner')
  })

  it('needs a fresh factor from the limit of the settings on', async () => {
    const { id } = await newcomer()
    const give = () => owner.call('give_traffic', { ...act(id), pool: 'mobile', bytes: String(50n * gb) })
    await office.stepUp(owner)
    await give()
    later(11)
    expect((await refusalOf(give())).code).toBe('step_up_needed')
    await owner.call('give_traffic', { ...act(id), pool: 'mobile', bytes: String(50n * gb - 1n) })
  })
})

describe('traffic that staff take', () => {
  it('is what there is at most, bonus first, and never what a gateway holds', async () => {
    const { id, customer } = await newcomer()
    await shop.buy(customer, { pool: 'residential', gb: 3 })
    await owner.call('give_traffic', { ...act(id), pool: 'residential', bytes: String(gb) })
    const take = (bytes: bigint) =>
      owner.call('take_traffic', { ...act(id), pool: 'residential', bytes: String(bytes) })
    expect(await take(2n * gb)).toEqual({ bytes: String(2n * gb), balance_bytes: String(2n * gb) })
    const { pools } = await owner.call('customer', { id })
    expect(pools).toMatchObject([{ bonus_bytes: '0', paid_bytes: String(2n * gb) }])
    const { rows } = await shop.database.pool.query<{ id: bigint }>(
      'select id from subuser where account_id = $1',
      [id],
    )
    const subuserId = rows[0]?.id ?? 0n
    const request = { subuser: subuserId, want_bytes: gb }
    const held = await lease(shop.database.db, { gateway: 'g', boot: 'b' }, request)
    expect(held.granted_bytes).toBeGreaterThan(0n)
    const { leased_bytes: leased = '0' } = (await owner.call('customer', { id })).pools[0] ?? {}
    expect(BigInt(leased)).toBeGreaterThan(0n)
    const taken = await take(10n * gb)
    expect(BigInt(taken.bytes)).toBe(2n * gb - BigInt(leased))
    expect(taken.balance_bytes).toBe(leased)
  })
})

describe('money on the referral balance', () => {
  it('is given and taken, at most what there is, once per key', async () => {
    const { id } = await newcomer()
    const gift = { ...act(id), micros: '5000000' }
    for (let each = 0; each < 2; each += 1)
      expect(await owner.call('give_money', gift)).toEqual({ micros: '5000000', balance_micros: '5000000' })
    expect(await owner.call('take_money', { ...act(id), micros: '9000000' })).toEqual({
      micros: '5000000',
      balance_micros: '0',
    })
  })
})

describe('a block', () => {
  it('ends sessions, tells the reason when asked to, and ends by itself at its time', async () => {
    const { id, customer } = await newcomer()
    const { username, password } = customer
    const until = new Date(shop.clock.now.getTime() + 3_600_000).toISOString()
    const block = { id, until, reason: 'spam from your account', tell: true }
    expect(await owner.call('block_customer', block)).toEqual({ changed: true })
    expect(await owner.call('block_customer', block)).toEqual({ changed: false })
    expect((await refusalOf(customer.call('legacy_profile', {}))).code).toBe('unauthorized')
    expect((await refusalOf(shop.anyone('signin', { username, password }))).message).toContain(
      'spam from your account',
    )
    expect((await owner.call('customer', { id })).blocked).toMatchObject({ until, reason: block.reason })
    expect(await unblockDue(shop.database.db, shop.clock.now)).toBe(0)
    later(61)
    owner = await office.staff('owner')
    expect(await unblockDue(shop.database.db, shop.clock.now)).toBe(1)
    await shop.anyone('signin', { username, password })
    expect((await owner.call('customer', { id })).blocked).toBeNull()
  })
})

describe('a refund', () => {
  it('gives back an amount and takes the traffic that it bought', async () => {
    const { customer } = await newcomer()
    const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
    const { cost_micros: cost } = await owner.call('invoice', { number })
    const micros = String(BigInt(cost) / 2n)
    const what = { kind: 'amount', micros } as const
    const reason = 'half of it did not work'
    const tooMuch = { kind: 'amount', micros: String(BigInt(cost) + 10_000n) } as const
    expect((await refusalOf(owner.call('refund_invoice', { number, what: tooMuch, reason }))).code).toBe(
      'invalid_refund_amount',
    )
    const done = await owner.call('refund_invoice', { number, what, reason })
    expect(done).toMatchObject({ refunded_micros: micros, taken_back_bytes: String(5n * gb) })
    expect(await owner.call('invoice', { number })).toMatchObject({
      state: 'refunded',
      refunded_micros: micros,
    })
    expect((await refusalOf(owner.call('refund_invoice', { number, what, reason }))).code).toBe(
      'invoice_not_refundable',
    )
    const { rows } = await owner.call('audit', { subject_kind: 'invoice', subject_id: number })
    expect(rows).toMatchObject([{ action: 'refund_invoice', reason, after: { refunded_micros: micros } }])
  })
})

describe('the list of customers', () => {
  it('is searched by everything that belongs to a customer', async () => {
    const { id, customer } = await newcomer('needle-in-haystack')
    const number = await shop.buy(customer, { pool: 'datacenter', gb: 1 })
    await customer.call('add_ip_to_whitelist', { pool: 'datacenter', ip: '8.8.4.4' })
    const [pool] = (await owner.call('customer', { id })).pools
    for (const text of [
      'NEEDLE-in',
      'needle-in-haystack@exam',
      number,
      '8.8.4.4',
      pool?.login ?? '',
      `#${id}`,
    ]) {
      const { rows } = await owner.call('customers', { text })
      expect(
        rows.map((row) => row.id),
        text,
      ).toContain(id)
      expect(
        (await owner.call('find', { text })).map((hit) => hit.id),
        text,
      ).toContain(id)
    }
  })

  it('is filtered and ordered, and its pages neither repeat nor lose anybody', async () => {
    const people = []
    for (let each = 0; each < 5; each += 1) people.push(await newcomer(`pages-person-${each}`))
    for (const [index, { customer, id }] of people.entries()) {
      if (index % 2 === 0) await shop.buy(customer, { pool: 'datacenter', gb: 1 + index })
      await owner.call('set_tags', { id, tags: index < 2 ? ['early', 'pages'] : ['pages'] })
    }
    const sorts = ['newest', 'oldest', 'spent', 'last_seen', 'balance'] as const
    for (const sort of sorts) {
      const whole = await owner.call('customers', { tag: 'pages', sort })
      expect(whole.rows).toHaveLength(5)
      const bought = new Map(whole.rows.map(({ name, balance_bytes: bytes }) => [name, bytes]))
      for (const index of people.keys())
        expect(bought.get(`pages-person-${index}`)).toBe(
          String(index % 2 === 0 ? BigInt(1 + index) * gb : 0n),
        )
      const seen: string[] = []
      const page = { tag: 'pages', sort, limit: 2 }
      let { rows, next } = await owner.call('customers', page)
      seen.push(...rows.map((row) => row.id))
      while (next !== null) {
        ;({ rows, next } = await owner.call('customers', { ...page, after: next }))
        seen.push(...rows.map((row) => row.id))
      }
      expect(seen, sort).toEqual(whole.rows.map((row) => row.id))
    }
    const spent = await owner.call('customers', { tag: 'pages', sort: 'spent', spent_from: '1' })
    expect(spent.rows.map(({ name }) => name)).toEqual(['pages-person-4', 'pages-person-2', 'pages-person-0'])
    const held = await owner.call('customers', {
      tag: 'pages',
      balance_from: String(3n * gb),
      sort: 'balance',
    })
    expect(held.rows.map(({ name }) => name)).toEqual(['pages-person-4', 'pages-person-2'])
    expect((await owner.call('customers', { tag: 'early' })).rows).toHaveLength(2)
    expect(await owner.call('tags', {})).toContainEqual({ tag: 'pages', customers: 5 })
    for (const after of ['x', Buffer.from('1\n2\n3').toString('base64url')])
      expect((await refusalOf(owner.call('customers', { after }))).code).toBe('invalid_after')
  })
})

describe('prices', () => {
  it('are previewed, and not changed over somebody else’s change', async () => {
    const seen = await owner.call('prices', {})
    const dearer = seen.prices.map((price) => ({
      ...price,
      per_gb_micros: String(BigInt(price.per_gb_micros) * 2n),
    }))
    const preview = await owner.call('preview_prices', { prices: dearer, tiers: [] })
    const one = preview.find(({ pool, gb: amount }) => pool === 'residential' && amount === 1)
    expect(BigInt(one?.then_micros ?? 0)).toBe(2n * BigInt(one?.now_micros ?? 0))
    const change = { seen, prices: dearer, tiers: seen.tiers, reason: 'costs rose' }
    const answers = await Promise.allSettled([
      owner.call('change_prices', change),
      owner.call('change_prices', change),
    ])
    expect(answers.map(({ status }) => status)).toContain('fulfilled')
    expect((await refusalOf(owner.call('change_prices', change))).code).toBe('prices_changed')
    expect((await owner.call('prices', {})).prices).toEqual(dearer)
  })
})

describe('promo codes', () => {
  it('are made in a batch once per key, listed and stopped', async () => {
    const order = {
      codes: { kind: 'batch', prefix: 'FAIR-', count: 20 } as const,
      grant: { kind: 'traffic', pool: 'mobile', bytes: String(gb) } as const,
      max_uses: 1,
      expires_at: null,
      key: randomUUID(),
    }
    const { codes } = await owner.call('create_promo_codes', order)
    expect(new Set(codes).size).toBe(20)
    expect(await owner.call('create_promo_codes', order)).toEqual({ codes })
    const { rows, next } = await owner.call('promo_codes', { text: 'fair-', limit: 15 })
    expect([rows.length, next === null]).toEqual([15, false])
    await owner.call('stop_promo_code', { code: codes[0] ?? '' })
    expect((await owner.call('promo_codes', { state: 'disabled' })).rows).toMatchObject([{ code: codes[0] }])
  })
})

describe('today', () => {
  it('counts money, traffic and customers, and names what waits', async () => {
    // Accounts get the time of the database, which the tests before have left behind.
    shop.clock.now = new Date(Date.now() + 60_000)
    owner = await office.staff('owner')
    const { customer } = await newcomer()
    await shop.buy(customer, { pool: 'mobile', gb: 1 })
    later(1)
    const today = await owner.call('today', {})
    expect(BigInt(today.new_customers.today)).toBeGreaterThan(0n)
    expect(BigInt(today.sold_bytes.today)).toBeGreaterThan(0n)
    expect(today.before_you_open.map(({ name }) => name)).toContain('exits')
    expect(today.needs_you.map(({ kind }) => kind)).toContain('backup_old')
  })
})
