/** The refusals of proxy lines and their trial. */
export const proxiesRefusals = {
  unknown_provider: {
    status: 404,
    ru: 'Поставщика «{provider}» нет.',
    en: 'There is no provider “{provider}”.',
  },
  no_traffic: {
    status: 402,
    ru: 'В этом пуле закончился трафик. Купите ещё, и строки снова заработают.',
    en: 'This pool has no traffic left. Buy more and the lines will work again.',
  },
  no_subuser: {
    status: 409,
    ru: 'Вы ещё не покупали трафик этого пула. После первой покупки здесь появятся логин и пароль.',
    en: 'You have not bought traffic for this pool yet. You get its login and password with your first purchase.',
  },
  proxy_password_unreadable: {
    status: 409,
    ru: 'Пароль прокси этого пула больше нельзя показать. Уже выданные строки работают. Чтобы получить новые, сбросьте пароль на вкладке «Безопасность».',
    en: 'The proxy password of this pool can no longer be shown. Lines you already have keep working. To get new ones, reset the password on the Security tab.',
  },
  invalid_quantity: {
    status: 422,
    ru: 'Количество строк — целое число от 1 до 10 000.',
    en: 'The number of lines must be a whole number from 1 to 10,000.',
  },
  invalid_sessionttl: {
    status: 422,
    ru: 'Время сессии — целое число минут от 0 до 10 000.',
    en: 'The session time must be a whole number of minutes from 0 to 10,000.',
  },
  invalid_anonymous: {
    status: 422,
    ru: 'Анонимность — true или false.',
    en: 'Anonymity must be true or false.',
  },
  unknown_location: {
    status: 422,
    ru: 'В этом пуле нет: {names}.',
    en: 'This pool does not include: {names}.',
  },
  contradictory_targeting: {
    status: 422,
    ru: 'Эти настройки противоречат друг другу: {names}.',
    en: 'These settings contradict each other: {names}.',
  },
  invalid_session: {
    status: 422,
    ru: 'Сессия — то, что стоит в строке после sid: от 1 до 32 знаков a–z, 0–9 и _.',
    en: 'A session is what follows sid in the line: 1 to 32 of a-z, 0-9 and _.',
  },
  invalid_request_id: {
    status: 422,
    ru: 'Номер запроса — UUID из заголовка X-Request-Id.',
    en: 'A request id must be the UUID of the X-Request-Id header.',
  },
  too_many_ended_sessions: {
    status: 409,
    ru: 'За неделю у одного логина можно сменить выход не больше чем у {limit} сессий. Возьмите для новых сессий другие sid.',
    en: 'At most {limit} sessions of a login can be moved to another exit in a week. Use another sid for new sessions.',
  },
  too_many_slots: {
    status: 422,
    ru: 'Строк без пароля может быть не больше {limit} на пул.',
    en: 'A pool can have at most {limit} lines without a password.',
  },
  trial_running: {
    status: 409,
    ru: 'Предыдущая проба ещё идёт. Дождитесь её ответа.',
    en: 'The previous test request is still running. Wait for its result.',
  },
} as const
