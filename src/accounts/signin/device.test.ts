import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { createClient } from '#contract/client'
import { transaction } from '#db'
import { type App, app, accountIdOf, type Customer, refusalOf } from '#test/app'
import { openSession } from './session.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const agent =
  'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'

/** A browser that stores cookies and sends them with later requests. */
function browser({ ip = '198.51.100.7', cookie = '' } = {}) {
  const jar = { cookie, field: '' }
  const send: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('user-agent', agent)
    headers.set('x-forwarded-for', ip)
    if (jar.cookie !== '') headers.set('cookie', jar.cookie)
    const answer = await fetch(input, { ...init, headers })
    const given = answer.headers.get('set-cookie')
    if (given !== null) Object.assign(jar, { field: given, cookie: given.split(';')[0] })
    return answer
  }
  const call = (token: string | null) =>
    createClient({ baseUrl: shop.origin, token: () => token, language: () => 'en', fetch: send })
  const signIn = async ({ username, password }: Pick<Customer, 'username' | 'password'>) => {
    const token = await call(null)('signin', { username, password })
    return { token, call: call(token) }
  }
  return { jar, call, signIn }
}

const lettersTo = async ({ email }: Customer) => {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) from mail where recipient = ${email} and template = 'new_sign_in'`.execute(
    shop.database.db,
  )
  return Number(rows[0]?.count)
}
const held = async (call: Customer['call']) => (await call('get_moves', {})).hold_until !== null
/** Makes the account's devices long known. */
const age = async (customer: Customer) => {
  const id = BigInt(await accountIdOf(customer))
  await sql`
    update account_device set first_at = first_at - interval '30 days' where account_id = ${id}`.execute(
    shop.database.db,
  )
}

describe('a device', () => {
  it('is identified by a hashed secret in an HttpOnly cookie, not by what the client claims', async () => {
    const customer = await shop.customer()
    const home = browser()
    const { call } = await home.signIn(customer)
    await age(customer)
    expect(home.jar.field).toMatch(
      /^turnpike-device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000$/,
    )
    const { rows } = await sql<{ text: string }>`
      select string_agg(d::text, ' ') as text from account_device d`.execute(shop.database.db)
    expect(rows[0]?.text).not.toContain(home.jar.cookie.split('=')[1])
    expect(await held(call)).toBe(false)
    expect(await held((await home.signIn(customer)).call)).toBe(false)
    const letters = await lettersTo(customer)
    // The same password, the same browser by its name, the same address.
    const thief = browser()
    expect(await held((await thief.signIn(customer)).call)).toBe(true)
    expect(await lettersTo(customer)).toBe(letters + 1)
  })

  it('is not proved by the token of its session: a browser without the secret is new', async () => {
    const customer = await shop.customer()
    const { token, call } = await browser().signIn(customer)
    await age(customer)
    const thief = browser()
    const stolen = thief.call(token)
    expect(await held(stolen)).toBe(true)
    const order = { pool: 'residential', megabytes: 100, to: 'nobody' } as const
    expect((await refusalOf(stolen('give_traffic', order))).code).toBe('gift_new_device')
    // A thief who also knows the password is reported to the owner, and must wait.
    const letters = await lettersTo(customer)
    const proof = { kind: 'password', password: customer.password } as const
    await stolen('prove_owner', { proof })
    expect(await lettersTo(customer)).toBe(letters + 1)
    expect((await refusalOf(stolen('give_traffic', order))).code).toBe('gift_new_device')
    await call('prove_owner', { proof })
    expect(await held(call)).toBe(false)
  })

  it('counts as new once in another network', async () => {
    const customer = await shop.customer()
    const home = browser()
    await home.signIn(customer)
    await age(customer)
    const letters = await lettersTo(customer)
    const away = browser({ ip: '203.0.113.5', cookie: home.jar.cookie })
    expect(await held((await away.signIn(customer)).call)).toBe(true)
    expect(await lettersTo(customer)).toBe(letters + 1)
    await age(customer)
    expect(await held((await away.signIn(customer)).call)).toBe(false)
    expect(await lettersTo(customer)).toBe(letters + 1)
  })

  it('is known to each account by a secret of its own; a secret that others planted is replaced', async () => {
    const [one, other] = [await shop.customer(), await shop.customer()]
    const shared = browser()
    await shared.signIn(one)
    const planted = shared.jar.cookie
    const { call } = await shared.signIn(other)
    const secrets = shared.jar.cookie.split('=')[1]?.split('.') ?? []
    expect(new Set(secrets).size).toBe(2)
    expect(planted).toBe(`turnpike-device=${secrets[1]}`)
    await age(one)
    await age(other)
    expect(await held(call)).toBe(false)
    expect(await held((await shared.signIn(one)).call)).toBe(false)
    expect(await held((await browser({ cookie: planted }).signIn(other)).call)).toBe(true)
  })

  it('is forgotten when its owner ends the session or sets a new password', async () => {
    const customer = await shop.customer()
    const [home, lost] = [browser(), browser()]
    const { call } = await home.signIn(customer)
    await lost.signIn(customer)
    await age(customer)
    expect(await held((await lost.signIn(customer)).call)).toBe(false)
    await call('end_sessions', {})
    expect(await held(call)).toBe(false)
    expect(await held((await lost.signIn(customer)).call)).toBe(true)
    await age({ ...customer, call })
    await call('change_account_password', {
      old_password: customer.password,
      new_password: 'another password 5',
    })
    const { rows } = await sql<{ count: bigint }>`
      select count(distinct secret_sha256) from account_device where account_id = ${BigInt(await accountIdOf({ ...customer, call }))}`.execute(
      shop.database.db,
    )
    expect(rows[0]?.count).toBe(1n)
  })

  it('that another transaction changes does not delay a sign-in that forgets the oldest ones', async () => {
    const accountId = BigInt(await accountIdOf(await shop.customer()))
    const { db } = shop.database
    const signIn = (n: number) => {
      const origin = { ip: `${20 + n}.51.100.7`, userAgent: agent, country: null }
      return openSession(db, { accountId, origin, way: 'password' }, shop.clock.now)
    }
    const count = async () => {
      const { rows } = await sql<{ count: bigint }>`
        select count(*) from account_device where account_id = ${accountId}`.execute(db)
      return rows[0]?.count
    }
    // As many as are remembered.
    for (let n = 0; n < 50; n++) await signIn(n)
    await transaction(db, async (tx) => {
      await sql`select from account_device where account_id = ${accountId} for update`.execute(tx)
      expect(await signIn(60)).toMatch(/^[\w-]{43}$/)
    })
    await signIn(61)
    expect(await count()).toBe(50n)
  })

  it('that stores no cookie is reported at most ten times a day', async () => {
    const customer = await shop.customer()
    for (let time = 0; time < 12; time++) await browser({ ip: `198.51.100.${time}` }).signIn(customer)
    expect(await lettersTo(customer)).toBe(10)
  })
})
