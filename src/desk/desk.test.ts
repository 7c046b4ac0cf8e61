import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noteHeld, unblockDue } from '#accounts'
import { verifyLedger } from '#ledger'
import { findAccess } from '#proxies'
import { lease, settle } from '#traffic'
import { accountIdOf, app, type App, type Customer, press, refusalOf } from '#test/app'
import { line, newBoot } from '#test/traffic'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { type Desk, desk, type StaffMember } from '#test/desk'
import type { DeskInput } from '#contract/desk/contract'

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
const newcomer = async (name?: string) => {
  const customer = await shop.customer(name)
  return { customer, id: await accountIdOf(customer) }
}
/** Uses residential traffic of a customer. */
async function use(customer: Customer, bytes: bigint): Promise<void> {
  const { db } = shop.database
  const access = await findAccess(db, { accountId: BigInt(await accountIdOf(customer)), pool: 'residential' })
  const boot = newBoot()
  for (let left = bytes; left > 0n;) {
    const { lease: id, granted_bytes: granted } = await lease(db, boot, {
      access: access?.id ?? 0n,
      want_bytes: left,
    })
    const used = granted < left ? granted : left
    await settle(db, [
      boot.report([line(id, access?.id ?? 0n, used, { close: true })], { at_ms: Date.now() }),
    ])
    left -= used
  }
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
  it('is at most the balance, bonus first, and never traffic that a gateway holds', async () => {
    const { id, customer } = await newcomer()
    await shop.buy(customer, { pool: 'residential', gb: 3 })
    await office.stepUp(owner)
    await owner.call('give_traffic', { ...act(id), pool: 'residential', bytes: String(gb) })
    const take = (bytes: bigint) =>
      owner.call('take_traffic', { ...act(id), pool: 'residential', bytes: String(bytes) })
    expect(await take(2n * gb)).toEqual({ bytes: String(2n * gb), balance_bytes: String(2n * gb) })
    const { pools } = await owner.call('customer', { id })
    expect(pools).toMatchObject([{ bonus_bytes: '0', paid_bytes: String(2n * gb) }])
    const { rows } = await shop.database.pool.query<{ id: bigint }>(
      'select id from access where account_id = $1',
      [id],
    )
    const accessId = rows[0]?.id ?? 0n
    const request = { access: accessId, want_bytes: gb }
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
  it('is given and taken once per key, and never more is taken than there is', async () => {
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
  it('ends sessions, shows the reason if staff want that, and ends by itself at its time', async () => {
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
  it.each([false, true])(
    'is made once per key, and not with another amount (by hand: %s)',
    async (byHand) => {
      const { customer } = await newcomer()
      const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
      const amount = (micros: string) => ({ kind: 'amount', micros }) as const
      const wish = { number, what: amount('3500000'), by_hand: byHand, key: randomUUID(), reason: 'a part' }
      const done = await owner.call('refund_invoice', wish)
      expect(await owner.call('refund_invoice', wish)).toEqual(done)
      const other = await office.staff('owner')
      await office.stepUp(other)
      const second = { ...wish, number: await shop.buy(customer, { pool: 'residential', gb: 10 }) }
      for (const call of [
        () => owner.call('refund_invoice', { ...wish, what: amount('7000000') }),
        () => owner.call('refund_invoice', { ...wish, what: { kind: 'whole' } }),
        () => owner.call('refund_invoice', second),
        () => other.call('refund_invoice', wish),
      ])
        expect((await refusalOf(call())).code).toBe('act_key_reused')
      const racing = { ...wish, key: randomUUID() }
      const ends = await Promise.allSettled(
        ['3500000', '7000000'].map((micros) =>
          owner.call('refund_invoice', { ...racing, what: amount(micros) }),
        ),
      )
      expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect((await owner.call('invoice', { number })).refunds).toHaveLength(2)
      expect((await owner.call('invoice', { number: second.number })).refunds).toEqual([])
      for (const { id, state } of (await owner.call('invoice', { number })).refunds)
        if (state === 'planned') await owner.call('drop_refund', { id, reason: 'the test is over' })
    },
  )

  it('gives back an amount and takes the traffic that it bought', async () => {
    const { customer } = await newcomer()
    const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
    const { cost_micros: cost } = await owner.call('invoice', { number })
    const micros = String(BigInt(cost) / 2n)
    const what = { kind: 'amount', micros } as const
    const reason = 'half of it did not work'
    const tooMuch = { kind: 'amount', micros: String(BigInt(cost) + 10_000n) } as const
    expect(
      (await refusalOf(owner.call('refund_invoice', { key: randomUUID(), number, what: tooMuch, reason })))
        .code,
    ).toBe('invalid_refund_amount')
    const done = await owner.call('refund_invoice', { key: randomUUID(), number, what, reason })
    expect(done).toMatchObject({ refunded_micros: micros, taken_back_bytes: String(5n * gb) })
    expect(await owner.call('invoice', { number })).toMatchObject({
      state: 'partly_refunded',
      refunded_micros: micros,
      refundable_micros: micros,
      refunds: [{ way: 'processor', state: 'done', usd_micros: micros, taken_back_bytes: String(5n * gb) }],
    })
    const { rows } = await owner.call('audit', { subject_kind: 'invoice', subject_id: number })
    expect(rows).toMatchObject([{ action: 'refund_invoice', reason, after: { refunded_micros: micros } }])
    expect(await owner.call('refund_invoice', { key: randomUUID(), number, what, reason })).toMatchObject({
      refunded_micros: micros,
    })
    expect(await owner.call('invoice', { number })).toMatchObject({
      state: 'refunded',
      refundable_micros: '0',
    })
    expect(
      (await refusalOf(owner.call('refund_invoice', { key: randomUUID(), number, what, reason }))).code,
    ).toBe('invoice_not_refundable')
  })

  it('is previewed: what it returns and takes, and what remains, without changing anything', async () => {
    const { customer } = await newcomer()
    const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
    const before = await owner.call('invoice', { number })
    const preview = (what: DeskInput<'preview_refund'>['what']) =>
      owner.call('preview_refund', { number, what })
    const half = String(BigInt(before.cost_micros) / 2n)
    expect(await preview({ kind: 'unused' })).toMatchObject({
      refunded_micros: before.cost_micros,
      left_micros: '0',
      taken_back_bytes: String(10n * gb),
      way: 'processor',
    })
    expect(await preview({ kind: 'amount', micros: half })).toMatchObject({
      refunded_micros: half,
      left_micros: half,
      taken_back_bytes: String(5n * gb),
      taken: [{ pool: 'residential', bytes: String(5n * gb) }],
    })
    expect(await owner.call('invoice', { number })).toEqual(before)
  })

  it('that was planned for the unused traffic shows its present worth after more was used', async () => {
    const { customer } = await newcomer()
    const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
    const { cost_micros: cost } = await owner.call('invoice', { number })
    const wish = { number, what: { kind: 'unused' }, by_hand: true, reason: 'asked by letter' } as const
    await owner.call('refund_invoice', { ...wish, key: randomUUID() })
    expect((await owner.call('invoice', { number })).refunds).toMatchObject([
      { usd_micros: cost, unused_micros: cost },
    ])
    await use(customer, 5n * gb)
    const half = String(BigInt(cost) / 2n)
    const [planned] = (await owner.call('invoice', { number })).refunds
    expect(planned).toMatchObject({ state: 'planned', usd_micros: cost, unused_micros: half })
    // A refund planned again has the same amount; a sent one does not report the worth of unused traffic.
    await owner.call('drop_refund', { id: planned?.id ?? '', reason: 'planned anew' })
    await owner.call('refund_invoice', { ...wish, key: randomUUID() })
    const [, anew] = (await owner.call('invoice', { number })).refunds
    expect(anew).toMatchObject({ usd_micros: half, unused_micros: half })
    await owner.call('send_refund', { id: anew?.id ?? '', reason: 'sent' })
    expect((await owner.call('invoice', { number })).refunds).toMatchObject([
      { state: 'dropped', unused_micros: null },
      { state: 'done', usd_micros: half, unused_micros: null },
    ])
  })

  it('that is sent by hand waits in a queue, warns, and takes money and traffic when it is sent', async () => {
    const { customer } = await newcomer()
    const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
    const { cost_micros: cost } = await owner.call('invoice', { number })
    const reason = 'asked by letter'
    const half = { kind: 'amount', micros: String(BigInt(cost) / 2n) } as const
    const wish = { number, what: half, by_hand: true, reason } as const
    expect(await owner.call('refund_invoice', { ...wish, key: randomUUID() })).toMatchObject({
      way: 'hand',
      state: 'planned',
      refunded_micros: half.micros,
      taken_back_bytes: '0',
    })
    const [planned] = (await owner.call('invoice', { number })).refunds
    expect(await owner.call('invoice', { number })).toMatchObject({ state: 'paid', refunded_micros: '0' })
    const { needs_you: needs } = await owner.call('today', {})
    expect(needs.find(({ kind }) => kind === 'refund_by_hand')).toMatchObject({ examples: [number] })
    // The planned amount cannot be refunded in another way meanwhile.
    expect((await owner.call('invoice', { number })).refundable_micros).toBe(half.micros)
    await owner.call('refund_invoice', { key: randomUUID(), ...wish, what: { kind: 'whole' } })
    expect((await refusalOf(owner.call('refund_invoice', { ...wish, key: randomUUID() }))).code).toBe(
      'refund_planned',
    )
    const [, second] = (await owner.call('invoice', { number })).refunds
    const id = planned?.id ?? ''
    expect(await owner.call('send_refund', { id, reference: 'tx 1', reason })).toMatchObject({
      refunded_micros: half.micros,
      taken_back_bytes: String(5n * gb),
    })
    expect((await refusalOf(owner.call('send_refund', { id, reason }))).code).toBe('refund_not_planned')
    await owner.call('drop_refund', { id: second?.id ?? '', reason })
    expect(await owner.call('invoice', { number })).toMatchObject({
      state: 'partly_refunded',
      refundable_micros: half.micros,
      refunds: [
        { state: 'done', reference: 'tx 1' },
        { state: 'dropped', taken_back_bytes: '0' },
      ],
    })
    const { rows } = await owner.call('audit', { subject_kind: 'invoice', subject_id: number })
    expect(rows.map(({ action }) => action)).toEqual([
      'drop_refund',
      'send_refund',
      'plan_refund',
      'plan_refund',
    ])
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

  it('shares its search with invoices, requests, exits and codes, for members who may open them', async () => {
    const { id, customer } = await newcomer('finder-of-things')
    const number = await shop.buy(customer, { pool: 'datacenter', gb: 1 })
    const access = await findAccess(shop.database.db, { accountId: BigInt(id), pool: 'datacenter' })
    if (access === null) throw new Error('the customer has bought, and has no access')
    const whose = { accessId: access.id, accountId: BigInt(id), pool: 'datacenter' } as const
    const request = connectionOf(whose, shop.clock.now, refusedWith('no_exit'))
    await keepConnections(shop.database.db, [request], shop.clock.now)
    const grant = { kind: 'discount', discount_ppm: 100_000, min_gb: 1 } as const
    const codes = { kind: 'one', code: 'FINDME50' } as const
    await owner.call('create_promo_codes', {
      codes,
      grant,
      max_uses: null,
      expires_at: null,
      key: randomUUID(),
    })
    const hits = async (who: StaffMember, text: string) =>
      (await who.call('find', { text })).map(({ kind, id: found }) => [
        kind,
        kind === 'customer' ? found : null,
      ])
    await shop.database.pool.query(
      `insert into exit (pool, name, kind, everywhere) values ('mobile', 'Seller-9', 'direct', true)`,
    )
    const support = await office.staff('support')
    expect(await hits(owner, ` ${number} `)).toEqual([
      ['invoice', null],
      ['customer', id],
    ])
    expect(await hits(owner, request.id)).toEqual([
      ['connection', null],
      ['customer', id],
    ])
    expect(await hits(owner, 'findme')).toEqual([['promo_code', null]])
    expect(await hits(support, 'findme')).toEqual([])
    expect(await hits(owner, 'seller')).toContainEqual(['exit', null])
    expect(await hits(support, 'seller')).toEqual([])
    const accountant = await office.staff('accountant')
    expect(await hits(accountant, request.id)).toEqual([['customer', id]])
  })

  it('is filtered and ordered, and its pages neither repeat nor lose a customer', async () => {
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
    await noteHeld(shop.database.db)
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
  it('are previewed, and do not overwrite the change of another person', async () => {
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
    const accountant = await office.staff('accountant')
    const { rows } = await accountant.call('price_changes', {})
    expect(rows).toHaveLength(dearer.length)
    const [first] = rows
    const was = seen.prices.find(({ pool }) => pool === first?.pool)?.per_gb_micros ?? ''
    expect(first).toMatchObject({
      by: owner.name,
      reason: 'costs rose',
      before_micros: was,
      after_micros: String(BigInt(was) * 2n),
      from_gb: null,
    })
    const now = await owner.call('prices', {})
    const cheaper = { prices: now.prices.slice(1), tiers: [{ from_gb: 7, discount_ppm: 10_000 }] }
    await owner.call('change_prices', { seen: now, ...cheaper, reason: 'a new tier, a pool less' })
    const { rows: last } = await owner.call('price_changes', { limit: 1 })
    expect(last).toContainEqual(
      expect.objectContaining({ pool: now.prices[0]?.pool, after_micros: null, after_ppm: null }),
    )
    expect(last).toContainEqual(expect.objectContaining({ from_gb: 7, before_ppm: null, after_ppm: 10_000 }))
    await owner.call('change_prices', { seen: cheaper, ...now, reason: 'back again' })
  })
})

describe('the country of a sign-up', () => {
  it('is a filter of customers', async () => {
    const { id, customer } = await newcomer()
    await newcomer()
    await shop.database.db
      .updateTable('account')
      .set({ sign_up_country: 'PT' })
      .where('username', '=', customer.username)
      .execute()
    const { rows } = await owner.call('customers', { country: 'PT' })
    expect(rows).toMatchObject([{ id, country: 'PT' }])
    expect(await owner.call('sign_up_countries', {})).toEqual([{ country: 'PT', customers: 1 }])
    expect((await owner.call('customers', { country: 'DE' })).rows).toEqual([])
    expect((await owner.call('customer', { id })).country).toBe('PT')
  })
})

describe('promo codes', () => {
  const plainLimits = { uses_per_person: 1, first_purchase: false, pools: null }

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
    const others = [
      { ...order, grant: { ...order.grant, bytes: String(2n * gb) } },
      { ...order, codes: { ...order.codes, count: 21 } },
      { ...order, max_uses: 2 },
      { ...order, expires_at: new Date(shop.clock.now.getTime() + 3_600_000).toISOString() },
    ]
    for (const other of others)
      expect((await refusalOf(owner.call('create_promo_codes', other))).code).toBe('act_key_reused')
    const other = await office.staff('owner')
    expect((await refusalOf(other.call('create_promo_codes', order))).code).toBe('act_key_reused')
    expect((await owner.call('promo_codes', { text: 'fair-', limit: 50 })).rows).toHaveLength(20)
    const { rows, next } = await owner.call('promo_codes', { text: 'fair-', limit: 15 })
    expect([rows.length, next === null]).toEqual([15, false])
    const [, changed = ''] = codes
    const until = new Date(shop.clock.now.getTime() + 3_600_000).toISOString()
    await owner.call('change_promo_code', {
      ...plainLimits,
      code: changed,
      max_uses: 3,
      uses_per_person: 2,
      expires_at: until,
      reason: 'a contest',
    })
    expect((await owner.call('promo_codes', { text: changed })).rows).toMatchObject([
      { max_uses: '3', uses_per_person: 2, expires_at: until },
    ])
    expect((await owner.call('audit', { action: 'change_promo_code' })).rows).toMatchObject([
      {
        subject_id: changed,
        before: { max_uses: '1', uses_per_person: 1 },
        after: { max_uses: '3', uses_per_person: 2 },
        reason: 'a contest',
      },
    ])
    const ofDiscounts = { ...plainLimits, code: changed, max_uses: 3, expires_at: null }
    for (const limit of [{ first_purchase: true }, { pools: ['mobile' as const] }])
      expect((await refusalOf(owner.call('change_promo_code', { ...ofDiscounts, ...limit }))).code).toBe(
        'promo_limits_of_discounts',
      )
    const { customer } = await newcomer()
    await owner.call('create_promo_codes', {
      codes: { kind: 'one', code: 'HELD' },
      grant: { kind: 'discount', discount_ppm: 100_000, min_gb: 1 },
      max_uses: 5,
      expires_at: null,
      key: randomUUID(),
    })
    for (const buyer of [customer, (await newcomer()).customer])
      await buyer.call('create_invoice_web', {
        payment_method: 'sandbox',
        amount: 1,
        pool: 'mobile',
        promocode: 'HELD',
      })
    const least = (max_uses: number) =>
      owner.call('change_promo_code', { ...plainLimits, code: 'held', max_uses, expires_at: null })
    expect((await refusalOf(least(1))).code).toBe('promo_uses_taken')
    await least(2)
    const unknown = { ...plainLimits, code: 'none', max_uses: 1, expires_at: null }
    expect((await refusalOf(owner.call('change_promo_code', unknown))).code).toBe('promo_code_not_found')
    await owner.call('stop_promo_code', { code: codes[0] ?? '' })
    expect((await owner.call('promo_codes', { state: 'disabled' })).rows).toMatchObject([{ code: codes[0] }])
  })

  it('makes a named batch of promo codes, which is listed, exported and stopped as one', async () => {
    const batch = 'Autumn fair'
    const order = {
      codes: { kind: 'batch', name: batch, prefix: 'AF-', count: 3 } as const,
      grant: { kind: 'discount', discount_ppm: 990_000, min_gb: 1 } as const,
      max_uses: 1,
      expires_at: null,
      key: randomUUID(),
    }
    const { codes } = await owner.call('create_promo_codes', order)
    const ofBatch = async () => (await owner.call('promo_codes', { batch })).rows
    expect((await ofBatch()).map(({ code }) => code).toSorted()).toEqual(codes.toSorted())
    expect((await owner.call('promo_codes', { text: 'autumn' })).rows).toHaveLength(3)
    const [first = ''] = codes
    await owner.call('stop_promo_code', { code: first })
    expect(await owner.call('stop_promo_batch', { batch, reason: 'the fair is over' })).toEqual({
      stopped: 2,
    })
    expect((await ofBatch()).map(({ state }) => state)).toEqual(['disabled', 'disabled', 'disabled'])
    expect((await refusalOf(owner.call('stop_promo_batch', { batch }))).code).toBe('promo_batch_not_found')
    const { rows } = await owner.call('audit', { action: 'stop_promo_batch' })
    expect(rows[0]).toMatchObject({ subject_id: batch, reason: 'the fair is over' })
  })

  it('have limits of purchases, pools and persons, and show their uses by the day', async () => {
    const code = 'LIMITED'
    const limits = { first_purchase: true, pools: ['datacenter' as const, 'mobile' as const] }
    await owner.call('create_promo_codes', {
      codes: { kind: 'one', code },
      grant: { kind: 'discount', discount_ppm: 100_000, min_gb: 1, ...limits },
      max_uses: null,
      uses_per_person: 2,
      expires_at: null,
      key: randomUUID(),
    })
    const [shown] = (await owner.call('promo_codes', { text: code })).rows
    // In the order of the shop.
    const pools = ['datacenter', 'mobile']
    expect(shown).toMatchObject({ first_purchase: true, uses_per_person: 2 })
    expect(shown?.pools?.toSorted()).toEqual(pools)
    const { customer } = await newcomer()
    const order = { payment_method: 'sandbox', amount: 1, promocode: code } as const
    expect(
      (await refusalOf(customer.call('create_invoice_web', { ...order, pool: 'residential' }))).code,
    ).toBe('promocode_pool')
    const url = await customer.call('create_invoice_web', { ...order, pool: 'mobile' })
    await press(shop.origin, url.split('/').at(-1) ?? '', 'paid')
    const day = (days: number) =>
      new Date(shop.clock.now.getTime() + days * 86_400_000).toISOString().slice(0, 10)
    const asked = { id: shown?.id ?? '', from: day(-1), until: day(1) }
    expect((await owner.call('promo_code_days', asked)).days).toEqual([
      { day: day(-1), uses: '0' },
      { day: day(0), uses: '1' },
      { day: day(1), uses: '0' },
    ])
    expect((await owner.call('promo_code_uses', { id: asked.id })).rows).toMatchObject([
      { customer_name: customer.username, state: 'used' },
    ])
    await owner.call('change_promo_code', { ...plainLimits, code, max_uses: null, expires_at: null })
    expect((await owner.call('promo_codes', { text: code })).rows[0]).toMatchObject(plainLimits)
  })
})

describe('campaigns and invitations', () => {
  it('show the sources of customers and payments; the share of inviters is shown and changed', async () => {
    const { customer } = await newcomer('from-the-forum')
    await shop.database.pool.query(`update account set admin_referral_code = 'forum' where username = $1`, [
      customer.username,
    ])
    const number = await shop.buy(customer, { pool: 'datacenter', gb: 3 })
    const { received_micros: paid } = await owner.call('invoice', { number })
    const viewer = await office.staff('viewer')
    expect((await viewer.call('campaigns', {})).rows).toEqual([
      { campaign: 'forum', sign_ups: '1', buyers: '1', revenue_micros: paid },
    ])
    const { share_ppm: before } = await viewer.call('referral_share', {})
    await owner.call('set_referral_share', { share_ppm: before + 20_000, reason: 'a contest' })
    expect(await viewer.call('referral_share', {})).toEqual({ share_ppm: before + 20_000 })
    const { rows } = await owner.call('audit', { action: 'set_referral_share' })
    expect(rows[0]).toMatchObject({
      before: { ppm: before },
      after: { ppm: before + 20_000 },
      reason: 'a contest',
    })
    for (const share_ppm of [-1, 1_000_001, 0.5])
      expect((await refusalOf(owner.call('set_referral_share', { share_ppm, reason: 'wrong' }))).code).toBe(
        'invalid_share_ppm',
      )
  })
})

describe('today', () => {
  it('counts money, traffic and customers, and lists what needs attention', async () => {
    // The database stamps accounts with its own time, which the clock of the tests has passed.
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
