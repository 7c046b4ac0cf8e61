/** The refusals of buying, paying and refunds. */
export const purchaseRefusals = {
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
  invalid_pool: {
    status: 422,
    ru: 'Такого пула нет, или он не продаётся.',
    en: 'There is no such pool, or it is not on sale.',
  },
  invalid_payment_method: {
    status: 422,
    ru: 'Такого способа оплаты нет.',
    en: 'There is no such payment method.',
  },
  consent_outdated: {
    status: 409,
    ru: 'Условия изменились, пока вы их читали: прочитайте новые и согласитесь ещё раз. Ничего не списано.',
    en: 'The terms changed while you were reading them. Read the new ones and agree again. Nothing was charged.',
  },
  payment_method_unavailable: {
    status: 501,
    ru: 'Этот способ оплаты сейчас не работает. Выберите другой.',
    en: 'This payment method is currently unavailable. Choose another one.',
  },
  payment_method_not_offered: {
    status: 409,
    ru: 'Магазин больше не принимает оплату этим способом. Выберите другой.',
    en: 'The shop no longer takes payments by this method. Choose another one.',
  },
  payment_failed: {
    status: 502,
    ru: 'Платёжная система не ответила. Деньги не списаны. Попробуйте ещё раз.',
    en: 'The payment system did not respond. No money was taken. Try again.',
  },
  too_many_open_invoices: {
    status: 409,
    ru: 'У вас уже {limit} неоплаченных счетов, больше нельзя. Оплатите один из них или подождите: первый закроется через {minutes} мин.',
    en: 'You already have {limit} unpaid invoices, the maximum. Pay one of them, or wait: the first one closes in {minutes} min.',
  },
  insufficient_balance: {
    status: 402,
    ru: 'На денежном балансе {balance} $, а нужно {cost} $: не хватает {missing} $.',
    en: 'The money balance is ${balance}, but ${cost} is needed: ${missing} is missing.',
  },
  invalid_top_up: {
    status: 422,
    ru: 'Пополнить баланс можно на целое число долларов от 5 до 10 000.',
    en: 'A top-up of the money balance is a whole number of dollars from 5 to 10,000.',
  },
  balance_spent: {
    status: 409,
    ru: 'Столько на денежном балансе уже нет: пополнение потрачено. Вернуть можно то, что осталось.',
    en: 'The money balance no longer has that much: the top-up was spent. What is left can be refunded.',
  },
  invoice_not_found: { status: 404, ru: 'Такого счёта нет.', en: 'There is no such invoice.' },
  invoice_not_refundable: {
    status: 409,
    ru: 'Счёт в состоянии «{state}»: вернуть можно только оплаченный.',
    en: 'Only a paid invoice can be refunded; this one is {state}.',
  },
  nothing_unused: {
    status: 409,
    ru: 'От трафика этого счёта ничего не осталось: он израсходован, подарен или обменян. По «неиспользованному» возвращать нечего.',
    en: 'Nothing is left of the traffic of this invoice: it was used, given away or exchanged. There is nothing “unused” to refund.',
  },
  refund_whole_only: {
    status: 409,
    ru: 'Эта платёжная система возвращает платежи только целиком. Верните всю сумму или отправьте часть вручную.',
    en: 'This payment system returns payments whole only. Refund all of it, or send a part by hand.',
  },
  refund_planned: {
    status: 409,
    ru: 'Весь остаток этого счёта уже ждёт отправки вручную. Отметьте возврат отправленным или отмените его.',
    en: 'All that is left of this invoice already waits to be sent by hand. Note that refund as sent, or drop it.',
  },
  refund_not_planned: {
    status: 409,
    ru: 'Такого возврата в очереди нет: его уже отметили отправленным или отменили.',
    en: 'There is no such refund in the queue: it was noted as sent, or dropped.',
  },
  invalid_webhook_signature: {
    status: 401,
    ru: 'Подпись уведомления не сходится.',
    en: 'The signature of the notification is invalid.',
  },
} as const
