/** The refusals of orders by their amount. */
export const amountRefusals = {
  invalid_amount: {
    status: 422,
    ru: 'Количество — целое число ГБ от 1 до 99 999 999.',
    en: 'The amount must be a whole number of GB from 1 to 99,999,999.',
  },
  amount_too_large: {
    status: 422,
    ru: 'Счёт больше {limit} $ выставить нельзя. Уменьшите количество.',
    en: 'An invoice cannot exceed ${limit}. Reduce the amount.',
  },
  amount_below_method: {
    status: 422,
    ru: 'Этим способом можно заплатить не меньше {least}. Увеличьте количество или выберите другой способ.',
    en: 'This payment method takes at least {least}. Increase the amount or choose another method.',
  },
  amount_too_small: {
    status: 422,
    ru: 'Сумма меньше цента. Увеличьте количество.',
    en: 'The total is less than one cent. Increase the amount.',
  },
} as const
