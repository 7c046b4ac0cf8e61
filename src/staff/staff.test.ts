import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { app, type App, refusalOf } from '#test/app'
import { desk, type Desk } from '#test/desk'
import { resetStaff, systemAuthor } from './staff.ts'

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

const later = (minutes: number) => {
  shop.clock.now = new Date(shop.clock.now.getTime() + minutes * 60_000)
}

describe('joining', () => {
  it('sets a password and an authenticator app, signs in and gives ten recovery codes', async () => {
    const { call, recoveryCodes, name } = await office.staff('operator')
    expect(new Set(recoveryCodes).size).toBe(10)
    const session = await call('session', {})
    expect(session).toMatchObject({ stage: 'signed_in', member: { name, role: 'operator' } })
    expect(session.factors).toEqual(['totp', 'recovery_code'])
    expect(session.member?.permissions).not.toContain('staff.manage')
  })

  it('stores nothing for a wrong code, and the link works once', async () => {
    const owner = await office.staff('owner')
    const { url } = await owner.call('invite_staff', { name: 'newcomer', role: 'support' })
    const token = new URL(url).hash.slice(1)
    const browser = office.browser()
    const { totp } = await browser.call('join_begin', { token })
    const password = 'the password of newcomer'
    const join = async (code: string) =>
      browser.call('join_finish', { token, password, factor: { kind: 'totp', code } })
    expect((await refusalOf(join('000000'))).code).toBe('wrong_factor')
    expect((await refusalOf(browser.call('sign_in', { name: 'newcomer', password }))).code).toBe(
      'invalid_credentials',
    )
    await join(await office.code(totp.secret))
    expect((await refusalOf(join(await office.code(totp.secret)))).code).toBe('link_invalid')
  })

  it('refuses an expired link and one that a newer one replaced', async () => {
    const owner = await office.staff('owner')
    const { id, url } = await owner.call('invite_staff', { name: 'latecomer', role: 'support' })
    const token = new URL(url).hash.slice(1)
    await resetStaff(shop.database.db, systemAuthor(), BigInt(id), shop.clock.now)
    expect((await refusalOf(office.browser().call('join_begin', { token }))).code).toBe('link_invalid')
    const again = await resetStaff(shop.database.db, systemAuthor(), BigInt(id), shop.clock.now)
    later(24 * 60 + 1)
    expect((await refusalOf(office.browser().call('join_begin', { token: again.token }))).code).toBe(
      'link_invalid',
    )
  })
})

