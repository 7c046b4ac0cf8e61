import { documents } from '../docs.ts'
import type { ratesSchemas } from './schemas.ts'

export const ratesDocs = documents<typeof ratesSchemas>()({
  display_currency: {
    tag: 'Buying',
    summary: { en: 'The currency in which you see prices', ru: 'Валюта, в которой вы видите цены' },
    about: {
      en: 'Null: none was chosen. The currencies on offer and their rates are in `currencies` of `site`; one that is no longer there counts as USD. Invoices keep the amount and the rate of the time they were made (`shown`); what is charged does not depend on it.',
      ru: 'null: не выбрана. Валюты и их курсы — в `currencies` вызова `site`; той, которой там больше нет, соответствует USD. Счёт хранит сумму и курс того времени, когда он создан (`shown`); на списание она не влияет.',
    },
    input: {},
    output: { currency: 'EUR' },
    refuses: [],
  },
  set_display_currency: {
    tag: 'Buying',
    summary: {
      en: 'Choose the currency in which you see prices',
      ru: 'Выбрать валюту, в которой вы видите цены',
    },
    input: { currency: 'EUR' },
    output: { currency: 'EUR' },
    refuses: ['unknown_currency'],
  },
})
