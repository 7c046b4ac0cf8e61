/** Questions of the bot: which message answers one, and what ends it. */
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TelegramBot } from '#bot'
import type { TelegramDesk } from '#http'
import type { PaymentMethod } from '#payments'
import { type App, app } from '#test/app'
import { testBot } from '#test/bot'
import { type FakeTelegram, fakeTelegram, type TelegramPerson } from '#test/telegram'

const secret = 'a-secret-of-the-webhook'

let telegram: FakeTelegram
let shop: App
let bot: TelegramBot
/** A bot with the same database, which fails from the first statement on `telegram_support` until it is set. */
let failing: TelegramBot
/** The bot in another process. */
let other: TelegramBot
let isDown = false

/** Fails every statement from the first on `telegram_support` until `isDown` is reset. */
const outage: KyselyPlugin = {
  transformQuery: ({ node }) => {
    isDown ||= JSON.stringify(node, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ).includes('telegram_support')
    if (isDown) throw new Error('the database is away')
    return node
  },
  transformResult: ({ result }) => Promise.resolve(result),
}

beforeAll(async () => {
  telegram = await fakeTelegram()
  const publicUrl = new URL('https://shop.example.net')
  shop = await app({
    env: {
      YOOKASSA_SHOP_ID: '424242',
      YOOKASSA_SECRET_KEY: 'live_fakeSecretKeyOfYookassa',
      RECEIPTS: 'yookassa',
      RECEIPTS_VAT_CODE: '1',
    },
    methods: [{ name: 'yookassa', currency: 'RUB' } as PaymentMethod],
    telegram: (services, now): TelegramDesk => {
      bot = testBot(services, telegram, { publicUrl, now })
      other = testBot(services, telegram, { publicUrl, now })
      const { database } = services
      const broken = { ...database, db: database.db.withPlugin(outage) }
      failing = testBot({ ...services, database: broken }, telegram, { publicUrl, now })
      return { secret, receive: (update) => bot.handle(update) }
    },
  })
  await bot.setWebhook(new URL('/api/telegram/webhook', shop.origin), secret)
})
afterAll(async () => {
  await shop.close()
  await telegram.close()
})

/** A message as an update of Telegram. */
const written = ({ id }: TelegramPerson, update_id: number, text: string) =>
  ({
    update_id,
    message: {
      message_id: 1,
      date: 1,
      chat: { id, type: 'private', first_name: 'A' },
      from: { id, is_bot: false, first_name: 'A', language_code: 'en' },
      text,
    },
  }) as Parameters<TelegramBot['handle']>[0]
async function staffGroup() {
  const group = telegram.group()
  await shop.database.pool.query(
    `insert into alert_group (chat_id, title, is_forum, linked_at, linked_by) values ($1, 'The staff', false, now(), 'A')
     on conflict (is_only) do update set chat_id = excluded.chat_id`,
    [group.id],
  )
  return group
}

describe('a question', () => {
  it('ends with the next button, and a purchase asks its own', async () => {
    const person = telegram.person({ language_code: 'en' })
    person.say('/help')
    await person.hears(1)
    person.pressData('pu+:residential')
    expect((await person.hears(2)).text).toContain('What should the new user')
    person.pressData('menu')
    await person.hears(3)
    person.pressData('buy')
    expect((await person.hears(4)).text).toContain('receipt')
    person.say('ivan@example')
    expect((await person.hears(5)).text).toContain('send it again')
    person.say('ivan@example.com')
    expect((await person.hears(6)).text).toContain('<code>ivan@example.com</code>')
    const { rows } = await shop.database.pool.query('select email from receipt_email')
    expect(rows).toEqual([{ email: 'ivan@example.com' }])
    // A later address replaces it, without a question.
    person.say('petr@example.com')
    expect((await person.hears(7)).text).toContain('<code>petr@example.com</code>')
  })

  it('of a purchase leaves other messages alone', async () => {
    const person = telegram.person({ language_code: 'en' })
    person.say('/buy')
    await person.hears(1)
    person.say('hello')
    expect((await person.hears(2)).text).toContain('/balance')
  })

  it('is answered by an update that is handled again after a failure, once', async () => {
    const group = await staffGroup()
    const person = telegram.person({ language_code: 'en' })
    person.say('/support')
    await person.hears(1)
    const update = written(person, 900_100, 'My question')
    await expect(failing.handle(update)).rejects.toThrow('the database is away')
    isDown = false
    expect(group.heard()).toEqual([])
    await bot.handle(update)
    await bot.handle(update)
    expect((await person.hears(2)).text).toContain('Support has your message')
    expect(group.heard().map(({ text }) => text)).toEqual([expect.stringContaining('My question')])
  })

  it('is answered by one of the messages that several processes get at once', async () => {
    const group = await staffGroup()
    const person = telegram.person({ language_code: 'en' })
    person.say('/support')
    await person.hears(1)
    await Promise.all([
      bot.handle(written(person, 900_201, 'One question')),
      other.handle(written(person, 900_202, 'Another question')),
    ])
    await person.hears(3)
    expect(group.heard()).toHaveLength(1)
  })
})
