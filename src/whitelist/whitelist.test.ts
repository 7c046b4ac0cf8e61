import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { feedChannel } from '#feed/announcement'
import { findAccess } from '#proxies'
import { type App, app, type Customer, refusalOf } from '#test/app'
import { lineOf } from '#test/stack'
import { oneWaitsForLock } from '#test/waiting.statement'
import { hasTraffic } from '#traffic'
import { addressesToProve, expireClaims, mostAddresses, proveAddress, whitelistedAccess } from '#whitelist'

let shop: App
let customer: Customer
/** A separate address for every test, so that tests do not affect each other. */
let net = 0

beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())
beforeEach(async () => {
  net++
  customer = await newCustomer()
})

const pool = 'mobile'
const address = (last = 1) => `45.${net}.0.${last}`
const db = () => shop.database.db

async function newCustomer(): Promise<Customer> {
  const person = await shop.customer()
  await shop.buy(person, { pool, gb: 1 })
  return person
}

const list = (whose = customer) => whose.call('get_whitelist_ips', { pool })
const entries = (whose = customer) => whose.call('get_whitelist_entries', { pool })
const add = (ip: string, whose = customer) => whose.call('add_ip_to_whitelist', { ip, pool })
const remove = (ip: string, whose = customer) => whose.call('remove_ip_from_whitelist', { ip, pool })
/** Adds an address from the address itself. */
const addFrom = (ip: string, whose = customer) =>
  shop.from(ip, 'ru', whose.token)('add_ip_to_whitelist', { ip, pool })

async function accessOf(whose = customer) {
  const { login } = await lineOf(whose.call, pool)
  const found = await findAccess(db(), { login, pool })
  if (found === null) throw new Error('no access')
  return found
}
/** Set in the database: a blocked customer gets no line. */
const accountAccess = ({ username }: Customer) =>
  db()
    .selectFrom('access')
    .innerJoin('account', 'account.id', 'access.account_id')
    .select('access.id')
    .where('username', '=', username)
    .where('pool', '=', pool)
    .executeTakeFirstOrThrow()
/** A gateway's report of a connection with the customer's password. */
const connect = async (from: string, whose = customer) =>
  proveAddress(db(), { accessId: (await accessOf(whose)).id, address: from })
const ownerAt = async (port: 'entry' | 'slot', ip = address(), of: string = pool) =>
  (await whitelistedAccess(db(), { pool: of, address: ip, port }, { hasTraffic }))?.login ?? null
const loginOf = async (whose = customer) => (await accessOf(whose)).login

/** Advances the time for the entries of an address. */
async function pass(interval: string, ip = address()) {
  await sql`
    update whitelist set claimed_at = claimed_at - ${interval}::interval, proven_at = proven_at - ${interval}::interval,
      last_used_at = last_used_at - ${interval}::interval where address = ${ip}`.execute(db())
}

async function told() {
  const rows = await db()
    .selectFrom('mail')
    .select(['recipient', 'data'])
    .where('template', '=', 'address_taken')
    .execute()
  return rows.filter((row) => JSON.stringify(row.data).includes(address())).map((row) => row.recipient)
}

describe('the whitelist', () => {
  it('is empty at first, and lists added addresses in order', async () => {
    expect(await list()).toEqual([])
    for (const last of [9, 2, 5]) expect(await add(address(last))).toBe(true)
    expect(await list()).toEqual([9, 2, 5].map(address))
    expect(await remove(address(2))).toBe(true)
    expect(await list()).toEqual([9, 5].map(address))
  })

  it('stores an address in its canonical spelling', async () => {
    expect(await add(`045.${net}.000.01`)).toBe(true)
    expect(await list()).toEqual([address()])
    expect(await remove(`45.${net}.0.001`)).toBe(true)
    expect(await list()).toEqual([])
  })

  it('accepts the same address again without effect', async () => {
    await add(address())
    expect(await add(address())).toBe(true)
    expect(await list()).toEqual([address()])
  })

  it('is one per pool', async () => {
    await addFrom(address())
    await shop.buy(customer, { pool: 'residential', gb: 1 })
    expect(await customer.call('get_whitelist_ips', { pool: 'residential' })).toEqual([])
    expect(await ownerAt('entry')).toBe(await loginOf())
    expect(await ownerAt('entry', address(), 'residential')).toBeNull()
  })

  it('notifies gateways of every change, and of logins with more addresses to prove', async () => {
    const heard: string[] = []
    const end = await shop.database.listen(feedChannel, (payload) => heard.push(payload))
    const events = () =>
      heard.filter((payload) => payload.includes(address())).map((payload): unknown => JSON.parse(payload))
    const login = await loginOf()
    await add(address())
    await add(address())
    await connect(address())
    await connect(address())
    await remove(address())
    await remove(address())
    const change = { type: 'whitelist_changed', pool, address: address() }
    await expect.poll(events).toEqual([{ ...change, login }, change, change])
    await end()
  })
})

