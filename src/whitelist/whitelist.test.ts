import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type App, app, type Customer, refusalOf } from '#test/app'
import { lineOf } from '#test/stack'
import { mostAddresses, whitelistedSubuser } from '#whitelist'

let shop: App
let customer: Customer
/** An address of their own for every test, so that none meets another's. */
let net = 0

beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())
beforeEach(async () => {
  net++
  customer = await shop.customer()
  await shop.buy(customer, { pool: 'mobile', gb: 1 })
})

const pool = 'mobile'
const address = (last = 1) => `10.${net}.0.${last}`
const list = (whose = customer) => whose.call('get_whitelist_ips', { pool })
const add = (ip: string, whose = customer) => whose.call('add_ip_to_whitelist', { ip, pool })
const remove = (ip: string, whose = customer) => whose.call('remove_ip_from_whitelist', { ip, pool })
const owner = (ip: string, of: string = pool) =>
  whitelistedSubuser(shop.database.db, { pool: of, address: ip })

async function other(): Promise<Customer> {
  const person = await shop.customer()
  await shop.buy(person, { pool, gb: 1 })
  return person
}

describe('the whitelist', () => {
  it('is empty at first, and gives back what was added, in that order', async () => {
    expect(await list()).toEqual([])
    for (const last of [9, 2, 5]) expect(await add(address(last))).toBe(true)
    expect(await list()).toEqual([9, 2, 5].map(address))
    expect(await remove(address(2))).toBe(true)
    expect(await list()).toEqual([9, 5].map(address))
  })

  it('knows an address in one spelling, however it was written', async () => {
    expect(await add(`010.${net}.000.01`)).toBe(true)
    expect(await list()).toEqual([address()])
    expect(await remove(`10.${net}.0.001`)).toBe(true)
    expect(await list()).toEqual([])
  })

  it('takes the same address again as done', async () => {
    await add(address())
    expect(await add(address())).toBe(true)
    expect(await list()).toEqual([address()])
  })

  it('is one per pool', async () => {
    await add(address())
    await shop.buy(customer, { pool: 'residential', gb: 1 })
    expect(await customer.call('get_whitelist_ips', { pool: 'residential' })).toEqual([])
    expect((await owner(address()))?.pool).toBe('mobile')
    expect(await owner(address(), 'residential')).toBeNull()
  })

  it('tells gateways whose an address is, and tells them of every change', async () => {
    const heard: string[] = []
    const end = await shop.database.listen('turnpike_feed', (payload) => heard.push(payload))
    const told = () => heard.filter((payload) => payload.includes(address()))
    expect(await owner(address())).toBeNull()
    await add(address())
    const { login } = await lineOf(customer.call, pool)
    expect(await owner(address())).toMatchObject({ login, pool, blocked: false })
    await add(address())
    await remove(address())
    await remove(address())
    await expect.poll(told).toHaveLength(2)
    expect(JSON.parse(told()[0] ?? '')).toEqual({ type: 'whitelist_changed', pool, address: address() })
    await end()
  })
})

describe('refusals', () => {
  it('422 invalid_ip for what is no IPv4 address, to add and to remove', async () => {
    for (const text of ['', '1.2.3', '1.2.3.256', '::ffff:1.2.3.4', ' 1.2.3.4']) {
      expect(await refusalOf(add(text))).toMatchObject({ code: 'invalid_ip', status: 422 })
      expect(await refusalOf(remove(text))).toMatchObject({ code: 'invalid_ip', status: 422 })
    }
  })

  it('403 no_pool_access without traffic in the pool, bought never or used up', async () => {
    const poor = await shop.customer()
    expect(await refusalOf(add(address(), poor))).toMatchObject({ code: 'no_pool_access', status: 403 })
    expect(await list(poor)).toEqual([])
    expect(await remove(address(), poor)).toBe(true)
    expect(await refusalOf(add('nonsense', poor))).toMatchObject({ code: 'invalid_ip' })
    expect(
      await refusalOf(customer.call('add_ip_to_whitelist', { ip: address(), pool: 'residential' })),
    ).toMatchObject({ code: 'no_pool_access' })
  })

  it('409 ip_taken for the address of another in this pool, until they give it up', async () => {
    const person = await other()
    await add(address())
    expect(await refusalOf(add(address(), person))).toMatchObject({ code: 'ip_taken', status: 409 })
    // Nobody takes another's address away.
    expect(await remove(address(), person)).toBe(true)
    expect(await list()).toEqual([address()])
    await remove(address())
    expect(await add(address(), person)).toBe(true)
    expect(await list()).toEqual([])
    expect(await list(person)).toEqual([address()])
  })

  it('422 whitelist_full above a hundred, and not for one that is there', async () => {
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

describe('at the same moment', () => {
  it('an address goes to exactly one of many', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, other))
    const ends = await Promise.allSettled(people.map((person) => add(address(), person)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'ip_taken' })
    const lists = await Promise.all(people.map((person) => list(person)))
    expect(lists.flat()).toEqual([address()])
  })

  it('nobody gets more than a hundred', async () => {
    for (let last = 1; last <= mostAddresses - 3; last++) await add(address(last))
    const more = Array.from({ length: 12 }, (_, index) => add(address(200 + index)))
    const ends = await Promise.allSettled(more)
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await list()).toHaveLength(mostAddresses)
  })

  it('adding and removing leave one state that both calls can explain', async () => {
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
