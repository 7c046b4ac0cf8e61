/** The refusals of accounts at the sellers of traffic. */
export const sellerRefusals = {
  seller_account_not_found: {
    status: 404,
    ru: 'Такого аккаунта у продавца нет.',
    en: 'There is no such seller account.',
  },
  seller_label_taken: {
    status: 409,
    ru: 'Аккаунт с таким названием уже есть.',
    en: 'There is already an account with this name.',
  },
  seller_credentials: {
    status: 422,
    ru: 'Поле «{field}» не заполнено, или у этого продавца его нет.',
    en: 'The field “{field}” is missing, or this seller has no such field.',
  },
  seller_account_busy: {
    status: 409,
    ru: 'Аккаунт сейчас читает другой процесс. Повторите через минуту.',
    en: 'Another process is reading the account. Try again in a minute.',
  },
  seller_account_closed: {
    status: 409,
    ru: 'Ключи аккаунта зашифрованы другим SECRET_KEY. Введите их заново.',
    en: 'The credentials are encrypted with a different SECRET_KEY. Enter them again.',
  },
  seller_places_changed: {
    status: 409,
    ru: 'Продавец тем временем прислал другой список мест. Посмотрите на него и решите ещё раз.',
    en: 'The seller has sent a different list of places in the meantime. Look at it and decide again.',
  },
  seller_places_not_asked: {
    status: 409,
    ru: 'Решать нечего: новый список мест не ждёт ответа.',
    en: 'There is nothing to decide: no list of places is waiting for an answer.',
  },
} as const
