import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAccess } from '#proxies'
import { newUser } from '#test/users'
import { listUsers } from './proxy-users.ts'
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
const list = async () => (await customer.call('get_proxy_users', { pool })).users

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
    const id = (1n << 62n) + (access.id << 20n) + BigInt(made.number)
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

it('many proxy users are read, and their passwords opened, some at a time', async () => {
  const many = await shop.customer()
  await shop.buy(many, { pool, gb: 1 })
  const { db } = shop.database
  const access = await findAccess(db, { accountId: BigInt(await accountIdOf(many)), pool })
  const accessId = access?.id ?? 0n
  const made: string[] = []
  for (let n = 0; n < 520; n++) made.push((await newUser(db, accessId)).password)
  const { users } = await many.call('get_proxy_users', { pool })
  expect(users.map(({ password }) => password)).toEqual(made)
  const sizes: number[] = []
  for await (const page of listUsers(db, accessId)) sizes.push(page.length)
  expect(sizes).toEqual([250, 250, 20])
})
