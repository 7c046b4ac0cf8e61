import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { app, type App, type Customer, refusalOf } from '#test/app'

const pool = 'residential'
const gb = 1_000_000_000

let shop: App
let customer: Customer
beforeAll(async () => {
  shop = await app()
  customer = await shop.customer('owner_of_users')
  await shop.buy(customer, { pool, gb: 20 })
})
afterAll(() => shop.close())

let labels = 0
const make = (settings: object = {}) =>
  customer.call('create_proxy_user', { pool, label: `user ${++labels}`, ...settings })
const give = (number: number, bytes: number, key?: string) =>
  customer.call('give_proxy_user', { pool, number, bytes }, key === undefined ? {} : { idempotencyKey: key })
const take = (number: number, bytes: number, key?: string) =>
  customer.call('take_proxy_user', { pool, number, bytes }, key === undefined ? {} : { idempotencyKey: key })
const totalOf = async (number: number) =>
  (await customer.call('get_proxy_users', { pool, number })).users[0]?.total_bytes

describe('traffic given to a proxy user', () => {
  it('adds up when it is given several times at once, and is taken back', async () => {
    const { number } = await make({ total_bytes: 5 * gb })
    await Promise.all([give(number, 5 * gb), give(number, 5 * gb), give(number, gb)])
    expect(await totalOf(number)).toBe(16 * gb)
    expect(await take(number, 2 * gb)).toMatchObject({ number, total_bytes: 14 * gb })
    expect(await take(number, 2 * gb)).not.toHaveProperty('password')
  })

  it('is given once per key, also after a crash and when calls race', async () => {
    const { number } = await make({ total_bytes: 0 })
    const ends = await Promise.allSettled(
      [1, 2, 3].map(() => give(number, gb, `payment of ${number}`.replaceAll(' ', '-'))),
    )
    expect(ends.map(({ status }) => status)).toContain('fulfilled')
    expect(await totalOf(number)).toBe(gb)
    // The state after a kill between the work and the recording of its answer.
    await sql`update idempotency_key set status = null, claimed_at = now() - interval '10 seconds'`.execute(
      shop.database.db,
    )
    expect(await give(number, gb, `payment-of-${number}`)).toMatchObject({ total_bytes: gb })
    await take(number, gb, 'refund')
    await take(number, gb, 'refund')
    expect(await totalOf(number)).toBe(0)
    const other = await shop.customer()
    await shop.buy(other, { pool, gb: 1 })
    await other.call('create_proxy_user', { pool, label: 'x', total_bytes: 0 })
    const theirs = { pool, number: 1, bytes: 7 } as const
    // Keys of different customers are different keys.
    expect(await other.call('give_proxy_user', theirs, { idempotencyKey: 'refund' })).toMatchObject({
      total_bytes: 7,
    })
  })

  it('is never taken beyond what is left, nor added where there is no limit', async () => {
    const { number } = await make({ total_bytes: 100 })
    const { rows } = await sql<{ id: bigint }>`
      select u.id from proxy_user u where u.login = (
        select login from proxy_user where label = ${`user ${labels}`})`.execute(shop.database.db)
    await sql`insert into proxy_user_use values (${rows[0]?.id}, 60, 1, now())`.execute(shop.database.db)
    const refused = await refusalOf(take(number, 41))
    expect(refused).toMatchObject({ code: 'user_has_less', details: { left: 40 } })
    const ends = await Promise.allSettled([take(number, 30), take(number, 30)])
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await totalOf(number)).toBe(70)
    expect(await refusalOf(give(number, 10 ** 15))).toMatchObject({ code: 'user_limit_too_large' })
    expect(await refusalOf(give(number, 0.5))).toMatchObject({ code: 'invalid_user_bytes' })
    const free = await make()
    for (const act of [give, take])
      expect(await refusalOf(act(free.number, 1))).toMatchObject({ code: 'user_unlimited' })
    expect(await totalOf(free.number)).toBeNull()
  })
})
