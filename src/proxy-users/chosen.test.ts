import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPeople } from '#desk'
import { isProxyUserLogin } from '#feed/user.ids'
import { erasePerson, previewErasure } from '#personal-data'
import { readUsername } from '#proxies/dialects'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { oneWaitsForLock, someWaitForLock } from '#test/waiting.statement'

const pool = 'residential'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

async function reseller(): Promise<Customer> {
  const customer = await shop.customer()
  await shop.buy(customer, { pool, gb: 1 })
  return customer
}
/** A reseller of whom only refusals are expected. */
let known: Promise<Customer> | undefined
const shared = () => (known ??= reseller())
let labels = 0
const create = ({ call }: Customer, settings: object) =>
  call('create_proxy_user', { pool, label: `user ${++labels}`, ...settings })
const refused = async (promise: Promise<unknown>) => {
  const { code, details } = await refusalOf(promise)
  return [code, details]
}

describe('a chosen login and password', () => {
  it('are stored, found and read as a line of ours by every grammar', async () => {
    const customer = await reseller()
    const made = await create(customer, { login: 'acme.anna.1', password: 'aA0.~zz9PPqq' })
    expect(made).toMatchObject({ login: 'acme.anna.1', password: 'aA0.~zz9PPqq' })
    expect(await customer.call('get_proxy_user', { pool, login: 'acme.anna.1' })).toMatchObject({
      number: made.number,
      password: 'aA0.~zz9PPqq',
    })
    expect(isProxyUserLogin(made.login)).toBe(true)
    for (const line of ['', '-cc-de-sid-8f3a2c', '-country-de', '-de', '__cr.de'])
      expect(readUsername(`acme.anna.1${line}`)?.login, line).toBe('acme.anna.1')
  })

  it.each([
    'Acme.anna',
    'acme',
    'a-b.c',
    'a_b.cd',
    '.acme',
    'acme.',
    'a..bc',
    'a.b.c.d.e',
    `a.${'b'.repeat(31)}`,
    'ac:me.a',
  ])('refuse the login %s', async (login) =>
    expect((await refused(create(await shared(), { login })))[0]).toBe('invalid_user_login'),
  )
  it.each([
    'short',
    'with:colon-1234',
    'with@at-sign-12',
    'underscore_12345',
    'aaaaaaaaaaaaaa',
    'пароль1234567',
  ])('refuse the password %s', async (password) =>
    expect((await refused(create(await shared(), { password })))[0]).toBe('invalid_user_password'),
  )

  it('refuse a password that contains the login', async () => {
    const settings = { login: 'acme.boris', password: 'xAcme.Boris99' }
    expect((await refused(create(await shared(), settings)))[0]).toBe('invalid_user_password')
  })

  it('are unique in the shop, also after deletion; only the own proxy user is named', async () => {
    const [one, other] = [await reseller(), await reseller()]
    const made = await create(one, { login: 'unique.one' })
    const own = ['user_login_taken', { number: made.number, pool }]
    expect(await refused(create(one, { login: 'unique.one' }))).toEqual(own)
    const theirs = ['user_login_taken', {}]
    expect(await refused(create(other, { login: 'unique.one' }))).toEqual(theirs)
    expect(await refused(create(other, { login: 'admin.anna' }))).toEqual(theirs)
    const second = await create(other, {})
    const change = { pool, number: second.number, login: 'unique.one' } as const
    expect(await refused(other.call('change_proxy_user', change))).toEqual(theirs)
    await one.call('delete_proxy_user', { pool, number: made.number })
    expect(await refused(create(other, { login: 'unique.one' }))).toEqual(theirs)
    const twice = { pool, users: ['x', 'y'].map((label) => ({ label, login: 'unique.two' })) } as const
    expect(await refused(one.call('create_proxy_users', twice))).toEqual(['user_login_taken', { index: 1 }])
  })

  it('go to one of those who choose the same login at once', async () => {
    const racing = await Promise.all([reseller(), reseller(), reseller()])
    const tried = await Promise.allSettled(racing.map((one) => create(one, { login: 'racing.login' })))
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const opposite = ['a', 'b', 'c', 'd'].map((name) => ({ label: name, login: `opposite.${name}` }))
    const both = await Promise.allSettled([
      racing[0].call('create_proxy_users', { pool, users: opposite }),
      racing[1].call('create_proxy_users', { pool, users: opposite.toReversed() }),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('are changed later', async () => {
    const customer = await reseller()
    const made = await create(customer, {})
    const changed = await customer.call('change_proxy_user', {
      pool,
      number: made.number,
      login: 'later.chosen',
      password: 'Another1Password',
    })
    expect(changed).toEqual({ ...made, login: 'later.chosen', password: 'Another1Password' })
  })
})

describe('the login prefix', () => {
  it('begins the logins of new proxy users, and nobody else’s', async () => {
    const [one, other] = [await reseller(), await reseller()]
    await one.call('set_proxy_login_prefix', { prefix: 'mystore' })
    expect((await one.call('get_proxy_users', { pool })).login_prefix).toBe('mystore')
    expect((await create(one, {})).login).toMatch(/^mystore\.[b-df-hj-km-np-tv-xz2-9]{11}$/)
    expect(await refused(other.call('set_proxy_login_prefix', { prefix: 'mystore' }))).toEqual([
      'login_prefix_taken',
      {},
    ])
    expect(await refused(create(other, { login: 'mystore.anna' }))).toEqual(['user_login_taken', {}])
    expect(await create(one, { login: 'mystore.anna' })).toMatchObject({ login: 'mystore.anna' })
    for (const prefix of ['a', 'My', 'a.b'])
      expect((await refused(one.call('set_proxy_login_prefix', { prefix })))[0]).toBe('invalid_login_prefix')
    expect((await refused(one.call('set_proxy_login_prefix', { prefix: 'turnpike' })))[0]).toBe(
      'login_prefix_taken',
    )
    await one.call('set_proxy_login_prefix', { prefix: null })
    expect((await create(one, {})).login).toMatch(/^u/)
    const none = await shop.customer()
    expect((await refused(none.call('set_proxy_login_prefix', { prefix: 'nothing' })))[0]).toBe('no_subuser')
  })
})

describe('a login prefix that begins logins of another customer', () => {
  it('is refused to both while the other one has such a proxy user', async () => {
    const [store, neighbour] = [await reseller(), await reseller()]
    const taken = ['login_prefix_taken', {}]
    await create(store, { login: 'bakery.anna' })
    // A stranger who took the prefix would lock the store out of its own names.
    expect(await refused(neighbour.call('set_proxy_login_prefix', { prefix: 'bakery' }))).toEqual(taken)
    await create(store, { login: 'bakery.boris' })
    const squatting = await create(neighbour, { login: 'bakery.clara' })
    expect(await refused(store.call('set_proxy_login_prefix', { prefix: 'bakery' }))).toEqual(taken)
    // Staff find both by the beginning of the logins.
    const found = await findPeople(shop.database.db, 'bakery.')
    const ids = await Promise.all([store, neighbour].map(accountIdOf))
    expect(found.map(({ account }) => String(account.id))).toEqual(ids.map(String))
    // Others that only begin with the same letters do not matter.
    await create(neighbour, { login: 'bakeryx.anna' })
    await neighbour.call('delete_proxy_user', { pool, number: squatting.number })
    await store.call('set_proxy_login_prefix', { prefix: 'bakery' })
    expect(await refused(create(neighbour, { login: 'bakery.dora' }))).toEqual(['user_login_taken', {}])
  })

  it('goes to one of those who take it and who choose such a login at once', async () => {
    for (let time = 0; time < 5; time++) {
      const [one, other] = [await reseller(), await reseller()]
      const prefix = `atonce${time}`
      const both = await Promise.allSettled([
        one.call('set_proxy_login_prefix', { prefix }),
        create(other, { login: `${prefix}.anna` }),
      ])
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    }
  })
})

describe('a login prefix that its customer gives up', () => {
  it('is not taken by another customer while a proxy user with it is made', async () => {
    const [one, other] = [await reseller(), await reseller()]
    await one.call('set_proxy_login_prefix', { prefix: 'givenup' })
    const client = await shop.database.pool.connect()
    await client.query('begin')
    // The creation has read the prefix, and cannot insert the proxy user yet.
    await client.query('lock table proxy_user in share mode')
    const made = create(one, {})
    await oneWaitsForLock(shop.database.db)
    const givenUp = one.call('set_proxy_login_prefix', { prefix: null })
    await Promise.race([givenUp, someWaitForLock(shop.database.db, 2)])
    const taken = refused(other.call('set_proxy_login_prefix', { prefix: 'givenup' }))
    expect(await taken).toEqual(['login_prefix_taken', {}])
    await client.query('rollback')
    client.release()
    await givenUp
    expect((await made).login).toMatch(/^givenup\./)
    const late = refused(other.call('set_proxy_login_prefix', { prefix: 'givenup' }))
    expect(await late).toEqual(['login_prefix_taken', {}])
  })
})

describe('metadata', () => {
  it('is set, replaced as a whole, and finds proxy users by one pair', async () => {
    const customer = await reseller()
    const made = await create(customer, { metadata: { plan: 'basic', crm: '7' } })
    await create(customer, { metadata: { plan: 'pro' } })
    expect(made.metadata).toEqual({ plan: 'basic', crm: '7' })
    const find = async (key: string, value: string) =>
      (await customer.call('get_proxy_users', { pool, metadata: { key, value } })).users.map(
        ({ number }) => number,
      )
    expect(await find('plan', 'basic')).toEqual([made.number])
    await customer.call('change_proxy_user', { pool, number: made.number, metadata: { plan: 'pro' } })
    expect(await find('plan', 'pro')).toEqual([made.number, made.number + 1])
    expect([await find('plan', 'basic'), await find('crm', '7')]).toEqual([[], []])
    await customer.call('change_proxy_user', { pool, number: made.number, day_bytes: 1 })
    expect(await find('plan', 'pro')).toHaveLength(2)
  })

  it('has limits', async () => {
    const customer = await shared()
    const pairs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))
    const largest = { ...pairs(19), ['k'.repeat(40)]: '😀'.repeat(250) }
    expect((await create(customer, { metadata: largest })).metadata).toEqual(largest)
    for (const metadata of [
      pairs(21),
      { ['k'.repeat(41)]: 'v' },
      { k: 'v'.repeat(501) },
      { k: '' },
      { k: 'a\nb' },
      { 'k k': 'v' },
      { k: 1 },
    ])
      expect((await refused(create(customer, { metadata })))[0], JSON.stringify(metadata)).toBe(
        'invalid_metadata',
      )
  })
  it('and chosen logins are erased with the account, of deleted proxy users too', async () => {
    const customer = await reseller()
    const accountId = BigInt(await accountIdOf(customer))
    const names = {
      label: 'Anna',
      login: 'erased.anna',
      external_id: 'anna-1',
      metadata: { name: 'Anna' },
      addresses: ['203.0.113.77'],
      allowed_hosts: ['anna.example'],
    }
    const gone = await create(customer, names)
    await customer.call('delete_proxy_user', { pool, number: gone.number })
    await create(customer, { login: 'erased.boris', metadata: { name: 'Boris' } })
    await customer.call('set_proxy_login_prefix', { prefix: 'erased' })
    const deps = { secrets: shop.services.secrets, forgetAnswers: () => Promise.resolve() }
    const seen = await previewErasure(shop.database.db, accountId)
    const how = { accountId, writesOff: true, reason: 'asked', seen } as const
    await erasePerson(shop.database, deps, how, new Date(), async () => {})
    const { rows } = await sql<{ text: string }>`
      select row_to_json(u)::text as text from proxy_user u join access s on s.id = u.access_id
      where s.account_id = ${accountId}
      union all select row_to_json(m)::text from proxy_user_metadata m join access s on s.id = m.access_id
      where s.account_id = ${accountId}
      union all select row_to_json(l)::text from proxy_login l where l.account_id = ${accountId}`.execute(
      shop.database.db,
    )
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.map(({ text }) => text).join('\n')).not.toMatch(/anna|boris|erased|203\.0\.113\.77/i)
  })
})
