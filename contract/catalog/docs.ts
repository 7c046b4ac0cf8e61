import { documents } from '../docs.ts'
import type { catalogSchemas } from './schemas.ts'

export const catalogDocs = documents<typeof catalogSchemas>()({
  prices: {
    tag: 'Buying',
    summary: { en: 'Price per GB of each pool, in USD', ru: 'Цена гигабайта в каждом пуле, в долларах' },
    input: {},
    output: { residential: 3.5, residential_premium: 5.9, datacenter: 0.7, mobile: 7.9 },
    refuses: [],
  },
  calculate: {
    tag: 'Buying',
    summary: { en: 'Volume discounts for amounts', ru: 'Скидки за объём' },
    about: {
      en: 'One fraction per amount in GB, in the order of the request. Price per GB = base × (1 − volume discount) × (1 − promo discount).',
      ru: 'Для каждого количества в ГБ — доля от 0 до 1, в том же порядке. Цена гигабайта = базовая × (1 − скидка за объём) × (1 − скидка по промокоду).',
    },
    input: { amounts: [1, 100, 300, 500, 1000] },
    output: [0, 0.1, 0.17, 0.25, 0.33],
    refuses: [],
  },
})
