import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { sql } from 'kysely'
import { transaction } from '#db'
import { storeVariables } from '#settings'
import { app, type App } from '#test/app'
import { type FakeTelegram, fakeTelegram } from '#test/telegram'
import { keepBot, telegramDesk } from './bot.ts'
import { purchaseDeps } from './services.ts'
import { Stopper } from './process/stop.ts'
import { renewed, renewedLater, Renewals, watchVariables } from './renewal.ts'

let shop: App
let telegram: FakeTelegram
const stopper = new Stopper()
beforeAll(async () => {
  telegram = await fakeTelegram()
  // Addresses of APIs are the environment's alone.
  vi.stubEnv('TELEGRAM_API_ROOT', telegram.apiRoot)
  shop = await app({ env: { TELEGRAM_API_ROOT: telegram.apiRoot } })
  await store({ SMTP_URL: 'smtp://localhost', MAIL_FROM: 'before@shop.example.net' })
  await watchVariables(shop.services, stopper)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await stopper.stop(shop.services.log)
  await shop.close()
  await telegram.close()
})

const store = (values: Record<string, string | null>) =>
  transaction(shop.database.db, (tx) =>
    storeVariables(tx, shop.services.secrets, { values, by: 'owner', reason: 'a test' }, shop.clock.now),
  )
const sender = () => shop.services.settings.mail.from.address

it('a change between reading the settings and listening is applied', () => {
  expect(sender()).toBe('before@shop.example.net')
})

it('a change while the connection was lost is applied once it is back', async () => {
  const { db } = shop.database
  const pids = await db
    .selectFrom('pg_stat_activity' as never)
    .select('pid' as never)
    .where('application_name' as never, '=', 'turnpike listen' as never)
    // Other files use the same server.
    .where('datname' as never, '=', sql`current_database()` as never)
    .execute()
  // Both in one statement: nothing listens when the change is announced.
  await transaction(db, async (tx) => {
    await storeVariables(
      tx,
      shop.services.secrets,
      { values: { MAIL_FROM: 'gap@shop.example.net' }, by: 'owner', reason: 'a test' },
      shop.clock.now,
    )
    await tx
      .selectNoFrom((build) =>
        build.fn<boolean>('pg_terminate_backend', [build.val((pids[0] as { pid: number }).pid)]).as('ended'),
      )
      .execute()
  })
  await expect.poll(sender, { timeout: 20_000 }).toBe('gap@shop.example.net')
})

it('functions that capture settings are built anew with each change, and callers keep their object', async () => {
  const build = () => {
    const { address } = shop.services.settings.mail.from
    return { sender: () => address }
  }
  const now = renewed(shop.services, build)
  const later = await renewedLater(shop.services, async () => build())
  const from = { SMTP_URL: 'smtp://localhost', MAIL_FROM: 'first@shop.example.net' }
  await store(from)
  await expect.poll(() => now.sender()).toBe(from.MAIL_FROM)
  await expect.poll(() => later.sender()).toBe(from.MAIL_FROM)
  await store({ MAIL_FROM: 'second@shop.example.net' })
  await expect.poll(() => later.sender()).toBe('second@shop.example.net')
  await store({ SMTP_URL: null, MAIL_FROM: null })
  await expect.poll(() => now.sender()).toBe('no-reply@localhost')
})

it('a failed rebuild is retried, and a failed renewal stops no other one', async () => {
  const renewals = new Renewals()
  let fails = false
  const built = await renewedLater({ renewals }, async () => {
    if (fails) throw new Error('the database is away')
    const { version } = renewals
    return { version: async () => version }
  })
  const ran: string[] = []
  renewals.add(() => Promise.reject(new Error('the first fails')))
  renewals.add(() => void ran.push('the second'))
  fails = true
  await expect(renewals.run(async () => true)).rejects.toThrow('the first fails')
  expect(ran).toEqual(['the second'])
  await expect(built.version()).rejects.toThrow('away')
  fails = false
  expect(await built.version()).toBe(1)
})

it('an invalid change leaves the settings unchanged, and the next valid one is applied', async () => {
  const { settings } = shop.services
  await store({ TELEGRAM_BOT_TOKEN: 'no token', TELEGRAM_BOT_NAME: 'shop_bot' })
  await store({ TELEGRAM_BOT_TOKEN: `1:${'a'.repeat(35)}` })
  await expect.poll(() => settings.telegram.botName).toBe('shop_bot')
  expect(settings.telegram.token).toBe(`1:${'a'.repeat(35)}`)
  await store({ TELEGRAM_BOT_TOKEN: null, TELEGRAM_BOT_NAME: null })
  await expect.poll(() => settings.telegram.token).toBeNull()
})

it('a web server answers updates with the current bot, and stars at their current price', async () => {
  const desk = telegramDesk(shop.services)
  const update = (id: number) => ({
    update_id: id,
    message: {
      message_id: id,
      date: 1,
      chat: { id: 77, type: 'private', first_name: 'Ann' },
      from: { id: 77, is_bot: false, first_name: 'Ann', language_code: 'en' },
      text: '/start',
    },
  })
  expect(desk()).toBeNull()
  await store({
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_BOT_NAME: telegram.botName,
    TELEGRAM_WEBHOOK_SECRET: 'a-secret-of-the-webhook',
    STARS_PER_USD: '50',
  })
  await expect.poll(() => shop.services.settings.telegram.token).toBe(telegram.token)
  await desk()?.receive(update(1))
  expect(telegram.calls.map(({ method }) => method)).toContain('sendMessage')
  expect(purchaseDeps(shop.services).methods.find('stars')).not.toBeNull()
})

it('the bot is started again with another token; one that Telegram refuses stops no process', async () => {
  const { settings, log } = shop.services
  const took = (token: string) => expect.poll(() => settings.telegram.token).toBe(token)
  const begun = () => telegram.calls.filter(({ method }) => method === 'deleteWebhook').length
  // The bot polls: Telegram delivers nothing to an address without https.
  await store({ TELEGRAM_WEBHOOK_SECRET: null })
  await expect.poll(() => settings.telegram.webhookSecret).toBeNull()
  const first = new Stopper()
  expect(await keepBot(shop.services, first)).toContain(telegram.botName)
  await expect.poll(begun).toBe(1)
  const refused = `1:${'b'.repeat(35)}`
  await store({ TELEGRAM_BOT_TOKEN: refused })
  await took(refused)
  await first.stop(log)

  // As after a restart of the process: its settings hold the refused token.
  const second = new Stopper()
  expect(await keepBot(shop.services, second)).toBeNull()
  await store({ TELEGRAM_BOT_TOKEN: telegram.token })
  await expect.poll(begun).toBe(2)
  await second.stop(log)
})
