import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arriveByTelegram, linkTelegram, telegramAccount } from '#accounts/telegram'
import { forgetTelegramCodes, issueTelegramCode } from '#accounts/telegram/code'
import type { Database } from '#db'
import { secretsOf } from '#lib/secret'
import { type App, app, raw, refusalOf } from '#test/app'
import { profileOf } from './profile.ts'

let shop: App
let db: Database['db']
beforeAll(async () => {
  shop = await app()
  db = shop.database.db
})
afterAll(() => shop.close())

let people = 6_000_000_000n
const arrive = async () => {
  const telegramUserId = ++people
  const arrival = { telegramUserId, lang: 'eng' as const, referralCode: null }
  const { account } = await arriveByTelegram(db, arrival)
  return { telegramUserId, accountId: account.id }
}
const codeFor = async (accountId: bigint, secrets = shop.services.secrets) =>
  (await issueTelegramCode(db, secrets, accountId, shop.clock.now)).code
const later = (minutes: number) => (shop.clock.now = new Date(shop.clock.now.getTime() + minutes * 60_000))

let addresses = 0
/** Each from its own address, so that only the test of the limit reaches it. */
const signIn = (code: unknown, ip = `203.0.113.${++addresses}`) =>
  shop.from(ip)('telegram_code_signin', { p_code: code as string })
const hidden = async (table: string) =>
  JSON.stringify((await shop.database.pool.query(`select t::text as row from ${table} t`)).rows)

describe('a person in Telegram', () => {
  it('gets one account under concurrent first messages in several processes', async () => {
    const arrival = { telegramUserId: ++people, lang: 'rus' as const, referralCode: null }
    const met = await Promise.all(Array.from({ length: 8 }, () => arriveByTelegram(db, arrival)))
    expect(new Set(met.map(({ account }) => account.id)).size).toBe(1)
    expect(met.filter(({ isNew }) => isNew)).toHaveLength(1)
    const { rows } = await shop.database.pool.query<{ count: bigint }>(
      'select count(*) from account where username is null and email is null and password_hash is null',
    )
    expect(rows[0]?.count).toBe(1n)
  })
})

