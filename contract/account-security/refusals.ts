/** The refusals of second factors, and of calls that need a recent proof of the owner. */
export const accountSecurityRefusals = {
  sign_in_again: {
    status: 403,
    ru: 'Для этого войдите заново: вход должен быть не старше 10 минут.',
    en: 'Sign in again to do this: your last sign-in must be no more than 10 minutes old.',
  },
  second_factor_needed: {
    status: 403,
    ru: 'У аккаунта включена двухфакторная защита. Завершите вход кодом или ключом доступа.',
    en: 'This account uses two-factor authentication. Finish signing in with a code or a passkey.',
  },
  sign_in_step_ended: {
    status: 410,
    ru: 'Время на второй шаг входа вышло. Начните вход заново.',
    en: 'The time for the second step has run out. Start signing in again.',
  },
  proof_needed: {
    status: 403,
    ru: 'Подтвердите, что это вы: нужен второй фактор или пароль.',
    en: 'Confirm that it is you, with your second factor or your password.',
  },
  no_second_factor: {
    status: 409,
    ru: 'Двухфакторная защита выключена. Сначала добавьте приложение с кодами или ключ доступа.',
    en: 'Two-factor authentication is off. Add an authenticator app or a passkey first.',
  },
  too_many_passkeys: {
    status: 409,
    ru: 'Ключей доступа уже двадцать. Удалите те, которыми не пользуетесь.',
    en: 'You already have twenty passkeys. Remove the ones you do not use.',
  },
  email_unchanged: {
    status: 422,
    ru: 'Это и есть нынешняя почта аккаунта. Укажите другую.',
    en: 'This is already the e-mail address of the account. Enter another one.',
  },
  email_change_not_found: {
    status: 404,
    ru: 'Отменять нечего: адрес уже сменён, или смену уже отменили.',
    en: 'There is no change to withdraw: the address has already been changed, or the change withdrawn.',
  },
  invalid_undo_token: {
    status: 422,
    ru: 'Ссылка для возврата почты уже использована или устарела. Если аккаунт в чужих руках, напишите в поддержку.',
    en: 'This link has already been used or has expired. If another person controls your account, contact support.',
  },
} as const
