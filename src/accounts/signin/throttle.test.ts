/**
 * The limits under concurrency and over several processes: two pools on one database stand for two processes.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signIn } from '#accounts'
import { type Database, openDatabase } from '#db'
import type { Refusal } from '#lib/refusal'
import { type App, app, refusalOf } from '#test/app'

let shop: App
let other: Database
beforeAll(async () => {
  shop = await app()
  other = await openDatabase({ databaseUrl: shop.database.url, dataDir: '', role: 'guest' })
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const at = new Date()
const addressOf = (n: number) => `198.51.100.${n % 250}`

/** Tries to sign in on either process; returns the refusal's code, or `ok`. */
const attempt = (n: number, login: string, password: string, ip = addressOf(n)) =>
  signIn((n % 2 === 0 ? shop.database : other).db, { login, password, ip }, at).then(
    () => 'ok',
    (refusal: Refusal) => refusal.code,
  )

const tally = async (attempts: Promise<string>[]) => {
  const counts: Record<string, number> = {}
  for (const code of await Promise.all(attempts)) counts[code] = (counts[code] ?? 0) + 1
  return counts
}

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))

describe('a hundred concurrent guesses', () => {
  it('at one account get ten checked, from any addresses and under any name of the account', async () => {
    const { username, email, password } = await shop.customer()
    const names = [username, username.toUpperCase(), email]
    const counts = await tally(times(100, (n) => attempt(n, names[n % 3] ?? '', `guess number ${n}`)))
    expect(counts).toEqual({ invalid_credentials: 10, too_many_attempts: 90 })
    expect(await attempt(1, username, password)).toBe('too_many_attempts')
  })

  it('at an unknown name get ten checked as well', async () => {
    const counts = await tally(times(100, (n) => attempt(n, 'nobody-at-all', `guess number ${n}`)))
    expect(counts).toEqual({ invalid_credentials: 10, too_many_attempts: 90 })
  })

  it('from one address at many accounts get fifty checked', async () => {
    const counts = await tally(times(100, (n) => attempt(n, `somebody-${n}`, 'a password', '203.0.113.50')))
    expect(counts).toEqual({ invalid_credentials: 50, too_many_attempts: 50 })
  })

  it('from one IPv6 network count together', async () => {
    const counts = await tally(
      times(60, (n) => attempt(n, `anybody-${n}`, 'a password', `2001:db8:7:7::${n.toString(16)}`)),
    )
    expect(counts).toEqual({ invalid_credentials: 50, too_many_attempts: 10 })
  })
})

describe('the right password', () => {
  it('does not count: its owner signs in any number of times', async () => {
    const { username, password } = await shop.customer()
    for (let n = 0; n < 60; n++) expect(await attempt(0, username, password)).toBe('ok')
  })

  it('does not clear the address’s guesses at other accounts', async () => {
    const { username, password } = await shop.customer()
    const ip = '203.0.113.60'
    for (let n = 0; n < 50; n++) {
      expect(await attempt(n, `victim-${n}`, 'a password', ip)).toBe('invalid_credentials')
      if (n % 10 === 0) expect(await attempt(n, username, password, ip)).toBe('ok')
    }
    expect(await attempt(0, username, password, ip)).toBe('too_many_attempts')
  })
})

describe('a clock that was set back', () => {
  it('locks out no one for longer than the window', async () => {
    const { username, password } = await shop.customer()
    const ip = '203.0.113.65'
    const ahead = new Date(at.getTime() + 24 * 60 * 60_000)
    const sign = (now: Date, word: string) =>
      signIn(shop.database.db, { login: username, password: word, ip }, now).then(
        () => 'ok',
        (refusal: Refusal) => refusal.code,
      )
    for (let n = 0; n < 10; n++) expect(await sign(ahead, `guess ${n}`)).toBe('invalid_credentials')
    expect(await sign(at, password)).toBe('too_many_attempts')
    expect(await sign(new Date(at.getTime() + 14 * 60_000), password)).toBe('too_many_attempts')
    expect(await sign(new Date(at.getTime() + 16 * 60_000), password)).toBe('ok')
  })
})

describe('signing up', () => {
  it('allows thirty accounts an hour from one address, and the refusal says when to try again', async () => {
    const farm = shop.from('203.0.113.70')
    const person = (n: number) => ({
      username: `farmhand-${n}`,
      email: `farmhand-${n}@example.com`,
      password: 'a long password',
    })
    const outcomes = await Promise.allSettled(times(36, (n) => farm('signup', person(n))))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
    const refusal = await refusalOf(farm('signup', person(99)))
    expect(refusal).toMatchObject({ code: 'too_many_attempts', status: 429, details: { minutes: 60 } })
    expect(await shop.from('203.0.113.71')('signup', person(99))).toBe(true)
    shop.clock.now = new Date(shop.clock.now.getTime() + 61 * 60_000)
    expect(await farm('signup', person(100))).toBe(true)
  })
})

describe('texts that a database cannot hold or index', () => {
  it.each([
    ['\0\0\0\0\0\0\0\0', 'invalid_username'],
    ['ﷺ'.repeat(60), 'invalid_username'],
    ['somebody\u200b', 'invalid_username'],
    ['some＠body', 'invalid_username'],
  ])('as a name, %j, are refused', async (username, code) => {
    const given = { username, email: 'strange@example.com', password: 'a long password' }
    expect(await refusalOf(shop.anyone('signup', given))).toMatchObject({ code, status: 422 })
    expect((await refusalOf(shop.anyone('signin', { username, password: 'x' }))).code).toBe(
      'invalid_credentials',
    )
  })

  it.each(['a\0@example.com', `${'ﷺ'.repeat(100)}@example.com`, 'a\u202e@example.com'])(
    'as an e-mail, %j, are refused',
    async (email) => {
      const given = { username: 'strange-one', email, password: 'a long password' }
      expect(await refusalOf(shop.anyone('signup', given))).toMatchObject({ code: 'invalid_email' })
    },
  )

  it('as referral or campaign codes, are left out', async () => {
    const given = { username: 'strange-two', email: 's2@example.com', password: 'a long password' }
    const sent = { ...given, referral_id: '\0', admin_referral_code: 'spring\0' }
    expect(await shop.anyone('signup', sent)).toBe(true)
    const row = await shop.database.db
      .selectFrom('account')
      .select(['admin_referral_code', 'invited_by'])
      .where('username', '=', 'strange-two')
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ admin_referral_code: 'spring', invited_by: null })
  })
})
