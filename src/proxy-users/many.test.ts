import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { feedChannel, readAnnouncement } from '#feed/announcement'
import type { FeedEvent } from '#feed'
import { seedDemoInventory } from '#inventory'
import { app, type App, type Customer, refusalOf } from '#test/app'
import { oneWaitsForLock } from '#test/waiting.statement'
import { wrongInBooks } from '#test/traffic'
import { lease, returnReserves, settle } from '#traffic'

const pool = 'residential'
const gb = 1_000_000_000

let shop: App
const events: FeedEvent[] = []
let unlisten: () => unknown
beforeAll(async () => {
  shop = await app()
  unlisten = await shop.database.listen(feedChannel, (payload) => events.push(readAnnouncement(payload)))
})
afterAll(async () => {
  await unlisten()
  expect(await wrongInBooks(shop.database.db)).toEqual([])
  await shop.close()
})

async function reseller(bought = 10): Promise<Customer> {
  const customer = await shop.customer()
  await shop.buy(customer, { pool, gb: bought })
  return customer
}

const make = async (customer: Customer, count: number, settings: object = {}) =>
  (
    await customer.call('create_proxy_users', {
      pool,
      users: Array.from({ length: count }, (_, index) => ({
        label: `client ${index + 1}`,
        external_id: `c-${index + 1}`,
        ...settings,
      })),
    })
  ).users
const balanceOf = async ({ call }: Customer) => (await call('legacy_profile', {}))[0]?.[pool]
const idOf = async (login: string) =>
  (await sql<{ id: bigint }>`select id from proxy_user where login = ${login}`.execute(shop.database.db))
    .rows[0]?.id ?? 0n

