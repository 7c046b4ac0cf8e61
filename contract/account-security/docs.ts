import { documents } from '../docs.ts'
import type { securitySchemas } from './schemas.ts'

const token = 'wHe8gPd0aJo6iTzRkQxYMZt9cV1yKf5mNq3uXb7rLs2'

const ticket = 'Zt9cV1yKf5mNq3uXb7rLs2wHe8gPd0aJo6iTzRkQxYM'

const challenge = { challenge: 'fp0KMyZTC2uPjwDvZ3cJ8TOSsnYUeDn0oQdGhIXgv6Q', rpId: 'shop.example.net' }

const answer = { id: 'dGhlIGlkIG9mIGEgcGFzc2tleQ', type: 'public-key' }

/** Of a call with `proof: 'always'`. */
export const proven = {
  en: 'Needs a proof of the owner within the last ten minutes, such as the sign-in itself: otherwise `proof_needed`, and `prove_owner` comes first.',
  ru: 'Нужно подтверждение владельца за последние десять минут, например сам вход: иначе `proof_needed`, и сначала вызывается `prove_owner`.',
}

const codes = ['k7rwm2-xbq4tn-c5djzp-v6hgle']

export const securityDocs = documents<typeof securitySchemas>()({
  signin_second_step: {
    tag: 'Signing in',
    summary: { en: 'Finish a sign-in with a second factor', ru: 'Завершить вход вторым фактором' },
    about: {
      en: 'For an account with two-factor authentication, `signin` and `telegram_code_signin` answer `second_factor_needed`, whose details have a `ticket`, valid for five minutes, and the `factors` of the account. Ten wrong codes in a quarter of an hour are the most. Returns a session token as text.',
      ru: 'Для аккаунта с двухфакторной аутентификацией `signin` и `telegram_code_signin` отвечают `second_factor_needed`: в подробностях — билет `ticket` на пять минут и `factors` аккаунта. За четверть часа можно ошибиться в коде не больше десяти раз. Возвращает токен сессии текстом.',
    },
    input: { ticket, proof: { kind: 'totp', code: '482913' } },
    output: token,
    refuses: ['sign_in_step_ended', 'wrong_factor', 'too_many_attempts'],
  },
  signin_passkey_options: {
    tag: 'Signing in',
    summary: { en: 'The options for a passkey', ru: 'Параметры для ключа доступа' },
    about: {
      en: 'What `navigator.credentials.get` needs: with a `ticket` for its account, without one for any passkey that the browser has for this site. Valid for five minutes.',
      ru: 'То, что нужно `navigator.credentials.get`: с `ticket` — для его аккаунта, без него — для любого ключа доступа, который браузер хранит для этого сайта. Действуют пять минут.',
    },
    input: {},
    output: { options: challenge },
    refuses: ['sign_in_step_ended'],
  },
  signin_passkey: {
    tag: 'Signing in',
    summary: { en: 'Sign in with a passkey alone', ru: 'Войти одним ключом доступа' },
    about: {
      en: 'A passkey that verifies its owner is two factors by itself. Returns a session token as text.',
      ru: 'Ключ доступа, который проверил владельца, сам по себе — два фактора. Возвращает токен сессии текстом.',
    },
    input: { response: answer },
    output: token,
    refuses: ['wrong_factor', 'too_many_attempts'],
  },
  security: {
    tag: 'Account',
    summary: { en: 'What protects the account', ru: 'Чем защищён аккаунт' },
    input: {},
    output: {
      factors: ['totp', 'recovery_code'],
      totp: { created_at: '2026-11-01T09:30:00.000Z', used_at: '2026-11-20T11:58:00.000Z' },
      passkeys: [],
      recovery_codes_left: 10,
      has_password: true,
      proven_until: '2026-11-20T12:08:00.000Z',
      email: 'road@example.com',
      telegram_linked: false,
      pending_email: null,
      sign_in_letters: true,
      api_token: {
        created_at: '2026-11-02T09:30:00.000Z',
        used_at: '2026-11-20T11:59:00.000Z',
        used_ip: '192.0.2.17',
      },
    },
    refuses: [],
  },
  prove_owner_options: {
    tag: 'Account',
    summary: { en: 'The options for proving a passkey', ru: 'Параметры для подтверждения ключом доступа' },
    input: {},
    output: { options: challenge },
    refuses: [],
  },
  prove_owner: {
    tag: 'Account',
    summary: {
      en: 'Prove that the session is its owner’s',
      ru: 'Подтвердить, что сессия принадлежит владельцу',
    },
    about: {
      en: 'By a second factor, or by the password of an account without one. For ten minutes the session may then change what protects the account.',
      ru: 'Вторым фактором, а в аккаунте без него — паролем. После этого сессия десять минут может менять то, чем защищён аккаунт.',
    },
    input: { proof: { kind: 'totp', code: '482913' } },
    output: true,
    refuses: [
      'wrong_factor',
      'fill_fields',
      'wrong_password',
      'sign_in_again',
      'proof_needed',
      'too_many_attempts',
    ],
  },
  totp_begin: {
    tag: 'Account',
    summary: { en: 'Begin to set up an authenticator app', ru: 'Начать настройку приложения с кодами' },
    about: {
      en: `${proven.en} The secret counts once \`totp_finish\` has got a code of it.`,
      ru: `${proven.ru} Секрет начинает действовать, когда \`totp_finish\` получит код по нему.`,
    },
    input: {},
    output: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/Turnpike:roadrunner?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Turnpike',
    },
    refuses: ['proof_needed'],
  },
  totp_finish: {
    tag: 'Account',
    summary: { en: 'Set up the authenticator app', ru: 'Включить приложение с кодами' },
    about: {
      en: `${proven.en} With the first factor of an account ten recovery codes are made, shown this once.`,
      ru: `${proven.ru} Вместе с первым фактором аккаунта создаются десять кодов восстановления; они показываются один раз.`,
    },
    input: { code: '482913' },
    output: { recovery_codes: codes },
    refuses: ['proof_needed', 'wrong_factor', 'too_many_attempts'],
  },
  remove_totp: {
    tag: 'Account',
    summary: { en: 'Remove the authenticator app', ru: 'Убрать приложение с кодами' },
    about: {
      en: `${proven.en} Without another factor two-factor authentication is off.`,
      ru: `${proven.ru} Без других факторов двухфакторная аутентификация выключается.`,
    },
    input: {},
    output: true,
    refuses: ['proof_needed'],
  },
  passkey_begin: {
    tag: 'Account',
    summary: { en: 'The options for adding a passkey', ru: 'Параметры для нового ключа доступа' },
    about: {
      en: `${proven.en} What \`navigator.credentials.create\` needs.`,
      ru: `${proven.ru} То, что нужно \`navigator.credentials.create\`.`,
    },
    input: {},
    output: { options: challenge },
    refuses: ['proof_needed', 'too_many_passkeys'],
  },
  passkey_finish: {
    tag: 'Account',
    summary: { en: 'Add a passkey', ru: 'Добавить ключ доступа' },
    about: {
      en: `${proven.en} With the first factor of an account ten recovery codes are made, shown this once.`,
      ru: `${proven.ru} Вместе с первым фактором аккаунта создаются десять кодов восстановления; они показываются один раз.`,
    },
    input: { name: 'My phone', response: answer },
    output: { recovery_codes: codes },
    refuses: ['proof_needed', 'wrong_factor', 'too_many_passkeys', 'too_many_attempts'],
  },
  remove_passkey: {
    tag: 'Account',
    summary: { en: 'Remove a passkey', ru: 'Убрать ключ доступа' },
    about: {
      en: `${proven.en} Without another factor two-factor authentication is off.`,
      ru: `${proven.ru} Без других факторов двухфакторная аутентификация выключается.`,
    },
    input: { id: '1' },
    output: true,
    refuses: ['proof_needed', 'passkey_not_found'],
  },
  new_recovery_codes: {
    tag: 'Account',
    summary: { en: 'Make new recovery codes', ru: 'Создать новые коды восстановления' },
    about: {
      en: `${proven.en} The old ones end. They are shown this once.`,
      ru: `${proven.ru} Старые перестают действовать. Новые показываются один раз.`,
    },
    input: {},
    output: { recovery_codes: codes },
    refuses: ['proof_needed', 'no_second_factor', 'too_many_attempts'],
  },
  my_sessions: {
    tag: 'Account',
    summary: { en: 'Where the account is signed in', ru: 'Где выполнен вход в аккаунт' },
    input: {},
    output: [
      {
        id: '17',
        device: 'Firefox, Windows',
        ip: '192.0.2.17',
        country: 'DE',
        created_at: '2026-11-01T09:30:00.000Z',
        used_at: '2026-11-20T11:58:00.000Z',
        current: true,
      },
    ],
    refuses: [],
  },
  end_sessions: {
    tag: 'Account',
    summary: { en: 'End a session, or all others', ru: 'Завершить сессию или все остальные' },
    input: {},
    output: { ended: 2 },
    refuses: [],
  },
  set_sign_in_letters: {
    tag: 'Account',
    summary: {
      en: 'Whether a letter tells of sign-ins from new devices, networks and countries',
      ru: 'Сообщать ли письмом о входах с новых устройств, из новых сетей и стран',
    },
    about: {
      en: 'Switching them off needs a proof of the owner within the last ten minutes (`prove_owner`), and is told by a letter of its own.',
      ru: 'Чтобы выключить их, нужно подтверждение владельца за последние десять минут (`prove_owner`); об этом приходит отдельное письмо.',
    },
    input: { on: true },
    output: true,
    refuses: ['proof_needed', 'too_many_attempts'],
  },
})