describe('telegram_code_signin', () => {
  it('signs in to the account once, and answers with text', async () => {
    const { accountId } = await arrive()
    const code = await codeFor(accountId)
    expect(code).toMatch(/^\d{6}$/)
    const answer = await raw(shop.origin, 'telegram_code_signin', JSON.stringify({ p_code: code }), {
      'x-forwarded-for': '203.0.113.200',
    })
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const token = await answer.text()
    expect(token).toMatch(/^[\w-]{43}$/)
    const [profile] = await shop.client(token)('legacy_profile', {})
    expect(profile).toMatchObject({ user_id: Number(accountId), username: null, email: null, password: null })
    expect(await refusalOf(signIn(code))).toMatchObject({ code: 'telegram_code_unknown', status: 404 })
  })

  it('accepts the same code from one of many concurrent calls', async () => {
    const { accountId } = await arrive()
    const code = await codeFor(accountId)
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => signIn(code)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('refuses a code after five minutes, and one that a newer code replaced', async () => {
    const { accountId } = await arrive()
    const first = await codeFor(accountId)
    const second = await codeFor(accountId)
    if (first !== second) expect((await refusalOf(signIn(first))).code).toBe('telegram_code_unknown')
    later(5)
    expect(await refusalOf(signIn(second))).toMatchObject({ code: 'telegram_code_unknown', status: 404 })
    await forgetTelegramCodes(db, shop.clock.now)
    expect(await hidden('telegram_code')).not.toContain(String(accountId))
  })

  it.each([
    [400, 'telegram_code_missing', {}],
    [400, 'telegram_code_missing', { p_code: null }],
    [400, 'telegram_code_missing', { p_code: 123456 }],
    [400, 'telegram_code_missing', { p_code: ['123456'] }],
    [422, 'telegram_code_invalid', { p_code: '' }],
    [422, 'telegram_code_invalid', { p_code: '12345' }],
    [422, 'telegram_code_invalid', { p_code: '1234567' }],
    [422, 'telegram_code_invalid', { p_code: ' 12345' }],
    [422, 'telegram_code_invalid', { p_code: '12345\n' }],
    [422, 'telegram_code_invalid', { p_code: '١٢٣٤٥٦' }],
    [422, 'telegram_code_invalid', { p_code: '1'.repeat(500) }],
    [422, 'unknown_field', { p_code: '123456', code: '123456' }],
  ])('answers %i %s to %o', async (status, code, body) => {
    const answer = await raw(shop.origin, 'telegram_code_signin', JSON.stringify(body))
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ code })
  })

  it('accepts five attempts a minute from an address, also concurrent ones, including the right code', async () => {
    const { accountId } = await arrive()
    const ip = '198.51.100.7'
    // Unknown codes: the account has none yet, and those of the others were used or have expired.
    later(6)
    const ends = await Promise.all(Array.from({ length: 9 }, () => refusalOf(signIn('000000', ip))))
    const codes = ends.map(({ code }) => code).toSorted()
    expect(codes).toEqual([
      ...Array.from({ length: 5 }, () => 'telegram_code_unknown'),
      ...Array.from({ length: 4 }, () => 'too_many_attempts'),
    ])
    const code = await codeFor(accountId)
    const answer = await raw(shop.origin, 'telegram_code_signin', JSON.stringify({ p_code: code }), {
      'x-forwarded-for': ip,
    })
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    later(1.01)
    expect(await signIn(code, ip)).toMatch(/^[\w-]{43}$/)
  })

  it('counts the addresses of one IPv6 network together', async () => {
    const tries = Array.from({ length: 6 }, (_, n) => refusalOf(signIn('000000', `2001:db8:7:7::${n + 1}`)))
    const codes = (await Promise.all(tries)).map(({ code }) => code)
    expect(codes.filter((code) => code === 'too_many_attempts')).toHaveLength(1)
  })

  it('limits wrong attempts per minute from neighbouring addresses, but not right ones', async () => {
    const { accountId } = await arrive()
    const from = (n: number) => `192.0.2.${n}`
    for (let n = 1; n <= 30; n++)
      expect(await signIn(await codeFor(accountId), from(n))).toMatch(/^[\w-]{43}$/)
    const tries = Array.from({ length: 30 }, (_, n) => refusalOf(signIn('000000', from(100 + n))))
    const codes = (await Promise.all(tries)).map(({ code }) => code)
    expect(codes.filter((code) => code === 'telegram_code_unknown')).toHaveLength(25)
    expect(await signIn(await codeFor(accountId), '192.0.3.1')).toMatch(/^[\w-]{43}$/)
  })

  describe('under guesses from many networks', () => {
    afterAll(() => later(6))

    const retryAfter = async (code: string, ip: string) => {
      const answer = await raw(shop.origin, 'telegram_code_signin', JSON.stringify({ p_code: code }), {
        'x-forwarded-for': ip,
      })
      expect(answer.status).toBe(429)
      return Number(answer.headers.get('retry-after'))
    }
    /** Wrong guesses that are judged: the first of a neighbourhood, or another one. */
    const guessed = async (count: number, subject: 'first' | 'again') =>
      db
        .insertInto('attempt')
        .values(
          Array.from({ length: count }, () => ({
            kind: 'telegram_code_anywhere',
            subject,
            at: shop.clock.now,
          })),
        )
        .execute()
    /** Makes a neighbourhood count as one that has guessed today. */
    const spoil = async (ip: string) =>
      expect((await refusalOf(signIn('000000', ip))).code).toBe('telegram_code_unknown')
    const freshCode = async () => codeFor((await arrive()).accountId)

    it('judges three hundred in the lifetime of a code, and none invalidates it', async () => {
      later(6)
      const code = await freshCode()
      await spoil('198.18.0.1')
      await guessed(199, 'first')
      await guessed(99, 'again')
      await spoil('198.18.0.2')
      // That was the three hundredth: from now on no answer discloses whether a code is right.
      expect(await retryAfter('000000', '198.18.0.3')).toBeLessThanOrEqual(300)
      expect(await retryAfter('000000', '198.18.9.1')).toBeLessThanOrEqual(300)
      expect(await retryAfter(code, '198.18.9.2')).toBeLessThanOrEqual(300)
      const { rows } = await shop.database.pool.query<{ count: bigint }>(
        "select count(*) from attempt where kind = 'telegram_code_anywhere' and at = $1",
        [shop.clock.now],
      )
      expect(rows[0]?.count).toBe(300n)
      later(5.01)
      expect(await signIn(await freshCode(), '198.18.9.3')).toMatch(/^[\w-]{43}$/)
    })

    it('admits callers whose neighbourhood has not guessed', async () => {
      later(6)
      await spoil('198.18.0.1')
      await guessed(100, 'again')
      const code = await freshCode()
      await retryAfter(code, '198.18.0.4')
      expect(await signIn(code, '198.18.1.1')).toMatch(/^[\w-]{43}$/)
      // A right code is not a guess: its neighbours are admitted as well.
      expect(await signIn(await freshCode(), '198.18.1.2')).toMatch(/^[\w-]{43}$/)
      // Because of one wrong code its neighbourhood counts, until tomorrow, among those that have guessed.
      await spoil('198.18.1.3')
      await retryAfter(await freshCode(), '198.18.1.4')
      later(24 * 60)
      await guessed(100, 'again')
      expect(await signIn(await freshCode(), '198.18.1.5')).toMatch(/^[\w-]{43}$/)
    })

    it('counts one first attempt of a neighbourhood under concurrent attempts', async () => {
      later(6)
      await guessed(97, 'again')
      const tries = Array.from({ length: 8 }, (_, n) => refusalOf(signIn('000000', `198.18.20.${n + 1}`)))
      const codes = (await Promise.all(tries)).map(({ code }) => code)
      expect(codes.filter((code) => code === 'telegram_code_unknown')).toHaveLength(4)
      expect(codes.filter((code) => code === 'too_many_attempts')).toHaveLength(4)
    })
  })

  it('refuses a blocked account', async () => {
    const { accountId } = await arrive()
    const code = await codeFor(accountId)
    await db.updateTable('account').set({ blocked_at: new Date() }).where('id', '=', accountId).execute()
    expect((await refusalOf(signIn(code))).code).toBe('account_blocked')
  })

  it('stores no code that a reader of the table could recover', async () => {
    const { accountId } = await arrive()
    const code = await codeFor(accountId)
    const stored = await hidden('telegram_code')
    expect(stored).not.toContain(code)
    expect(stored).not.toContain(createHash('sha256').update(code).digest('hex'))
    // The digits alone, under another SECRET_KEY, are worthless.
    const others = secretsOf('another key of more than thirty-two characters')
    const foreign = await codeFor((await arrive()).accountId, others)
    if (foreign !== code) expect((await refusalOf(signIn(foreign))).code).toBe('telegram_code_unknown')
  })

  it('draws the digits evenly', async () => {
    const { accountId } = await arrive()
    const codes = new Set<string>()
    for (let n = 0; n < 100; n++) codes.add(await codeFor(accountId))
    expect(codes.size).toBeGreaterThan(95)
    expect([...codes].some((code) => code.startsWith('0'))).toBe(true)
  })
})