describe('signing in', () => {
  it('needs the password and the code, and the pending session opens nothing else', async () => {
    const { name, password, secret } = await office.staff('owner')
    const browser = office.browser()
    expect(await browser.call('sign_in', { name: name.toUpperCase(), password })).toMatchObject({
      stage: 'factor_missing',
      member: null,
    })
    for (const call of ['staff', 'my_sessions', 'customers', 'audit'] as const)
      expect((await refusalOf(browser.call(call, {}))).code, call).toBe('second_factor_missing')
    const before = browser.cookie
    const session = await browser.call('confirm_totp', { code: await office.code(secret) })
    expect(session.stage).toBe('signed_in')
    expect(browser.cookie).not.toBe(before)
    await browser.call('staff', {})
  })

  it('refuses a code that was used, also for another session, and the one after next', async () => {
    const { name, password, secret } = await office.staff('owner')
    const code = await office.code(secret)
    const [first, second] = [office.browser(), office.browser()]
    for (const each of [first, second]) await each.call('sign_in', { name, password })
    const answers = await Promise.allSettled([
      first.call('confirm_totp', { code }),
      second.call('confirm_totp', { code }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const other = answers[0].status === 'fulfilled' ? second : first
    expect((await refusalOf(other.call('confirm_totp', { code }))).code).toBe('wrong_factor')
    const early = await office.code(secret)
    later(-1)
    expect((await refusalOf(other.call('confirm_totp', { code: early }))).code).toBe('wrong_factor')
    later(1)
  })

  it('accepts each recovery code once, and throttles guesses', async () => {
    const { name, password, recoveryCodes, secret } = await office.staff('owner')
    const browser = office.browser()
    await browser.call('sign_in', { name, password })
    const [code = '', next = ''] = recoveryCodes
    await browser.call('confirm_recovery_code', { code: code.toUpperCase() })
    const thief = office.browser()
    await thief.call('sign_in', { name, password })
    for (let guess = 0; guess < 10; guess += 1)
      expect((await refusalOf(thief.call('confirm_recovery_code', { code }))).code).toBe('wrong_factor')
    // Every kind of factor is refused now, even a right one.
    expect((await refusalOf(thief.call('confirm_recovery_code', { code: next }))).code).toBe(
      'too_many_attempts',
    )
    expect((await refusalOf(thief.call('confirm_totp', { code: await office.code(secret) }))).code).toBe(
      'too_many_attempts',
    )
    expect((await browser.call('my_factors', {})).recovery_codes_left).toBe(9)
  })

  it('refuses unknown, wrong and blocked alike, and slows down guesses of a password', async () => {
    const owner = await office.staff('owner')
    const { id, name, password } = await office.staff('viewer')
    const { code: unknown } = await refusalOf(office.browser().call('sign_in', { name: 'nobody', password }))
    await owner.call('block_staff', { id: String(id) })
    const { code: blocked } = await refusalOf(office.browser().call('sign_in', { name, password }))
    expect([unknown, blocked]).toEqual(['invalid_credentials', 'invalid_credentials'])
    const guess = () => refusalOf(office.browser().call('sign_in', { name: owner.name, password }))
    for (let each = 0; each < 10; each += 1) expect((await guess()).code).toBe('invalid_credentials')
    expect((await guess()).code).toBe('too_many_attempts')
  })

  it('is open to a member elsewhere while a stranger guesses in one neighbourhood', async () => {
    const behind = await desk(shop, { trustProxy: ['127.0.0.1'] })
    const { name, password } = await office.staff('owner')
    const from = (ip: string, given: string) =>
      behind
        .browser({ 'x-forwarded-for': ip })
        .call('sign_in', { name, password: given })
        .then(
          ({ stage }) => stage,
          (refusal: { code: string }) => refusal.code,
        )
    for (const [stranger, home] of [
      [(n: number) => `198.51.100.${n + 1}`, '198.51.101.1'],
      [(n: number) => `2001:db8:7:${n.toString(16)}::1`, '2001:db8:8::1'],
    ] as const) {
      for (let n = 0; n < 10; n += 1) expect(await from(stranger(n), 'a guess')).toBe('invalid_credentials')
      for (let n = 10; n < 30; n += 1) expect(await from(stranger(n), 'a guess')).toBe('too_many_attempts')
      expect(await from(stranger(40), password)).toBe('too_many_attempts')
      expect(await from(home, password)).toBe('factor_missing')
      // The member's successful sign-in elsewhere does not lift the stranger's throttle.
      expect(await from(stranger(41), 'a guess')).toBe('too_many_attempts')
    }
    await behind.close()
  })
})

describe('a session', () => {
  it('ends after 30 minutes without a call, and after 12 hours with calls', async () => {
    const { call } = await office.staff('owner')
    later(29)
    expect((await call('session', {})).stage).toBe('signed_in')
    later(31)
    expect((await call('session', {})).stage).toBe('signed_out')
    const worker = await office.staff('owner')
    for (let minutes = 0; minutes < 12 * 60; minutes += 20) {
      expect((await worker.call('session', {})).stage).toBe('signed_in')
      later(20)
    }
    expect((await refusalOf(worker.call('staff', {}))).code).toBe('unauthorized')
  })

  it('cannot be used with a stolen cookie after signing out, nor when its owner ends it', async () => {
    const { browser, call, name, password, secret } = await office.staff('owner')
    const thief = browser.stolen()
    await thief.call('staff', {})
    await call('sign_out', {})
    expect(browser.cookie).toBeNull()
    expect((await refusalOf(thief.call('staff', {}))).code).toBe('unauthorized')
    const [here, there] = [office.browser(), office.browser()]
    for (const each of [here, there]) {
      await each.call('sign_in', { name, password })
      await each.call('confirm_totp', { code: await office.code(secret) })
    }
    const sessions = await here.call('my_sessions', {})
    expect(sessions.filter(({ current }) => current)).toHaveLength(1)
    expect(sessions).toHaveLength(2)
    const other = sessions.find(({ current }) => !current)?.id ?? ''
    expect(await here.call('end_my_session', { id: other })).toEqual({ ended: 1 })
    expect((await refusalOf(there.call('staff', {}))).code).toBe('unauthorized')
  })

  it('of another person cannot be ended', async () => {
    const [mine, theirs] = [await office.staff('support'), await office.staff('support')]
    const [session] = await theirs.call('my_sessions', {})
    expect(await mine.call('end_my_session', { id: session?.id ?? '' })).toEqual({ ended: 0 })
    expect((await theirs.call('session', {})).stage).toBe('signed_in')
  })

  it('opens calls that need a fresh factor for ten minutes', async () => {
    const owner = await office.staff('owner')
    const invite = (name: string) => owner.call('invite_staff', { name, role: 'viewer' })
    await invite('viewer-by-fresh-factor')
    later(11)
    expect((await refusalOf(invite('viewer-too-late'))).code).toBe('step_up_needed')
    await office.stepUp(owner)
    await invite('viewer-after-step-up')
  })

  it('loses its rights with the role, and ends with a block, at once', async () => {
    const owner = await office.staff('owner')
    const member = await office.staff('owner')
    await member.call('staff', {})
    await owner.call('set_staff_role', { id: String(member.id), role: 'viewer' })
    expect((await refusalOf(member.call('staff', {}))).code).toBe('no_permission')
    await owner.call('block_staff', { id: String(member.id) })
    expect((await refusalOf(member.call('my_sessions', {}))).code).toBe('unauthorized')
  })
})

describe('the last owner', () => {
  it('remains when two owners remove each other concurrently', async () => {
    const database = shop.database.db
    const [a, b] = [await office.staff('owner'), await office.staff('owner')]
    const others = await database
      .selectFrom('staff')
      .select('id')
      .where('role', '=', 'owner')
      .where('id', 'not in', [a.id, b.id])
      .execute()
    for (const { id } of others) await a.call('set_staff_role', { id: String(id), role: 'viewer' })
    const answers = await Promise.allSettled([
      a.call('set_staff_role', { id: String(b.id), role: 'viewer' }),
      b.call('set_staff_role', { id: String(a.id), role: 'viewer' }),
    ])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { rows } = await shop.database.pool.query(
      `select count(*)::int as owners from staff where role = 'owner' and blocked_at is null`,
    )
    expect(rows).toEqual([{ owners: 1 }])
  })
})

describe('the audit trail', () => {
  it('records author, action and origin, and cannot be changed or deleted', async () => {
    const { pool } = shop.database
    for (const statement of [
      `update audit_entry set reason = 'nothing'`,
      'delete from audit_entry',
      'truncate audit_entry',
    ])
      await expect(pool.query(statement)).rejects.toThrow('append-only')
  })

  it('is searched and paged', async () => {
    await shop.database.pool.query(`update staff set role = 'owner'`)
    const owner = await office.staff('owner', 'searching.owner')
    await owner.call('invite_staff', { name: 'searched-for', role: 'viewer' })
    const { rows } = await owner.call('audit', { text: 'searching.owner', action: 'invite_staff' })
    expect(rows).toMatchObject([
      {
        action: 'invite_staff',
        actor: { kind: 'staff', name: 'searching.owner' },
        after: { name: 'searched-for', role: 'viewer' },
        ip: '127.0.0.1',
      },
    ])
    expect(rows[0]?.request_id).toMatch(/^[\da-f-]{36}$/)
    const first = await owner.call('audit', { limit: 2 })
    const second = await owner.call('audit', { limit: 2, after: first.next ?? '' })
    const ids = [...first.rows, ...second.rows].map(({ id }) => BigInt(id))
    expect(ids).toEqual(ids.toSorted((a, b) => Number(b - a)))
    expect(new Set(ids).size).toBe(4)
  })
})
