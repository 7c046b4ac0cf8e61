/** The letters about a refund, with the credit note attached, and about one that did not arrive. */
import type { Writer } from './letter.ts'
import { dollars, invoiceName, poolName, traffic } from './numbers.ts'

const words = {
  ru: {
    back: 'Деньги возвращаются тем же способом, которым вы платили. Когда они придут, зависит от платёжной системы и банка.',
    toBalance: {
      referral: 'Деньги вернулись на ваш реферальный баланс.',
      money: 'Деньги вернулись на ваш денежный баланс.',
    },
    attached: 'Кредит-нота приложена к этому письму.',
  },
  en: {
    back: 'The money goes back to the payment method you used. When it arrives depends on the payment processor and the bank.',
    toBalance: {
      referral: 'The money is back on your referral balance.',
      money: 'The money is back on your money balance.',
    },
    attached: 'The credit note is attached to this e-mail.',
  },
} as const

export const paymentRefunded: Writer<'payment_refunded'> = (
  data,
  { brand, publicUrl, language, isAttached },
) => {
  const href = new URL('/account', publicUrl).href
  const refunded = dollars(BigInt(data.refunded_micros), language)
  const isTopUp = data.pool === 'balance'
  const taken = isTopUp ? refunded : traffic(BigInt(data.taken_back_bytes), language)
  const pool = poolName(data.pool, language)
  const said = words[language]
  const paragraphs = [
    data.to_balance ? said.toBalance[data.to_money === true ? 'money' : 'referral'] : said.back,
    ...(isAttached ? [said.attached] : []),
  ]
  return {
    ru: () => ({
      subject: `Возврат по счёту ${data.short_number} — ${brand}`,
      preview: `Возвращено: ${refunded}.`,
      heading: 'Возврат денег',
      paragraphs,
      facts: [
        { label: 'Счёт', value: invoiceName(data) },
        { label: 'Возвращено', value: refunded },
        ...(isTopUp ? [] : [{ label: 'Пул', value: pool }]),
        { label: isTopUp ? 'Снято с денежного баланса' : 'Снято с баланса', value: taken },
      ],
      button: { label: 'Открыть аккаунт', href },
      notes: ['Если деньги не придут за две недели, напишите в поддержку и назовите номер счёта.'],
    }),
    en: () => ({
      subject: `Refund for invoice ${data.short_number} — ${brand}`,
      preview: `Refunded: ${refunded}.`,
      heading: 'Your refund',
      paragraphs,
      facts: [
        { label: 'Invoice', value: invoiceName(data) },
        { label: 'Refunded', value: refunded },
        ...(isTopUp ? [] : [{ label: 'Pool', value: pool }]),
        { label: isTopUp ? 'Deducted from the money balance' : 'Deducted from the balance', value: taken },
      ],
      button: { label: 'Open the account', href },
      notes: ['If the money has not arrived within two weeks, contact support with the invoice number.'],
    }),
  }
}

export const refundFailed: Writer<'refund_failed'> = (data, { brand, publicUrl, language }) => {
  const href = new URL('/account?tab=invoices', publicUrl).href
  const refunded = dollars(BigInt(data.refunded_micros), language)
  const returned = BigInt(data.returned_bytes)
  const pool = poolName(data.pool, language)
  const facts = (labels: { invoice: string; sum: string; pool: string; back: string }) => [
    { label: labels.invoice, value: invoiceName(data) },
    { label: labels.sum, value: refunded },
    ...(returned === 0n
      ? []
      : [
          { label: labels.pool, value: pool },
          { label: labels.back, value: traffic(returned, language) },
        ]),
  ]
  return {
    ru: () => ({
      subject: `Возврат по счёту ${data.short_number} не прошёл — ${brand}`,
      preview: `${refunded} не дошли.`,
      heading: 'Возврат не прошёл',
      paragraphs: [
        'Мы писали вам о возврате денег, но платёжная система или банк его не выполнили: деньги до вас не дошли.',
        returned === 0n
          ? 'Мы попробуем вернуть их снова или другим способом. Если хотите ускорить дело, напишите поддержке и назовите номер счёта.'
          : 'Трафик, который был снят за этот возврат, снова на вашем балансе. Мы попробуем вернуть деньги снова или другим способом. Если хотите ускорить дело, напишите поддержке и назовите номер счёта.',
      ],
      facts: facts({ invoice: 'Счёт', sum: 'Сумма', pool: 'Пул', back: 'Вернули на баланс' }),
      button: { label: 'Открыть счета', href },
      notes: ['Если к прошлому письму была приложена кредит-нота, новый документ в аккаунте её отменяет.'],
    }),
    en: () => ({
      subject: `The refund of invoice ${data.short_number} failed — ${brand}`,
      preview: `${refunded} did not arrive.`,
      heading: 'The refund failed',
      paragraphs: [
        'We wrote to you about a refund, but the payment processor or the bank did not carry it out: the money did not reach you.',
        returned === 0n
          ? 'We will try to return it again or in another way. To speed this up, write to support with the invoice number.'
          : 'The traffic that was taken for this refund is back on your balance. We will try to return the money again or in another way. To speed this up, write to support with the invoice number.',
      ],
      facts: facts({ invoice: 'Invoice', sum: 'Amount', pool: 'Pool', back: 'Back on the balance' }),
      button: { label: 'Open invoices', href },
      notes: ['If a credit note came with the earlier e-mail, a new document in your account offsets it.'],
    }),
  }
}
