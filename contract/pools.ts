/** The pools that traffic is sold in, and its unit. */
import type { Language } from './language.ts'

export const pools = ['residential', 'residential_premium', 'datacenter', 'mobile'] as const
export type Pool = (typeof pools)[number]

/** The names of the pools in letters, documents and the bot; the pages have theirs among their texts. */
export const poolNames: Readonly<Record<Language, Readonly<Record<Pool, string>>>> = {
  ru: {
    residential: 'Резидентский',
    residential_premium: 'Резидентский премиум',
    datacenter: 'Серверный',
    mobile: 'Мобильный',
  },
  en: {
    residential: 'Residential',
    residential_premium: 'Residential Premium',
    datacenter: 'Datacenter',
    mobile: 'Mobile',
  },
}

/** What an order buys: traffic of a pool, or money for the customer's balance. */
export const goods = [...pools, 'balance'] as const
export type Goods = (typeof goods)[number]

/** The names of what orders buy, as `poolNames`. */
export const goodsNames: Readonly<Record<Language, Readonly<Record<Goods, string>>>> = {
  ru: { ...poolNames.ru, balance: 'Денежный баланс' },
  en: { ...poolNames.en, balance: 'Money balance' },
}

/** 1 GB is 10^9 bytes, everywhere. */
export const bytesPerGb = 1_000_000_000n
