import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { feedChannel } from '#feed/announcement'
import { createFeed, lease, settle } from '#traffic'
import { type App, app, type Customer, refusalOf } from '#test/app'
import { findAccess } from '#proxies'

let shop: App
let customer: Customer
const pool = 'residential'

beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())
beforeEach(async () => {
  customer = await shop.customer()
  await shop.buy(customer, { pool, gb: 1 })
})

const get = () => customer.call('get_pool_limits', { pool })
type Changes = Omit<Parameters<typeof customer.call<'set_pool_limits'>>[1], 'pool'>
const set = (changes: Changes) => customer.call('set_pool_limits', { pool, ...changes })

const nothing = {
  pool,
  hour_bytes: null,
  day_bytes: null,
  month_bytes: null,
  connections: null,
  allowed_hosts: [],
  denied_hosts: [],
  data_saver: false,
  raised_day_bytes: null,
  used: { hour_bytes: 0, day_bytes: 0, month_bytes: 0 },
}

describe('the limits of a pool', () => {
  it('are unset at first; a value that is left out is kept, null removes a cap', async () => {
    expect(await get()).toEqual(nothing)
    const first = { hour_bytes: 1_000_000, connections: 5, denied_hosts: ['a.example'], data_saver: true }
    expect(await set(first)).toEqual({ ...nothing, ...first })
    expect(await set({ hour_bytes: null, day_bytes: 2_000_000_000_000 })).toMatchObject({
      ...first,
      hour_bytes: null,
      day_bytes: 2_000_000_000_000,
    })
    expect(await get()).toMatchObject({ connections: 5, data_saver: true, hour_bytes: null })
    await shop.buy(customer, { pool: 'mobile', gb: 1 })
    expect(await customer.call('get_pool_limits', { pool: 'mobile' })).toEqual({ ...nothing, pool: 'mobile' })
  })

  it('can be raised for today: the daily cap doubles once, despite repeated and concurrent calls', async () => {
    const raise = () => customer.call('raise_day_cap', { pool })
    expect(await refusalOf(raise())).toMatchObject({ code: 'no_day_cap' })
    await set({ hour_bytes: 1_000_000 })
    expect(await refusalOf(raise())).toMatchObject({ code: 'no_day_cap' })
    await set({ day_bytes: 3_000_000 })
    const answers = await Promise.all([raise(), raise(), raise()])
    for (const answer of answers)
      expect(answer).toMatchObject({ day_bytes: 3_000_000, raised_day_bytes: 6_000_000 })
    expect(await get()).toMatchObject({ day_bytes: 3_000_000, raised_day_bytes: 6_000_000 })
    // A newly set cap applies today too.
    expect(await set({ day_bytes: 4_000_000 })).toMatchObject({ raised_day_bytes: null })
    const stranger = await shop.customer()
    expect(await refusalOf(stranger.call('raise_day_cap', { pool }))).toMatchObject({ code: 'no_subuser' })
  })

  it('keep each host once, in its canonical spelling, in the order given', async () => {
    const written = ['B.example', '*.Пример.рф', 'b.example.', ' a.example ', '[2001:DB8::1]']
    expect(await set({ allowed_hosts: written })).toMatchObject({
      allowed_hosts: ['b.example', '*.xn--e1afmkfd.xn--p1ai', 'a.example', '2001:db8::1'],
    })
  })

  it('are applied one after the other when they are set concurrently', async () => {
    await Promise.all([set({ connections: 7 }), set({ day_bytes: 1_000_000 }), set({ data_saver: true })])
    expect(await get()).toMatchObject({ connections: 7, day_bytes: 1_000_000, data_saver: true })
  })

  it('are returned with the usage of the current hour, day and month, and are sent to gateways', async () => {
    const { db } = shop.database
    const [account] = await customer.call('legacy_profile', {})
    const access = await findAccess(db, { accountId: BigInt(account?.user_id ?? 0), pool })
    if (access === null) throw new Error('no access')
    const holder = { gateway: 'limits', boot: 'b' }
    const { lease: id } = await lease(db, holder, { access: access.id, want_bytes: 1_000_000n })
    const line = { lease: id, access: access.id, charged_bytes: 700_000n, requests: 1, close: true }
    await settle(db, [{ ...holder, sequence: 1, at_ms: shop.clock.now.getTime(), lines: [line] }])
    expect((await get()).used).toEqual({ hour_bytes: 700_000, day_bytes: 700_000, month_bytes: 700_000 })
    const heard: string[] = []
    const end = await shop.database.listen(feedChannel, (payload) => heard.push(payload))
    await set({ connections: 3, denied_hosts: ['x.example'] })
    await expect.poll(() => heard.join()).toContain(`{"type":"account_changed","login":"${access.login}"}`)
    await expect.poll(() => heard.join()).toContain(`{"type":"lease_recalled","access":"${access.id}"`)
    await end()
    const { lease: again } = await lease(db, holder, { access: access.id, want_bytes: 1_000_000n })
    await settle(db, [
      { ...holder, sequence: 2, at_ms: shop.clock.now.getTime(), lines: [{ ...line, lease: again }] },
    ])
    expect((await get()).used).toEqual({
      hour_bytes: 1_400_000,
      day_bytes: 1_400_000,
      month_bytes: 1_400_000,
    })
    const none = async () => []
    const feed = await createFeed(shop.database, {
      withholdsHosts: async () => false,
      findAccess,
      savedTargeting: async () => null,
      whitelistedAccess: async () => null,
      addressesToProve: none,
      proveAddress: async () => undefined,
      savedSlot: async () => null,
      placesNamed: none,
      strangePlaces: none,
      keepRequests: async () => undefined,
      listExits: none,
    })
    const limits = { connections: 3, allowed_hosts: [], denied_hosts: ['x.example'], data_saver: false }
    expect(await feed.account(access)).toMatchObject({ limits })
    await feed.close()
  })
})

describe('refusals', () => {
  it('409 no_subuser for a pool never bought', async () => {
    const missing = { code: 'no_subuser', status: 409 }
    expect(await refusalOf(customer.call('get_pool_limits', { pool: 'mobile' }))).toMatchObject(missing)
    expect(
      await refusalOf(customer.call('set_pool_limits', { pool: 'mobile', data_saver: true })),
    ).toMatchObject(missing)
  })

  it.each([
    [{ hour_bytes: 999_999 }, 'invalid_byte_cap'],
    [{ day_bytes: 1_000_000_000_000_001 }, 'invalid_byte_cap'],
    [{ month_bytes: 1_500_000.5 }, 'invalid_byte_cap'],
    [{ connections: 0 }, 'invalid_connections'],
    [{ connections: 100_001 }, 'invalid_connections'],
    [{ denied_hosts: ['http://a.example'] }, 'invalid_host_pattern'],
    [{ allowed_hosts: ['good.example', 'no host'] }, 'invalid_host_pattern'],
    [{ denied_hosts: Array.from({ length: 101 }, (_, n) => `h${n}.example`) }, 'too_many_hosts'],
  ])('422 for %j', async (changes: Changes, code) => {
    expect(await refusalOf(set(changes))).toMatchObject({ code, status: 422 })
    expect(await get()).toEqual(nothing)
  })
})
