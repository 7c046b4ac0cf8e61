/**
 * The group of the staff. A command with a code links it; it gets messages about the shop, sorted by topics
 * if the group has them.
 */
import { type Api, GrammyError, InlineKeyboard } from 'grammy'
import type { Message } from 'grammy/types'
import type { Kysely } from 'kysely'
import {
  buttonText,
  type Group,
  groupState,
  linkGroup,
  mailInstead,
  noteMoved,
  noteSent,
  noteTopic,
  noteWithoutTopics,
  type OutMessage,
  queueSending,
  readAlertSettings,
  type TellDeps,
  topicThread,
  waitingMessage,
  wordsOf,
} from '#staff-alerts'
import type { AlertTopic } from '#contract/desk/alerts'
import type { Language } from '#contract/language'
import { type DB, transaction } from '#db'
import { isFromTelegram, loggable } from './api.ts'
import { takesButtons } from './screens.ts'
import { escapeHtml } from './texts.ts'

const topicNames: Record<AlertTopic, Record<Language, string>> = {
  payments: { ru: 'Платежи', en: 'Payments' },
  network: { ru: 'Сеть', en: 'Network' },
  machine: { ru: 'Серверы', en: 'Machines' },
  customers: { ru: 'Клиенты', en: 'Customers' },
}

const wrongCode = {
  ru: 'Код не подходит: он действует 10 минут и один раз. Новый код — на рабочем столе, «Настройки», «Уведомления».',
  en: 'The code is not valid: it works once, within 10 minutes. Get a new one in the desk, under Settings, Notices.',
}

/** The code of a `/staff` command to this bot in a group; null: the message is another one. */
export function groupCode(message: Message | undefined, botName: string): string | null {
  const type = message?.chat.type
  if (type !== 'group' && type !== 'supergroup') return null
  const [, name, code] = /^\/staff(?:@(\w+))?\s+(\S{1,64})\s*$/.exec(message?.text ?? '') ?? []
  const isForUs = name === undefined || name.toLowerCase() === botName.toLowerCase()
  return code === undefined || !isForUs ? null : code
}

/** Links the group in which a code was sent. Invalid codes are answered, up to a limit. */
export async function takeGroupCode(
  db: Kysely<DB>,
  api: Api,
  { message, code, requestId }: { message: Message; code: string; requestId: string },
  now: Date,
): Promise<void> {
  const { chat, from } = message
  if (from === undefined || (chat.type !== 'group' && chat.type !== 'supergroup')) return
  const name = [from.first_name, from.username === undefined ? '' : `@${from.username}`].join(' ').trim()
  const given = {
    chatId: BigInt(chat.id),
    title: chat.title,
    isForum: chat.is_forum === true,
    from: { id: BigInt(from.id), name },
    code,
    requestId,
  }
  if ((await linkGroup(db, given, now)) !== 'wrong') return
  const { language } = await readAlertSettings(db)
  const thread = message.is_topic_message === true ? message.message_thread_id : undefined
  await api.sendMessage(
    chat.id,
    wrongCode[language],
    thread === undefined ? {} : { message_thread_id: thread },
  )
}

interface Sending {
  db: Kysely<DB>
  api: Api
  tell: TellDeps
  now: () => Date
}

/**
 * Sends a message of the outbox. If Telegram refuses it permanently, or on the last attempt, it is mailed
 * instead; after "too many requests" it is sent at the time that Telegram states.
 */
