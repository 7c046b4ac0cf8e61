import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Output } from '#contract/contract'
import { proxyUserId } from '#feed/user.ids'
import { findAccess } from '#proxies'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { feedKnowing } from '#test/traffic'
import { lease, settle } from '#traffic'

const pool = 'residential'

let shop: App
let customer: Customer

beforeAll(async () => {
  shop = await app({ env: { TIME_ZONE: 'Asia/Kolkata' } })
  customer = await shop.customer('owner_of_users')
  await shop.buy(customer, { pool, gb: 5 })
})
afterAll(() => shop.close())

let labels = 0
const create = (settings: object = {}) =>
  customer.call('create_proxy_user', { pool, label: `user ${++labels}`, ...settings })
const list = async () => (await customer.call('get_proxy_users', { pool, passwords: true })).users

describe('a proxy user', () => {
  it('is made with a login and a password of its own, changed field by field, frozen and deleted', async () => {
    const made = await create({
      total_bytes: 5,
      countries: ['DE', 'de'],
      addresses: ['::ffff:192.0.2.9', '10.1.2.3/8'],
    })
    expect(made).toMatchObject({ countries: ['de'], addresses: ['192.0.2.9', '10.0.0.0/8'], frozen: false })
    expect(made.login).toMatch(/^u[b-df-hj-km-np-tv-xz2-9]{11}$/)
    expect(made.password).toMatch(/^[A-Za-z0-9]{16}$/)
    const key = { pool, number: made.number } as const
    const changed = await customer.call('change_proxy_user', { ...key, total_bytes: null, label: ' Anna ' })
    expect(changed).toEqual({ ...made, total_bytes: null, label: 'Anna' })
    expect(await customer.call('freeze_proxy_user', { ...key, frozen: true })).toMatchObject({ frozen: true })
    const renewed = await customer.call('renew_proxy_user_password', key)
    expect(renewed.password).not.toBe(made.password)
    expect(await list()).toContainEqual(renewed)
    await customer.call('delete_proxy_user', key)
    expect((await list()).map(({ number }) => number)).not.toContain(made.number)
    expect(await refusalOf(customer.call('delete_proxy_user', key))).toMatchObject({ code: 'user_not_found' })
    // Neither its number nor its login is used again; its name is free.
    const next = await create({ label: 'anna' })
    expect(next.number).toBeGreaterThan(made.number)
  })

  it('is never another customer’s', async () => {
    const made = await create()
    const other = await shop.customer('another_owner')
    await shop.buy(other, { pool, gb: 1 })
    const key = { pool, number: made.number } as const
    const refused = await Promise.all(
      [
        other.call('change_proxy_user', { ...key, total_bytes: 1 }),
        other.call('renew_proxy_user_password', key),
        other.call('proxy_user_usage', { ...key, days: 7 }),
        other.call('delete_proxy_user', key),
      ].map(refusalOf),
    )
    for (const { code } of refused) expect(code).toBe('user_not_found')
  })

  it('gets numbers of its own when many are made at once, and one label only once', async () => {
    const before = (await list()).length
    const made = await Promise.allSettled(
      ['a', 'b', 'c', 'a', 'B'].map((label) => create({ label: `race ${label}` })),
    )
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    const numbers = (await list()).map(({ number }) => number)
    expect(numbers).toHaveLength(before + 3)
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  it('is counted by the days of the shop', async () => {
    const made = await create({ day_bytes: 10_000_000 })
    const { db } = shop.database
    const access = await findAccess(db, { pool, accountId: BigInt(await accountIdOf(customer)) })
    if (access === null) throw new Error('no access')
    const id = proxyUserId(access.id, BigInt(made.number))
    const holder = { gateway: 'users', boot: 'b' }
    const zone = 'Asia/Kolkata'
    // In India it is five and a half hours later: a quarter to midnight, and a quarter past.
    const [late, next] = ['2026-05-17T18:15:00Z', '2026-05-17T18:45:00Z'].map((time) => new Date(time))
    if (late === undefined || next === undefined) throw new Error('no times')
    shop.clock.now = next
    const told = async (now: Date, bytes: bigint, sequence: number) => {
      const { lease: of } = await lease(db, holder, { access: id, want_bytes: bytes }, { now, zone })
      const line = { lease: of, access: id, charged_bytes: bytes, requests: 1, close: true }
      await settle(db, [{ ...holder, sequence, at_ms: now.getTime(), lines: [line] }], zone)
    }
    await told(late, 600_000n, 1)
    await told(next, 400_000n, 2)
    const [user] = (await list()).filter(({ number }) => number === made.number)
    expect(user?.used).toMatchObject({ total_bytes: 1_000_000, day_bytes: 400_000, requests: 2 })
    const key = { pool, number: made.number } as const
    expect(await customer.call('proxy_user_usage', { ...key, days: 2 })).toEqual({
      days: [
        { day: '2026-05-17', bytes: 600_000, requests: 1 },
        { day: '2026-05-18', bytes: 400_000, requests: 1 },
      ],
      total_bytes: 1_000_000,
    })
  })

  it('reaches gateways with the limits of its account, and proves no address', async () => {
    const made = await create({ connections: 3, addresses: ['192.0.2.0/24'] })
    await customer.call('set_pool_limits', { pool, connections: 2, denied_hosts: ['x.example'] })
    const feed = await feedKnowing(shop.database, {
      findAccess,
      addressesToProve: () => Promise.resolve(['198.51.100.7']),
    })
    const account = await feed.account({ login: made.login, pool })
    expect(account).toMatchObject({
      login: made.login,
      limits: { connections: 2, denied_hosts: ['x.example'] },
      user: { frozen: false, addresses: ['192.0.2.0/24'] },
    })
    expect(account).not.toHaveProperty('to_prove')
    expect(await feed.account({ login: made.login, pool: 'mobile' })).toBeNull()
    expect(await feed.account({ login: 'ubcdfghjkmnp', pool })).toBeNull()
    await feed.close()
  })
})

describe('many proxy users', () => {
  const settings = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      label: `client ${from + index}`,
      external_id: `c-${from + index}`,
    }))

  it('are made together, all or none, and listed in pages, with passwords only when asked', async () => {
    const many = await shop.customer()
    await shop.buy(many, { pool, gb: 1 })
    const { users: made } = await many.call('create_proxy_users', { pool, users: settings(1, 1000) })
    expect(made.map(({ number }) => number)).toEqual(made.map((_, index) => index + 1))
    expect(new Set(made.map(({ login }) => login)).size).toBe(1000)
    const pages: (typeof made)[] = []
    for (let after: number | null = 0; after !== null;) {
      const page: Output<'get_proxy_users'> = await many.call('get_proxy_users', {
        pool,
        after,
        limit: 190,
        passwords: true,
      })
      expect(page).toMatchObject({ count: 1000, most: 1000 })
      pages.push(page.users as typeof made)
      after = page.next_after
    }
    expect(pages.map((page) => page.length)).toEqual([190, 190, 190, 190, 190, 50])
    expect(pages.flat()).toEqual(made)
    const first = made.slice(0, 1).map((user) => ({ ...user, password: undefined }))
    expect((await many.call('get_proxy_users', { pool, limit: 1 })).users).toEqual(first)
    // One more than a customer may have is refused; after a deletion there is room again.
    expect(await refusalOf(many.call('create_proxy_user', { pool, label: 'one more' }))).toMatchObject({
      code: 'too_many_users',
    })
    await many.call('delete_proxy_user', { pool, number: 1000 })
    const more = settings(1001, 2)
    expect(await refusalOf(many.call('create_proxy_users', { pool, users: more }))).toMatchObject({
      code: 'too_many_users',
    })
    const last = await many.call('create_proxy_user', { pool, label: 'one more' })
    expect(last.number).toBe(1001)
  })

  it('are found by each of their names and by their state', async () => {
    const many = await shop.customer()
    await shop.buy(many, { pool, gb: 1 })
    await many.call('create_proxy_users', { pool, users: settings(1, 300) })
    const numbers = async (filter: object) => {
      const { users, next_after: next } = await many.call('get_proxy_users', { pool, ...filter })
      return [users.map(({ number }) => number), next]
    }
    const [third] = (await many.call('get_proxy_users', { pool, number: 3 })).users
    for (const filter of [{ login: third?.login }, { label: 'CLIENT 3' }, { external_id: 'c-3' }])
      expect(await numbers(filter)).toEqual([[3], null])
    expect(await numbers({ external_id: 'c-x' })).toEqual([[], null])
    for (const number of [5, 250, 299]) await many.call('freeze_proxy_user', { pool, number, frozen: true })
    expect(await numbers({ state: 'frozen' })).toEqual([[5, 250, 299], null])
    expect(await numbers({ state: 'frozen', limit: 2 })).toEqual([[5, 250], 250])
    expect(await numbers({ state: 'frozen', limit: 2, after: 250 })).toEqual([[299], null])
    expect(await numbers({ state: 'expired' })).toEqual([[], null])
  })

  it('have one external id each in all pools of a customer, and the refusal of a taken name says who has it', async () => {
    const many = await shop.customer()
    await shop.buy(many, { pool, gb: 1 })
    await shop.buy(many, { pool: 'mobile', gb: 1 })
    const first = await many.call('create_proxy_user', { pool, label: 'anna', external_id: 'id-1' })
    const { number, login } = first
    const refused = async (input: object) =>
      refusalOf(many.call('create_proxy_user', { pool, label: 'other', ...input }))
    const who = { number, login, label: 'anna', pool }
    expect(await refused({ label: 'ANNA' })).toMatchObject({ code: 'user_label_taken', details: who })
    const taken = { code: 'user_external_id_taken', details: who }
    expect(await refused({ external_id: 'id-1' })).toMatchObject(taken)
    expect(await refused({ pool: 'mobile', external_id: 'id-1' })).toMatchObject(taken)
    expect(await refused({ external_id: 'with space' })).toMatchObject({ code: 'invalid_external_id' })
    const several = (users: { label: string; external_id?: string }[]) =>
      refusalOf(many.call('create_proxy_users', { pool, users }))
    expect(await several([{ label: 'x' }, { label: 'y' }, { label: 'X' }])).toMatchObject({
      code: 'user_label_taken',
      details: { label: 'x', index: 2, same_as_index: 0 },
    })
    const sameId = ['x', 'y'].map((label) => ({ label, external_id: 'id-3' }))
    expect(await several([{ label: 'z' }, ...sameId])).toMatchObject({
      code: 'user_external_id_taken',
      details: { external_id: 'id-3', index: 2, same_as_index: 1 },
    })
    const exists = [{ label: 'x' }, { label: 'Anna' }]
    expect(await several(exists)).toMatchObject({ code: 'user_label_taken', details: { index: 1, ...who } })
    const other = await many.call('create_proxy_user', { pool, label: 'other', external_id: 'id-2' })
    const change = { pool, number: other.number, external_id: 'id-1' } as const
    expect(await refusalOf(many.call('change_proxy_user', change))).toMatchObject(taken)
    await many.call('delete_proxy_user', { pool, number })
    expect(await many.call('change_proxy_user', change)).toMatchObject({
      external_id: 'id-1',
      label: 'other',
    })
  })

  it('are billed by pages of what each used, deleted ones too', async () => {
    const many = await shop.customer()
    await shop.buy(many, { pool, gb: 1 })
    const { users } = await many.call('create_proxy_users', { pool, users: settings(1, 3) })
    const access = await findAccess(shop.database.db, {
      accountId: BigInt(await accountIdOf(many)),
      pool,
    })
    const id = proxyUserId(access?.id ?? 0n, 2n)
    const holder = { gateway: 'billed', boot: 'b' }
    const { lease: of } = await lease(shop.database.db, holder, { access: id, want_bytes: 700n })
    const at = Date.UTC(2026, 4, 10, 12)
    const told = { lease: of, access: id, charged_bytes: 700n, requests: 3, close: true }
    await settle(shop.database.db, [{ ...holder, sequence: 1, at_ms: at, lines: [told] }], 'Asia/Kolkata')
    await many.call('delete_proxy_user', { pool, number: 2 })
    const usage = (from: string, after = 0) =>
      many.call('proxy_users_usage', { pool, from, to: '2026-05-31', after, limit: 2 })
    expect((await refusalOf(usage('2026-06-01'))).code).toBe('usage_period')
    expect((await refusalOf(usage('0000-01-01'))).code).toBe('invalid_from')
    const never = { expires_at: '9999-12-31T23:59:59-05:00' }
    const refused = many.call('create_proxy_user', { pool, label: 'never', ...never })
    expect((await refusalOf(refused)).code).toBe('invalid_expires_at')
    const figures = async (from: string, after = 0) => {
      const { users: told, next_after: next } = await usage(from, after)
      return [told.map(({ number, bytes, requests, label }) => [number, bytes, requests, label]), next]
    }
    expect(await figures('2026-05-01')).toEqual([
      [
        [1, 0, 0, 'client 1'],
        [2, 700, 3, 'client 2'],
      ],
      2,
    ])
    expect(await figures('2026-05-01', 2)).toEqual([[[3, 0, 0, 'client 3']], null])
    expect(await figures('2026-05-11')).toEqual([
      [
        [1, 0, 0, 'client 1'],
        [2, 0, 0, 'client 2'],
      ],
      2,
    ])
    expect((await usage('2026-05-01')).users[1]?.login).toBe(users[1]?.login)
  })
})
