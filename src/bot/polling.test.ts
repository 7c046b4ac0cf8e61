import { type ChildProcess, spawn } from 'node:child_process'
import { once as event } from 'node:events'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type App, app } from '#test/app'
import { testBot } from '#test/bot'
import { testDatabase } from '#test/database'
import { inherited } from '#test/stack'
import { type FakeTelegram, fakeTelegram } from '#test/telegram'

const turnpike = path.resolve(import.meta.dirname, '../main/commands/turnpike.ts')

let telegram: FakeTelegram
let shop: App
beforeAll(async () => {
  shop = await app()
  telegram = await fakeTelegram()
})
afterAll(async () => {
  await telegram.close()
  await shop.close()
})

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A bot that polls, as one of several processes would; returns the function that stops it. */
function polling(services: App['services']) {
  const controller = new AbortController()
  const end = testBot(services, telegram).poll(controller.signal)
  const stop = async () => {
    controller.abort()
    await end
  }
  stops.push(stop)
  return stop
}

/** The PostgreSQL process of the leader's connection. */
const leader = async () => {
  const { rows } = await shop.database.pool.query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and granted
     and database = (select oid from pg_database where datname = current_database())
     and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
    [`telegram bot ${telegram.token.split(':')[0]}`],
  )
  return rows[0]?.pid ?? null
}
const led = () => expect.poll(leader, { timeout: 60_000 }).not.toBeNull()

describe('several bots on one database', () => {
  it('answer each update once, in the order of each chat, with one of them polling', async () => {
    polling(shop.services)
    await led()
    polling(shop.services)
    polling(shop.services)
    const people = Array.from({ length: 12 }, () => telegram.person({ language_code: 'en' }))
    for (const word of ['/start', '/balance', '/language', '/help'])
      for (const person of people) person.say(word)
    for (const person of people) {
      await person.hears(4)
      expect(person.heard().map(({ text }) => text.slice(0, 12))).toEqual([
        'Hello. Here ',
        'You have no ',
        'Which langua',
        '/code — a co',
      ])
    }
    await expect.poll(() => telegram.pending()).toBe(0)
    expect(people.map((person) => person.heard().length)).toEqual(people.map(() => 4))
    expect(telegram.errors).toEqual([])
  })

  it('take over from each other', async () => {
    const stopFirst = polling(shop.services)
    await led()
    polling(shop.services)
    const person = telegram.person()
    person.say('/start')
    await person.hears()
    await stopFirst()
    person.say('/help')
    await person.hears(2)
    expect(person.heard()).toHaveLength(2)
    expect(telegram.errors).toEqual([])
  })

  it('take over when the connection with the lock is lost, and answer nothing twice', async () => {
    polling(shop.services)
    await led()
    await shop.database.pool.query('select pg_terminate_backend($1)', [await leader()])
    const person = telegram.person()
    person.say('/start')
    await person.hears()
    await expect.poll(() => telegram.pending()).toBe(0)
    expect(person.heard()).toHaveLength(1)
  })

  it('continue when Telegram fails, closes the connection, or another bot polls as well', async () => {
    polling(shop.services)
    await led()
    telegram.failNext('getUpdates', { status: 502, description: 'Bad Gateway' })
    telegram.failNext('getUpdates', 'cut')
    const person = telegram.person()
    person.say('/start')
    await person.hears()
    person.say('/help')
    await person.hears(2)

    // Another shop with the same token, on a database of its own.
    const other = await testDatabase()
    const stopOther = polling({ ...shop.services, database: other })
    await expect.poll(() => telegram.errors.some((error) => error.includes('Conflict'))).toBe(true)
    await stopOther()
    stops.push(() => other.close())
    person.say('/help')
    await person.hears(3)
  })

  it('answer one chat while Telegram makes them wait with another', async () => {
    polling(shop.services)
    await led()
    const [slow, quick] = [telegram.person(), telegram.person()]
    telegram.failNext('sendMessage', { status: 429, description: 'Too Many Requests', retryAfter: 4 })
    slow.say('/start')
    await expect.poll(() => telegram.errors.at(-1)).toContain('Too Many Requests')
    quick.say('/start')
    await quick.hears()
    expect(slow.heard()).toEqual([])
    slow.say('/help')
    await slow.hears(2)
    await expect.poll(() => telegram.pending(), { timeout: 10_000 }).toBe(0)
    expect(slow.heard()).toHaveLength(2)
    telegram.errors.splice(0)
  })

  it('leave an update unconfirmed while the database is unreachable', async () => {
    let isAway = true
    const { database } = shop
    const flaky: App['services'] = {
      ...shop.services,
      database: new Proxy(database, {
        get: (target, name) => {
          if (name === 'db' && isAway) throw new Error('Connection terminated unexpectedly')
          return Reflect.get(target, name)
        },
      }),
    }
    polling(flaky)
    const person = telegram.person()
    person.say('/start')
    const asked = () => telegram.calls.filter(({ method }) => method === 'getUpdates').length
    const before = asked()
    await expect.poll(asked, { timeout: 60_000 }).toBeGreaterThan(before + 1)
    expect(person.heard()).toEqual([])
    expect(telegram.pending()).toBeGreaterThan(0)
    isAway = false
    await person.hears()
    expect(person.heard()).toHaveLength(1)
  })
})

