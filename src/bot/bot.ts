/**
 * The Telegram bot, which uses the same calls as the site. Updates are requested by one process of many
 * (`poll`), or delivered by Telegram to any of them (`handle`); each is handled once.
 */
import { type Api, Bot, type Context } from 'grammy'
import type { Update, User } from 'grammy/types'
import { sql } from 'kysely'
import { sentence } from '#contract/refusals'
import { Refusal } from '#lib/refusal'
import { acknowledge, inSafeWords, isFromTelegram, isHarmless, loggable, patient } from './base/api.ts'
import { conversation } from './conversation.ts'
import type { BotDeps } from './base/deps.ts'
import { Gate } from './gate.ts'
import { allowedUpdates, poll } from './polling.ts'
import { commandNames, escapeHtml, texts } from './base/texts.ts'
import { once } from './updates.ts'
import { answerCheckout, isPaid, type PaidMessage, settlePayment, thank } from './stars/payment.ts'
import { answerCustomer, isReplyTo } from './support/support.ts'
import { groupCode, takeGroupCode } from './base/staff.group.ts'
import { langOf, senderOf, speakTo } from './base/visit.ts'

export { forgetOldUpdates } from './updates.ts'
export { loggable, RefusedByTelegram } from './base/api.ts'
export { botJobs } from './jobs.ts'
export type { BotCalls, BotDeps } from './base/deps.ts'

export interface TelegramBot {
  /** Requests the bot's name from Telegram. Throws `RefusedByTelegram`, or the error of the connection. */
  connect: () => Promise<{ username: string }>
  /** Handles an update that Telegram delivered; when it throws, Telegram must deliver it again. */
  handle: (update: Update) => Promise<void>
  /** Requests updates until `signal` aborts; of many processes that call this, one does so at a time. */
  poll: (signal: AbortSignal) => Promise<void>
  /** Sets the webhook to `url`, with `secret` (not empty) in a header. Throws as `connect` does. */
  setWebhook: (url: URL, secret: string) => Promise<void>
}

/** Messages and buttons of one chat within a minute. */
const perMinute = 20
/** Concurrent updates: each holds a connection of the database's pool, and uses another. */
const atOnce = 3

export function createBot(deps: BotDeps): TelegramBot {
  const { token, apiRoot } = deps.telegram
  const bot = new Bot(token, { client: { apiRoot, timeoutSeconds: 40 } })
  bot.api.config.use(patient)
  bot.use((ctx, next) => explaining(deps, ctx, next))
  bot.use(conversation(deps))
  const botId = BigInt(token.split(':')[0] ?? '')
  const gate = new Gate(atOnce)

  const connect = async () => {
    if (!bot.isInited()) bot.botInfo = await bot.api.getMe().catch(inSafeWords)
    return { username: bot.botInfo.username }
  }
  const handle = async (update: Update) => {
    if (update.pre_checkout_query !== undefined)
      return answerCheckout(deps, bot.api, update.pre_checkout_query).catch(noteLoss(deps))
    if (isPaid(update.message))
      return takePayment(deps, { bot, botId, gate, connect }, update.update_id, update.message)
    const from = privateSender(update)
    if (from === null) return hearGroup(deps, { bot, botId, gate, connect }, update)
    await connect()
    const arrived = { botId, updateId: update.update_id, chatId: from.id, at: deps.now() }
    await gate.pass(from.id, () =>
      once(deps.database.db, arrived, async (recent) => {
        if (recent <= perMinute) await bot.handleUpdate(update)
        // Answered once: more answers would multiply the load.
        else if (recent === perMinute + 1) await slowDown(from)
      }),
    )
  }
  const slowDown = async ({ id, language_code }: User) => {
    const language = await speakTo(deps, { id: BigInt(id), lang: langOf(language_code) })
    await bot.api.sendMessage(id, texts[language].tooFast).catch(noteLoss(deps))
  }
  return {
    connect,
    handle,
    poll: (signal) =>
      poll({
        pool: deps.database.pool,
        botId,
        api: bot.api,
        prepare: async () => {
          await connect()
          await nameCommands(bot.api)
          await bot.api.deleteWebhook()
        },
        handle,
        log: deps.log,
        signal,
      }),
    setWebhook: async (url, secret) => {
      // Without a secret any sender could act in any customer's name.
      if (secret === '') throw new RangeError('a webhook without a secret is refused')
      await nameCommands(bot.api)
      const settings = { secret_token: secret, allowed_updates: allowedUpdates, max_connections: 10 }
      await bot.api.setWebhook(url.href, settings).catch(inSafeWords)
    },
  }
}