export async function sendToGroup(
  sending: Sending,
  { id, isLast }: { id: string; isLast: boolean },
): Promise<void> {
  const { db, tell, now } = sending
  const message = await waitingMessage(db, id)
  if (message === null) return
  const group = await groupState(db)
  const instead = (reason: string, isBroken: boolean) =>
    transaction(db, (tx) =>
      mailInstead(tx, tell, { message, chatId: group?.chatId ?? 0n, reason, isBroken }, now()),
    )
  if (group === null || group.brokenAt !== null)
    return instead('there is no group that takes messages', false)
  try {
    await deliver(sending, group, message)
  } catch (error) {
    if (!isFromTelegram(error)) throw error
    const { error_code: code, description, parameters } = error instanceof GrammyError ? error : noAnswer
    if (parameters.migrate_to_chat_id !== undefined) {
      await noteMoved(db, group.chatId, BigInt(parameters.migrate_to_chat_id))
      return queueSending(db, id)
    }
    if (isLost(code, description)) return instead(description, true)
    if (parameters.retry_after !== undefined)
      return queueSending(db, id, new Date(now().getTime() + 1000 * parameters.retry_after))
    // The message of Telegram's errors contains the address, and with it the token.
    const reason = JSON.stringify(loggable(error))
    if (isLast) return instead(reason, false)
    throw new Error(reason)
  }
  await noteSent(db, id, now())
}

const noAnswer: Pick<GrammyError, 'error_code' | 'description' | 'parameters'> = {
  error_code: 0,
  description: '',
  parameters: {},
}

/** Whether the bot was removed or may not write, or the group no longer exists. */
const isLost = (code: number, description: string) =>
  code === 403 ||
  (code === 400 &&
    /chat not found|chat was deactivated|not enough rights to send|CHAT_WRITE_FORBIDDEN/i.test(description))

async function deliver({ db, api, tell }: Sending, group: Group, { topic, news }: OutMessage): Promise<void> {
  const { language } = await readAlertSettings(db)
  const { title, lines, page } = wordsOf(news, language)
  const url = new URL(page, tell.deskUrl)
  const hasButton = takesButtons(url)
  const text = [
    `<b>${escapeHtml(title)}</b>`,
    ...lines.map(escapeHtml),
    ...(hasButton ? [] : [escapeHtml(url.href)]),
  ]
  const send = (thread: number | null) =>
    api.sendMessage(Number(group.chatId), text.join('\n'), {
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      ...(thread === null ? {} : { message_thread_id: thread }),
      ...(hasButton ? { reply_markup: new InlineKeyboard().url(buttonText(language), url.href) } : {}),
    })
  await inTopic(
    { db, api },
    group,
    topic === null ? null : { key: topic, name: topicNames[topic][language] },
    send,
  )
}

/** A topic of the group, with the key under which it is stored. */
interface Topic {
  key: string
  name: string
}

/**
 * Sends to a topic of the group, which is created if it does not exist; to the general topic when the group
 * has no topics.
 */
export async function inTopic<T>(
  base: Pick<Sending, 'db' | 'api'>,
  group: Group,
  topic: Topic | null,
  send: (thread: number | null) => Promise<T>,
): Promise<T> {
  const thread = topic === null ? null : await threadOf(base, group, topic)
  try {
    return await send(thread)
  } catch (error) {
    if (topic === null || thread === null || !isThreadGone(error)) throw error
    await noteTopic(base.db, { chatId: group.chatId, topic: topic.key }, null)
    return send(await threadOf(base, group, topic))
  }
}

const isThreadGone = (error: unknown) =>
  error instanceof GrammyError && /thread not found|TOPIC_DELETED|TOPIC_CLOSED/i.test(error.description)

/** The topic, created if it does not exist; null: the group has no topics, or the bot may not create any. */
async function threadOf(
  { db, api }: Pick<Sending, 'db' | 'api'>,
  group: Group,
  { key, name }: Topic,
): Promise<number | null> {
  if (!group.isForum) return null
  const known = await topicThread(db, key)
  if (known !== null) return known
  try {
    const made = await api.createForumTopic(Number(group.chatId), name)
    await noteTopic(db, { chatId: group.chatId, topic: key }, made.message_thread_id)
    return made.message_thread_id
  } catch (error) {
    if (!(error instanceof GrammyError) || error.error_code !== 400) throw error
    // Without the right to create topics the next message tries again, since the right may be granted later.
    if (/not a forum/i.test(error.description)) await noteWithoutTopics(db, group.chatId)
    return null
  }
}
