/** The messages that the bot sends on its own, as background jobs. */
import { Api, InlineKeyboard } from 'grammy'
import type { TaskList } from 'graphile-worker'
import {
  ownerInTelegram,
  type SecurityNotice,
  securityNoticeTask,
  type SignInNotice,
  signInNoticeTask,
  whoIsTold,
} from '#accounts/telegram'
import { type AlertMessageJob, alertMessageTask, type TellDeps } from '#staff-alerts'
import { momentIn } from '#contract/amounts'
import { type Language, languageOfCode } from '#contract/language'
import { type Letters, moveWords, payoutWords, securityWords } from '#mail'
import { noticeSettings, type TelegramNotice, telegramNoticeTask } from '#customer-notices'
import { type MoveNotice, moveNoticeTask } from '#purchase/moves'
import { type PayoutNotice, payoutNoticeTask } from '#referral'
import { type AddressTaken, addressTakenTask } from '#whitelist'
import { isFromTelegram, isHarmless, loggable, patient } from './base/api.ts'
import type { BotDeps } from './base/deps.ts'
import { sendToGroup } from './base/staff.group.ts'
import type { Screen } from './base/screens.ts'
import { noticeMessage } from './notice.message.ts'
import { accountName, escapeHtml, texts } from './base/texts.ts'

/** The tasks of this slice for graphile-worker; without a bot there are no messages to send. */
export function botJobs(
  { database, tell, publicUrl }: Pick<BotDeps, 'database' | 'publicUrl'> & { tell: TellDeps },
  telegram: BotDeps['telegram'] | null,
): TaskList {
  const { db, clock } = database
  return {
    [alertMessageTask]: async (payload, { job }) => {
      if (telegram === null) return
      const { message_id: id } = payload as AlertMessageJob
      const sending = { db, api: apiOf(telegram), tell, now: () => clock.now() }
      await sendToGroup(sending, { id, isLast: job.attempts >= job.max_attempts })
    },
    [signInNoticeTask]: async (payload) => {
      if (telegram === null) return
      const { account_id, ip, at } = payload as SignInNotice
      // Checked again: the person may have unlinked, or turned the messages off, in the meantime.
      const person = await whoIsTold(db, BigInt(account_id))
      if (person === null) return
      const language = languageOfCode(person.lang)
      const words = texts[language]
      const name = accountName(words, { id: BigInt(account_id), username: person.username })
      const facts = { name, when: momentIn(at, language), ip: escapeHtml(ip) }
      await send(telegram, person.telegramUserId, {
        text: words.signedIn(facts),
        keyboard: new InlineKeyboard().text(words.button.noticesOff, 'notices:off'),
      })
    },
    [securityNoticeTask]: async (payload) => {
      if (telegram === null) return
      const { account_id, event, ip, at } = payload as SecurityNotice
      const owner = await ownerInTelegram(db, BigInt(account_id))
      if (owner === null) return
      const language = languageOfCode(owner.lang)
      const [heading, sentence] = securityWords(event, language)
      const facts = {
        heading,
        sentence,
        name: accountName(texts[language], { id: BigInt(account_id), username: owner.username }),
        when: momentIn(at, language),
        ip: ip === null ? null : escapeHtml(ip),
      }
      await send(telegram, owner.telegramUserId, { text: texts[language].securityChanged(facts) })
    },
    [moveNoticeTask]: (payload) => tellOfMove(db, telegram, payload as MoveNotice),
    [payoutNoticeTask]: (payload) => tellOfPayout(db, telegram, payload as PayoutNotice),
    [addressTakenTask]: async (payload) => {
      if (telegram === null) return
      const { account_id, pool, address } = payload as AddressTaken
      const owner = await ownerInTelegram(db, BigInt(account_id))
      if (owner === null) return
      const words = texts[languageOfCode(owner.lang)]
      const facts = { pool: words.pools[pool], address: escapeHtml(address) }
      await send(telegram, owner.telegramUserId, { text: words.addressTaken(facts) })
    },
    [telegramNoticeTask]: async (payload) => {
      if (telegram === null) return
      const notice = payload as TelegramNotice
      const accountId = BigInt(notice.account_id)
      // Checked again: the customer may have switched it off, or unlinked, in the meantime.
      const owner = await ownerInTelegram(db, accountId)
      const { choices } = await noticeSettings(db, accountId)
      if (owner === null || !choices[notice.kind].telegram) return
      const language = languageOfCode(owner.lang)
      const looks = { words: texts[language], language, publicUrl, now: clock.now() }
      await send(telegram, owner.telegramUserId, noticeMessage(looks, notice))
    },
  }
}

async function tellOfMove(
  db: BotDeps['database']['db'],
  telegram: BotDeps['telegram'] | null,
  { account_id, ...move }: MoveNotice,
): Promise<void> {
  const owner = telegram === null ? null : await ownerInTelegram(db, BigInt(account_id))
  if (telegram === null || owner === null) return
  await send(telegram, owner.telegramUserId, { text: moveMessage(move, languageOfCode(owner.lang)) })
}

async function tellOfPayout(
  db: BotDeps['database']['db'],
  telegram: BotDeps['telegram'] | null,
  { account_id, ...payout }: PayoutNotice,
): Promise<void> {
  const owner = telegram === null ? null : await ownerInTelegram(db, BigInt(account_id))
  if (telegram === null || owner === null) return
  await send(telegram, owner.telegramUserId, { text: payoutMessage(payout, languageOfCode(owner.lang)) })
}

/** The message about a payout. */
function payoutMessage(payout: Letters['payout'], language: Language): string {
  const { heading, sentence, sum, where } = payoutWords(payout, language)
  const details = [payout.reference, payout.reason].filter((one) => one !== null)
  const more = details.map((one) => `\n${escapeHtml(one)}`).join('')
  return `<b>${heading}</b>\n\n${sentence}\n\n<b>${sum}</b> · ${escapeHtml(where)}${more}`
}

/** The message about moved gigabytes. */
function moveMessage(move: Letters['traffic_moved'], language: Language): string {
  const { heading, sentence, moved, who } = moveWords(move, language)
  const other = who === null ? '' : `\n<b>${escapeHtml(who)}</b>`
  return `<b>${heading}</b>\n\n${sentence}\n\n${moved}${other}`
}

function apiOf({ token, apiRoot }: BotDeps['telegram']): Api {
  const api = new Api(token, { apiRoot })
  api.config.use(patient)
  return api
}

async function send(
  telegram: BotDeps['telegram'],
  chatId: bigint,
  { text, keyboard }: Screen,
): Promise<void> {
  const api = apiOf(telegram)
  try {
    await api.sendMessage(Number(chatId), text, {
      parse_mode: 'HTML',
      ...(keyboard === undefined ? {} : { reply_markup: keyboard }),
    })
  } catch (error) {
    // A person who has blocked the bot is skipped; other failures may be temporary, and the job is retried.
    if (isHarmless(error)) return
    // The message of Telegram's errors contains the address, and with it the token.
    throw isFromTelegram(error) ? new Error(JSON.stringify(loggable(error))) : error
  }
}