describe('an address that was added', () => {
  it('is a claim, which slot ports serve while it is the only one, and entry ports do not', async () => {
    await add(address())
    expect(await ownerAt('slot')).toBe(await loginOf())
    expect(await ownerAt('entry')).toBeNull()
    const other = await newCustomer()
    await add(address(), other)
    expect([await list(), await list(other)]).toEqual([[address()], [address()]])
    expect([await ownerAt('slot'), await ownerAt('entry')]).toEqual([null, null])
    await remove(address())
    expect(await ownerAt('slot')).toBe(await loginOf(other))
  })

  it('is proven by a connection with a password from there, and by no other', async () => {
    await add(address())
    const [waiting] = (await entries()).entries
    expect(waiting).toMatchObject({ ip: address(), proven_at: null })
    expect(Date.parse(waiting?.expires_at ?? '') - Date.parse(waiting?.added_at ?? '')).toBe(86_400_000)
    const { id } = await accessOf()
    expect(await addressesToProve(db(), id)).toEqual([address()])
    await connect(address(2))
    await connect(address(), await newCustomer())
    await proveAddress(db(), { accessId: id, address: `::ffff:${address()}` })
    await proveAddress(db(), { accessId: 999_999_999n, address: address() })
    expect(await ownerAt('entry')).toBeNull()
    await connect(address())
    expect(await ownerAt('entry')).toBe(await loginOf())
    expect((await entries()).entries).toMatchObject([{ ip: address(), expires_at: null }])
    expect((await entries()).entries[0]?.proven_at).not.toBeNull()
    expect(await addressesToProve(db(), id)).toEqual([])
    expect(await list()).toEqual([address()])
  })

  it('is proven in all pools by a connection in one of them', async () => {
    await shop.buy(customer, { pool: 'residential', gb: 1 })
    await add(address())
    await customer.call('add_ip_to_whitelist', { ip: address(), pool: 'residential' })
    const other = await newCustomer()
    await add(address(), other)
    await connect(address())
    expect(await ownerAt('entry', address(), 'residential')).toBe(await loginOf())
    expect(await ownerAt('entry', address(), pool)).toBe(await loginOf())
  })

  it('is proven when it is added from there, the first time or again', async () => {
    await addFrom(address())
    expect(await ownerAt('entry')).toBe(await loginOf())
    await add(address(2))
    await shop.from(address(3), 'ru', customer.token)('add_ip_to_whitelist', { ip: address(2), pool })
    expect(await ownerAt('entry', address(2))).toBeNull()
    await shop.from(
      `::ffff:${address(2)}`,
      'ru',
      customer.token,
    )('add_ip_to_whitelist', {
      ip: address(2),
      pool,
    })
    expect(await ownerAt('entry', address(2))).toBe(await loginOf())
  })

  it('is not proven by a forwarded address, except from a proxy that TRUST_PROXY names', async () => {
    const stranger = await app({ trustProxy: [] })
    try {
      const forger = await stranger.customer()
      await stranger.buy(forger, { pool, gb: 1 })
      const forged = stranger.from(address(), 'ru', forger.token)
      expect(await forged('add_ip_to_whitelist', { ip: address(), pool })).toBe(true)
      const { entries: claims } = await forger.call('get_whitelist_entries', { pool })
      expect(claims).toMatchObject([{ ip: address(), proven_at: null }])
    } finally {
      await stranger.close()
    }
    // Behind the reverse proxy only the entry added by that proxy counts, not the client's earlier ones.
    for (const written of [`${address()}, 45.200.0.1`, `${address()}, unknown`]) {
      await shop.from(written, 'ru', customer.token)('add_ip_to_whitelist', { ip: address(), pool })
      expect(await ownerAt('entry')).toBeNull()
    }
  })

  it('is not proven by a request that another site’s page makes in its visitor’s browser', async () => {
    const token = await customer.call('reseller_token', {})
    const ask = (origin: string) =>
      fetch(`${shop.origin}/api/rpc/add_ip_to_whitelist`, {
        method: 'POST',
        headers: {
          origin,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-forwarded-for': address(),
        },
        body: JSON.stringify({ ip: address(), pool }),
      })
    for (const origin of ['https://evil.example', 'null', 'http://localhost:3001']) {
      expect((await ask(origin)).status).toBe(200)
      expect(await ownerAt('entry')).toBeNull()
    }
    expect((await ask('http://localhost:3000')).status).toBe(200)
    expect(await ownerAt('entry')).toBe(await loginOf())
  })
})

