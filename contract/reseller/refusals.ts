/** The refusals of the API token. */
export const resellerRefusals = {
  not_for_reseller_token: {
    status: 403,
    ru: 'Этот вызов не делается токеном API. Войдите в аккаунт на сайте.',
    en: 'An API token cannot make this call. Sign in on the site.',
  },
  token_unreadable: {
    status: 409,
    ru: 'Токен больше нельзя показать. Старый работает, пока вы не выпустите новый.',
    en: 'The token can no longer be shown. It keeps working until you replace it with a new one.',
  },
} as const
