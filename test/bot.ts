/** The bot of a test's shop, connected to a fake Telegram. */
import type { TelegramBot } from '#bot'
import { botOf } from '../src/main/bot.ts'
import type { Services } from '../src/main/services.ts'
import type { FakeTelegram } from './telegram.ts'

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