describe('a proof', () => {
  it('removes the address from customers who only claim it, and they are notified', async () => {
    const others = [await newCustomer(), await newCustomer()]
    for (const other of others) await add(address(), other)
    await add(address())
    await connect(address())
    expect(await list()).toEqual([address()])
    for (const other of others) {
      expect(await list(other)).toEqual([])
      expect((await entries(other)).lost).toMatchObject([{ ip: address(), reason: 'taken' }])
    }
    expect((await told()).toSorted()).toEqual(others.map(({ email }) => email).toSorted())
    // Shown until it is removed, or added again.
    await remove(address(), others[0])
    expect((await entries(others[0])).lost).toEqual([])
  })

  it('sends at most ten letters a day about lost addresses: the mailbox may belong to a different person', async () => {
    const [own, second] = [customer, await newCustomer()]
    for (let round = 0; round < 12; round++) {
      await add(address(), own)
      await addFrom(address(), second)
      expect(await list(own)).toEqual([])
      await remove(address(), second)
    }
    expect(await told()).toEqual(Array<string>(10).fill(own.email))
  })

  it('is ignored when its account was blocked while it was under way', async () => {
    const other = await newCustomer()
    await add(address())
    await add(address(), other)
    await db()
      .updateTable('account')
      .set({ blocked_at: new Date() })
      .where('username', '=', customer.username)
      .execute()
    const { id } = await accountAccess(customer)
    await proveAddress(db(), { accessId: id, address: address() })
    expect(await list(other)).toEqual([address()])
    expect(await ownerAt('entry')).toBeNull()
  })

  it('takes precedence over others while its customer uses the address: claims are refused, proofs change nothing', async () => {
    const other = await newCustomer()
    await add(address(), other)
    await addFrom(address())
    expect(await refusalOf(add(address(), other))).toMatchObject({ code: 'ip_taken', status: 409 })
    expect(await refusalOf(addFrom(address(), other))).toMatchObject({ code: 'ip_taken' })
    await connect(address(), other)
    await pass('6 days 23 hours')
    expect(await refusalOf(addFrom(address(), other))).toMatchObject({ code: 'ip_taken' })
    // A use of the whitelist counts as well.
    expect(await ownerAt('entry')).toBe(await loginOf())
    await pass('6 days 23 hours')
    expect(await refusalOf(addFrom(address(), other))).toMatchObject({ code: 'ip_taken' })
    expect(await ownerAt('entry')).toBe(await loginOf())
    expect(await list(other)).toEqual([])
  })

  it('is replaced by a newer one after seven days without use by its customer, who is notified', async () => {
    const next = await newCustomer()
    await addFrom(address())
    await pass('7 days 1 minute')
    await add(address(), next)
    // The claim alone changes nothing.
    expect([await ownerAt('entry'), await ownerAt('slot')]).toEqual([await loginOf(), await loginOf()])
    await pass('7 days 1 minute')
    await connect(address(), next)
    expect(await ownerAt('entry')).toBe(await loginOf(next))
    expect(await list()).toEqual([])
    expect((await entries()).lost).toMatchObject([{ ip: address(), reason: 'taken' }])
    expect(await told()).toEqual([customer.email])
    // Two customers behind one address do not alternate.
    expect(await refusalOf(addFrom(address()))).toMatchObject({ code: 'ip_taken' })
    await connect(address())
    expect(await ownerAt('entry')).toBe(await loginOf(next))
  })

  it('remains valid while its customer connects with a password: gateways renew it every day', async () => {
    const { id } = await accessOf()
    await addFrom(address())
    await pass('23 hours')
    expect(await addressesToProve(db(), id)).toEqual([])
    await pass('2 hours')
    expect(await addressesToProve(db(), id)).toEqual([address()])
    await connect(address())
    expect(await addressesToProve(db(), id)).toEqual([])
    await pass('6 days')
    expect(await refusalOf(add(address(), await newCustomer()))).toMatchObject({ code: 'ip_taken' })
  })

  it('of a blocked customer has no effect', async () => {
    const next = await newCustomer()
    await addFrom(address())
    await db()
      .updateTable('account')
      .set({ blocked_at: new Date() })
      .where('username', '=', customer.username)
      .execute()
    await addFrom(address(), next)
    expect(await ownerAt('entry')).toBe(await loginOf(next))
  })

  it('records no use while there is no traffic left', async () => {
    await addFrom(address())
    await pass('8 days')
    const none = { hasTraffic: async () => false }
    const key = { pool, address: address(), port: 'entry' } as const
    expect((await whitelistedAccess(db(), key, none))?.login).toBe(await loginOf())
    await addFrom(address(), await newCustomer())
    expect(await list()).toEqual([])
  })
})

