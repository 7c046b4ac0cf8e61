/** The texts about support, as Telegram's HTML. */
import type { Language } from '#contract/language'

interface SupportTexts {
  ask: string
  askAboutPayment: string
  link: (link: string | null) => string
  sent: string
  tooMany: string
  unsent: string
  from: (facts: { name: string; id: bigint }) => string
  answer: string
  reply: string
  undelivered: string
  topic: string
  terms: (facts: { terms: string; privacy: string }) => string
}

export const supportWords: Record<Language, SupportTexts> = {
  ru: {
    ask: 'Напишите вопрос одним сообщением, до 4000 знаков, или отправьте снимок экрана с подписью. Ответ придёт сюда.',
    askAboutPayment:
      '<b>Вопрос об оплате</b>\n\nНапишите одним сообщением номер счёта и что случилось. За оплату звёздами отвечаем мы, а не поддержка Telegram: если оплата не зачислена или её нужно вернуть, мы это сделаем.',
    link: (link) =>
      link === null
        ? 'Контакты поддержки — на сайте, внизу страницы.'
        : `Поддержка: ${link}\n\nПо вопросам оплаты назовите номер счёта.`,
    sent: 'Сообщение у поддержки. Ответ придёт сюда.',
    tooMany: 'Предыдущие сообщения ещё у поддержки. Подождите немного.',
    unsent: 'Сообщение не дошло до поддержки. Попробуйте ещё раз через несколько минут.',
    from: ({ name, id }) => `<b>${name}</b>, аккаунт ${id}. Чтобы ответить, ответьте на это сообщение.`,
    answer: '<b>Поддержка</b>',
    reply: 'Написать ещё',
    undelivered: 'Не доставлено: клиент закрыл бота или отвязал Telegram.',
    topic: 'Поддержка',
    terms: ({ terms, privacy }) => `Условия: ${terms}\nПерсональные данные: ${privacy}`,
  },
  en: {
    ask: 'Write your question in one message of up to 4000 characters, or send a screenshot with a caption. The answer will come here.',
    askAboutPayment:
      '<b>A question about a payment</b>\n\nSend the invoice number and what happened in one message. We, not Telegram support, are responsible for payments in Stars: if one was not credited or has to be refunded, we will take care of it.',
    link: (link) =>
      link === null
        ? 'You can find our support contacts on the site, at the bottom of the page.'
        : `Support: ${link}\n\nFor questions about payments, include the invoice number.`,
    sent: 'Support has your message. The answer will come here.',
    tooMany: 'Support still has your earlier messages. Please wait a little.',
    unsent: 'The message did not reach support. Please try again in a few minutes.',
    from: ({ name, id }) => `<b>${name}</b>, account ${id}. To answer, reply to this message.`,
    answer: '<b>Support</b>',
    reply: 'Write again',
    undelivered: 'Not delivered: the customer has stopped the bot or unlinked Telegram.',
    topic: 'Support',
    terms: ({ terms, privacy }) => `Terms: ${terms}\nPrivacy: ${privacy}`,
  },
}
