/**
 * Two customers use everything that the shop has, in one run, and only through customers' interfaces: HTTP,
 * their mailbox, Telegram and the gateway. The shop is the real process tree; the promo codes are created by
 * the operator's own command.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#contract/client'
import { bytesFromWire } from '#contract/traffic'
import { bytesPerGb, type Pool, pools } from '#contract/wire'
import { press, refusalOf } from '#test/app'
import { linkIn, type SmtpSink, startSmtp } from '#test/smtp'
import { type Stack, startStack, until, turnpike as runTurnpike } from '#test/stack'
import { type FakeTelegram, fakeTelegram } from '#test/telegram'
import { promisedMs } from '../size.ts'
import { get, run, type Way } from './visitor.ts'

interface Person {
  username: string
  email: string
  password: string
  token: string
}

let stack: Stack
let sink: SmtpSink
let telegram: FakeTelegram

const anna: Person = {
  username: 'anna_smith',
  email: 'anna@example.com',
  password: 'horse battery',
  token: '',
}
const boris: Person = {
  username: 'boris_ivanov',
  email: 'boris@example.com',
  password: 'staple fix',
  token: '',
}

beforeAll(async () => {
  ;[sink, telegram] = await Promise.all([startSmtp(), fakeTelegram()])
  stack = await startStack({
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'Shop <no-reply@shop.example.net>',
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.apiRoot,
    TELEGRAM_BOT_NAME: telegram.botName,
  })
  await turnpike('promo', 'create-discount', 'SPRING', '--percent', '20', '--max-uses', '1')
  await turnpike('promo', 'create-traffic', 'HELLO', '--pool', 'mobile', '--mb', '500')
}, 120_000)
afterAll(async () => {
  await stack.close()
  await telegram.close()
  await sink.close()
})

/** The operator at the command line, beside the running shop. */
const turnpike = (...words: string[]) =>
  runTurnpike({ DATA_DIR: stack.dataDir, PUBLIC_URL: stack.origin }, ...words)

const as = (token: string | null, language: 'ru' | 'en' = 'ru') =>
  createClient({ baseUrl: stack.origin, token: () => token, language: () => language, timeoutMs: 20_000 })
const by = (person: Person) => as(person.token)
const profileOf = async (token: string) => {
  const [profile] = await as(token)('legacy_profile', {})
  if (profile === undefined) throw new Error('there is no profile')
  return profile
}
const bytesOf = async (person: Person, pool: Pool) =>
  bytesFromWire((await profileOf(person.token))[pool].balance)
const referralOf = async (person: Person) => (await by(person)('legacy_referal_info', {}))[0]

async function confirm(person: Person, subject: string): Promise<void> {
  const link = linkIn(await sink.letterTo(person.email, subject), '/confirm_email')
  expect(link.origin).toBe(stack.origin)
  const confirmation_token = link.searchParams.get('confirmation_token') ?? ''
  expect(await as(null)('confirm_email', { confirmation_token })).toBe(true)
  const again = await refusalOf(as(null)('confirm_email', { confirmation_token }))
  expect([again.status, again.code]).toEqual([422, 'invalid_confirmation_token'])
}

/** A proxy line's login and password, and its gateway. */
async function wayOf(person: Person, pool: Pool): Promise<Way> {
  const line = await by(person)('get_proxy', {
    anonymous: 'true',
    type: 'sticky',
    protocol: 'http',
    format: 'login:password:hostname:port',
    quantity: 1,
    sessionttl: 0,
    pool,
  })
  const [login = '', password = '', , port = ''] = line.split(':')
  return {
    port: Number(port),
    login,
    password,
    target: { host: '127.0.0.1', port: Number(new URL(stack.origin).port) },
  }
}

/** A request of a page through the gateway; returns the bytes counted, or throws the gateway's refusal. */
async function visit(way: Way): Promise<bigint> {
  const { sent, received } = await run('connect', way, get('connect', way, '/api/echo?bytes=100000'))
  return BigInt(sent + received)
}

