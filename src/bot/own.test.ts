/**
 * Notices to an account's owner in Telegram, and the owner's settings: sign-ins by password, and unlinking.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { telegramAccount } from '#accounts/telegram'
import type { TelegramBot } from '#bot'
import type { TelegramDesk } from '#http'
import { addJob } from '#db/jobs'
import { type TelegramNotice, telegramNoticeTask } from '#customer-notices'
import { accountIdOf, type App, app, type Customer, refusalOf } from '#test/app'
import { testBot } from '#test/bot'
import { type SmtpSink, startSmtp } from '#test/smtp'
import { until } from '#test/stack'
import { type FakeTelegram, fakeTelegram, type TelegramPerson } from '#test/telegram'
import { startTestWorker } from '#test/worker'
import { marked } from './base/mark.ts'

const secret = 'a-secret-of-the-webhook'

let telegram: FakeTelegram
let sink: SmtpSink
let shop: App
let bot: TelegramBot
let stopWorker: () => Promise<void>

beforeAll(async () => {
  ;[telegram, sink] = await Promise.all([fakeTelegram(), startSmtp()])
  shop = await app({
    env: {
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.apiRoot,
      TELEGRAM_BOT_NAME: telegram.botName,
    },
    telegram: (services, now): TelegramDesk => {
      bot = testBot(services, telegram, { publicUrl: new URL('https://shop.example.net'), now })
      return { secret, receive: (update) => bot.handle(update) }
    },
  })
  await bot.setWebhook(new URL('/api/telegram/webhook', shop.origin), secret)
  stopWorker = await startTestWorker(shop, sink)
})
afterAll(async () => {
  await stopWorker()
  await shop.close()
  await Promise.all([telegram.close(), sink.close()])
})
// A refusal by Telegram is a bug of ours, unless a test requested it.
afterEach(() => expect(telegram.errors.splice(0)).toEqual([]))

/** A customer of the site who has linked their Telegram: the bot has sent two messages. */
async function linked(language_code = 'ru'): Promise<{ customer: Customer; person: TelegramPerson }> {
  const customer = await shop.customer()
  const [profile] = await customer.call('legacy_profile', {})
  const person = telegram.person({ language_code })
  person.say(`/start link_${profile?.tgcode ?? ''}`)
  await person.hears(1)
  person.press(language_code === 'en' ? 'Link' : 'Привязать')
  await person.hears(2)
  return { customer, person }
}

const signInFrom = (ip: string, { username, password }: Customer) =>
  shop.from(ip)('signin', { username, password })