describe('linking', () => {
  const linkCode = async (call: App['anyone']) => {
    const [profile] = await call('legacy_profile', {})
    return { code: profile?.tgcode ?? '', expires: profile?.tgcode_expires ?? '', id: profile?.user_id ?? 0 }
  }
  const link = (telegramUserId: bigint, code: string) =>
    linkTelegram(db, shop.services.secrets, { telegramUserId, code }, shop.clock.now)
  /** A refusal that is thrown, not answered. */
  const refused = async (work: Promise<unknown>) => {
    const error: unknown = await work.catch((thrown: unknown) => thrown)
    return (error as { code?: string }).code
  }

  it('uses the code of the profile, which fits into a link and is valid for at least a quarter of an hour', async () => {
    const { call } = await shop.customer()
    const { code, expires, id } = await linkCode(call)
    expect(`link_${code}`).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    const minutesLeft = (new Date(expires).getTime() - shop.clock.now.getTime()) / 60_000
    expect(minutesLeft).toBeGreaterThanOrEqual(15)
    expect(minutesLeft).toBeLessThanOrEqual(30)
    expect((await linkCode(call)).code).toBe(code)

    const telegramUserId = ++people
    const account = await link(telegramUserId, code)
    expect(Number(account.id)).toBe(id)
    expect(await link(telegramUserId, code)).toEqual(account)
    expect(await telegramAccount(db, telegramUserId)).toEqual(account)
    expect(await linkCode(call)).toMatchObject({ code: '', expires: '' })
    expect(await refused(link(++people, code))).toBe('telegram_link_taken')
  })

  it('refuses a code that is expired, altered, or from before a new password', async () => {
    const { call, password } = await shop.customer()
    const { code } = await linkCode(call)
    const last = code.at(-1) === '0' ? '1' : '0'
    const strangers = [
      '',
      'link_',
      code.slice(0, -1) + last,
      code.toUpperCase(),
      `${code}0`,
      `1-1-${'0'.repeat(32)}`,
    ]
    strangers.push(`zzzzzzzzzzzzz-${code.split('-').slice(1).join('-')}`)
    for (const wrong of strangers)
      expect(await refused(link(++people, wrong)), wrong).toBe('telegram_link_invalid')
    await call('change_account_password', { old_password: password, new_password: 'another long password' })
    expect(await refused(link(++people, code))).toBe('telegram_link_invalid')
    const { code: fresh } = await linkCode(call)
    later(31)
    expect(await refused(link(++people, fresh))).toBe('telegram_link_invalid')
  })

  it('is done by one of many concurrent uses of the same code', async () => {
    const { call } = await shop.customer()
    const { code } = await linkCode(call)
    const ends = await Promise.allSettled(Array.from({ length: 6 }, () => link(++people, code)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('moves a person from an unused account, whose code becomes invalid', async () => {
    const { telegramUserId, accountId } = await arrive()
    const old = await codeFor(accountId)
    const { call } = await shop.customer()
    const account = await link(telegramUserId, (await linkCode(call)).code)
    expect(account.id).not.toBe(accountId)
    expect((await refusalOf(signIn(old))).code).toBe('telegram_code_unknown')
  })

  it('does not move a person from an account that was used', async () => {
    const { telegramUserId, accountId } = await arrive()
    await signIn(await codeFor(accountId))
    const { call } = await shop.customer()
    const { code } = await linkCode(call)
    expect(await refused(link(telegramUserId, code))).toBe('telegram_has_account')
    expect((await telegramAccount(db, telegramUserId))?.id).toBe(accountId)
  })

  it('does not move a person from a used account with a password but no name to use it with', async () => {
    const { telegramUserId, accountId } = await arrive()
    const own = shop.client(await signIn(await codeFor(accountId)))
    await own('change_account_password', { new_password: 'a first password' })
    const { call } = await shop.customer()
    const { code } = await linkCode(call)
    expect(await refused(link(telegramUserId, code))).toBe('telegram_has_account')
    expect((await telegramAccount(db, telegramUserId))?.id).toBe(accountId)
    // With an e-mail the password is a way to sign in.
    const mailed = { email: 'way-in@example.com', email_key: 'way-in@example.com' }
    await db.updateTable('account').set(mailed).where('id', '=', accountId).execute()
    expect((await link(telegramUserId, code)).id).not.toBe(accountId)
  })

  it('is not offered to a blocked account', async () => {
    const { accountId } = await arrive()
    await db.deleteFrom('telegram_identity').where('account_id', '=', accountId).execute()
    const offer = async () =>
      (await profileOf(db, shop.services.secrets, { accountId, linkAt: shop.clock.now })).tgcode
    expect(await offer()).not.toBeNull()
    await db.updateTable('account').set({ blocked_at: new Date() }).where('id', '=', accountId).execute()
    expect(await offer()).toBeNull()
  })
})