describe('a claim that is not proven', () => {
  it('is removed after a day, is shown as lost for a week, and can be added again', async () => {
    await add(address())
    await pass('23 hours')
    await expireClaims(db())
    expect(await list()).toEqual([address()])
    await pass('1 hour 11 minutes')
    const heard: string[] = []
    const end = await shop.database.listen(feedChannel, (payload) => heard.push(payload))
    expect(await expireClaims(db())).toBe(1)
    expect(await list()).toEqual([])
    expect((await entries()).lost).toMatchObject([{ ip: address(), reason: 'unproven' }])
    await expect.poll(() => heard.join()).toContain(address())
    await end()
    expect(await told()).toEqual([])
    await add(address())
    expect(await entries()).toMatchObject({ entries: [{ ip: address() }], lost: [] })
    await pass('25 hours')
    await expireClaims(db())
    await sql`update whitelist_loss set lost_at = lost_at - interval '8 days'`.execute(db())
    await expireClaims(db())
    expect(await entries()).toEqual({ entries: [], lost: [] })
  })

  it('is not extended by adding it again from another address', async () => {
    await add(address())
    const [first] = (await entries()).entries
    await pass('20 hours')
    for (let time = 0; time < 3; time++) await add(address())
    const [again] = (await entries()).entries
    const moved = Date.parse(first?.expires_at ?? '') - Date.parse(again?.expires_at ?? '')
    expect(moved).toBe(20 * 3_600_000)
    await pass('5 hours')
    expect(await expireClaims(db())).toBe(1)
    expect(await list()).toEqual([])
  })

  it('stays while it is used, which is possible at slot ports only', async () => {
    await add(address(1))
    await add(address(2))
    for (const ip of [address(1), address(2)]) await pass('23 hours', ip)
    await ownerAt('slot', address(1))
    await ownerAt('entry', address(2))
    for (const ip of [address(1), address(2)]) await pass('2 hours', ip)
    await expireClaims(db())
    expect(await list()).toEqual([address(1)])
  })

  it('is not removed once it is proven', async () => {
    await add(address())
    await connect(address())
    await pass('30 days')
    await expireClaims(db())
    expect(await list()).toEqual([address()])
  })
})