async function nameCommands(api: Api): Promise<void> {
  for (const language of ['en', 'ru'] as const) {
    const commands = commandNames.map((command) => ({
      command,
      description: texts[language].commands[command],
    }))
    // Commands without a language apply to all languages without their own.
    await api.setMyCommands(commands, language === 'en' ? {} : { language_code: language })
  }
}

/** Settled before anything else, and outside the limit of messages: the money is Telegram's already. */
function takePayment(
  deps: BotDeps,
  { bot, botId, gate }: Hearing,
  updateId: number,
  message: PaidMessage,
): Promise<void> {
  const chatId = message.from?.id ?? message.chat.id
  return gate.pass(chatId, async () => {
    const said = await settlePayment(deps, message)
    await once(deps.database.db, { botId, updateId, chatId, at: deps.now() }, async () => {
      if (said !== null) await thank(deps, bot.api, chatId, said.text).catch(noteLoss(deps))
    })
  })
}

interface Hearing {
  bot: Bot
  botId: bigint
  gate: Gate
  connect: TelegramBot['connect']
}

/**
 * Handles messages in groups: the command that links the group of the staff, and in that group the replies to
 * the bot's messages.
 */
async function hearGroup(
  deps: BotDeps,
  { bot, botId, gate, connect }: Hearing,
  { update_id: updateId, message }: Update,
): Promise<void> {
  if (message !== undefined && isReplyTo(message, botId)) {
    const { id: chatId } = message.chat
    await gate.pass(chatId, () =>
      once(deps.database.db, { botId, updateId, chatId, at: deps.now() }, () =>
        answerCustomer(deps, bot.api, message).catch(noteLoss(deps)),
      ),
    )
    return
  }
  if (message === undefined || !(message.text ?? '').startsWith('/staff')) return
  const code = groupCode(message, (await connect()).username)
  if (code === null) return
  const { db } = deps.database
  const now = deps.now()
  const given = { message, code, requestId: `telegram ${updateId}` }
  await gate.pass(message.chat.id, () =>
    once(db, { botId, updateId, chatId: message.chat.id, at: now }, async (recent) => {
      if (recent <= perMinute) await takeGroupCode(db, bot.api, given, now).catch(noteLoss(deps))
    }),
  )
}

/**
 * The person who wrote or pressed a button in a private chat; null for everything else.
 */
function privateSender(update: Update) {
  const chat = update.message?.chat ?? update.callback_query?.message?.chat
  const from = update.message?.from ?? update.callback_query?.from
  return chat?.type === 'private' && from !== undefined ? from : null
}

/**
 * Turns a refusal in a conversation into a message. When this throws, the update has to be handled again
 * later.
 */
async function explaining(deps: BotDeps, ctx: Context, next: () => Promise<void>): Promise<void> {
  try {
    await next()
  } catch (error) {
    if (isFromTelegram(error)) return noteLoss(deps)(error)
    // Fails when the database is unreachable: the update waits until it is back.
    await sql`select`.execute(deps.database.db)
    const language = await speakTo(deps, senderOf(ctx))
    if (!(error instanceof Refusal)) deps.log.error({ err: error }, 'the bot could not answer')
    const text =
      error instanceof Refusal ? sentence(error.code, language, error.details) : texts[language].failed
    await tell(ctx, text).catch(noteLoss(deps))
  }
}

async function tell(ctx: Context, text: string): Promise<void> {
  if (ctx.callbackQuery !== undefined) await acknowledge(ctx)
  await ctx.reply(escapeHtml(text), { parse_mode: 'HTML' })
}

/**
 * Logs an answer that did not reach the person: their data is consistent, and they may repeat the request.
 */
const noteLoss = (deps: BotDeps) => (error: unknown) => {
  if (!isFromTelegram(error)) throw error
  if (isHarmless(error)) return
  deps.log.warn(loggable(error), 'Telegram did not accept an answer')
}
