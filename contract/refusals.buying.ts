/** Refusals of buying: what is ordered, how it is paid, and what processors bring. */
export const buyingRefusals = {
  invalid_amount: {
    status: 422,
    ru: 'Количество — целое число ГБ от 1 до 99 999 999.',
    en: 'The amount is a whole number of GB from 1 to 99,999,999.',
  },
  amount_too_large: {
    status: 422,
    ru: 'Счёт больше {limit} USD выставить нельзя. Уменьшите количество.',
    en: 'An invoice over {limit} USD cannot be made. Reduce the amount.',
  },
  amount_too_small: {
    status: 422,
    ru: 'Сумма меньше цента. Увеличьте количество.',
    en: 'The sum is under a cent. Raise the amount.',
  },
  invalid_pool: {
    status: 422,
    ru: 'Такого пула нет.',
    en: 'There is no such pool.',
  },
  invalid_payment_method: {
    status: 422,
    ru: 'Такого способа оплаты нет.',
    en: 'There is no such payment method.',
  },
  payment_method_unavailable: {
    status: 501,
    ru: 'Этот способ оплаты сейчас не работает. Выберите другой.',
    en: 'This payment method is not available now. Choose another.',
  },
  payment_failed: {
    status: 502,
    ru: 'Платёжная система не ответила. Деньги не списаны. Попробуйте ещё раз.',
    en: 'The payment system did not answer. No money was taken. Try again.',
  },
  promocode_invalid: {
    status: 422,
    ru: 'Промокода нет, или он истёк, или закончился, или не подходит к этому количеству.',
    en: 'The promo code does not exist, has expired, is used up, or does not fit this amount.',
  },
  promocode_used: {
    status: 409,
    ru: 'Вы уже использовали этот промокод.',
    en: 'You have used this promo code already.',
  },
  insufficient_referral_balance: {
    status: 402,
    ru: 'На реферальном балансе {balance} USD, а нужно {cost} USD.',
    en: 'The referral balance is {balance} USD, and {cost} USD is needed.',
  },
  too_many_open_invoices: {
    status: 409,
    ru: 'У вас уже {limit} неоплаченных счетов, больше нельзя. Оплатите один из них или подождите: первый закроется через {minutes} мин.',
    en: 'You have {limit} unpaid invoices, and there can be no more. Pay one of them, or wait: the first closes in {minutes} min.',
  },
  invoice_not_found: {
    status: 404,
    ru: 'Такого счёта нет.',
    en: 'There is no such invoice.',
  },
  invoice_not_refundable: {
    status: 409,
    ru: 'Счёт в состоянии «{state}»: вернуть можно только оплаченный.',
    en: 'Only a paid invoice can be refunded; this one is {state}.',
  },
  invalid_webhook_signature: {
    status: 401,
    ru: 'Подпись уведомления не сходится.',
    en: 'The signature of the notification is wrong.',
  },
}