describe('refusals', () => {
  it('422 invalid_ip for a text that is not an IPv4 address, when adding and removing', async () => {
    for (const text of ['', '1.2.3', '1.2.3.256', '::ffff:1.2.3.4', ' 1.2.3.4']) {
      expect(await refusalOf(add(text))).toMatchObject({ code: 'invalid_ip', status: 422 })
      expect(await refusalOf(remove(text))).toMatchObject({ code: 'invalid_ip', status: 422 })
    }
  })

  it('422 invalid_ip for an address that no client on the internet has; an old entry of it can be removed', async () => {
    for (const text of [
      '0.0.0.0',
      '10.1.2.3',
      '010.001.002.003',
      '224.0.0.1',
      '203.0.113.7',
      '255.255.255.255',
    ])
      expect(await refusalOf(add(text))).toMatchObject({ code: 'invalid_ip', status: 422 })
    expect(await list()).toEqual([])
    expect(await remove('10.1.2.3')).toBe(true)
  })

  it('403 no_pool_access without traffic in the pool, never bought or used up', async () => {
    const poor = await shop.customer()
    expect(await refusalOf(add(address(), poor))).toMatchObject({ code: 'no_pool_access', status: 403 })
    expect(await list(poor)).toEqual([])
    expect(await remove(address(), poor)).toBe(true)
    expect(await refusalOf(add('nonsense', poor))).toMatchObject({ code: 'invalid_ip' })
    expect(
      await refusalOf(customer.call('add_ip_to_whitelist', { ip: address(), pool: 'residential' })),
    ).toMatchObject({ code: 'no_pool_access' })
  })

  it('409 ip_taken for an address that another customer has proven in this pool, until they remove it', async () => {
    const person = await newCustomer()
    await addFrom(address())
    expect(await refusalOf(add(address(), person))).toMatchObject({ code: 'ip_taken', status: 409 })
    // No customer can remove another's address.
    expect(await remove(address(), person)).toBe(true)
    expect(await list()).toEqual([address()])
    await remove(address())
    expect(await add(address(), person)).toBe(true)
    expect(await list()).toEqual([])
    expect(await list(person)).toEqual([address()])
  })

  it('429 after twenty of these in a day, for free addresses too, so that the refusals disclose no more', async () => {
    await addFrom(address())
    const prober = await newCustomer()
    for (let probe = 0; probe < 20; probe++)
      expect(await refusalOf(add(address(), prober))).toMatchObject({ code: 'ip_taken' })
    for (const ip of [address(), address(2)])
      expect(await refusalOf(add(ip, prober))).toMatchObject({ code: 'too_many_attempts', status: 429 })
  })

  it('429 counts concurrent attempts too, and none with another outcome', async () => {
    const holder = await newCustomer()
    for (let last = 1; last <= 30; last++) await addFrom(address(last), holder)
    for (let last = 31; last <= 50; last++) await add(address(last))
    const asked = Array.from({ length: 30 }, (_, index) => add(address(index + 1)))
    const ends = await Promise.all(asked.map((answer) => refusalOf(answer)))
    expect(ends.filter(({ code }) => code === 'ip_taken')).toHaveLength(20)
    expect(ends.filter(({ code }) => code === 'too_many_attempts')).toHaveLength(10)
    // A listed address discloses nothing, and can still be proven from there.
    await addFrom(address(31))
    expect(await ownerAt('entry', address(31))).toBe(await loginOf())
  })

  it('422 whitelist_full above a hundred, but not for one already listed', async () => {
    for (let last = 1; last <= mostAddresses; last++) await add(address(last))
    expect(await refusalOf(add(address(mostAddresses + 1)))).toMatchObject({
      code: 'whitelist_full',
      status: 422,
      details: { limit: 100 },
    })
    expect(await add(address(7))).toBe(true)
    await remove(address(7))
    expect(await add(address(mostAddresses + 1))).toBe(true)
  })
})

describe('under concurrency', () => {
  it('an address is proven by exactly one of many customers', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, newCustomer))
    const ends = await Promise.allSettled(people.map((person) => addFrom(address(), person)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'ip_taken' })
    const lists = await Promise.all(people.map((person) => list(person)))
    expect(lists.flat()).toEqual([address()])
  })

  it('of many customers who claim an address and connect from it, one gets it', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, newCustomer))
    await Promise.all(people.map((person) => add(address(), person)))
    await Promise.all(people.map((person) => connect(address(), person)))
    const lists = await Promise.all(people.map((person) => list(person)))
    expect(lists.flat()).toEqual([address()])
    expect(await ownerAt('entry')).not.toBeNull()
  })

  it('no address stands for a proxy user that is deleted meanwhile', async () => {
    const { number } = await customer.call('create_proxy_user', { pool, label: 'deleted soon' })
    const { id } = await accessOf()
    const client = await shop.database.pool.connect()
    await client.query('begin')
    await client.query('select from access where id = $1 for no key update', [id])
    const added = refusalOf(customer.call('add_ip_to_whitelist', { ip: address(), pool, proxy_user: number }))
    await oneWaitsForLock(db())
    await client.query('update proxy_user set deleted_at = now() where access_id = $1 and nr = $2', [
      id,
      number,
    ])
    await client.query('commit')
    client.release()
    expect((await added).code).toBe('user_not_found')
    expect((await entries()).entries).toEqual([])
  })

  it('no customer gets more than a hundred', async () => {
    for (let last = 1; last <= mostAddresses - 3; last++) await add(address(last))
    const more = Array.from({ length: 12 }, (_, index) => add(address(200 + index)))
    const ends = await Promise.allSettled(more)
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await list()).toHaveLength(mostAddresses)
  })

  it('adding and removing leave a state consistent with some order of the two', async () => {
    for (let round = 0; round < 10; round++) {
      expect(await Promise.all([add(address()), remove(address()), add(address())])).toEqual([
        true,
        true,
        true,
      ])
      expect([0, 1]).toContain((await list()).length)
      await remove(address())
    }
  })
})
