import { documents } from '../docs.ts'
import type { promoSchemas } from './schemas.ts'

/** The refusals of a promo code for a discount. */
export const discountRefusals = [
  'promocode_invalid',
  'promocode_pool',
  'promocode_first_purchase',
  'promocode_person_limit',
] as const

export const promoDocs = documents<typeof promoSchemas>()({
  discount_promocode_info: {
    tag: 'Buying',
    summary: { en: 'The discount of a promo code for an amount', ru: 'Скидка по промокоду' },
    about: {
      en: '`pool` is optional: without it, a code that is only for other pools is refused when the order is made. `open_invoice` is there when an open invoice of yours already has the last use of the code: whichever is paid first gets the discount, the other one then costs the full price.',
      ru: '`pool` можно не указывать: тогда код, который действует только для других пулов, будет отклонён при заказе. `open_invoice` есть, когда последнее использование кода уже занято вашим открытым счётом: скидку получит тот, который оплачен раньше, другой будет стоить полную цену.',
    },
    input: { code: 'SPRING', amount: '100', pool: 'residential' },
    output: { discount: 0.15, expires_at: '2026-12-31T23:59:59.999Z', max_uses: 500, uses: 12 },
    refuses: [...discountRefusals, 'invalid_amount', 'too_many_attempts'],
  },
  activate_traffic_promocode: {
    tag: 'Buying',
    summary: { en: 'Redeem a code for bonus traffic', ru: 'Активировать код на бонусный трафик' },
    about: {
      en: 'Bonus traffic is spent before paid traffic. Each customer can redeem a code once, unless the shop allows more.',
      ru: 'Бонусный трафик тратится раньше оплаченного. Каждый клиент активирует код один раз, если магазин не разрешил больше.',
    },
    input: { code: 'WELCOME' },
    output: { pool: 'residential', traffic: 500 },
    refuses: ['promocode_invalid', 'promocode_used', 'too_many_attempts'],
  },
})
