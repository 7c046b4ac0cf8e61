/**
 * Letters about accounts: confirming an address, and a forgotten password, with a real mail server and a real
 * worker.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forgetExpiredTokens } from '#accounts'
import { changeContent } from '#desk'
import { systemAuthor } from '#staff'
import { type App, app, refusalOf } from '#test/app'
import { linkIn, type SmtpSink, startSmtp } from '#test/smtp'
import { until } from '#test/stack'
import { startTestWorker } from '#test/worker'

let shop: App
let sink: SmtpSink
let stopWorker: () => Promise<void>
beforeAll(async () => {
  shop = await app()
  sink = await startSmtp()
  stopWorker = await startTestWorker(shop, sink)
})
afterAll(async () => {
  await stopWorker()
  await sink.close()
  await shop.close()
})

const minutes = (count: number) => {
  shop.clock.now = new Date(shop.clock.now.getTime() + count * 60_000)
}
const isConfirmed = async (call: App['anyone']) => (await call('legacy_profile', {}))[0]?.confirmed
let addresses = 0
/**
 * A caller with an address of its own, so that the limits per address are reached only where they are tested.
 */
const someone = (language: 'ru' | 'en' = 'ru') => shop.from(`198.19.0.${++addresses}`, language)

const noJobsLeft = () =>
  until(
    async () => {
      const { rows } = await sql<{ count: bigint }>`
        select count(*) as count from graphile_worker.jobs
        where task_identifier in ('send_mail', 'mail_password_reset')`.execute(shop.database.db)
      return rows[0]?.count === 0n
    },
    60_000,
    'all letters to be sent',
  )

async function confirmationFor(email: string) {
  const link = linkIn(await sink.letterTo(email, ''), '/confirm_email')
  return link.searchParams.get('confirmation_token') ?? ''
}

async function resetTokenFor(email: string) {
  await someone()('request_password_reset', { email })
  const link = linkIn(await sink.letterTo(email, 'пароль'), '/reset_password')
  return link.searchParams.get('reset_token') ?? ''
}

