/** The message about automatic top-up. */
import { InlineKeyboard } from 'grammy'
import type { Language } from '#contract/language'
import { reasonWords } from '#contract/topup/words'
import type { TelegramNotice } from '#customer-notices'
import type { Screen } from './base/screens.ts'
import { escapeHtml, type Texts } from './base/texts.ts'

type Notice = Extract<TelegramNotice, { kind: 'topup' }>

const words = {
  ru: {
    failed: 'Автопополнение не удалось',
    off: 'Автопополнение выключено',
    authentication: 'Банк просит подтвердить оплату',
    bound: 'Достигнут предел автопополнения на месяц',
    isOff: 'Автопополнение этого пула теперь выключено. Включить его можно на сайте, в аккаунте.',
    again: 'Деньги не списаны. Мы попробуем ещё раз.',
    notAgain: 'Повторять это списание мы не будем.',
    page: 'Без вас банк деньги не списал. Оплатите этот же счёт сами: он ждёт 23 часа.',
    untilNext: 'До следующего месяца (UTC) списаний не будет. Предел можно поднять на сайте, в аккаунте.',
    pay: 'Оплатить счёт',
    silence: 'Не сообщать об автопополнении',
  },
  en: {
    failed: 'Automatic top-up failed',
    off: 'Automatic top-up is switched off',
    authentication: 'Your bank asks you to confirm the payment',
    bound: 'The monthly limit for automatic top-up has been reached',
    isOff: 'Automatic top-up for this pool is now off. You can switch it on in your account on the site.',
    again: 'Nothing was charged. We will try again.',
    notAgain: 'We will not retry this charge.',
    page: 'Your bank did not allow the charge without your confirmation. Pay the same invoice yourself: it stays open for 23 hours.',
    untilNext:
      'Nothing will be charged until next month (UTC). You can raise the limit in your account on the site.',
    pay: 'Pay the invoice',
    silence: 'Stop top-up messages',
  },
}

/** The text of a notice, with a button to the payment page if there is one. */
export function topUpMessage(texts: Texts, language: Language, notice: Notice): Screen {
  const say = words[language]
  const { event, reason, url } = notice
  const lines = [
    reason === null ? null : reasonWords(reason, language),
    event === 'authentication' ? say.page : event === 'bound' ? say.untilNext : outcomeOf(say, notice),
  ].filter((line) => line !== null)
  const text = `<b>${say[event]}</b>\n\n${texts.pools[notice.pool]}${notice.card === null ? '' : `, ${escapeHtml(notice.card)}`}\n${lines.join('\n')}`
  const keyboard = new InlineKeyboard()
  if (url !== null) keyboard.url(say.pay, url).row()
  return { text, keyboard: keyboard.text(say.silence, 'notices:topup:off') }
}

const outcomeOf = (say: (typeof words)['en'], { is_off: isOff, retry_at: retryAt }: Notice) =>
  isOff ? say.isOff : retryAt === null ? say.notAgain : say.again
