/** The letters about automatic top-up. */
import { momentIn, moneyIn } from '#contract/amounts'
import type { Language } from '#contract/language'
import { reasonWords } from '#contract/topup/words'
import type { Letters } from './kinds.ts'
import type { Writer } from './letter.ts'
import { poolName } from './numbers.ts'

/** "3,50 $" or "325,00 ₽". */
const sum = ({ currency, micros }: Letters['top_up'], language: Language): string =>
  moneyIn(BigInt(micros ?? 0), { code: currency ?? 'USD' }, language)

const headings = {
  ru: {
    failed: 'Автопополнение не удалось',
    off: 'Автопополнение выключено',
    authentication: 'Банк просит подтвердить оплату',
    bound: 'Достигнут предел автопополнения на месяц',
  },
  en: {
    failed: 'Automatic top-up failed',
    off: 'Automatic top-up is switched off',
    authentication: 'Your bank asks you to confirm the payment',
    bound: 'The monthly limit for automatic top-up has been reached',
  },
}

function newsOf(data: Letters['top_up'], language: Language): string[] {
  const { event, reason, is_off: isOff, retry_at: retryAt } = data
  const why = reason === null ? [] : [reasonWords(reason, language)]
  const isRu = language === 'ru'
  if (event === 'authentication')
    return [
      isRu
        ? 'Банк не списал деньги без вас. Ничего не оплачено. Откройте страницу и оплатите этот же счёт сами: он ждёт 23 часа.'
        : 'Your bank did not allow the charge without your confirmation. Nothing was paid. Open the page and pay the same invoice yourself: it stays open for 23 hours.',
    ]
  if (event === 'bound')
    return [
      isRu
        ? 'Ещё одно списание превысило бы предел, на который вы согласились, поэтому до следующего месяца (UTC) списаний не будет. Предел можно поднять в аккаунте.'
        : 'Another charge would exceed the limit you agreed to, so nothing will be charged until next month (UTC). You can raise the limit in your account.',
    ]
  const next = isOff
    ? isRu
      ? 'Автопополнение этого пула теперь выключено. Включить его снова можно в аккаунте.'
      : 'Automatic top-up for this pool is now off. You can switch it on again in your account.'
    : retryAt !== null
      ? isRu
        ? `Деньги не списаны. Следующая попытка: ${momentIn(retryAt, 'ru')}.`
        : `Nothing was charged. Next attempt: ${momentIn(retryAt, 'en')}.`
      : isRu
        ? 'Повторять это списание мы не будем.'
        : 'We will not retry this charge.'
  return [...why, next]
}

export const topUp: Writer<'top_up'> = (data, { brand, publicUrl, language }) => {
  const { event, card, micros, url } = data
  const heading = headings[language][event]
  const pool = poolName(data.pool, language)
  const href = url ?? new URL('/account', publicUrl).href
  const facts = (labels: { pool: string; sum: string; bound: string; card: string }) => [
    { label: labels.pool, value: pool },
    ...(micros === null
      ? []
      : [{ label: event === 'bound' ? labels.bound : labels.sum, value: sum(data, language) }]),
    ...(card === null ? [] : [{ label: labels.card, value: card }]),
  ]
  const common = { subject: `${heading}: ${pool} — ${brand}`, heading, paragraphs: newsOf(data, language) }
  return {
    ru: () => ({
      ...common,
      preview: `Пул: ${pool}.`,
      facts: facts({ pool: 'Пул', sum: 'Сумма', bound: 'Предел на месяц', card: 'Способ оплаты' }),
      button: { label: url === null ? 'Открыть аккаунт' : 'Оплатить счёт', href },
      notes: ['Эти письма выключаются в аккаунте, в разделе «Уведомления».'],
    }),
    en: () => ({
      ...common,
      preview: `Pool: ${pool}.`,
      facts: facts({ pool: 'Pool', sum: 'Amount', bound: 'Monthly limit', card: 'Payment method' }),
      button: { label: url === null ? 'Open the account' : 'Pay the invoice', href },
      notes: ['You can turn these e-mails off in your account, under Notifications.'],
    }),
  }
}

export const topUpConsent: Writer<'top_up_consent'> = (
  { text, sha256, given_at: givenAt },
  { brand, publicUrl, language },
) => {
  const href = new URL('/account', publicUrl).href
  const paragraphs = text.split('\n')
  return {
    ru: () => ({
      subject: `Ваше согласие на автопополнение — ${brand}`,
      preview: 'Текст, на который вы согласились.',
      heading: 'Вы согласились',
      paragraphs,
      facts: [{ label: 'Когда', value: momentIn(givenAt, language) }],
      button: { label: 'Открыть аккаунт', href },
      notes: [
        'Отказаться можно в аккаунте в любой момент. Если соглашались не вы, сделайте это сразу и смените пароль.',
        `SHA-256 текста: ${sha256}`,
      ],
    }),
    en: () => ({
      subject: `Your agreement to automatic top-up — ${brand}`,
      preview: 'The text you agreed to.',
      heading: 'You have agreed',
      paragraphs,
      facts: [{ label: 'When', value: momentIn(givenAt, language) }],
      button: { label: 'Open the account', href },
      notes: [
        'You can withdraw your agreement in your account at any time. If it was not you, do so now and change your password.',
        `SHA-256 of the text: ${sha256}`,
      ],
    }),
  }
}
