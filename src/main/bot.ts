/** The Telegram bot as a process part. */
import { isDeepStrictEqual } from 'node:util'
import { type BotCalls, createBot, loggable, RefusedByTelegram, type TelegramBot } from '#bot'
import { type Name, wire } from '#contract/wire'
import type { Context, Handlers } from '#db/call'
import { type TelegramDesk, telegramWebhookPath } from '#http'
import type { Admission } from '#http/admission'
import { handlersOf } from './handlers.ts'
import { renewed, renewedValue } from './renewal.ts'
import type { Services } from './services.ts'
import { starsDesk } from './stars.ts'
import { pinnedGroups } from './settings/settings.changeable.ts'
import { sourceInUse } from './settings/settings.source.ts'
import { SettingFault } from './settings/settings.ts'
import { Stopper } from './process/stop.ts'

/** The Telegram bot, when one is configured. */
export function botOf(
  services: Services,
  token: string,
  now = () => services.database.clock.now(),
): TelegramBot {
  const { settings, database, secrets, log } = services
  return createBot({
    database,
    secrets,
    calls: renewed(services, () => admitted(handlersOf(services), services.admission)),
    publicUrl: settings.publicUrl,
    telegram: { token, apiRoot: settings.telegram.apiRoot },
    get stars() {
      return starsDesk(services, now)
    },
    log,
    now,
  })
}

/** The calls with the same cost, pace and queue as over HTTP, because the bot causes the same work. */
function admitted(handlers: Handlers, admission: Admission): BotCalls {
  return Object.fromEntries(
    (Object.keys(wire) as Name[]).map((name) => {
      const call = handlers[name] as (input: unknown, context: Context) => Promise<unknown>
      const run = (input: unknown, context: Context) =>
        admission.run(wire[name], input, context, async () => {
          const output = await call(input, context)
          return output instanceof Buffer ? output.toString() : output
        })
      return [name, run]
    }),
  ) as unknown as BotCalls
}

/**
 * Receives the bot's updates in every web server, with the current bot; null while there is none, or it polls
 * for updates.
 */
export function telegramDesk(services: Services): () => TelegramDesk | null {
  return renewedValue(services, () => {
    const { token, webhookSecret } = services.settings.telegram
    if (token === null || webhookSecret === null) return null
    const bot = botOf(services, token)
    return { secret: webhookSecret, receive: (update) => bot.handle(update) }
  })
}

/** The webhook is set periodically, because another program that polls with the same token removes it. */
const keepWebhookEveryMs = 10 * 60_000

/**
 * Starts the bot and returns a sentence about it. A refusal by Telegram stops the start. When Telegram cannot
 * be reached, the shop starts without it, and the bot keeps trying.
 */
async function startBot(services: Services, stopper: Stopper): Promise<string> {
  const { settings, log } = services
  const { token, webhookSecret, botName } = settings.telegram
  if (token === null) throw new SettingFault('TELEGRAM_BOT_TOKEN is missing: BotFather gives it.')
  const bot = botOf(services, token)
  const connected = await ifReached(services, () => bot.connect(), 'TELEGRAM_BOT_TOKEN')
  const username = connected?.username ?? null
  if (username !== null && botName !== null && botName.toLowerCase() !== username.toLowerCase())
    throw new SettingFault(`TELEGRAM_BOT_NAME is ${botName}, but the token is that of ${username}.`)
  if (username !== null && botName === null)
    log.warn(
      { bot: username },
      `links to the bot are missing from the site: set TELEGRAM_BOT_NAME=${username}`,
    )
  const name = username === null ? 'The Telegram bot' : `The Telegram bot @${username}`
  if (webhookSecret !== null) {
    const url = new URL(telegramWebhookPath, settings.publicUrl)
    await keepWebhook(services, stopper, () => bot.setWebhook(url, webhookSecret))
    return `${name} is brought its updates at ${url.href}, by any web server.`
  }
  const stop = new AbortController()
  const polling = bot.poll(stop.signal)
  stopper.add('the bot', () => {
    stop.abort()
    return polling
  })
  return `${name} is running.`
}

/**
 * Starts the bot when there is one, and another one whenever staff change it. Returns a sentence about the
 * first; null: there is none yet. A bot that Telegram refuses stops the start only when the environment names
 * it: staff can correct it at the desk, which must run for that.
 */
export async function keepBot(services: Services, stopper: Stopper): Promise<string | null> {
  const { settings, log, renewals } = services
  let running = { telegram: settings.telegram, stopper: new Stopper() }
  let isOver = false
  stopper.add('the bot', () => {
    isOver = true
    return running.stopper.stop(log)
  })
  const begin = async (): Promise<string | null> => {
    if (running.telegram.token === null) return null
    if (pinnedGroups(sourceInUse().env).includes('bot')) return startBot(services, running.stopper)
    try {
      return await startBot(services, running.stopper)
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error
      log.error(`the bot that staff have set does not run: ${error.message}`)
      return null
    }
  }
  renewals.add(async () => {
    const { telegram } = settings
    if (isOver || isDeepStrictEqual(telegram, running.telegram)) return
    await running.stopper.stop(log)
    running = { telegram, stopper: new Stopper() }
    const sentence = await begin()
    if (sentence !== null) log.info(sentence)
  })
  return begin()
}

/** Sets the webhook now and periodically. */
async function keepWebhook(services: Services, stopper: Stopper, set: () => Promise<void>): Promise<void> {
  const timer = setInterval(() => {
    set().catch((error: unknown) =>
      services.log.warn(loggable(error), 'the Telegram webhook could not be set'),
    )
  }, keepWebhookEveryMs)
  stopper.add('the webhook', async () => clearInterval(timer))
  await ifReached(services, set, 'the webhook')
}

/** Null when Telegram cannot be reached. */
async function ifReached<T>({ log }: Services, ask: () => Promise<T>, subject: string): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof RefusedByTelegram)
      throw new SettingFault(`Telegram refuses ${subject}: ${error.message}.`)
    log.warn(loggable(error), 'Telegram cannot be reached; the bot keeps trying')
    return null
  }
}