describe('one call for many proxy users', () => {
  it.each(['delete_proxy_users', 'freeze_proxy_users'] as const)(
    '%s by a filter leaves one that is renewed meanwhile',
    async (name) => {
      const customer = await reseller()
      const [user, over] = await make(customer, 2)
      const { db } = shop.database
      const expire = (login: string | undefined, at: string) =>
        sql`update proxy_user set expires_at = now() + ${at}::interval where login = ${login}`
      for (const one of [user, over]) await expire(one?.login, '-1 hour').execute(db)
      const renewing = await db.startTransaction().execute()
      await expire(user?.login, '1 hour').execute(renewing)
      const choice = { pool, filter: { state: 'expired' } } as const
      const acting =
        name === 'delete_proxy_users'
          ? customer.call(name, choice)
          : customer.call(name, { ...choice, frozen: true })
      await oneWaitsForLock(db)
      await renewing.commit().execute()
      expect((await acting).users.map(({ number, outcome }) => [number, outcome])).toEqual([
        [user?.number, 'unchanged'],
        [over?.number, 'done'],
      ])
      const { users } = await customer.call('get_proxy_users', { pool, state: 'active' })
      expect(users.map(({ number }) => number)).toEqual([user?.number])
    },
  )

  it('freezes them by each kind of name, and reports the result of each', async () => {
    const customer = await reseller()
    const [one, two, three, four] = await make(customer, 4)
    await customer.call('freeze_proxy_user', { pool, number: four?.number ?? 0, frozen: true })
    const users = [
      { number: one?.number ?? 0 },
      { external_id: 'c-2' },
      { label: 'CLIENT 3' },
      { login: four?.login ?? '' },
      { external_id: 'c-1' },
      { label: 'nobody' },
    ]
    const answer = await customer.call('freeze_proxy_users', { pool, users, frozen: true })
    expect(answer.users.map(({ number, outcome }) => [number, outcome])).toEqual([
      [one?.number, 'done'],
      [two?.number, 'done'],
      [three?.number, 'done'],
      [four?.number, 'unchanged'],
      [one?.number, 'named_twice'],
      [null, 'user_not_found'],
    ])
    expect(answer).toMatchObject({ done: 3, next_after: null })
    expect((await customer.call('get_proxy_users', { pool, state: 'frozen' })).users).toHaveLength(4)
    const announced = () =>
      events.flatMap((event) =>
        event.type === 'users_changed' && event.users.length > 1 ? [event.users] : [],
      )
    await expect
      .poll(announced, { timeout: 10_000 })
      .toEqual([[one, two, three].map((user) => [user?.login, user?.number])])
  })

  it('never touches another customer’s, whatever the name', async () => {
    const [customer, other] = [await reseller(), await reseller()]
    const [theirs] = await make(other, 1)
    const token = shop.client(await customer.call('reseller_token', {}))
    const names = [
      { number: theirs?.number ?? 0 },
      { login: theirs?.login ?? '' },
      { external_id: 'c-1' },
      { label: 'client 1' },
    ]
    const { users, done } = await token('delete_proxy_users', { pool, users: names })
    expect([...new Set(users.map(({ outcome }) => outcome)), done]).toEqual(['user_not_found', 0])
    const lines = {
      type: 'rotating',
      anonymous: 'true',
      protocol: 'http',
      quantity: 1,
      sessionttl: 0,
    } as const
    const asked = { ...lines, format: 'login:password@hostname:port', pool, users: names } as const
    expect(await refusalOf(token('proxy_users_lines', asked))).toMatchObject({
      code: 'user_not_found',
      details: { index: 0 },
    })
    expect((await other.call('get_proxy_users', { pool })).count).toBe(1)
  })

  it('chooses by metadata and state in pages, and by one way only', async () => {
    const customer = await reseller()
    await make(customer, 3, { metadata: { plan: 'basic' } })
    await customer.call('create_proxy_user', { pool, label: 'other', metadata: { plan: 'pro' } })
    const filter = { metadata: { key: 'plan', value: 'basic' } }
    const first = await customer.call('freeze_proxy_users', { pool, filter, limit: 2, frozen: true })
    expect(first).toMatchObject({ done: 2, next_after: 2 })
    const rest = { pool, filter, limit: 2, after: first.next_after ?? 0, frozen: true } as const
    expect(await customer.call('freeze_proxy_users', rest)).toMatchObject({ done: 1, next_after: null })
    const deleted = await customer.call('delete_proxy_users', { pool, filter: { state: 'frozen' } })
    expect(deleted.users.map(({ label }) => label)).toEqual(['client 1', 'client 2', 'client 3'])
    for (const choice of [{}, { users: [{ number: 1 }], filter: {} }])
      expect(await refusalOf(customer.call('delete_proxy_users', { pool, ...choice }))).toMatchObject({
        code: 'invalid_user_choice',
      })
  })

  it('is executed once per Idempotency-Key', async () => {
    const customer = await reseller()
    await make(customer, 2)
    const freeze = () =>
      customer.call(
        'freeze_proxy_users',
        { pool, users: [{ label: 'client 1' }], frozen: true },
        { idempotencyKey: 'bulk' },
      )
    const first = await freeze()
    await customer.call('freeze_proxy_user', { pool, number: 1, frozen: false })
    expect(await freeze()).toEqual(first)
    expect((await customer.call('get_proxy_users', { pool, state: 'frozen' })).users).toEqual([])
  })

  it('makes lines of each, as text and as JSON', async () => {
    const customer = await reseller()
    const [one, two] = await make(customer, 2)
    const wish = {
      type: 'rotating',
      anonymous: 'true',
      protocol: 'http',
      quantity: 2,
      sessionttl: 0,
    } as const
    const asked = { ...wish, format: 'login:password:hostname:port', pool, filter: {} } as const
    const lines = (await customer.call('proxy_users_lines', asked)).split('\n')
    expect(lines.map((line) => line.split(':').slice(0, 2).join(':'))).toEqual(
      [one, one, two, two].map((user) => `${user?.login}:${user?.password}`),
    )
    const many = { ...asked, quantity: 6000 }
    expect(await refusalOf(customer.call('proxy_users_lines', many))).toMatchObject({
      code: 'invalid_quantity',
    })
    const none = { ...asked, format: 'hostname:port' } as const
    expect(await refusalOf(customer.call('proxy_users_lines', none))).toMatchObject({
      code: 'user_needs_password',
    })
  })
})

