import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, app, type Customer, raw, refusalOf } from '#test/app'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const change = ({ call }: Pick<Customer, 'call'>, old_password: string | null, new_password: string) =>
  call('change_account_password', { old_password, new_password })

/** An account as the Telegram bot creates it: without a password. */
const takePassword = ({ username }: Customer) =>
  shop.database.db
    .updateTable('account')
    .set({ password_hash: null })
    .where('username', '=', username)
    .execute()

describe('change_language', () => {
  it('is stored', async () => {
    const { call } = await shop.customer()
    expect(await call('change_language', { code: 'eng' })).toBe(true)
    expect(await call('legacy_profile', {})).toMatchObject([{ lang: 'eng' }])
    expect(await call('change_language', { code: 'rus' })).toBe(true)
    expect(await call('legacy_profile', {})).toMatchObject([{ lang: 'rus' }])
  })

  it.each(['', 'en', 'RUS', 1, null])('refuses %j', async (code) => {
    const { token } = await shop.customer()
    const answer = await raw(shop.origin, 'change_language', JSON.stringify({ code }), {
      authorization: `Bearer ${token}`,
    })
    expect([answer.status, await answer.json()]).toMatchObject([422, { code: 'invalid_code' }])
  })
})

describe('change_account_password', () => {
  it('requires the old one, and ends all sessions but its own', async () => {
    const customer = await shop.customer()
    const { username, password } = customer
    const other = shop.client(await shop.anyone('signin', { username, password }))
    const wrong = await refusalOf(change(customer, 'not this one', 'a new password'))
    expect(wrong).toMatchObject({ code: 'wrong_password', status: 403 })
    expect(await other('legacy_profile', {})).toHaveLength(1)
    expect(await change(customer, password, 'a new password')).toBe(true)
    expect(await refusalOf(other('legacy_profile', {}))).toMatchObject({ status: 401 })
    expect(await customer.call('legacy_profile', {})).toHaveLength(1)
    expect((await refusalOf(shop.anyone('signin', { username, password }))).code).toBe('invalid_credentials')
    expect(await shop.anyone('signin', { username, password: 'a new password' })).toMatch(/^[\w-]{43}$/)
  })

  it.each([
    ['fill_fields', 'password', '   '],
    ['fill_fields', null, 'a new password'],
    ['fill_fields', '', 'a new password'],
    ['invalid_password', 'password', 'sixsix'],
    ['invalid_password', 'password', 'x'.repeat(257)],
    ['password_too_common', 'password', 'qwertyuiop'],
  ])('refuses with %s', async (code, oldPassword, newPassword) => {
    const customer = await shop.customer()
    const refusal = await refusalOf(change(customer, oldPassword, newPassword))
    expect(refusal).toMatchObject({ code, status: 422 })
  })

  it('sets the first password of an account without one', async () => {
    const customer = await shop.customer()
    await takePassword(customer)
    expect(await customer.call('is_password_exists', {})).toBe(false)
    expect(await change(customer, null, 'the first password')).toBe(true)
    expect(await customer.call('is_password_exists', {})).toBe(true)
    const { username } = customer
    expect(await shop.anyone('signin', { username, password: 'the first password' })).toMatch(/^[\w-]{43}$/)
  })

  it('accepts one of several concurrent changes', async () => {
    const customer = await shop.customer()
    const changes = await Promise.allSettled(
      [1, 2, 3, 4].map((n) => change(customer, customer.password, `new password ${n}`)),
    )
    expect(changes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('is throttled for a caller who has only a session', async () => {
    const customer = await shop.customer()
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        refusalOf(change(customer, `guess number ${n}`, 'a new password')),
      ),
    )
    expect(guesses.filter(({ code }) => code === 'wrong_password')).toHaveLength(10)
    expect(guesses.filter(({ code }) => code === 'too_many_attempts')).toHaveLength(10)
    const { username, password } = customer
    expect(await shop.anyone('signin', { username, password })).toMatch(/^[\w-]{43}$/)
  })
})
