import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBot, type TelegramBot } from '#bot'
import type { TelegramDesk } from '#http'
import { seedDemoInventory } from '#inventory'
import type { PaymentMethod } from '#payments'
import { type App, app } from '#test/app'
import { testBot } from '#test/bot'
import { type FakeTelegram, fakeTelegram, plainOf } from '#test/telegram'

const secret = 'a-secret-of-the-webhook'

let telegram: FakeTelegram
let shop: App
let bot: TelegramBot
let addresses = 0

beforeAll(async () => {
  telegram = await fakeTelegram()
  shop = await app({
    telegram: (services, now): TelegramDesk => {
      // An address that Telegram accepts in buttons.
      bot = testBot(services, telegram, { publicUrl: new URL('https://shop.example.net'), now })
      return { secret, receive: (update) => bot.handle(update) }
    },
  })
  await seedDemoInventory(shop.database)
  await bot.setWebhook(new URL('/api/telegram/webhook', shop.origin), secret)
})
afterAll(async () => {
  await shop.close()
  await telegram.close()
})

const accountOf = async (id: number) =>
  shop.database.db
    .selectFrom('telegram_identity')
    .innerJoin('account', 'account.id', 'telegram_identity.account_id')
    .selectAll('account')
    .where('telegram_user_id', '=', BigInt(id))
    .executeTakeFirst()

const countUpdates = async (chat: number) =>
  (
    await shop.database.db
      .selectFrom('telegram_update')
      .select('update_id')
      .where('chat_id', '=', BigInt(chat))
      .execute()
  ).length

const digitsOf = (text: string) => /<code>(\d{6})<\/code>/.exec(text)?.[1] ?? ''
const signIn = (code: string) =>
  shop.from(`203.0.113.${++addresses}`)('telegram_code_signin', { p_code: code })
/** The session on the site of the same person, by a code of the bot. */
const onSite = async (person: ReturnType<FakeTelegram['person']>, heard: number) => {
  person.say('/code')
  const { text } = await person.hears(heard + 1)
  const token = await signIn(digitsOf(text))
  return { token, call: shop.client(token), username: '', email: '', password: '' }
}

describe('/start', () => {
  it('makes an account of the person, invited by the code, in the language of their Telegram', async () => {
    const { call, username } = await shop.customer()
    const [inviter] = await call('legacy_profile', {})
    const { ref_code: code } = await shop.database.db
      .selectFrom('account')
      .select('ref_code')
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    const person = telegram.person({ language_code: 'en-GB' })
    person.say(`/start ${code}`)
    const { text, buttons } = await person.hears()
    expect(text).toContain('Your account is ready')
    expect(buttons.map((button) => button.text).at(-1)).toBe('Accept and continue')
    person.press('Accept and continue')
    const { buttons: inMenu } = await person.hears(2)
    expect(inMenu.map((button) => button.text)).toEqual([
      'Balance',
      'Usage',
      'Buy traffic',
      'Proxy line',
      'Account',
      'Sign-in code',
      'Invite',
      'Support',
      'Language / Язык',
    ])
    expect(await accountOf(person.id)).toMatchObject({
      username: null,
      email: null,
      password_hash: null,
      lang: 'eng',
      invited_by: BigInt(inviter?.user_id ?? 0),
    })
  })

  it('finds the account again, and ignores a later inviter', async () => {
    const person = telegram.person({ language_code: 'ru' })
    person.say('/start unknown-code')
    expect((await person.hears()).text).toContain('Аккаунт для вас уже создан')
    const account = await accountOf(person.id)
    expect(account).toMatchObject({ invited_by: null, lang: 'rus' })
    const other = await shop.database.db.selectFrom('account').select('ref_code').executeTakeFirstOrThrow()
    person.say(`/start ${other.ref_code}`)
    expect((await person.hears(2)).text).toContain('С возвращением')
    expect(await accountOf(person.id)).toMatchObject({ id: account?.id, invited_by: null })
  })

  it('uses Russian without a language, English for all other languages', async () => {
    const silent = telegram.person()
    silent.say('/start')
    expect((await silent.hears()).text).toContain('Здравствуйте')
    const german = telegram.person({ language_code: 'de' })
    german.say('/start')
    expect((await german.hears()).text).toContain('Hello')
  })
})