const noticesWaiting = async () => {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from graphile_worker.jobs where task_identifier = 'telegram_sign_in_notice'`.execute(
    shop.database.db,
  )
  return rows[0]?.count
}
const noNoticeLeft = () =>
  until(async () => (await noticesWaiting()) === 0n, 60_000, 'the notices to be sent')

describe('a sign-in by password', () => {
  it('is reported in the owner’s Telegram: when, from where, to which account', async () => {
    // Not in the past: the worker uses the real clock, and its hourly job deletes what has expired by that
    // clock.
    const noon = new Date()
    noon.setUTCDate(noon.getUTCDate() + 1)
    noon.setUTCHours(12, 0, 0, 0)
    shop.clock.now = noon
    const { customer, person } = await linked('en')
    await customer.call('change_language', { code: 'eng' })
    await signInFrom('203.0.113.7', customer)
    const { text, buttons } = await person.hears(3)
    expect(text).toContain(`<b>${customer.username}</b>`)
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(noon)
    expect(text).toContain(day)
    expect(text).toContain('12:00 UTC')
    expect(text).toContain('<code>203.0.113.7</code>')
    expect(buttons.map((button) => button.text)).toEqual(['Stop sign-in messages'])
  })

  it('is reported in the language of the account', async () => {
    const { customer, person } = await linked()
    await signInFrom('2001:db8::7', customer)
    const { text } = await person.hears(3)
    expect(text).toContain('Вход в аккаунт')
    expect(text).toContain('<code>2001:db8::7</code>')
  })

  it('is not reported when it was refused, nor for an account without Telegram', async () => {
    const { customer, person } = await linked()
    await refusalOf(signInFrom('203.0.113.8', { ...customer, password: 'a wrong one' }))
    const other = await shop.customer()
    await signInFrom('203.0.113.8', other)
    expect(await noticesWaiting()).toBe(0n)
    // The confirmation of the link, and its result.
    expect(person.heard()).toHaveLength(1)
  })

  it('is not reported while the owner has turned the messages off', async () => {
    const { customer, person } = await linked()
    await signInFrom('203.0.113.9', customer)
    await person.hears(3)
    person.press('Не сообщать о входах')
    expect((await person.hears(4)).text).toContain('не сообщает')
    await signInFrom('203.0.113.9', customer)
    expect(await noticesWaiting()).toBe(0n)
    person.say('/notices')
    await person.hears(5)
    person.press('Сообщать о входах')
    await person.hears(6)
    await signInFrom('203.0.113.10', customer)
    expect((await person.hears(7)).text).toContain('203.0.113.10')
  })

  it('is reported again when Telegram fails, but not when the bot is blocked', async () => {
    const { customer, person } = await linked()
    const failure = { status: 502, description: 'Bad Gateway' }
    telegram.failNext('sendMessage', failure)
    await signInFrom('203.0.113.11', customer)
    expect((await person.hears(3)).text).toContain('203.0.113.11')
    person.block()
    await signInFrom('203.0.113.12', customer)
    await noNoticeLeft()
    expect(telegram.errors.splice(0).join('\n')).toContain('bot was blocked by the user')
  })

  it('succeeds with and without a linked Telegram', async () => {
    const { customer } = await linked()
    await stopWorker()
    expect(await signInFrom('203.0.113.13', customer)).toMatch(/^[\w-]{43}$/)
    expect(await noticesWaiting()).toBe(1n)
    stopWorker = await startTestWorker(shop, sink)
    await noNoticeLeft()
  })
})

describe('a notice about traffic', () => {
  const queue = async (customer: Customer, notice: Omit<TelegramNotice, 'account_id'>) => {
    const payload = { ...notice, account_id: await accountIdOf(customer) }
    await addJob(shop.database.db, telegramNoticeTask, payload, { maxAttempts: 1 })
  }
  const low = {
    kind: 'traffic',
    pool: 'mobile',
    share: 'twentieth',
    left_bytes: '50000000',
    hours_left: 3,
  } as const
  const cap = { kind: 'cap', pool: 'residential', window: 'day', cap_bytes: '2000000000' } as const

  it('states what is left and how long it lasts, and is switched off by its button', async () => {
    const { customer, person } = await linked()
    await queue(customer, low)
    const { text, buttons } = await person.hears(3)
    expect(text).toContain('меньше 5 %')
    expect(text).toContain('Мобильный: 50,00 МБ')
    expect(text).toContain('3 ч')
    // Telegram accepts no button with the address of this shop.
    expect(text).toContain(
      'Купить ещё:\n<code>http://localhost:3000/purchase?amount=5&amp;pool=mobile</code>',
    )
    expect(buttons.map((button) => button.text)).toEqual(['Не сообщать о балансе'])
    await queue(customer, cap)
    const reached = await person.hears(4)
    expect(reached.text).toContain('2,00 ГБ за сутки')
    expect(reached.buttons.map((button) => button.text)).toEqual([
      'Поднять лимит на сегодня',
      'Не сообщать о лимитах',
    ])
    person.press('Не сообщать о лимитах')
    expect((await person.hears(5)).text).toContain('О достигнутых лимитах не сообщает')
    expect((await customer.call('get_notices', {})).cap).toEqual({ email: true, telegram: false })
    await queue(customer, cap)
    await queue(customer, low)
    // The notice that was switched off is not sent.
    expect((await person.hears(6)).text).toContain('меньше 5 %')
  })
})

describe('/unlink', () => {
  it('unlinks a person from an account with a password, after a confirmation', async () => {
    const { customer, person } = await linked()
    const [before] = await customer.call('legacy_profile', {})
    expect(before?.tgcode).toBeNull()
    person.say('/unlink')
    expect((await person.hears(3)).text).toContain(customer.username)
    person.press('Отвязать')
    expect((await person.hears(4)).text).toContain('больше не привязан')
    const [after] = await customer.call('legacy_profile', {})
    expect(after?.tgcode).toMatch(/^[a-z0-9]+-/)
    await signInFrom('203.0.113.14', customer)
    expect(await noticesWaiting()).toBe(0n)
    person.say('/unlink')
    expect((await person.hears(5)).text).toContain('только через Telegram')
  })

  it('invalidates the code issued for the account', async () => {
    const { person } = await linked()
    person.say('/code')
    const p_code = /<code>(\d{6})<\/code>/.exec((await person.hears(3)).text)?.[1] ?? ''
    person.say('/unlink')
    await person.hears(4)
    person.press('Отвязать')
    await person.hears(5)
    const refusal = await refusalOf(shop.from('203.0.113.15')('telegram_code_signin', { p_code }))
    expect(refusal.code).toBe('telegram_code_unknown')
  })

  it('changes nothing when it is declined', async () => {
    const { customer, person } = await linked()
    person.say('/unlink')
    await person.hears(3)
    person.press('Не отвязывать')
    await person.hears(4)
    expect((await customer.call('legacy_profile', {}))[0]?.tgcode).toBeNull()
  })

  it('is refused where Telegram is the only way to sign in, with a password too', async () => {
    const person = telegram.person({ language_code: 'en' })
    person.say('/code')
    const p_code = /<code>(\d{6})<\/code>/.exec((await person.hears(1)).text)?.[1] ?? ''
    person.say('/unlink')
    expect((await person.hears(2)).text).toContain('the only way to sign in to this account')
    const call = shop.client(await shop.from('203.0.113.16')('telegram_code_signin', { p_code }))
    await call('change_account_password', { new_password: 'a first password' })
    // The owner is notified of the new password.
    expect((await person.hears(3)).text).toContain('The password was changed')
    person.say('/help')
    await person.hears(4)
    const account = await telegramAccount(shop.database.db, BigInt(person.id))
    person.pressData(marked('unlink', account?.id ?? 0n))
    expect((await person.hears(5)).text).toContain('the only way to sign in to this account')
    person.say('/code')
    expect((await person.hears(6)).text).toMatch(/\d{6}/)
  })
})
