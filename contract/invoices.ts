import type { Language } from './language.ts'

/** The most invoices that the call `invoices` answers with at once. */
export const listedInvoices = 50

/** The title of a payment method: on pages and documents for customers, and in a row of the desk. */
interface MethodTitle {
  customers: Record<Language, string>
  desk: Record<Language, string>
}

const alike = (ru: string, en = ru): MethodTitle => ({ customers: { ru, en }, desk: { ru, en } })

/** The payment methods with a payment processor, in the order in which the desk lists them. */
const ofProcessors = {
  card: {
    customers: { ru: 'Банковская карта', en: 'Bank card' },
    desk: { ru: 'карта (Stripe)', en: 'card (Stripe)' },
  },
  yookassa: alike('ЮKassa', 'YooKassa'),
  cryptobot: alike('CryptoBot'),
  crypto: {
    customers: { ru: 'Криптовалюта', en: 'Cryptocurrency' },
    desk: { ru: 'криптовалюта (BTCPay)', en: 'cryptocurrency (BTCPay)' },
  },
  stars: alike('Telegram Stars'),
  sandbox: {
    customers: { ru: 'Тестовая оплата', en: 'Test payment' },
    desk: { ru: 'тестовая оплата', en: 'test payment' },
  },
} as const satisfies Record<string, MethodTitle>

export type ProcessorMethod = keyof typeof ofProcessors

/** Their names, whether they are configured or not. */
export const processorMethods = Object.keys(ofProcessors) as ProcessorMethod[]

/** The method of invoices paid from the referral balance. */
export const referralMethod = 'referral'

/** The method of invoices paid from the money balance. */
export const balanceMethod = 'balance'

/** The kinds of changes of a money balance. */
export const moneyKinds = [
  'top_up',
  'top_up_refund',
  'purchase',
  'purchase_refund',
  'withheld',
  'released',
  'staff',
] as const

/** The least and the most of one top-up of the money balance, whole USD. */
export const topUpUsd = { least: 5, most: 10_000 } as const

/**
 * What has been received for an order and what is left to pay, USD in whole cents as they are shown: both add
 * up to the cost. Received fractions of a cent are rounded down.
 */
export function receivedAndRest(costUsd: number, receivedUsd: number): { received: number; rest: number } {
  const cents = Math.floor(Math.round(receivedUsd * 1e6) / 10_000)
  return { received: cents / 100, rest: (Math.round(costUsd * 100) - cents) / 100 }
}

const titles: Readonly<Record<string, MethodTitle>> = {
  ...ofProcessors,
  [referralMethod]: {
    customers: { ru: 'Реферальный баланс', en: 'Referral balance' },
    desk: { ru: 'реферальный баланс', en: 'referral balance' },
  },
  [balanceMethod]: {
    customers: { ru: 'Денежный баланс', en: 'Money balance' },
    desk: { ru: 'денежный баланс', en: 'money balance' },
  },
}

/** The title of a payment method; for one that this version does not know, its own name. */
export const methodTitle = (
  method: string,
  language: Language,
  audience: keyof MethodTitle = 'customers',
): string => titles[method]?.[audience][language] ?? method
