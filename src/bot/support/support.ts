/**
 * Support in the chat: a customer's message goes to a topic of the group of the staff, and a reply to it
 * there goes back. Without a group the bot names the shop's contact.
 */
import { type Api, InlineKeyboard } from 'grammy'
import type { Message } from 'grammy/types'
import { telegramAccount } from '#accounts/telegram'
import { type Group, groupState, readAlertSettings } from '#staff-alerts'
import { languageOfCode } from '#contract/language'
import { isFromTelegram, loggable } from '../base/api.ts'
import type { BotDeps } from '../base/deps.ts'
import type { Answer, Asking, Route, AnswerResult } from '../base/route.ts'
import { backToMenu, type Screen } from '../base/screens.ts'
import { inTopic } from '../base/staff.group.ts'
import { accountName, escapeHtml, texts } from '../base/texts.ts'
import { senderOf, type Visit } from '../base/visit.ts'
import { countWritten, keepWriter, writerOf } from './writers.ts'
import { type Picture, pictureOf, sendPicture } from './picture.ts'
import { supportWords } from './words.ts'

/** The maximum number of messages of one person within ten minutes. */
const mostWritten = 5
const writtenMs = 10 * 60_000
/** With a heading before it, a part stays under Telegram's 4096. */
const partLength = 3500
/** With a heading before it, a caption stays under Telegram's 1024. */
const captionLength = 700
/** Telegram sends at most ten pictures together. */
const mostInAlbum = 9

async function openGroup(deps: BotDeps): Promise<Group | null> {
  const group = await groupState(deps.database.db)
  return group === null || group.brokenAt !== null ? null : group
}

/** Asks for the message; without a group, shows the shop's contact. */
export async function supportScreen(
  visit: Visit,
  { deps, ask }: Pick<Asking, 'deps' | 'ask'>,
  about: 'anything' | 'payment',
): Promise<Screen> {
  const { call, words, language } = visit
  const say = supportWords[language]
  const keyboard = backToMenu(words)
  if ((await openGroup(deps)) === null) {
    const { links } = await call('site', {})
    return { text: say.link(links.support === null ? null : escapeHtml(links.support)), keyboard }
  }
  await ask('support')
  return { text: about === 'payment' ? say.askAboutPayment : say.ask, keyboard }
}

export function termsScreen({ words, language }: Visit, publicUrl: URL): Screen {
  const page = (path: string) => escapeHtml(new URL(language === 'en' ? `/en${path}` : path, publicUrl).href)
  const text = supportWords[language].terms({ terms: page('/terms'), privacy: page('/privacy') })
  return { text, keyboard: backToMenu(words) }
}

/** Splits the text into parts of this length, never within a character. */
export function partsOf(text: string, length = partLength): string[] {
  const parts = ['']
  for (const character of text) {
    const last = parts.at(-1) ?? ''
    if (last.length + character.length > length) parts.push(character)
    else parts[parts.length - 1] = last + character
  }
  return parts
}

/** A message from a customer: a text, or a picture with a caption. */
interface SupportMessage {
  text: string
  picture: Picture | null
  /** The number of this message may be at most this: further messages are refused. */
  most: number
}

async function forward(
  visit: Visit,
  { text, picture, most }: SupportMessage,
  { deps, ctx }: Asking,
): Promise<Screen> {
  const { account, words, language } = visit
  const { db } = deps.database
  const say = supportWords[language]
  const keyboard = backToMenu(words)
  const { id } = senderOf(ctx)
  const now = deps.now()
  if ((await countWritten(db, id, new Date(now.getTime() - writtenMs))) >= most)
    return { text: say.tooMany, keyboard }
  const group = await openGroup(deps)
  if (group === null) return { text: say.unsent, keyboard }
  const staff = (await readAlertSettings(db)).language
  const heading = supportWords[staff].from({ name: accountName(texts[staff], account), id: account.id })
  const groupChatId = group.chatId
  const toTopic = async (send: (rest: { message_thread_id?: number }) => Promise<Message>) => {
    const topic = { key: 'support', name: supportWords[staff].topic }
    const sent = await inTopic({ db, api: ctx.api }, group, topic, (thread) =>
      send(thread === null ? {} : { message_thread_id: thread }),
    )
    await keepWriter(db, { groupChatId, messageId: sent.message_id }, id, now)
  }
  // A caption is shorter than a message: a text that does not fit is sent before the picture.
  const fits = picture !== null && text.length <= captionLength
  try {
    for (const part of fits || text === '' ? [] : partsOf(text))
      await toTopic((rest) =>
        ctx.api.sendMessage(Number(groupChatId), `${heading}\n\n${escapeHtml(part)}`, {
          parse_mode: 'HTML',
          link_preview_options: { is_disabled: true },
          ...rest,
        }),
      )
    if (picture !== null) {
      const caption = fits && text !== '' ? `${heading}\n\n${escapeHtml(text)}` : heading
      await toTopic((rest) => sendPicture(ctx.api, Number(groupChatId), picture, { caption, ...rest }))
    }
  } catch (error) {
    if (!isFromTelegram(error)) throw error
    deps.log.warn(loggable(error), 'a message to support did not reach the group')
    return { text: say.unsent, keyboard }
  }
  return { text: say.sent, keyboard }
}

