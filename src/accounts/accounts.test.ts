import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, app, raw, refusalOf } from '#test/app'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const person = { username: 'roadrunner', email: 'road@example.com', password: 'a long password' }

describe('signup', () => {
  it('makes an account that can sign in by name and by e-mail, whatever the letter case', async () => {
    expect(await shop.anyone('signup', person)).toBe(true)
    for (const username of ['roadrunner', 'RoadRunner', ' road@EXAMPLE.com ']) {
      expect(await shop.anyone('signin', { username, password: person.password })).toMatch(/^[\w-]{43}$/)
    }
  })

  it.each([
    ['username_taken', 409, { ...person, email: 'other@example.com' }],
    ['username_taken', 409, { ...person, username: 'ＲoadＲunner', email: 'other@example.com' }],
    ['email_taken', 409, { ...person, username: 'another-name', email: 'ROAD@example.com' }],
    ['fill_fields', 422, { ...person, username: '  ' }],
    ['invalid_username', 422, { ...person, username: 'sixsix ' }],
    ['invalid_username', 422, { ...person, username: 'with@sign.com' }],
    ['username_like_link', 422, { ...person, username: 'https://evil.example' }],
    ['invalid_email', 422, { ...person, username: 'another-name', email: 'a b@example.com' }],
    ['invalid_email', 422, { ...person, username: 'another-name', email: 'road@localhost' }],
    [
      'invalid_password',
      422,
      { ...person, username: 'another-name', email: 'o@example.com', password: 'sixsix' },
    ],
    [
      'password_too_common',
      422,
      { ...person, username: 'another-name', email: 'o@example.com', password: ' Password1 ' },
    ],
  ])('refuses with %s %i', async (code, status, input) => {
    expect(await refusalOf(shop.anyone('signup', input))).toMatchObject({ code, status })
  })

  it('accepts exactly one of many concurrent sign-ups with the same name', async () => {
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) =>
        shop.anyone('signup', {
          username: 'contested',
          email: `contested${n}@example.com`,
          password: 'a long password',
        }),
      ),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('ignores an unknown referral code and stores a known one', async () => {
    const { ref_code: code } = await shop.database.db
      .selectFrom('account')
      .select('ref_code')
      .where('username_key', '=', 'roadrunner')
      .executeTakeFirstOrThrow()
    const invited = { username: 'invited-one', email: 'i1@example.com', password: 'a long password' }
    await shop.anyone('signup', { ...invited, referral_id: code })
    await shop.anyone('signup', {
      ...invited,
      username: 'invited-two',
      email: 'i2@example.com',
      referral_id: 'nobody',
    })
    const rows = await shop.database.db
      .selectFrom('account')
      .select(['username', 'invited_by'])
      .where('username', 'in', ['invited-one', 'invited-two'])
      .orderBy('username')
      .execute()
    expect(rows.map((row) => row.invited_by !== null)).toEqual([true, false])
  })

  it('refuses a field that does not exist, naming it', async () => {
    const answer = await raw(shop.origin, 'signup', JSON.stringify({ ...person, role_id: 2 }))
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ code: 'unknown_field', details: { field: 'role_id' } })
  })
})

describe('signin', () => {
  it('answers the same for a wrong password and an unknown user, never 401', async () => {
    const wrong = await refusalOf(shop.anyone('signin', { username: 'roadrunner', password: 'not this one' }))
    const unknown = await refusalOf(
      shop.anyone('signin', { username: 'nobody-at-all', password: 'not this one' }),
    )
    expect(wrong).toMatchObject({ code: 'invalid_credentials', status: 403 })
    expect({ ...unknown, stack: undefined }).toEqual({ ...wrong, stack: undefined })
  })

  it('is throttled after ten failures per account, for the right password too, for 15 minutes', async () => {
    await shop.customer('patient-person')
    const wrong = () => shop.anyone('signin', { username: 'patient-person', password: 'guess, guess' })
    for (let n = 0; n < 10; n++) expect((await refusalOf(wrong())).code).toBe('invalid_credentials')
    const right = () =>
      shop.anyone('signin', { username: 'patient-person', password: 'password of patient-person' })
    expect(await refusalOf(right())).toMatchObject({ code: 'too_many_attempts', status: 429 })
    shop.clock.now = new Date(shop.clock.now.getTime() + 16 * 60_000)
    expect(await right()).toMatch(/^[\w-]{43}$/)
  })

  it('refuses a blocked account after the password was verified', async () => {
    const { username, password } = await shop.customer('soon-blocked')
    const set = { blocked_at: new Date() }
    await shop.database.db.updateTable('account').set(set).where('username', '=', username).execute()
    expect(await refusalOf(shop.anyone('signin', { username, password }))).toMatchObject({
      code: 'account_blocked',
    })
  })
})

describe('sessions', () => {
  it('end at sign-out, without effect on others', async () => {
    const { call, username, password } = await shop.customer()
    const other = shop.client(await shop.anyone('signin', { username, password }))
    expect(await call('signout', {})).toBe(true)
    expect(await refusalOf(call('legacy_profile', {}))).toMatchObject({ code: 'unauthorized', status: 401 })
    expect(await other('legacy_profile', {})).toHaveLength(1)
  })

  it('last for 30 days after the last use', async () => {
    const { call } = await shop.customer()
    const day = 24 * 60 * 60_000
    shop.clock.now = new Date(shop.clock.now.getTime() + 29 * day)
    expect(await call('legacy_profile', {})).toHaveLength(1)
    shop.clock.now = new Date(shop.clock.now.getTime() + 29 * day)
    expect(await call('legacy_profile', {})).toHaveLength(1)
    shop.clock.now = new Date(shop.clock.now.getTime() + 31 * day)
    expect(await refusalOf(call('legacy_profile', {}))).toMatchObject({ status: 401 })
  })

  it('are stored without their tokens', async () => {
    const { token } = await shop.customer()
    const { rows } = await shop.database.pool.query(`select session::text as row from session`)
    const stored = (rows as { row: string }[]).map(({ row }) => row).join('\n')
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(Buffer.from(token).toString('hex'))
  })
})

describe('legacy_profile', () => {
  it('has every field of the stored record and the session view', async () => {
    const { call, username, email } = await shop.customer()
    const [profile] = await call('legacy_profile', {})
    const empty = { balance: 0, balance_format: '0 GB', password: null }
    expect(profile).toMatchObject({
      username,
      email,
      lang: 'rus',
      pers_percent: '0',
      role_id: 1,
      confirmed: false,
      invited_by: null,
      ref_balance_usd: 0,
      residential: empty,
      residential_premium: empty,
      datacenter: empty,
      mobile: empty,
    })
    expect(JSON.stringify(profile)).not.toContain('argon2')
  })
})