describe('a login of several pools', () => {
  const there = 'mobile' as const
  const inPools = async (settings: object = {}) => {
    const customer = await reseller()
    await shop.buy(customer, { pool: there, gb: 1 })
    const [user] = await make(customer, 1, settings)
    if (user === undefined) throw new Error('no proxy user')
    const other = await customer.call('add_proxy_user_to_pool', { pool, number: user.number, to: there })
    const read = () =>
      Promise.all(
        ([pool, there] as const).map((at) =>
          customer.call('get_proxy_user', { pool: at, login: user.login }),
        ),
      )
    return { customer, user, other, read }
  }

  it('is frozen in all of them by a call for many, and deleted in one', async () => {
    const { customer, user, other, read } = await inPools()
    const users = [{ number: user.number }]
    expect(await customer.call('freeze_proxy_users', { pool, users, frozen: true })).toMatchObject({
      done: 1,
    })
    expect((await read()).map(({ frozen }) => frozen)).toEqual([true, true])
    await customer.call('delete_proxy_users', { pool, users })
    expect(await customer.call('get_proxy_user', { pool: there, number: other.number })).toMatchObject({
      frozen: true,
      deleted_at: null,
    })
  })

  it('has its name, metadata, chosen login and chosen password in all of them', async () => {
    const { customer, user, other } = await inPools()
    const password = 'A.long-1~password'.replace('-', '')
    const login = `acme.p${user.number}${user.login.slice(1, 6)}`
    const changes = { login, password, label: 'both', metadata: { plan: 'gold' } }
    await customer.call('change_proxy_user', { pool, number: user.number, ...changes })
    const shown = await customer.call('get_proxy_user', { pool: there, number: other.number })
    expect(shown).toMatchObject(changes)
    await customer.call('change_proxy_user', { pool: there, number: other.number, login: `${login}x` })
    expect(await customer.call('get_proxy_user', { pool, number: user.number })).toMatchObject({
      login: `${login}x`,
      password,
    })
    await customer.call('renew_proxy_user_password', { pool, number: user.number })
    const [one, two] = await Promise.all([
      customer.call('get_proxy_user', { pool, number: user.number }),
      customer.call('get_proxy_user', { pool: there, number: other.number }),
    ])
    expect(one.password).toBe(two.password)
    expect(one.password).not.toBe(password)
  })
})

it('lines of many contain all of them or none, also while one is deleted', async () => {
  const customer = await reseller()
  const wish = { pool, type: 'rotating', protocol: 'http', quantity: 1, anonymous: 'true' } as const
  const [first, last, ...others] = await make(customer, 14)
  if (first === undefined || last === undefined) throw new Error('none was made')
  for (const deleted of others) {
    const named = [first, last, deleted]
    const users = named.map(({ number }) => ({ number }))
    const asked = { ...wish, format: 'login:password@hostname:port', users } as const
    const [told] = await Promise.allSettled([
      customer.call('proxy_users_lines', asked),
      customer.call('delete_proxy_user', { pool, number: deleted.number }),
    ])
    if (told.status === 'rejected') expect(told.reason).toMatchObject({ code: 'user_not_found' })
    else
      expect(told.value.split('\n').map((line) => line.split(':')[0])).toEqual(
        named.map(({ login }) => expect.stringContaining(login) as unknown),
      )
  }
})

it('lines of many are refused as a whole when one of them may not use the place or the tariff', async () => {
  await seedDemoInventory(shop.database)
  const customer = await reseller()
  const [free, bound] = await make(customer, 2)
  const number = bound?.number ?? 0
  await customer.call('change_proxy_user', { pool, number, denied_countries: ['us'], no_double_tariff: true })
  const wish = {
    pool,
    anonymous: 'true',
    type: 'rotating',
    protocol: 'http',
    quantity: 1,
    sessionttl: 0,
  } as const
  const lines = (users: { number: number }[], more: object) =>
    customer.call('proxy_users_lines', { ...wish, format: 'login:password@hostname:port', users, ...more })
  const both = [{ number: free?.number ?? 0 }, { number }]
  expect(await refusalOf(lines(both, { countries: ['us'] }))).toMatchObject({
    code: 'user_country_denied',
    details: { number },
  })
  expect(await refusalOf(lines(both, { states: ['us_ca'] }))).toMatchObject({ code: 'user_country_denied' })
  expect(await lines(both.slice(0, 1), { countries: ['us'] })).toContain(free?.login)
  expect(await lines(both, { countries: ['de'] })).toContain(bound?.login)
})

