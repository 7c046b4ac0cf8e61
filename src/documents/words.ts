/** The words of documents in both languages, and how they write sums. */
import { numberFormat } from '#contract/amounts'
import type { Language } from '#contract/language'
import { type Goods, goodsNames } from '#contract/wire'

const en = {
  invoice: 'Invoice',
  creditNote: 'Credit note',
  number: (number: string) => `No. ${number}`,
  issued: 'Date of issue',
  paidOn: 'Date of payment',
  refundedOn: 'Date of refund',
  corrects: (number: string, day: string) => `To invoice No. ${number} of ${day}`,
  seller: 'Seller',
  buyer: 'Buyer',
  taxId: 'Tax ID',
  customer: (id: string) => `Customer ${id}`,
  noSeller: 'The details of the seller are not set',
  description: 'Description',
  quantity: 'Quantity',
  price: 'Price per GB',
  amount: 'Amount, USD',
  traffic: (pool: string) => `Proxy traffic, pool ${pool}`,
  part: (pool: string) => `Proxy traffic, pool ${pool}: part of the order`,
  volumeDiscount: (percent: string) => `Volume discount ${percent}`,
  promoDiscount: (percent: string, code: string) => `Promo code ${code}, ${percent}`,
  overpayment: 'Received beyond the price of the order',
  refund: (pool: string) => `Refund: proxy traffic, pool ${pool}`,
  total: 'Total',
  paid: 'Paid',
  returned: 'Returned',
  collected: (currency: string) => `In ${currency}`,
  /** "20" is a percentage, "20/120" a fraction. */
  vat: (rate: string) => `Including VAT ${rate}${rate.includes('/') ? '' : '%'}`,
  rate: (rate: string, currency: string, day: string) => `${rate} ${currency} for 1 USD, set on ${day}`,
  shownAs: 'Shown as',
  details: 'Payment',
  method: 'Payment method',
  order: 'Order',
  bank: 'Bank details',
  specimen: 'SPECIMEN',
  specimenNote: 'A test purchase: this is not an invoice.',
  page: (page: number, pages: number) => `Page ${page} of ${pages}`,
}

const ru: typeof en = {
  invoice: 'Счёт',
  creditNote: 'Кредит-нота',
  number: (number) => `№ ${number}`,
  issued: 'Дата документа',
  paidOn: 'Дата оплаты',
  refundedOn: 'Дата возврата',
  corrects: (number, day) => `К счёту № ${number} от ${day}`,
  seller: 'Продавец',
  buyer: 'Покупатель',
  taxId: 'ИНН',
  customer: (id) => `Клиент ${id}`,
  noSeller: 'Реквизиты продавца не указаны',
  description: 'Наименование',
  quantity: 'Количество',
  price: 'Цена за ГБ',
  amount: 'Сумма, USD',
  traffic: (pool) => `Прокси-трафик, пул «${pool}»`,
  part: (pool) => `Прокси-трафик, пул «${pool}»: часть заказа`,
  volumeDiscount: (percent) => `Скидка за объём ${percent}`,
  promoDiscount: (percent, code) => `Промокод ${code}, ${percent}`,
  overpayment: 'Получено сверх цены заказа',
  refund: (pool) => `Возврат: прокси-трафик, пул «${pool}»`,
  total: 'Итого',
  paid: 'Оплачено',
  returned: 'Возвращено',
  collected: (currency) => `В ${currency}`,
  vat: (rate) => `В том числе НДС ${rate}${rate.includes('/') ? '' : '\u00a0%'}`,
  rate: (rate, currency, day) => `${rate} ${currency} за 1 USD, курс установлен ${day}`,
  shownAs: 'Для справки',
  details: 'Оплата',
  method: 'Способ оплаты',
  order: 'Заказ',
  bank: 'Банковские реквизиты',
  specimen: 'ОБРАЗЕЦ',
  specimenNote: 'Тестовая покупка: этот документ не является счётом.',
  page: (page, pages) => `Страница ${page} из ${pages}`,
}

export const words: Record<Language, typeof en> = { ru, en }

export const poolIn = (pool: Goods, language: Language): string => goodsNames[language][pool]

/** A whole number of units in groups of three, with the decimals of a language. */
function printDecimal(micros: bigint, language: Language, least: number): string {
  const size = micros < 0n ? -micros : micros
  const fraction = String(size % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
    .padEnd(least, '0')
  const whole = numberFormat(language, {}).format(size / 1_000_000n)
  const point = language === 'ru' ? ',' : '.'
  return `${micros < 0n ? '\u2212' : ''}${whole}${fraction === '' ? '' : point + fraction}`
}

/** "1,234.50" or "1 234,50"; micro-units, at least two decimals. */
export const printMoney = (micros: bigint, language: Language, digits = 2): string =>
  printDecimal(micros, language, digits)

/** Parts per million as a percentage: "10%", "12.5%". */
export const printPercent = (ppm: number, language: Language): string =>
  `${printDecimal(BigInt(ppm) * 100n, language, 0)}${language === 'ru' ? '\u00a0' : ''}%`