describe('a customer', () => {
  it('signs up, confirms the letter that came over SMTP, and signs in by both names', async () => {
    const { token: _none, ...input } = anna
    expect(await as(null, 'en')('signup', input)).toBe(true)
    await confirm(anna, 'Confirm')
    const byName = await as(null)('signin', { username: 'ANNA_smith', password: anna.password })
    anna.token = await as(null)('signin', { username: 'Anna@Example.com', password: anna.password })
    expect(byName).not.toBe(anna.token)
    const profile = await profileOf(byName)
    expect(profile).toMatchObject({ username: 'anna_smith', confirmed: true, lang: 'eng', invited_by: null })
    for (const pool of pools)
      expect(profile[pool]).toEqual({ balance: 0, balance_format: '0 GB', password: null })
  })

  it('invites a friend, who also comes through a campaign', async () => {
    const links = (await referralOf(anna))?.links
    const link = new URL(links?.website ?? '')
    const { token: _none, ...input } = boris
    const referral_id = link.searchParams.get('ref')
    expect(links?.telegram).toBe(`https://t.me/${telegram.botName}?start=${referral_id}`)
    expect(await as(null)('signup', { ...input, referral_id, admin_referral_code: 'spring-sale' })).toBe(true)
    await confirm(boris, 'Подтвердите')
    boris.token = await as(null)('signin', { username: boris.username, password: boris.password })
    expect((await profileOf(boris.token)).invited_by).toBe((await profileOf(anna.token)).user_id)
    expect(await referralOf(anna)).toMatchObject({ balance: 0, ref_num: 1, percent: 0.1 })
  })

  it('buys with a discount code, and the inviter earns', async () => {
    const call = by(boris)
    const base = (await call('prices', {})).residential ?? 0
    const [volume = 0] = await call('calculate', { amounts: [100] })
    const { discount, uses, max_uses } = await call('discount_promocode_info', {
      code: 'spring',
      amount: 100,
    })
    expect({ discount, uses, max_uses }).toEqual({ discount: 0.2, uses: 0, max_uses: 1 })
    const order = {
      payment_method: 'sandbox',
      amount: 100,
      promocode: 'SPRING',
      pool: 'residential',
    } as const
    const idempotencyKey = 'the-only-purchase'
    const url = await call('create_invoice_web', order, { idempotencyKey })
    expect(await call('create_invoice_web', order, { idempotencyKey })).toBe(url)
    const number = new URL(url).pathname.split('/').at(-1) ?? ''
    expect((await fetch(url)).status).toBe(200)
    expect((await press(stack.origin, number, 'paid')).status).toBe(303)
    expect((await press(stack.origin, number, 'paid')).status).toBe(303)
    expect(await bytesOf(boris, 'residential')).toBe(100n * bytesPerGb)
    const cost = Math.round(base * 100 * (1 - volume) * (1 - discount) * 100) / 100
    expect(await call('invoice', { number })).toMatchObject({
      state: 'paid',
      cost_usd: cost,
      received_usd: cost,
    })
    expect(await referralOf(anna)).toMatchObject({ balance: cost / 10, ref_num: 1 })
    await sink.letterTo(boris.email)
    const again = await refusalOf(by(anna)('discount_promocode_info', { code: 'SPRING', amount: 100 }))
    expect([again.status, again.code]).toEqual([422, 'promocode_invalid'])
  })

  it('pays from the referral balance', async () => {
    const call = by(anna)
    const before = (await referralOf(anna))?.balance ?? 0
    expect(await call('referral_payment', { amount: 5, promocode: null, pool: 'datacenter' })).toEqual({
      ok: true,
    })
    expect(await bytesOf(anna, 'datacenter')).toBe(5n * bytesPerGb)
    expect((await referralOf(anna))?.balance).toBeCloseTo(before - 3.5, 6)
    const refused = await refusalOf(
      call('referral_payment', { amount: 1000, promocode: null, pool: 'mobile' }),
    )
    expect([refused.status, refused.code]).toEqual([402, 'insufficient_referral_balance'])
  })

  it('redeems a traffic code, once', async () => {
    const given = await by(boris)('activate_traffic_promocode', { code: 'hello' })
    expect([given.pool, bytesFromWire(given.traffic)]).toEqual(['mobile', 500_000_000n])
    expect(await bytesOf(boris, 'mobile')).toBe(500_000_000n)
    const again = await refusalOf(by(boris)('activate_traffic_promocode', { code: 'HELLO' }))
    expect([again.status, again.code]).toEqual([409, 'promocode_used'])
  })

  it('uses the codes that the demo prints when it starts', async () => {
    const [, discountCode = '', trafficCode = ''] =
      /Promo codes {2}(\S+) \(15 % off\), (\S+) \(500 MB of mobile\)/.exec(stack.said()) ?? []
    const { discount } = await by(anna)('discount_promocode_info', { code: discountCode, amount: 1 })
    expect(discount).toBe(0.15)
    const { pool, traffic } = await by(anna)('activate_traffic_promocode', { code: trafficCode })
    expect([pool, bytesFromWire(traffic)]).toEqual(['mobile', 500_000_000n])
  })

  it('uses a proxy line and sees it in the statistics', async () => {
    const way = await wayOf(boris, 'residential')
    const counted = await visit(way)
    const statistic = () => by(boris)('legacy_get_statistic', { period: 'week', pool: 'residential' })
    await until(
      async () => bytesFromWire((await statistic()).total.traffic) >= counted,
      60_000,
      'the visit to be charged',
    )
    const { usage, total } = await statistic()
    expect(bytesFromWire(total.traffic)).toBe(counted)
    expect(usage).toHaveLength(7)
    expect(usage.at(-1)?.request).toBe(1)
    expect(await bytesOf(boris, 'residential')).toBe(100n * bytesPerGb - counted)
    expect(
      (await by(boris)('legacy_get_statistic', { period: 'month', pool: 'residential' })).usage,
    ).toHaveLength(30)
  })

  it('maintains a whitelist', async () => {
    const entry = { ip: '45.45.0.7', pool: 'residential' } as const
    expect(await by(boris)('add_ip_to_whitelist', entry)).toBe(true)
    expect(await by(boris)('get_whitelist_ips', { pool: 'residential' })).toEqual(['45.45.0.7'])
    const none = await refusalOf(by(anna)('add_ip_to_whitelist', entry))
    expect([none.status, none.code]).toEqual([403, 'no_pool_access'])
    const wrong = await refusalOf(by(boris)('add_ip_to_whitelist', { ...entry, ip: '203.0.113.7' }))
    expect([wrong.status, wrong.code]).toEqual([422, 'invalid_ip'])
    expect(await by(boris)('remove_ip_from_whitelist', entry)).toBe(true)
    expect(await by(boris)('get_whitelist_ips', { pool: 'residential' })).toEqual([])
  })

  it('resets a proxy password: the gateway refuses the old one and accepts the new one', async () => {
    const old = await wayOf(boris, 'residential')
    await visit(old)
    const { password } = await by(boris)('reset_password', { pool: 'residential' })
    expect(password).toMatch(/^[A-Za-z0-9]{16}$/)
    expect((await profileOf(boris.token)).residential.password).toBe(password)
    const isRefused = () =>
      visit(old).then(
        () => false,
        (error: Error) => error.message.includes('407'),
      )
    await until(isRefused, promisedMs(2000), 'the old password to be refused')
    expect(await visit({ ...old, password })).toBeGreaterThan(0n)
  })

  it('changes the language, also of letters', async () => {
    expect((await profileOf(boris.token)).lang).toBe('rus')
    expect(await by(boris)('change_language', { code: 'eng' })).toBe(true)
    expect((await profileOf(boris.token)).lang).toBe('eng')
  })

  it('uses a reseller token in a program, and revokes it', async () => {
    const token = await by(boris)('reseller_token', {})
    expect(await by(boris)('reseller_token', {})).toBe(token)
    const program = as(token, 'en')
    const line = await program('get_proxy', {
      anonymous: 'true',
      type: 'rotating',
      protocol: 'socks5',
      format: 'hostname:port:login:password',
      quantity: 25,
      sessionttl: 0,
      pool: 'mobile',
    })
    expect(line.split('\n')).toHaveLength(25)
    const change = { old_password: boris.password, new_password: 'taken over' }
    const refused = await refusalOf(program('change_account_password', change))
    expect([refused.status, refused.code]).toEqual([403, 'not_for_reseller_token'])
    const next = await by(boris)('rotate_reseller_token', {})
    expect((await refusalOf(program('invoices', {}))).status).toBe(401)
    expect(await as(next)('invoices', {})).toHaveLength(1)
    expect(await by(boris)('revoke_reseller_token', {})).toBe(true)
    expect((await refusalOf(as(next)('invoices', {}))).status).toBe(401)
  })

  it('links Telegram, signs in by six digits of the bot, gets notices of sign-ins there, and unlinks it', async () => {
    const profile = await profileOf(boris.token)
    const person = telegram.person({ language_code: 'en' })
    person.say(`/start link_${profile.tgcode ?? ''}`)
    expect((await person.hears(1)).text).toContain(boris.username)
    person.press('Link')
    await person.hears(2)
    person.say('/code')
    const { text } = await person.hears(3)
    const p_code = /\b(\d{6})\b/.exec(text)?.[1] ?? ''
    const token = await as(null)('telegram_code_signin', { p_code })
    expect(await profileOf(token)).toMatchObject({
      user_id: profile.user_id,
      username: boris.username,
      tgcode: null,
    })
    const again = await refusalOf(as(null)('telegram_code_signin', { p_code }))
    expect([again.status, again.message]).toEqual([404, 'Код не найден'])
    await as(null)('signin', { username: boris.username, password: boris.password })
    expect((await person.hears(4)).text).toContain('signed in to <b>boris_ivanov</b>')
    person.say('/unlink')
    await person.hears(5)
    person.press('Unlink')
    await person.hears(6)
    expect((await profileOf(boris.token)).tgcode).not.toBeNull()
  })

  it('may use only Telegram, and be invited there', async () => {
    const link = new URL((await referralOf(anna))?.links.telegram ?? '')
    const person = telegram.person({ language_code: 'ru' })
    person.say(`/start ${link.searchParams.get('start')}`)
    await person.hears(1)
    person.say('/code')
    const p_code = /\b(\d{6})\b/.exec((await person.hears(2)).text)?.[1] ?? ''
    const token = await as(null)('telegram_code_signin', { p_code })
    expect(await profileOf(token)).toMatchObject({ username: null, email: null, lang: 'rus' })
    expect(await as(token)('is_password_exists', {})).toBe(false)
    expect(await as(token)('change_account_password', { new_password: 'a first password' })).toBe(true)
    expect(await as(token)('is_password_exists', {})).toBe(true)
    expect((await referralOf(anna))?.ref_num).toBe(2)
  })

  it('resets a forgotten password by a letter', async () => {
    expect(await as(null)('request_password_reset', { email: 'nobody@example.com' })).toBe(true)
    expect(await as(null)('request_password_reset', { email: 'BORIS@example.com' })).toBe(true)
    // In the language chosen in the account.
    const letter = await sink.letterTo(boris.email, 'password')
    const reset_token = linkIn(letter, '/reset_password').searchParams.get('reset_token') ?? ''
    const new_password = 'a better password'
    expect(await as(null)('reset_account_password', { reset_token, new_password })).toBe(true)
    expect((await refusalOf(by(boris)('legacy_profile', {}))).status).toBe(401)
    const wrong = await refusalOf(as(null)('signin', { username: boris.username, password: boris.password }))
    expect([wrong.status, wrong.code]).toEqual([403, 'invalid_credentials'])
    boris.token = await as(null)('signin', { username: boris.username, password: new_password })
    expect(await by(boris)('is_password_exists', {})).toBe(true)
    boris.password = new_password
  })

  it('changes the password, and signs out', async () => {
    const elsewhere = await as(null)('signin', { username: boris.username, password: boris.password })
    const change = { old_password: boris.password, new_password: 'the best password' }
    expect(await by(boris)('change_account_password', change)).toBe(true)
    expect((await refusalOf(as(elsewhere)('legacy_profile', {}))).status).toBe(401)
    expect(await by(boris)('signout', {})).toBe(true)
    expect((await refusalOf(by(boris)('legacy_profile', {}))).status).toBe(401)
  })
})

it('the life of a customer leaves consistent books and a counted campaign', async () => {
  expect(JSON.parse(await turnpike('ledger', 'verify', '--json'))).toEqual({ findings: [] })
  expect(JSON.parse(await turnpike('campaigns', '--json'))).toEqual([
    { source: 'spring-sale', sign_ups: 1, buyers: 1, revenue_usd: 252 },
  ])
})