/**
 * Forwards a customer's picture. Each picture of an album is a message of its own; only the first is
 * answered.
 */
async function forwardPicture(
  visit: Visit,
  asking: Asking,
  message: Message,
  isMore: boolean,
): Promise<AnswerResult> {
  const picture = pictureOf(message)
  if (picture === null) return null
  const most = isMore ? mostWritten + mostInAlbum : mostWritten
  const screen = await forward(visit, { text: picture.caption.trim(), picture, most }, asking)
  const isSent = screen.text === supportWords[visit.language].sent
  if (isSent && picture.album !== null) await asking.ask(`support:${picture.album}`)
  return isSent && isMore ? 'silent' : screen
}

/** Whether a message of the staff's group replies to one of the bot's. */
export const isReplyTo = (message: Message, botId: bigint): boolean =>
  (message.text !== undefined || pictureOf(message) !== null) &&
  message.reply_to_message?.from?.id === Number(botId)

/** Sends a reply in the group of the staff to the customer whose message it answers. */
export async function answerCustomer(deps: BotDeps, api: Api, message: Message): Promise<void> {
  const { db } = deps.database
  const group = await groupState(db)
  const picture = pictureOf(message)
  const {
    chat,
    text = picture?.caption ?? '',
    reply_to_message: original,
    message_thread_id: thread,
  } = message
  if (group === null || group.chatId !== BigInt(chat.id) || original === undefined) return
  const writer = await writerOf(db, { groupChatId: group.chatId, messageId: original.message_id })
  if (writer === null) return
  const account = await telegramAccount(db, writer)
  if (account === null) return
  const say = supportWords[languageOfCode(account.lang)]
  const reply_markup = new InlineKeyboard().text(say.reply, 'support')
  const fits = picture !== null && text.length <= captionLength
  try {
    for (const part of fits || text === '' ? [] : partsOf(text))
      await api.sendMessage(Number(writer), `${say.answer}\n\n${escapeHtml(part)}`, {
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
        reply_markup,
      })
    if (picture !== null) {
      const caption = fits && text !== '' ? `${say.answer}\n\n${escapeHtml(text)}` : say.answer
      await sendPicture(api, Number(writer), picture, { caption, reply_markup })
    }
  } catch (error) {
    if (!isFromTelegram(error)) throw error
    const staff = (await readAlertSettings(db)).language
    await api.sendMessage(
      chat.id,
      supportWords[staff].undelivered,
      thread === undefined ? {} : { message_thread_id: thread },
    )
  }
}

export const supportRoutes: readonly Route[] = [
  {
    data: /^support$/,
    evenBlocked: true,
    show: (visit, _, asking) => supportScreen(visit, asking, 'anything'),
  },
]

export const supportAnswers: readonly Answer[] = [
  {
    question: /^support$/,
    evenBlocked: true,
    take: (visit, _, asking) =>
      forward(visit, { text: asking.text, picture: null, most: mostWritten }, asking),
    takeFile: (visit, _, asking) => forwardPicture(visit, asking, asking.message, false),
  },
  {
    // Further pictures of an album whose first picture was forwarded.
    question: /^support:(\w{1,64})$/,
    evenBlocked: true,
    take: () => Promise.resolve('pass'),
    takeFile: (visit, [album], asking) =>
      asking.message.media_group_id === album
        ? forwardPicture(visit, asking, asking.message, true)
        : Promise.resolve('pass'),
  },
]
