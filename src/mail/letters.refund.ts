/** The letter about a refund, with the credit note attached. */
import type { Writer } from './letter.ts'
import { dollars, poolName, traffic } from './numbers.ts'

const words = {
  ru: {
    back: 'Деньги возвращаются тем же способом, которым вы платили. Когда они придут, зависит от платёжной системы и банка.',
    toBalance: 'Деньги вернулись на ваш реферальный баланс.',
    attached: 'Кредит-нота приложена к этому письму.',
  },
  en: {
    back: 'The money goes back to the payment method you used. When it arrives depends on the payment processor and the bank.',
    toBalance: 'The money is back on your referral balance.',
    attached: 'The credit note is attached to this e-mail.',
  },
} as const

export const paymentRefunded: Writer<'payment_refunded'> = (
  data,
  { brand, publicUrl, language, isAttached },
) => {
  const href = new URL('/account', publicUrl).href
  const refunded = dollars(BigInt(data.refunded_micros), language)
  const taken = traffic(BigInt(data.taken_back_bytes), language)
  const pool = poolName(data.pool, language)
  const said = words[language]
  const paragraphs = [data.to_balance ? said.toBalance : said.back, ...(isAttached ? [said.attached] : [])]
  return {
    ru: () => ({
      subject: `Возврат по счёту ${data.invoice} — ${brand}`,
      preview: `Возвращено: ${refunded}.`,
      heading: 'Возврат денег',
      paragraphs,
      facts: [
        { label: 'Счёт', value: data.invoice },
        { label: 'Возвращено', value: refunded },
        { label: 'Пул', value: pool },
        { label: 'Снято с баланса', value: taken },
      ],
      button: { label: 'Открыть аккаунт', href },
      notes: ['Если деньги не придут за две недели, напишите в поддержку и назовите номер счёта.'],
    }),
    en: () => ({
      subject: `Refund for invoice ${data.invoice} — ${brand}`,
      preview: `Refunded: ${refunded}.`,
      heading: 'Your refund',
      paragraphs,
      facts: [
        { label: 'Invoice', value: data.invoice },
        { label: 'Refunded', value: refunded },
        { label: 'Pool', value: pool },
        { label: 'Deducted from the balance', value: taken },
      ],
      button: { label: 'Open the account', href },
      notes: ['If the money has not arrived within two weeks, contact support with the invoice number.'],
    }),
  }
}
