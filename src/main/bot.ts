/** The Telegram bot as a process part. */
import { type BotCalls, createBot, loggable, RefusedByTelegram, type TelegramBot } from '#bot'
import type { Name } from '#contract/wire'
import type { Handler, Handlers } from '#db/call'
import { type Admission, type TelegramDesk, telegramWebhookPath } from '#http'
import { handlersOf, type Services } from './services.ts'
import { starsDesk } from './stars.ts'
import { SettingFault } from './settings/settings.ts'
import type { Stopper } from './process/stop.ts'

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
    calls: botCalls(handlersOf(services), services.admission),
    publicUrl: settings.publicUrl,
    telegram: { token, apiRoot: settings.telegram.apiRoot },
    stars: starsDesk(services, now),
    log,
    now,
  })
}

/** A call costs its customer the same in the bot as it does over HTTP, and waits in the same queue. */
function botCalls(handlers: Partial<Handlers>, admission: Admission): BotCalls {
  const built = <N extends Name>(name: N): NonNullable<Partial<Handlers>[N]> => {
    const handler = handlers[name]
    if (handler === undefined) throw new Error(`the bot needs the call ${name}`)
    const call = handler as unknown as Handler<N>
    return ((input, context) =>
      admission.run(name, input, context, () => call(input, context))) as Handler<N> as NonNullable<
      Partial<Handlers>[N]
    >
  }
  return {
    legacy_profile: built('legacy_profile'),
    legacy_referal_info: built('legacy_referal_info'),
    prices: built('prices'),
    proxy_countries: built('proxy_countries'),
    get_proxy: built('get_proxy'),
    change_language: built('change_language'),
    receipt_email: built('receipt_email'),
    set_receipt_email: built('set_receipt_email'),
    payment_systems: built('payment_systems'),
    create_invoice_web: built('create_invoice_web'),
    invoices: built('invoices'),
    invoice: built('invoice'),
    invoice_documents: built('invoice_documents'),
    invoice_document: built('invoice_document'),
    get_whitelist_entries: built('get_whitelist_entries'),
    add_ip_to_whitelist: built('add_ip_to_whitelist'),
    remove_ip_from_whitelist: built('remove_ip_from_whitelist'),
    get_pool_limits: built('get_pool_limits'),
    set_pool_limits: built('set_pool_limits'),
    get_proxy_users: built('get_proxy_users'),
    create_proxy_user: built('create_proxy_user'),
    change_proxy_user: built('change_proxy_user'),
    freeze_proxy_user: built('freeze_proxy_user'),
    renew_proxy_user_password: built('renew_proxy_user_password'),
    delete_proxy_user: built('delete_proxy_user'),
    proxy_user_usage: built('proxy_user_usage'),
    get_usage: built('get_usage'),
    site: built('site'),
    sign_up_documents: built('sign_up_documents'),
  }
}

/**
 * Receives the bot's updates in every web server; null when there is no bot, or when it polls for updates.
 */
export function telegramDesk(services: Services): TelegramDesk | null {
  const { token, webhookSecret } = services.settings.telegram
  if (token === null || webhookSecret === null) return null
  const bot = botOf(services, token)
  return { secret: webhookSecret, receive: (update) => bot.handle(update) }
}

/** The webhook is set periodically, because another program that polls with the same token removes it. */
const keepWebhookEveryMs = 10 * 60_000

/**
 * Starts the bot and returns a sentence about it. A refusal by Telegram stops the start. When Telegram cannot
 * be reached, the shop starts without it, and the bot keeps trying.
 */
export async function startBot(services: Services, stopper: Stopper): Promise<string> {
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
