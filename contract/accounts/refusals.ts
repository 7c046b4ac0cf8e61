/** The refusals of sign-up, sign-in and the profile. */
export const accountsRefusals = {
  invalid_credentials: {
    status: 403,
    ru: 'Логин или пароль не подходят.',
    en: 'The username or password is incorrect.',
  },
  account_blocked: {
    status: 403,
    ru: 'Аккаунт заблокирован. Напишите в поддержку.',
    en: 'This account is blocked. Contact support.',
  },
  too_many_attempts: {
    status: 429,
    ru: 'Слишком много попыток. Повторите через {minutes} мин.',
    en: 'Too many attempts. Try again in {minutes} min.',
  },
  fill_fields: { status: 422, ru: 'Заполните все поля.', en: 'Fill in all the fields.' },
  invalid_username: {
    status: 422,
    ru: 'Логин — больше 6 символов, без пробелов и знака @.',
    en: 'A username must have more than 6 characters, without spaces or @.',
  },
  username_like_link: {
    status: 422,
    ru: 'Логин похож на ссылку или адрес. Уберите из него «http», косые черты, двоеточия и точки перед буквами.',
    en: 'The username looks like a link or an address. Leave out “http”, slashes, colons, and dots before letters.',
  },
  invalid_email: {
    status: 422,
    ru: 'Проверьте почту: нужен адрес вида name@example.com.',
    en: 'Enter a valid e-mail address, such as name@example.com.',
  },
  invalid_password: {
    status: 422,
    ru: 'Пароль — больше 6 символов.',
    en: 'A password must have more than 6 characters.',
  },
  password_too_common: {
    status: 422,
    ru: 'Это очень распространённый пароль, его подбирают первым. Придумайте другой.',
    en: 'This password is very common and easy to guess. Choose another one.',
  },
  username_taken: {
    status: 409,
    ru: 'Этот логин занят. Выберите другой.',
    en: 'This username is taken. Choose another one.',
  },
  email_taken: {
    status: 409,
    ru: 'На эту почту уже есть аккаунт. Войдите или укажите другую.',
    en: 'An account with this e-mail address already exists. Sign in or use another address.',
  },
  wrong_password: {
    status: 403,
    ru: 'Текущий пароль не подходит.',
    en: 'The current password is incorrect.',
  },
  invalid_confirmation_token: {
    status: 422,
    ru: 'Ссылка подтверждения уже использована или устарела.',
    en: 'This confirmation link has already been used or has expired.',
  },
  invalid_reset_token: {
    status: 422,
    ru: 'Ссылка для нового пароля уже использована или устарела. Запросите новую.',
    en: 'This password reset link has already been used or has expired. Request a new one.',
  },
  telegram_code_missing: { status: 400, ru: 'Некорректный запрос', en: 'The request has no code' },
  telegram_code_invalid: { status: 422, ru: 'Неверный код', en: 'Wrong code' },
  telegram_code_unknown: { status: 404, ru: 'Код не найден', en: 'Code not found' },
  telegram_link_invalid: {
    status: 422,
    ru: 'Ссылка для привязки устарела или неполная. Возьмите новую в аккаунте на сайте.',
    en: 'This link has expired or is incomplete. Get a new one from your account on the site.',
  },
  telegram_link_taken: {
    status: 409,
    ru: 'К этому аккаунту уже привязан другой Telegram.',
    en: 'This account is already linked to another Telegram account.',
  },
  telegram_has_account: {
    status: 409,
    ru: 'У этого Telegram уже есть свой аккаунт, и он не пуст. Чтобы объединить аккаунты, напишите в поддержку.',
    en: 'This Telegram account already has an account here, and it is not empty. Contact support to merge the two.',
  },
} as const
