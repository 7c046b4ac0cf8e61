/** The refusals of automatic top-up and saved payment methods. */
export const topupRefusals = {
  top_up_unavailable: {
    status: 409,
    ru: 'Автопополнение этим способом оплаты сейчас не подключено.',
    en: 'Automatic top-up is not available with this payment method right now.',
  },
  saved_method_not_found: {
    status: 404,
    ru: 'Такого сохранённого способа оплаты нет: возможно, он уже удалён.',
    en: 'There is no such saved payment method; it may have been removed already.',
  },
  too_many_saved_methods: {
    status: 409,
    ru: 'Сохранено уже {limit} способов оплаты. Удалите ненужный.',
    en: 'You already have {limit} saved payment methods. Remove one first.',
  },
  top_up_too_small: {
    status: 422,
    ru: 'Покупать нужно не меньше, чем порог: иначе одного пополнения не хватит, чтобы подняться над ним.',
    en: 'Buy at least as much as the threshold: otherwise one top-up will not bring you above it.',
  },
  top_up_bound_too_low: {
    status: 422,
    ru: 'Предел на месяц меньше одного пополнения. Укажите хотя бы {least} $.',
    en: 'The monthly limit is less than one top-up. Enter at least ${least}.',
  },
} as const