describe('/code', () => {
  it('signs a person who has only Telegram in to the site', async () => {
    const person = telegram.person({ language_code: 'ru' })
    // The first message to the bot may be this one.
    person.say('/code')
    const { text, buttons } = await person.hears()
    expect(buttons.find(({ url }) => url !== undefined)?.url).toBe('https://shop.example.net/telegram-login')
    const token = await signIn(digitsOf(text))
    const call = shop.client(token)
    const [profile] = await call('legacy_profile', {})
    expect(profile).toMatchObject({ username: null, email: null, lang: 'rus', tgcode: null })
    expect(await call('is_password_exists', {})).toBe(false)
    await expect(signIn(digitsOf(text))).rejects.toMatchObject({ status: 404, message: 'Код не найден' })
  })

  it('issues another one by its button, and the first becomes invalid', async () => {
    const person = telegram.person({ language_code: 'ru' })
    person.say('/code')
    const first = digitsOf((await person.hears()).text)
    person.press('Другой код')
    const shown = await person.hears(2)
    expect(shown.edits).toBe(1)
    const second = digitsOf(shown.text)
    if (first !== second) await expect(signIn(first)).rejects.toMatchObject({ status: 404 })
    expect(await signIn(second)).toMatch(/^[\w-]{43}$/)
  })
})

describe('balance, purchase and lines', () => {
  it('says what to do before a purchase', async () => {
    const person = telegram.person({ language_code: 'ru' })
    person.say('/balance')
    expect((await person.hears()).text).toBe('Трафика пока нет. Купить: /buy')
    person.say('/lines')
    expect((await person.hears(2)).text).toContain('Ни в одном пуле нет трафика')
    person.pressData('line:residential:any:r')
    expect((await person.hears(3)).text).toContain('Вы ещё не покупали трафик этого пула')
  })

  it('links to the purchase of every pool, with its price', async () => {
    const person = telegram.person({ language_code: 'ru' })
    person.say('/buy')
    const { text, buttons } = await person.hears()
    expect(plainOf(text)).toContain('Резидентский: 3,50 $')
    expect(buttons.flatMap(({ url }) => url ?? [])).toEqual(
      ['residential', 'residential_premium', 'datacenter', 'mobile'].map(
        (pool) => `https://shop.example.net/purchase?amount=1&pool=${pool}`,
      ),
    )
  })

  it('shows the traffic of every pool, and hands out lines of pools with traffic', async () => {
    const person = telegram.person({ language_code: 'en' })
    const customer = await onSite(person, 0)
    await shop.buy(customer, { pool: 'datacenter', gb: 12 })
    person.press('« Menu')
    await person.hears(2)
    person.press('Balance')
    const balance = plainOf((await person.hears(3)).text)
    expect(balance).toContain('Datacenter: 12.00 GB')
    expect(balance).toContain('Mobile: 0 GB')
    expect(balance).toContain('each byte is charged twice: 12.00 GB are 6.00 GB of payload')

    // With one pool there is nothing to choose.
    person.press('Proxy line')
    const countries = await person.hears(4)
    expect(countries.text).toBe('Datacenter. Which country?')
    const germany = countries.buttons.find(({ text }) => text === 'Germany')
    expect(germany?.callback_data).toBe('line:datacenter:de:r')
    person.press('Germany')
    const { text } = await person.hears(5)
    const line = /<code>([^<]+)<\/code>/.exec(text)?.[1] ?? ''
    expect(line).toMatch(/^tp\w{6}-cc-de:\w{16}@localhost:22000$/)
    expect(text).toContain('Datacenter, Germany.')
    expect(text).toContain('Traffic is charged ×1: what is left is worth 12.00 GB of payload.')

    person.press('Sticky session')
    const sticky = await person.hears(6)
    expect(sticky.text).toMatch(/-cc-de-sid-[0-9a-f]{12}:/)
    expect(sticky.text).toContain('The same address for 10 min')
    person.press('One more')
    expect((await person.hears(7)).text).not.toBe(sticky.text)
    // The earlier line can still be copied.
    expect(person.heard().filter((message) => message.text.includes('<code>tp'))).toHaveLength(3)
  })

  it('pages through many countries, in the language of the person', async () => {
    const person = telegram.person({ language_code: 'ru' })
    const customer = await onSite(person, 0)
    await shop.buy(customer, { pool: 'residential', gb: 1 })
    await shop.buy(customer, { pool: 'mobile', gb: 1 })
    person.say('/lines')
    expect((await person.hears(2)).buttons.map(({ text }) => text)).toEqual([
      'Резидентский',
      'Мобильный',
      '« Меню',
    ])
    person.press('Резидентский')
    const first = await person.hears(3)
    const named = (buttons: typeof first.buttons) =>
      buttons.flatMap(({ callback_data, text }) => (/:(\w\w):r$/.test(callback_data ?? '') ? [text] : []))
    expect(named(first.buttons)).toHaveLength(10)
    person.press('Дальше »')
    const second = await person.hears(4)
    expect(named(second.buttons).filter((name) => named(first.buttons).includes(name))).toEqual([])
    expect(second.buttons.map(({ text }) => text)).toContain('« Раньше')
    person.press('Любая страна')
    expect((await person.hears(5)).text).toContain('Резидентский, любая страна.')
  })
})