describe('turnpike bot', () => {
  const env = () => ({
    ...inherited(),
    DATABASE_URL: shop.database.url,
    DATA_DIR: path.join(import.meta.dirname, '../../.cache/bot-test'),
    SECRET_KEY: 'a test key of more than thirty-two characters',
    PUBLIC_URL: 'https://shop.example.net',
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.apiRoot,
    TELEGRAM_BOT_NAME: telegram.botName,
    LOG_LEVEL: 'error',
  })
  const start = async (changes: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [turnpike, 'bot'], { env: { ...env(), ...changes } })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (said += text.toString()))
    const closed = event(child, 'close')
    stops.push(async () => {
      child.kill('SIGKILL')
      await closed
    })
    return { child, closed, said: () => said }
  }
  const running = async (bot: { said: () => string; child: ChildProcess }) => {
    await expect
      .poll(() => bot.said(), { timeout: 60_000 })
      .toContain(`The Telegram bot @${telegram.botName} is running.`)
  }

  it('runs twice, and survives the end of the leader', async () => {
    const first = await start()
    await running(first)
    await led()
    const second = await start()
    await running(second)
    const person = telegram.person({ language_code: 'ru' })
    person.say('/code')
    const { text } = await person.hears()
    const code = /<code>(\d{6})</.exec(text)?.[1] ?? ''
    expect(await shop.from('203.0.113.77')('telegram_code_signin', { p_code: code })).toMatch(/^[\w-]{43}$/)

    first.child.kill('SIGKILL')
    person.say('/help')
    person.say('/balance')
    await person.hears(3)
    expect(person.heard()).toHaveLength(3)
    second.child.kill('SIGTERM')
    const [status] = (await second.closed) as [number | null]
    expect(status, second.said()).toBe(0)
  })

  it.each([
    ['is not that of the token', { TELEGRAM_BOT_NAME: 'another_bot' }, 'TELEGRAM_BOT_NAME is another_bot'],
    [
      'is unknown to Telegram',
      { TELEGRAM_BOT_TOKEN: `1:${'a'.repeat(30)}` },
      'Telegram refuses TELEGRAM_BOT_TOKEN: Unauthorized.',
    ],
    ['is missing', { TELEGRAM_BOT_TOKEN: '' }, 'TELEGRAM_BOT_TOKEN is missing'],
  ])('stops with a sentence when the name or token %s', async (_what, changes, sentence) => {
    const bot = await start(changes)
    const [status] = (await bot.closed) as [number | null]
    expect(bot.said()).toContain(sentence)
    expect(status).toBe(1)
    expect(bot.said()).not.toMatch(/\n +at /)
  })

  it('starts when Telegram is unreachable, so that nothing else waits for it', async () => {
    const bot = await start({ TELEGRAM_API_ROOT: 'http://127.0.0.1:9', LOG_LEVEL: 'trace' })
    await expect.poll(() => bot.said(), { timeout: 60_000 }).toContain('The Telegram bot is running.')
    await expect.poll(() => bot.said(), { timeout: 60_000 }).toContain('the bot could not go on')
    expect(bot.said()).toContain('ECONNREFUSED')
    expect(bot.said()).not.toContain(telegram.token)
    const hooked = await start({
      TELEGRAM_API_ROOT: 'http://127.0.0.1:9',
      TELEGRAM_WEBHOOK_SECRET: 'a-secret-of-the-webhook',
    })
    await expect.poll(() => hooked.said(), { timeout: 60_000 }).toContain('The Telegram bot is brought')
  })

  it('uses the webhook when there is a secret for it', async () => {
    const secret = 'a-secret-of-the-webhook'
    const bot = await start({ TELEGRAM_WEBHOOK_SECRET: secret })
    const url = 'https://shop.example.net/api/telegram/webhook'
    await expect.poll(() => bot.said(), { timeout: 60_000 }).toContain(url)
    expect(telegram.webhook()).toEqual({ url, secret })
    bot.child.kill('SIGTERM')
    const [status] = (await bot.closed) as [number | null]
    expect(status, bot.said()).toBe(0)
    // A bot that polls removes the webhook first.
    await running(await start())
    await expect.poll(() => telegram.webhook(), { timeout: 60_000 }).toBeNull()
  })
})
