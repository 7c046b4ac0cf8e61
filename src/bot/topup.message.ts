/** The message about automatic top-up. */
import { InlineKeyboard } from 'grammy'
import type { Language } from '#contract/language'
import { reasonWords } from '#contract/topup/words'
import type { TelegramNotice } from '#notices'
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
    bound: 'The monthly bound of automatic top-up is reached',
    isOff: 'Automatic top-up of this pool is off now. It can be switched on in the account on the site.',
    again: 'Nothing was charged. We will try once more.',
    notAgain: 'This charge is not repeated.',
    page: 'Your bank did not allow the charge without you. Pay the same invoice yourself: it waits for 23 hours.',
    untilNext:
      'Nothing is charged until the next month (UTC). The bound can be raised in the account on the site.',
    pay: 'Pay the invoice',
    silence: 'Stop top-up messages',
  },
}

/** What the notice says, with the page to pay on where there is one. */
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
