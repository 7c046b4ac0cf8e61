/** The bot of a test's shop, connected to a fake Telegram. */
import type { TelegramBot } from '#bot'
import { botOf } from '../src/main/bot.ts'
import { purchaseDeps, type Services } from '../src/main/services.ts'
import { readPayments } from '../src/main/settings/settings.payments.ts'
import type { TelegramDesk } from '#http'
import { secretsOf } from '#lib/secret'
import { processors } from '#payments/adapters'
import type { PurchaseDeps } from '#purchase'
import { type App, app, type Customer, testSecretKey } from './app.ts'
import { type FakeTelegram, fakeTelegram, type TelegramPerson } from './telegram.ts'

export interface BotOptions {
  publicUrl?: URL
  now?: () => Date
}

export function testBot(services: Services, telegram: FakeTelegram, options: BotOptions = {}): TelegramBot {
  const { publicUrl = services.settings.publicUrl, now } = options
  const { token, apiRoot, botName } = telegram
  const settings = {
    ...services.settings,
    publicUrl,
    telegram: { token, apiRoot, botName, webhookSecret: null },
  }
  return botOf({ ...services, settings }, token, now)
}

export interface BotShop {
  shop: App
  telegram: FakeTelegram
  /** The dependencies of `purchase`. */
  deps: () => PurchaseDeps
  /** A customer of the site who has linked their Telegram in English: two texts were shown. */
  linked: () => Promise<{ customer: Customer; person: TelegramPerson }>
  close: () => Promise<void>
}

/** A shop whose bot is brought its updates, at an address that Telegram accepts in buttons. */
export async function botShop({ starsPerUsd = null as bigint | null } = {}): Promise<BotShop> {
  const telegram = await fakeTelegram()
  const { token, apiRoot, botName } = telegram
  const publicUrl = new URL('https://shop.example.net')
  const secret = 'a-secret-of-the-webhook'
  const stars = starsPerUsd === null ? null : { token, apiRoot, perUsdMicros: starsPerUsd }
  let bot: TelegramBot | undefined
  const shop = await app({
    env: { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: apiRoot, TELEGRAM_BOT_NAME: botName },
    methods: processors(
      { ...readPayments({}, { token, apiRoot }), stars },
      { publicUrl, secrets: secretsOf(testSecretKey) },
    ),
    telegram: (services, now): TelegramDesk => {
      bot = testBot(services, telegram, { publicUrl, now })
      return { secret, receive: (update) => bot?.handle(update) ?? Promise.resolve() }
    },
  })
  await bot?.setWebhook(new URL('/api/telegram/webhook', shop.origin), secret)
  return {
    shop,
    telegram,
    deps: () => purchaseDeps(shop.services),
    linked: async () => {
      const customer = await shop.customer()
      const [profile] = await customer.call('legacy_profile', {})
      const person = telegram.person({ language_code: 'en' })
      person.say(`/start link_${profile?.tgcode ?? ''}`)
      await person.hears(1)
      person.press('Link')
      await person.hears(2)
      await customer.call('change_language', { code: 'eng' })
      return { customer, person }
    },
    close: async () => {
      await telegram.quiet()
      await shop.close()
      await telegram.close()
    },
  }
}
