/** The refusals of fiscal receipts. */
export const receiptsRefusals = {
  receipt_email_required: {
    status: 422,
    ru: 'Для этого способа оплаты нужен e-mail, на который придёт чек (поле «{field}»). Укажите его и повторите.',
    en: 'This payment method needs an e-mail address for the receipt (the field “{field}”). Enter it and try again.',
  },
  invalid_receipt_email: {
    status: 422,
    ru: 'На такой e-mail чек не отправить: нужен адрес латиницей и без опечаток.',
    en: 'A receipt cannot be sent to this e-mail address: use Latin letters, and check it for typos.',
  },
} as const