describe('deleting many', () => {
  it('returns their reserves at once, except what gateways hold, and keeps the books', async () => {
    const customer = await reseller()
    const [held, ...others] = await make(customer, 3, { reserved: true, total_bytes: 2 * gb })
    const { db } = shop.database
    const boot = { gateway: 'many', boot: 'b' }
    const access = await idOf(held?.login ?? '')
    const open = await lease(db, boot, { access, want_bytes: 1_000_000n })
    const filter = {}
    expect(await customer.call('delete_proxy_users', { pool, filter })).toMatchObject({ done: 3 })
    expect((await balanceOf(customer))?.balance).toBe(9.999)
    const line = { lease: open.lease, access, charged_bytes: 400_000n, requests: 1, close: true }
    await settle(db, [{ ...boot, sequence: 1, at_ms: Date.now(), lines: [line] }])
    expect(await returnReserves(db)).toBe(1)
    const { rows } = await sql<{ sum: bigint }>`
      select sum(bytes)::bigint as sum from proxy_user_change where access_id = (
        select access_id from proxy_user where id = ${access}) and nr > ${held?.number}`.execute(db)
    expect([rows[0]?.sum, others.length]).toEqual([0n, 2])
    expect(await wrongInBooks(db)).toEqual([])
  })

  it('and giving, freezing and deleting at once in opposite orders ends without a deadlock', async () => {
    const customer = await reseller()
    const made = await make(customer, 30, { reserved: true, total_bytes: gb / 10 })
    const users = made.map(({ number }) => ({ number }))
    const give = (number: number) =>
      customer.call('give_proxy_user', { pool, number, bytes: 1000 }).catch((error: unknown) => error)
    const answers = await Promise.all([
      customer.call('freeze_proxy_users', { pool, users, frozen: true }),
      customer.call('freeze_proxy_users', { pool, users: users.toReversed(), frozen: true }),
      customer.call('delete_proxy_users', { pool, users: users.slice(10).toReversed() }),
      customer.call('delete_proxy_users', { pool, users: users.slice(5) }),
      give(users[0]?.number ?? 0),
      give(users[29]?.number ?? 0),
    ])
    const [one, two, three, four] = answers as { done: number }[]
    expect((one?.done ?? 0) + (two?.done ?? 0)).toBeGreaterThanOrEqual(5)
    expect((three?.done ?? 0) + (four?.done ?? 0)).toBe(25)
    expect((await customer.call('get_proxy_users', { pool })).count).toBe(5)
    expect(await wrongInBooks(shop.database.db)).toEqual([])
  })
})

describe('a deleted proxy user', () => {
  it('is listed and read with its names, figures and history, and its names may be used again', async () => {
    const customer = await reseller()
    const [user] = await make(customer, 1, {
      total_bytes: gb,
      metadata: { plan: 'basic' },
      addresses: ['192.0.2.1'],
    })
    const number = user?.number ?? 0
    await customer.call('give_proxy_user', { pool, number, bytes: 5 })
    await customer.call('delete_proxy_user', { pool, number })
    expect((await customer.call('get_proxy_users', { pool })).users).toEqual([])
    const { users } = await customer.call('get_proxy_users', { pool, state: 'deleted', passwords: true })
    expect(users).toMatchObject([
      {
        number,
        label: 'client 1',
        external_id: 'c-1',
        metadata: { plan: 'basic' },
        password: null,
        addresses: [],
      },
    ])
    expect(users[0]?.deleted_at).toMatch(/^\d{4}-/)
    for (const name of [{ number }, { login: user?.login }, { external_id: 'c-1' }, { label: 'Client 1' }])
      expect(await customer.call('get_proxy_user', { pool, ...name })).toMatchObject({
        number,
        total_bytes: gb + 5,
        changes: [{ bytes: 5 }],
      })
    expect(await customer.call('proxy_user_usage', { pool, number, days: 1 })).toMatchObject({
      total_bytes: 0,
    })
    const [next] = await make(customer, 1)
    expect(await customer.call('get_proxy_user', { pool, external_id: 'c-1' })).toMatchObject({
      number: next?.number,
      changes: [],
    })
    expect(await refusalOf(customer.call('get_proxy_user', { pool, number: 99 }))).toMatchObject({
      code: 'user_not_found',
    })
    expect(await refusalOf(customer.call('get_proxy_user', { pool }))).toMatchObject({
      code: 'invalid_user_choice',
    })
  })
})
