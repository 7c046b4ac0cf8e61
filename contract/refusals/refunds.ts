/** The refusals of refunds. */
export const refundRefusals = {
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
} as const
