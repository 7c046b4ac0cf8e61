/** The refusals of promo codes. */
export const promoRefusals = {
  promocode_invalid: {
    status: 422,
    ru: 'Промокода нет, или он истёк, или закончился, или не подходит к этому количеству.',
    en: 'The promo code does not exist, has expired, has been used up, or does not apply to this amount.',
  },
  promocode_pool: {
    status: 422,
    ru: 'Этот промокод не действует для этого пула.',
    en: 'This promo code does not work for this pool.',
  },
  promocode_first_purchase: {
    status: 422,
    ru: 'Этот промокод — только для первой покупки, а у вас уже есть оплаченная.',
    en: 'This promo code is for a first purchase only, and you have already made one.',
  },
  promocode_person_limit: {
    status: 422,
    ru: 'Вы уже использовали этот промокод столько раз, сколько можно: {limit}.',
    en: 'You have already used this promo code the maximum number of times: {limit}.',
  },
  promocode_used: {
    status: 409,
    ru: 'Вы уже использовали этот промокод.',
    en: 'You have already used this promo code.',
  },
} as const
