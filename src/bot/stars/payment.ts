/**
 * Payments in stars, as Telegram reports them: first a query that must be answered within ten seconds, then a
 * message that the money was paid. Neither waits for other updates.
 */
import type { Api } from 'grammy'
import type { Message, PreCheckoutQuery } from 'grammy/types'
import type { BotDeps } from '../base/deps.ts'
import { backToMenu, trafficIn } from '../base/screens.ts'
import { bytesFromWire } from '#contract/traffic'
import { telegramAccount } from '#accounts/telegram'
import { escapeHtml, texts } from '../base/texts.ts'
import { langOf, speakTo, visitOf } from '../base/visit.ts'
import { starsWords } from './words.ts'

/** Answers whether a payment may be made. Nothing is changed, so a repeated query is answered alike. */
export async function answerCheckout(deps: BotDeps, api: Api, query: PreCheckoutQuery): Promise<void> {
  const { id, from, currency, total_amount: total, invoice_payload: payload } = query
  const payerId = BigInt(from.id)
  const obstacle =
    deps.stars === null
      ? 'unknown'
      : await deps.stars.obstacle({ payerId, payload, currency, stars: BigInt(total) })
  if (obstacle === null) return void (await api.answerPreCheckoutQuery(id, true))
  const language = await speakTo(deps, { id: payerId, lang: langOf(from.language_code) })
  deps.log.info({ obstacle }, 'a payment in stars was refused before it was made')
  await api.answerPreCheckoutQuery(id, false, { error_message: starsWords[language].obstacle[obstacle] })
}

export type PaidMessage = Message & { successful_payment: NonNullable<Message['successful_payment']> }

export const isPaid = (message: Message | undefined): message is PaidMessage =>
  message?.successful_payment !== undefined

/**
 * Settles a payment, idempotent for repeated reports, and returns the text for the payer. When it throws,
 * Telegram must report the payment again.
 */
export async function settlePayment(deps: BotDeps, message: PaidMessage): Promise<{ text: string } | null> {
  const { from, date, successful_payment: paid } = message
  if (from === undefined || paid.currency !== 'XTR') return null
  const payerId = BigInt(from.id)
  const settled = await deps.stars?.settle({
    chargeId: paid.telegram_payment_charge_id,
    stars: BigInt(paid.total_amount),
    payload: paid.invoice_payload,
    payerId,
    paidAt: new Date(date * 1000),
  })
  const language = await speakTo(deps, { id: payerId, lang: langOf(from.language_code) })
  const say = starsWords[language]
  const account = await telegramAccount(deps.database.db, payerId)
  if (settled === null || settled === undefined)
    return { text: say.unknown(escapeHtml(paid.telegram_payment_charge_id)) }
  // Whoever has left the account meanwhile may not see its invoice.
  if (account?.id !== settled.accountId) return { text: say.ofOther(settled.number) }
  if (account.blocked !== null) return { text: say.ofBlocked(settled.number) }
  const visit = visitOf(deps, account, `stars ${settled.number}`)
  const { pool, credited } = await visit.call('invoice', { number: settled.number })
  const traffic = trafficIn(language, bytesFromWire(credited))
  return { text: say.paid({ number: settled.number, pool: texts[language].pools[pool], traffic }) }
}

/** Notifies the payer that the money has arrived. */
export async function thank(deps: BotDeps, api: Api, chatId: number, text: string): Promise<void> {
  const language = await speakTo(deps, { id: BigInt(chatId), lang: 'rus' })
  const keyboard = backToMenu(texts[language])
  await api.sendMessage(chatId, text, { parse_mode: 'HTML', reply_markup: keyboard })
}
