/** The refusals of the erasure of a customer's data at the desk. */
export const personalDataRefusals = {
  customer_erased: {
    status: 409,
    ru: 'Данные этого клиента уже удалены.',
    en: 'This customer’s data has already been erased.',
  },
  erasure_obstacle: {
    status: 409,
    ru: 'Сначала закройте незавершённое по счетам: {invoices}. Открытый счёт, спор или невыплаченный возврат не дают удалить данные.',
    en: 'Settle these invoices first: {invoices}. Data cannot be erased while there is an open invoice, a dispute or an unpaid refund.',
  },
  erasure_changed: {
    status: 409,
    ru: 'Тем временем изменилась просьба клиента об удалении или вырос остаток. Посмотрите ещё раз, что будет удалено.',
    en: 'The customer’s request for erasure has changed in the meantime, or a balance has grown. Look again at what will be erased.',
  },
  erasure_payout: {
    status: 409,
    ru: 'Сначала отправьте выплату этого клиента или откажите в ней.',
    en: 'Send or refuse this customer’s payout first.',
  },
} as const
