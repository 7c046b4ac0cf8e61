/** The texts about payments in stars, as Telegram's HTML. */
import type { Language } from '#contract/language'
import type { StarsObstacle } from '../base/deps.ts'

interface StarsTexts {
  choosePool: string
  chooseAmount: (pool: string) => string
  invoice: (facts: { pool: string; gb: number; cost: string; stars: string }) => string
  pay: (stars: string) => string
  off: string
  /** Plain text: Telegram shows it in its own window. */
  obstacle: Record<StarsObstacle, string>
  paid: (facts: { number: string; pool: string; traffic: string }) => string
  unknown: (charge: string) => string
  /** The invoice is of an account that this person has left since. */
  ofOther: (number: string) => string
  /** The account of the invoice was blocked since. */
  ofBlocked: (number: string) => string
}

export const starsWords: Record<Language, StarsTexts> = {
  ru: {
    choosePool: 'Трафик какого пула?',
    chooseAmount: (pool) => `${pool}. Сколько?`,
    invoice: ({ pool, gb, cost, stars }) =>
      `<b>${pool}, ${gb} ГБ</b>\n\nЦена: ${cost}, это ${stars} ⭐.\nСчёт ждёт час. Трафик придёт сразу после оплаты.`,
    pay: (stars) => `Оплатить ${stars} ⭐`,
    off: 'Звёздами сейчас оплатить нельзя. Купить на сайте: /buy',
    obstacle: {
      unknown: 'Такого счёта нет. Сделайте новый: /buy',
      another_owner:
        'Счёт принадлежит другому аккаунту. Оплатить его может только Telegram, привязанный к этому аккаунту.',
      closed: 'Счёт уже оплачен или истёк. Сделайте новый: /buy',
      wrong_price: 'Цена счёта другая. Сделайте новый: /buy',
      blocked: 'Аккаунт заблокирован. Напишите в поддержку.',
    },
    paid: ({ number, pool, traffic }) =>
      `<b>Оплата получена</b>\n\n${pool}: +${traffic}.\nСчёт <code>${number}</code>. Вопросы об оплате: /paysupport`,
    ofOther: (number) =>
      `Счёт ${number} оплачен, и трафик зачислен аккаунту, который его создал. Этот Telegram к нему больше не привязан. Если это ошибка, напишите в /paysupport.`,
    ofBlocked: (number) =>
      `Счёт ${number} оплачен, и трафик зачислен, но аккаунт заблокирован. Напишите в /paysupport и назовите номер счёта.`,
    unknown: (charge) =>
      `Оплата получена, но счёта для неё нет. Напишите в /paysupport и назовите платёж: <code>${charge}</code>`,
  },
  en: {
    choosePool: 'Traffic in which pool?',
    chooseAmount: (pool) => `${pool}. How much?`,
    invoice: ({ pool, gb, cost, stars }) =>
      `<b>${pool}, ${gb} GB</b>\n\nPrice: ${cost}, that is ${stars} ⭐.\nThe invoice stays open for an hour. The traffic arrives right after the payment.`,
    pay: (stars) => `Pay ${stars} ⭐`,
    off: 'Stars are not accepted right now. Buy on the site: /buy',
    obstacle: {
      unknown: 'There is no such invoice. Create a new one: /buy',
      another_owner:
        'The invoice belongs to another account. Only the Telegram account linked to that account can pay it.',
      closed: 'The invoice has already been paid or has expired. Create a new one: /buy',
      wrong_price: 'The price of the invoice has changed. Create a new one: /buy',
      blocked: 'The account is blocked. Write to support.',
    },
    paid: ({ number, pool, traffic }) =>
      `<b>Payment received</b>\n\n${pool}: +${traffic}.\nInvoice <code>${number}</code>. Questions about payments: /paysupport`,
    ofOther: (number) =>
      `Invoice ${number} is paid, and its traffic was credited to the account that created it. This Telegram is no longer linked to that account. If that is a mistake, write to /paysupport.`,
    ofBlocked: (number) =>
      `Invoice ${number} is paid, and its traffic was credited, but the account is blocked. Write to /paysupport and quote the invoice number.`,
    unknown: (charge) =>
      `The payment arrived, but there is no invoice for it. Write to /paysupport and quote the payment: <code>${charge}</code>`,
  },
}
