import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proxyUserId } from '#feed/user.ids'
import { findAccess } from '#proxies'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { type Desk, desk } from '#test/desk'

const pool = 'residential'
let shop: App
let office: Desk
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

/** A customer with a proxy user, whose requests are kept. */
async function withUser(label: string) {
  const customer = await shop.customer()
  await shop.buy(customer, { pool, gb: 1 })
  const accountId = BigInt(await accountIdOf(customer))
  const access = await findAccess(shop.database.db, { pool, accountId })
  if (access === null) throw new Error('no access')
  const user = await customer.call('create_proxy_user', { pool, label })
  const owner = { accessId: access.id, accountId, pool } as const
  const { now } = shop.clock
  const own = connectionOf(owner, now, { target: 'own.example:443' })
  const id = proxyUserId(access.id, BigInt(user.number))
  // As gateways send it, also those of the release before: the holder of the lease is the proxy user.
  const theirs = connectionOf({ ...owner, accessId: id }, now, { charged_down_bytes: 1_234n })
  const refused = connectionOf({ ...owner, accessId: id }, now, refusedWith('target_forbidden'))
  await keepConnections(shop.database.db, [own, theirs, refused], now)
  return { customer, user, own, theirs, refused }
}

const today = () => shop.clock.now.toISOString().slice(0, 10)
const period = () => ({ from: today(), to: today() })
const ids = async ({ call }: Customer, user: string) =>
  (await call('get_requests', { user })).requests.map(({ id }) => id).toSorted()

describe('usage by proxy user', () => {
  it('names each, and sums to the sum of every other part and to the books', async () => {
    const { customer, user } = await withUser('Anna')
    const { rows, total } = await customer.call('get_usage', { ...period(), by: 'user' })
    expect(rows.slice(0, 2)).toMatchObject([
      { kind: 'key', key: user.login, label: 'Anna', charged_bytes: 1_334, requests: 1, refused: 1 },
      { kind: 'key', key: 'account', label: null, charged_bytes: 1_000, requests: 1, refused: 0 },
    ])
    const kept = async (by: 'user' | 'code') => {
      const answer = await customer.call('get_usage', { ...period(), by })
      return answer.rows.reduce((sum, row) => sum + (row.kind === 'difference' ? 0 : row.charged_bytes), 0)
    }
    expect(await kept('user')).toBe(await kept('code'))
    const day = await customer.call('get_usage', { ...period(), by: 'day' })
    expect(rows.reduce((sum, row) => sum + row.charged_bytes, 0)).toBe(day.total.charged_bytes)
    expect(total).toEqual(day.total)
    const only = { part: 'user', key: user.login } as const
    expect(await customer.call('get_usage', { ...period(), by: 'day', only })).toMatchObject({
      total: { charged_bytes: 1_334, requests: 1, refused: 1 },
    })
  })

  it('adds up the pools of a login, by user and by day', async () => {
    const { customer, user } = await withUser('Emil')
    await shop.buy(customer, { pool: 'mobile', gb: 1 })
    const number = { pool, number: user.number } as const
    const there = await customer.call('add_proxy_user_to_pool', { ...number, to: 'mobile' })
    const accountId = BigInt(await accountIdOf(customer))
    const access = await findAccess(shop.database.db, { pool: 'mobile', accountId })
    const id = proxyUserId(access?.id ?? 0n, BigInt(there.number))
    const owner = { accessId: id, accountId, pool: 'mobile' } as const
    const more = connectionOf(owner, shop.clock.now, { charged_down_bytes: 2_000n })
    await keepConnections(shop.database.db, [more], shop.clock.now)
    const { rows } = await customer.call('get_usage', { ...period(), by: 'user' })
    const both = { charged_bytes: 1_334 + 2_100, requests: 2, refused: 1 }
    expect(rows.filter(({ key }) => key === user.login)).toMatchObject([{ label: 'Emil', ...both }])
    const only = { part: 'user', key: user.login } as const
    expect((await customer.call('get_usage', { ...period(), by: 'day', only })).total).toMatchObject(both)
    expect(await ids(customer, user.login)).toHaveLength(3)
  })

  it('keeps the login and the label of one that is deleted, and shows nothing of another customer’s', async () => {
    const [one, other] = [await withUser('Boris'), await withUser('Boris')]
    await one.customer.call('delete_proxy_user', { pool, number: one.user.number })
    const { rows } = await one.customer.call('get_usage', { ...period(), by: 'user' })
    expect(rows[0]).toMatchObject({ key: one.user.login, label: 'Boris' })
    const forged = { ...period(), by: 'day', only: { part: 'user', key: other.user.login } } as const
    expect((await one.customer.call('get_usage', forged)).rows).toEqual([])
    expect(await ids(one.customer, other.user.login)).toEqual([])
    for (const key of ['u%', 'a'.repeat(300), "'"])
      expect(
        (await one.customer.call('get_usage', { ...forged, only: { part: 'user', key } })).rows,
        key,
      ).toEqual([])
  })
})

it('requests are listed by proxy user, and name it', async () => {
  const { customer, user, own, theirs, refused } = await withUser('Clara')
  expect(await ids(customer, user.login)).toEqual([theirs.id, refused.id].toSorted())
  expect(await ids(customer, 'account')).toEqual([own.id])
  const who = { user: user.login, user_label: 'Clara' }
  expect(await customer.call('explain_request', { id: theirs.id })).toMatchObject(who)
  expect(await customer.call('explain_request', { id: own.id })).toMatchObject({
    user: null,
    user_label: null,
  })
  const { requests } = await customer.call('get_requests', { user: user.login })
  expect(requests).toMatchObject([who, who])
})

it('a customer is found at the desk by the login of a proxy user, also after it is deleted', async () => {
  const { customer, user } = await withUser('Dana')
  const support = await office.staff('support')
  const hit = { kind: 'customer', id: await accountIdOf(customer), by: 'proxy_login' }
  expect(await support.call('find', { text: user.login })).toMatchObject([hit])
  expect(await support.call('find', { text: `${user.login}-cc-de` })).toMatchObject([hit])
  await customer.call('delete_proxy_user', { pool, number: user.number })
  expect(await support.call('find', { text: user.login })).toMatchObject([hit])
  expect(await refusalOf(customer.call('get_requests', { user: 'x'.repeat(65) }))).toMatchObject({
    status: 422,
  })
})