describe('confirming an e-mail', () => {
  it('accepts the link of the letter, once', async () => {
    const { call, email } = await shop.customer()
    expect(await isConfirmed(call)).toBe(false)
    const token = await confirmationFor(email)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(await someone()('confirm_email', { confirmation_token: token })).toBe(true)
    expect(await isConfirmed(call)).toBe(true)
    const again = await refusalOf(someone()('confirm_email', { confirmation_token: token }))
    expect(again).toMatchObject({ code: 'invalid_confirmation_token', status: 422 })
  })

  it('writes in the language of the page', async () => {
    const person = { username: 'englishman', email: 'englishman@example.com', password: 'a long password' }
    await someone('en')('signup', person)
    expect((await sink.letterTo(person.email)).mail.subject).toBe('Confirm your e-mail — Turnpike')
  })

  it('has the operator’s brand', async () => {
    await changeContent(
      shop.database.db,
      systemAuthor(),
      { part: 'brand', change: { name: 'Прокси у дороги' } },
      new Date(),
    )
    const { email } = await shop.customer()
    const { mail } = await sink.letterTo(email)
    expect(mail.subject).toBe('Подтвердите почту — Прокси у дороги')
    expect(mail.from?.value[0]?.name).toBe('Прокси у дороги')
  })

  it('is valid for 48 hours', async () => {
    const [first, second] = [await shop.customer(), await shop.customer()]
    const tokens = [await confirmationFor(first.email), await confirmationFor(second.email)]
    minutes(48 * 60 - 1)
    expect(await someone()('confirm_email', { confirmation_token: tokens[0] ?? '' })).toBe(true)
    minutes(2)
    const late = await refusalOf(someone()('confirm_email', { confirmation_token: tokens[1] ?? '' }))
    expect(late.code).toBe('invalid_confirmation_token')
    await forgetExpiredTokens(shop.database.db, shop.clock.now)
  })

  it('accepts the link from one of many concurrent calls', async () => {
    const { email } = await shop.customer()
    const token = await confirmationFor(email)
    const clicks = await Promise.allSettled(
      Array.from({ length: 8 }, () => someone()('confirm_email', { confirmation_token: token })),
    )
    expect(clicks.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it.each(['', 'nonsense', '\0', 'a'.repeat(200)])('refuses %j', async (token) => {
    const refusal = await refusalOf(someone()('confirm_email', { confirmation_token: token }))
    expect(refusal).toMatchObject({ code: 'invalid_confirmation_token', status: 422 })
  })

  it('stores no token in readable form', async () => {
    const { email } = await shop.customer()
    const token = await confirmationFor(email)
    const { rows } = await sql<{ text: string }>`
      select string_agg(t::text, '') || (select string_agg(m::text, '') from mail m)
        || coalesce((select string_agg(j::text, '') from graphile_worker._private_jobs j), '') as text
      from account_token t`.execute(shop.database.db)
    expect(rows[0]?.text).not.toContain(token)
    expect(rows[0]?.text).not.toContain(Buffer.from(token).toString('hex'))
  })

  it('is throttled for an address that tries tokens', async () => {
    const guesser = shop.from('203.0.113.1')
    for (let n = 0; n < 30; n++)
      expect((await refusalOf(guesser('confirm_email', { confirmation_token: `guess ${n}` }))).status).toBe(
        422,
      )
    const slowed = await refusalOf(guesser('confirm_email', { confirmation_token: 'guess' }))
    expect(slowed).toMatchObject({ code: 'too_many_attempts', status: 429 })
  })
})

describe('a sign-up that is refused', () => {
  it('sends no letter', async () => {
    const { username } = await shop.customer()
    const person = { username, email: 'not-written@example.com', password: 'a long password' }
    await refusalOf(someone()('signup', person))
    await noJobsLeft()
    expect(sink.received.flatMap(({ to }) => to)).not.toContain('not-written@example.com')
  })
})

describe('a forgotten password', () => {
  it('is replaced by the link of a letter; all sessions end, the mailbox is confirmed', async () => {
    const { call, username, email, password } = await shop.customer()
    await sink.letterTo(email)
    const token = await resetTokenFor(email)
    const newPassword = 'another password'
    expect(await someone()('reset_account_password', { reset_token: token, new_password: newPassword })).toBe(
      true,
    )
    expect(await refusalOf(call('legacy_profile', {}))).toMatchObject({ status: 401 })
    const old = await refusalOf(someone()('signin', { username, password }))
    expect(old.code).toBe('invalid_credentials')
    const fresh = shop.client(await someone()('signin', { username, password: newPassword }))
    expect(await isConfirmed(fresh)).toBe(true)
    const again = { reset_token: token, new_password: 'a third password' }
    expect(await refusalOf(someone()('reset_account_password', again))).toMatchObject({
      code: 'invalid_reset_token',
      status: 422,
    })
  })

  it('is possible for one hour, and only with its own kind of token', async () => {
    const { email } = await shop.customer()
    const confirmation = await confirmationFor(email)
    const token = await resetTokenFor(email)
    const reset = (reset_token: string) =>
      refusalOf(someone()('reset_account_password', { reset_token, new_password: 'another password' }))
    expect((await reset(confirmation)).code).toBe('invalid_reset_token')
    const wrongKind = await refusalOf(someone()('confirm_email', { confirmation_token: token }))
    expect(wrongKind.code).toBe('invalid_confirmation_token')
    minutes(61)
    expect((await reset(token)).code).toBe('invalid_reset_token')
  })

  it('keeps its token after a new password that is too short', async () => {
    const { email } = await shop.customer()
    await sink.letterTo(email)
    const token = await resetTokenFor(email)
    const short = { reset_token: token, new_password: 'short' }
    expect(await refusalOf(someone()('reset_account_password', short))).toMatchObject({
      code: 'invalid_password',
    })
    expect(await someone()('reset_account_password', { ...short, new_password: 'long enough' })).toBe(true)
  })

  it('accepts one of two links that are used concurrently', async () => {
    const { email } = await shop.customer()
    await sink.letterTo(email)
    const token = await resetTokenFor(email)
    const attempts = await Promise.allSettled(
      [1, 2, 3, 4].map((n) =>
        someone()('reset_account_password', { reset_token: token, new_password: `password ${n}` }),
      ),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('ends the links of other letters', async () => {
    const { email } = await shop.customer()
    await sink.letterTo(email)
    const [first, second] = [await resetTokenFor(email), await resetTokenFor(email)]
    await someone()('reset_account_password', { reset_token: second, new_password: 'another password' })
    const late = { reset_token: first, new_password: 'a third password' }
    expect((await refusalOf(someone()('reset_account_password', late))).code).toBe('invalid_reset_token')
  })

  it('admits an owner whom guesses have locked out', async () => {
    const { username, email } = await shop.customer()
    await sink.letterTo(email)
    for (let n = 0; n < 10; n++) await refusalOf(someone()('signin', { username, password: 'guess, guess' }))
    const token = await resetTokenFor(email)
    await someone()('reset_account_password', { reset_token: token, new_password: 'another password' })
    expect(await someone()('signin', { username, password: 'another password' })).toMatch(/^[\w-]{43}$/)
  })

  it('is answered alike for unknown addresses, with the same work', async () => {
    const { email } = await shop.customer()
    await sink.letterTo(email)
    await noJobsLeft()
    await stopWorker()
    for (const address of [email, 'nobody-at-all@example.com']) {
      expect(await someone()('request_password_reset', { email: address })).toBe(true)
    }
    const { rows } = await sql<{ task: string; mails: bigint }>`
      select task_identifier as task, (select count(*) from account_token where kind = 'reset_password'
        and created_at = ${shop.clock.now}) as mails
      from graphile_worker.jobs where task_identifier in ('send_mail', 'mail_password_reset')`.execute(
      shop.database.db,
    )
    expect(rows).toEqual([
      { task: 'mail_password_reset', mails: 0n },
      { task: 'mail_password_reset', mails: 0n },
    ])
    stopWorker = await startTestWorker(shop, sink)
    await sink.letterTo(email, 'пароль')
    await noJobsLeft()
    expect(sink.received.flatMap(({ to }) => to)).not.toContain('nobody-at-all@example.com')
  })

  it('sends one mailbox three letters an hour, with the same answer to further requests', async () => {
    const { email } = await shop.customer()
    await sink.letterTo(email)
    for (let n = 0; n < 6; n++) expect(await someone()('request_password_reset', { email })).toBe(true)
    await noJobsLeft()
    expect(sink.received.filter(({ to }) => to.includes(email))).toHaveLength(1 + 3)
    minutes(61)
    await resetTokenFor(email)
  })

  it('is throttled for an address that requests many', async () => {
    const eager = shop.from('2001:db8:1:2::1')
    const neighbour = shop.from('2001:db8:1:2:ffff::2')
    for (let n = 0; n < 10; n++) await eager('request_password_reset', { email: `n${n}@example.com` })
    for (const caller of [eager, neighbour]) {
      const refusal = await refusalOf(caller('request_password_reset', { email: 'x@example.com' }))
      expect(refusal).toMatchObject({ code: 'too_many_attempts', status: 429 })
    }
    const another = shop.from('2001:db8:1:3::1')
    expect(await another('request_password_reset', { email: 'x@example.com' })).toBe(true)
  })

  it.each(['', 'nobody', 'a b@example.com', 'a\0b@example.com'])(
    'refuses %j as an address',
    async (email) => {
      expect(await refusalOf(someone()('request_password_reset', { email }))).toMatchObject({
        code: 'invalid_email',
      })
    },
  )

  it('is not for a blocked account', async () => {
    const { email, username } = await shop.customer()
    await sink.letterTo(email)
    const set = { blocked_at: new Date() }
    await shop.database.db.updateTable('account').set(set).where('username', '=', username).execute()
    expect(await someone()('request_password_reset', { email })).toBe(true)
    await noJobsLeft()
    expect(sink.received.filter(({ to }) => to.includes(email))).toHaveLength(1)
  })
})