describe('/ref', () => {
  it('shows the links, the invited people and the earnings', async () => {
    const person = telegram.person({ language_code: 'ru' })
    person.say('/start')
    await person.hears()
    const { ref_code: code } = (await accountOf(person.id)) ?? { ref_code: '' }
    const friend = telegram.person({ language_code: 'ru' })
    friend.say(`/start ${code}`)
    await friend.hears()
    const customer = await onSite(friend, 1)
    await shop.buy(customer, { pool: 'residential', gb: 100 })
    person.say('/ref')
    const text = plainOf((await person.hears(2)).text)
    expect(text).toContain(`https://shop.example.net/?ref=${code}`)
    expect(text).toContain(`https://t.me/${telegram.botName}?start=${code}`)
    expect(text).toContain('Приглашено: 1')
    expect(text).toContain('10 %')
    // 100 GB at 3.50 with 10 % off, a tenth of it.
    expect(text).toContain('Реферальный баланс: 31,50 $')
  })
})

describe('/language', () => {
  it('changes the account, for the bot and the site alike', async () => {
    const person = telegram.person({ language_code: 'ru' })
    person.say('/language')
    await person.hears()
    person.press('English')
    expect((await person.hears(2)).text).toBe('English it is.')
    expect(await accountOf(person.id)).toMatchObject({ lang: 'eng' })
    const { call } = await onSite(person, 2)
    await call('change_language', { code: 'rus' })
    person.say('/help')
    expect((await person.hears(4)).text).toContain('/code — код для входа на сайт')
  })

  it('names the commands to Telegram in both', () => {
    expect(telegram.commands().map(({ command }) => command)).toEqual(
      telegram.commands('ru').map(({ command }) => command),
    )
    expect(telegram.commands('ru').find(({ command }) => command === 'buy')?.description).toBe(
      'Купить трафик',
    )
  })
})

describe('linking an account of the site', () => {
  it('asks for confirmation, then uses that account', async () => {
    const customer = await shop.customer()
    // Such names are refused today; older accounts may have them.
    await shop.database.pool.query(`update account set username = 'the_<b>_name.com' where username = $1`, [
      customer.username,
    ])
    const [profile] = await customer.call('legacy_profile', {})
    const person = telegram.person({ language_code: 'en' })
    person.say(`/start link_${profile?.tgcode ?? ''}`)
    const asked = await person.hears()
    expect(asked.text).toContain('Link this Telegram to the account <b>the_·b·_name·com</b>?')
    expect(await accountOf(person.id)).toBeUndefined()
    person.press('Link')
    // From now on in the language of that account.
    expect(plainOf((await person.hears(2)).text)).toContain('привязан к аккаунту the_·b·_name·com')
    expect((await accountOf(person.id))?.username).toBe('the_<b>_name.com')
    const { call } = await onSite(person, 2)
    expect((await call('legacy_profile', {}))[0]).toMatchObject({
      username: 'the_<b>_name.com',
      tgcode: null,
    })
  })

  it('can be declined, and a bad code is explained', async () => {
    const { call } = await shop.customer()
    const [profile] = await call('legacy_profile', {})
    const person = telegram.person({ language_code: 'ru' })
    person.say(`/start link_${profile?.tgcode ?? ''}`)
    await person.hears()
    person.press('Не привязывать')
    expect((await person.hears(2)).text).toBe('Хорошо, ничего не привязано.')
    expect(await accountOf(person.id)).toBeUndefined()
    person.say('/start link_1-1-00000000000000000000000000000000')
    expect((await person.hears(3)).text).toContain('Ссылка для привязки устарела')
    expect(await accountOf(person.id)).toBeUndefined()
  })
})

