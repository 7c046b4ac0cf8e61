import { documents } from '../docs.ts'
import type { catalogSchemas } from './schemas.ts'

export const catalogDocs = documents<typeof catalogSchemas>()({
  prices: {
    tag: 'Buying',
    summary: { en: 'Price per GB of each pool, in USD', ru: 'Цена гигабайта в каждом пуле, в долларах' },
    about: {
      en: 'Without a token: the prices of the shop. With the token of a customer: their own, which may have been agreed with the shop. Orders, exchanges and automatic top-up are priced by them.',
      ru: 'Без токена — цены магазина. С токеном покупателя — его собственные: магазин мог договориться с ним о других. По ним считаются заказы, обмен и автопополнение.',
    },
    input: {},
    output: { residential: 3.5, residential_premium: 5.9, datacenter: 0.7, mobile: 7.9 },
    refuses: [],
  },
  calculate: {
    tag: 'Buying',
    summary: { en: 'Volume discounts for amounts', ru: 'Скидки за объём' },
    about: {
      en: 'As with `prices`, a token gets the discounts of its customer. One fraction per amount in GB, in the order of the request. Price per GB = base × (1 − volume discount) × (1 − promo discount).',
      ru: 'Как и в `prices`, с токеном — скидки покупателя. Для каждого количества в ГБ — доля от 0 до 1, в том же порядке. Цена гигабайта = базовая × (1 − скидка за объём) × (1 − скидка по промокоду).',
    },
    input: { amounts: [1, 100, 300, 500, 1000] },
    output: [0, 0.1, 0.17, 0.25, 0.33],
    refuses: [],
  },
})