describe('any other update', () => {
  it('is answered with the bot’s help', async () => {
    const person = telegram.person({ language_code: 'en' })
    person.say('hello <there> & good day')
    expect((await person.hears()).text).toContain('/balance — how much traffic is left')
    person.pressData('a button of long ago')
    expect((await person.hears(2)).text).toBe('This button is out of date. Here is the menu.')
  })

  it('is ignored in groups, channels and for other bots’ inline messages', async () => {
    const person = telegram.person()
    const from = { id: person.id, is_bot: false, first_name: 'A' }
    const group = { id: -100_123, type: 'supergroup', title: 'A group' }
    const text = '/code'
    const entities = [{ type: 'bot_command', offset: 0, length: 5 }]
    telegram.push({ message: { message_id: 1, date: 1, chat: group, from, text, entities } })
    telegram.push({
      callback_query: { id: 'x', from, chat_instance: '1', data: 'code', inline_message_id: '1' },
    })
    telegram.push({ channel_post: { message_id: 1, date: 1, chat: { ...group, type: 'channel' }, text } })
    person.say('/start')
    await person.hears()
    expect(await accountOf(person.id)).toBeDefined()
    expect(telegram.calls.filter(({ payload }) => payload['chat_id'] === group.id)).toEqual([])
    expect(person.heard()).toHaveLength(1)
  })

  it('is answered with a sentence for a blocked account', async () => {
    const person = telegram.person({ language_code: 'ru' })
    person.say('/help')
    await person.hears()
    const { id } = (await accountOf(person.id)) ?? { id: 0n }
    const set = { blocked_at: new Date() }
    await shop.database.db.updateTable('account').set(set).where('id', '=', id).execute()
    person.say('/code')
    expect((await person.hears(2)).text).toBe('Аккаунт заблокирован. Напишите в поддержку.')
    person.press('Код для входа')
    expect((await person.hears(3)).text).toBe('Аккаунт заблокирован. Напишите в поддержку.')
  })

  it('is answered twenty times a minute, then once with a request to wait, then not at all', async () => {
    const person = telegram.person({ language_code: 'ru' })
    for (let n = 1; n <= 20; n++) {
      person.say('/help')
      await person.hears(n)
    }
    person.say('/help')
    const { text } = await person.hears(21)
    for (let n = 0; n < 4; n++) person.say('/help')
    await expect.poll(() => countUpdates(person.id)).toBe(25)
    expect(text).toBe('Слишком много сообщений подряд. Подождите минуту.')
    shop.clock.now = new Date(shop.clock.now.getTime() + 61_000)
    person.say('/balance')
    await person.hears(22)
    expect(person.heard()).toHaveLength(22)
  })
})

describe('failures', () => {
  it('of the server are reported without details', async () => {
    const faults: object[] = []
    const broken = createBot({
      database: shop.database,
      secrets: shop.services.secrets,
      calls: {
        legacy_profile: async () => {
          throw new TypeError('a bug with a secret in it')
        },
      } as unknown as Parameters<typeof createBot>[0]['calls'],
      publicUrl: new URL('http://localhost:3000'),
      telegram,
      stars: null,
      log: { info: () => undefined, warn: () => undefined, error: (fault) => void faults.push(fault) },
      now: () => shop.clock.now,
    })
    const person = telegram.person({ language_code: 'ru' })
    const message = {
      message_id: 1,
      date: 1,
      chat: { id: person.id, type: 'private' as const, first_name: 'A' },
      from: { id: person.id, is_bot: false, first_name: 'A', language_code: 'ru' },
      text: '/balance',
      entities: [{ type: 'bot_command' as const, offset: 0, length: 8 }],
    }
    await broken.handle({ update_id: 900_001, message } as Parameters<TelegramBot['handle']>[0])
    const { text } = await person.hears()
    expect(text).toContain('у нас сбой')
    expect(text).not.toContain('secret')
    expect(faults).toHaveLength(1)
  })

  it.each([
    ['a broken connection', 'cut' as const],
    ['a server error of Telegram', { status: 502, description: 'Bad Gateway' }],
    ['a short wait', { status: 429, description: 'Too Many Requests: retry after 1', retryAfter: 1 }],
  ])('of Telegram are followed by one retry: %s', async (_what, failure) => {
    const person = telegram.person()
    telegram.failNext('sendMessage', failure)
    person.say('/help')
    expect((await person.hears()).text).toContain('/code')
    expect(person.heard()).toHaveLength(1)
  })

  it('for a person who blocked the bot are ignored', async () => {
    const person = telegram.person()
    person.say('/start')
    await person.hears()
    person.block()
    person.say('/help')
    await expect.poll(() => countUpdates(person.id)).toBe(2)
    expect(person.heard()).toHaveLength(1)
  })

  it('for an old button still show the requested screen', async () => {
    const person = telegram.person({ language_code: 'ru' })
    person.say('/help')
    await person.hears()
    telegram.failNext('answerCallbackQuery', {
      status: 400,
      description: 'Bad Request: query is too old and response timeout expired or query ID is invalid',
    })
    person.press('Баланс')
    expect((await person.hears(2)).text).toContain('Трафика пока нет')
  })
})

describe('a shop that registers receipts', () => {
  it('asks where they go, takes the address from a message, and asks no more', async () => {
    const keys = { YOOKASSA_SHOP_ID: '424242', YOOKASSA_SECRET_KEY: 'live_fakeSecretKeyOfYookassa' }
    let desk: TelegramBot | undefined
    const receiving = await app({
      env: { ...keys, RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1' },
      methods: [{ name: 'yookassa', currency: 'RUB' } as PaymentMethod],
      telegram: (services, now): TelegramDesk => {
        desk = testBot(services, telegram, { publicUrl: new URL('https://shop.example.net'), now })
        return { secret, receive: (update) => desk?.handle(update) ?? Promise.resolve() }
      },
    })
    try {
      await desk?.setWebhook(new URL('/api/telegram/webhook', receiving.origin), secret)
      const person = telegram.person({})
      person.say('/buy')
      expect((await person.hears(1)).text).toContain('приходит чек')
      person.say(' ivan&co@example.com ')
      expect((await person.hears(2)).text).toContain('<code>ivan&amp;co@example.com</code>')
      person.say('/buy')
      expect((await person.hears(3)).text).not.toContain('приходит чек')
      person.say('not@address')
      expect((await person.hears(4)).text).toContain('/code')
      const { rows } = await receiving.database.pool.query('select email from receipt_email')
      expect(rows).toEqual([{ email: 'ivan&co@example.com' }])
    } finally {
      await bot.setWebhook(new URL('/api/telegram/webhook', shop.origin), secret)
      await receiving.close()
    }
  })

  it('is the only kind that asks: elsewhere an address is an ordinary message', async () => {
    const person = telegram.person({})
    person.say('ivan@example.com')
    expect((await person.hears(1)).text).not.toContain('ivan@example.com')
  })
})

describe('a demo on this machine', () => {
  it('shows addresses as text, since Telegram accepts no button to localhost', async () => {
    const local = testBot(shop.services, telegram, { now: () => shop.clock.now })
    const person = telegram.person({ language_code: 'ru' })
    const message = {
      message_id: 1,
      date: 1,
      chat: { id: person.id, type: 'private', first_name: 'A' },
      from: { id: person.id, is_bot: false, first_name: 'A', language_code: 'ru' },
      text: '/buy',
      entities: [{ type: 'bot_command', offset: 0, length: 4 }],
    }
    await local.handle({ update_id: 900_002, message } as unknown as Parameters<TelegramBot['handle']>[0])
    const { text, buttons } = await person.hears()
    expect(text).toContain('<code>http://localhost:3000/purchase?amount=1&amp;pool=residential</code>')
    expect(buttons.filter(({ url }) => url !== undefined)).toEqual([])
  })
})

describe('the webhook', () => {
  const post = (headers: Record<string, string>, body = '{"update_id": 1}') =>
    fetch(`${shop.origin}/api/telegram/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })

  it('requires the secret', async () => {
    const header = 'x-telegram-bot-api-secret-token'
    expect((await post({})).status).toBe(401)
    expect((await post({ [header]: '' })).status).toBe(401)
    expect((await post({ [header]: `${secret}x` })).status).toBe(401)
    expect((await post({ [header]: secret })).status).toBe(200)
    expect((await post({ [header]: secret }, '{"update_id": "1"}')).status).toBe(400)
    expect((await post({ [header]: secret }, 'null')).status).toBe(400)
    const long = JSON.stringify({ update_id: 1, message: { text: 'x'.repeat(200_000) } })
    expect((await post({ [header]: secret }, long)).status).toBe(200)
  })

  it('is not set without one', async () => {
    await expect(bot.setWebhook(new URL('https://shop.example.net'), '')).rejects.toThrow('without a secret')
  })

  it('handles an update that is delivered twice, concurrently or later, once', async () => {
    const person = telegram.person()
    const id = person.say('/code')
    await person.hears()
    const again = {
      update_id: id,
      message: {
        message_id: 1,
        date: 1,
        chat: { id: person.id, type: 'private', first_name: 'A' },
        from: { id: person.id, is_bot: false, first_name: 'A' },
        text: '/code',
        entities: [{ type: 'bot_command', offset: 0, length: 5 }],
      },
    }
    const header = { 'x-telegram-bot-api-secret-token': secret }
    for (let n = 0; n < 3; n++) expect((await post(header, JSON.stringify(again))).status).toBe(200)
    expect(person.heard()).toHaveLength(1)
    const fresh = JSON.stringify({ ...again, update_id: id + 500_000 })
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(header, fresh)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200))
    expect(person.heard()).toHaveLength(2)
  })
})
