import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

const noTraffic = { balance: 0, balance_format: '0 GB', password: null }

const noticesAbout = {
  en: '`traffic`: once when a fifth, a twentieth and nothing of what a pool had after its last credit is left, and once when less than `below_bytes` is left. `cap`: once when a cap of a pool is reached. `topup`: a charge of automatic top-up failed, the bank asks for the customer, or it was switched off. `trouble`: exits of a country that was used within a day have not answered for some minutes, and once when they do again. By e-mail to a confirmed address, and by the bot when Telegram is linked.',
  ru: '`traffic`: по одному разу, когда от остатка пула после последнего зачисления осталась пятая часть, двадцатая часть и ничего, и один раз, когда осталось меньше `below_bytes`. `cap`: один раз, когда достигнуто ограничение пула. `topup`: списание автопополнения не прошло, банк ждёт подтверждения клиента или автопополнение выключилось. `trouble`: выходы страны, которой пользовались за последние сутки, несколько минут не отвечают, и один раз, когда они снова отвечают. Письмом на подтверждённую почту и ботом, если привязан Telegram.',
}
const noticesSample = {
  traffic: { email: true, telegram: true },
  cap: { email: false, telegram: true },
  topup: { email: true, telegram: true },
  trouble: { email: true, telegram: true },
  below_bytes: 2_000_000_000,
}

export const accountCalls = {
  legacy_profile: {
    tag: 'Traffic',
    summary: { en: 'The account and its balances', ru: 'Аккаунт и балансы' },
    about: {
      en: 'An array of one profile. Each pool has its `balance`, the same as text in `balance_format`, and the proxy `password` (null before the first purchase).',
      ru: 'Массив из одного профиля. У каждого пула есть `balance`, тот же баланс текстом в `balance_format` и пароль прокси `password` (до первой покупки null).',
    },
    input: {},
    output: [
      {
        created_at: '2026-11-01T09:30:00.000Z',
        updated_at: '2026-11-20T18:00:00.000Z',
        reg_date: '2026-11-01T09:30:00.000Z',
        user_id: 42,
        lang: 'eng',
        invited_by: null,
        pers_percent: '0',
        username: 'roadrunner',
        email: 'road@example.com',
        password: '*',
        role_id: 1,
        confirmed: true,
        tgcode: null,
        tgcode_expires: null,
        ref_balance_usd: 12.5,
        token: null,
        residential: { balance: 5000, balance_format: '5.00 GB', password: 'Jc7wQ2nTz5KpXa9d' },
        residential_premium: noTraffic,
        datacenter: { balance: 0.8125, balance_format: '812.50 MB', password: 'm4VtR8sLq2YhBe6c' },
        mobile: noTraffic,
      },
    ],
    refuses: [],
  },
  legacy_referal_info: {
    tag: 'Reselling',
    summary: { en: 'The referral programme', ru: 'Реферальная программа' },
    about: {
      en: 'An array of one entry. `percent` is a fraction. `links.telegram` is null where the shop has no bot.',
      ru: 'Массив из одной записи. `percent` — доля от 0 до 1. `links.telegram` равен null, если у магазина нет бота.',
    },
    input: {},
    output: [
      {
        balance: 12.5,
        ref_num: 3,
        percent: 0.1,
        links: {
          website: 'https://shop.example.net/?ref=4f1c09ab22de',
          telegram: 'https://t.me/shop_bot?start=4f1c09ab22de',
        },
      },
    ],
    refuses: [],
  },
  referral_earnings: {
    tag: 'Reselling',
    summary: { en: 'What invited customers earned you by day', ru: 'Доход от приглашённых по дням' },
    about: {
      en: 'Every day (UTC) of the last 30 or 90, today included. A refund lowers the day on which its payment was made.',
      ru: 'Каждый день (UTC) из последних 30 или 90 вместе с сегодняшним. Возврат уменьшает день своего платежа.',
    },
    input: { days: 30 },
    output: [{ day: '2026-03-01', earned_usd: 3.5, payments: 2 }],
    refuses: [],
  },
  change_language: {
    tag: 'Account',
    summary: { en: 'Set the language of e-mails and of the bot', ru: 'Язык писем и бота' },
    input: { code: 'eng' },
    output: true,
    refuses: [],
  },
  get_notices: {
    tag: 'Traffic',
    summary: { en: 'Which notices are sent', ru: 'Какие уведомления приходят' },
    about: noticesAbout,
    input: {},
    output: noticesSample,
    refuses: [],
  },
  set_notices: {
    tag: 'Traffic',
    summary: { en: 'Choose which notices are sent', ru: 'Выбрать уведомления' },
    about: {
      en: `${noticesAbout.en} Omitted fields stay unchanged.`,
      ru: `${noticesAbout.ru} Пропущенные поля не меняются.`,
    },
    input: { traffic: { email: true }, below_bytes: 2_000_000_000 },
    output: noticesSample,
    refuses: ['invalid_byte_cap'],
  },
  is_password_exists: {
    tag: 'Account',
    summary: { en: 'Whether the account has a password', ru: 'Есть ли у аккаунта пароль' },
    about: {
      en: 'False for an account created through Telegram that has not set one.',
      ru: 'False — аккаунт создан через Telegram, и пароль ещё не задан.',
    },
    input: {},
    output: true,
    refuses: [],
  },
  reseller_token: {
    tag: 'Reselling',
    summary: { en: 'The API token', ru: 'Токен API' },
    about: {
      en: 'Creates the token on the first call and returns the same one afterwards. A session must have proved its owner within the last ten minutes, such as by the sign-in itself (`prove_owner`); the token need not. The owner is told of a new token by letter.',
      ru: 'Первый вызов создаёт токен, следующие возвращают его же. Сессия должна была подтвердить владельца за последние десять минут, например самим входом (`prove_owner`); от токена этого не требуется. О новом токене владельцу приходит письмо.',
    },
    input: {},
    output: 'tpr_4mJr1bq7XkTzV0cYd2nLw8sHf6gPa3eUo9iRxKvQtBM',
    refuses: ['token_unreadable', 'proof_needed'],
  },
  rotate_reseller_token: {
    tag: 'Reselling',
    summary: { en: 'Replace the API token', ru: 'Заменить токен API' },
    about: {
      en: 'The old token stops working before the call answers. A token may rotate itself; a session is asked as for `reseller_token`.',
      ru: 'Старый токен перестаёт работать ещё до ответа. Токен может заменить сам себя; от сессии требуется то же, что для `reseller_token`.',
    },
    input: {},
    output: 'tpr_Zt9cV1yKf5mNq3uXb7rLs2wHe8gPd0aJo6iTzRkQxYM',
    refuses: ['proof_needed'],
  },
  revoke_reseller_token: {
    tag: 'Reselling',
    summary: { en: 'Revoke the API token', ru: 'Отозвать токен API' },
    about: {
      en: 'Anyone who finds a lost token can revoke it with this call. `reseller_token` then creates a new one.',
      ru: 'Потерянный токен может отозвать этим вызовом любой, кто его нашёл. После этого `reseller_token` создаёт новый.',
    },
    input: {},
    output: true,
    refuses: [],
  },
  personal_data: {
    tag: 'Account',
    summary: {
      en: 'Whether the erasure of your data is requested',
      ru: 'Запрошено ли удаление ваших данных',
    },
    input: {},
    output: { erasure_requested_at: null },
    refuses: [],
  },
  export_personal_data: {
    tag: 'Account',
    summary: { en: 'A link to all data about you', ru: 'Ссылка на все данные о вас' },
    about: {
      en: 'The link gives a ZIP file with JSON and CSV, once, within ten minutes. The password is needed where the account has one; otherwise a sign-in of the last ten minutes. Five times a day.',
      ru: 'По ссылке один раз и в течение десяти минут скачивается ZIP с JSON и CSV. Если у аккаунта есть пароль, нужен он, иначе — вход не старше десяти минут. Не больше пяти раз в день.',
    },
    input: { password: 'a long password' },
    output: {
      url: '/api/personal_data.zip?token=Zt9cV1yKf5mNq3uXb7rLs2wHe8gPd0aJo6iTzRkQxYM',
      expires_at: '2026-11-20T12:10:00.000Z',
    },
    refuses: ['fill_fields', 'wrong_password', 'sign_in_again', 'proof_needed', 'too_many_attempts'],
  },
  request_erasure: {
    tag: 'Account',
    summary: { en: 'Ask to have your data erased', ru: 'Попросить удалить ваши данные' },
    about: {
      en: 'It is done within a month; until then the request can be withdrawn, and the account works as before.',
      ru: 'Данные удаляются в течение месяца. До этого запрос можно отозвать, а аккаунт работает как обычно.',
    },
    input: { password: 'a long password' },
    output: { erasure_requested_at: '2026-11-20T12:00:00.000Z' },
    refuses: ['fill_fields', 'wrong_password', 'sign_in_again', 'proof_needed', 'too_many_attempts'],
  },
  withdraw_erasure: {
    tag: 'Account',
    summary: { en: 'Withdraw the request to erase your data', ru: 'Отозвать запрос на удаление данных' },
    input: {},
    output: { erasure_requested_at: null },
    refuses: [],
  },
  change_account_password: {
    tag: 'Signing in',
    summary: { en: 'Change the account password', ru: 'Сменить пароль аккаунта' },
    about: {
      en: 'Ends all other sessions. The API token and secret links stay valid unless `end_programs` is `true`; proxy passwords, proxy users and the whitelist stay in any case. A first password needs a sign-in of the last ten minutes. With two-factor authentication a factor must have been proved within the last ten minutes (`prove_owner`).',
      ru: 'Завершает все остальные сессии. Токен API и секретные ссылки остаются, если `end_programs` не `true`; пароли прокси, пользователи прокси и белый список остаются в любом случае. Для первого пароля нужен вход не старше десяти минут. С двухфакторной аутентификацией второй фактор должен быть подтверждён за последние десять минут (`prove_owner`).',
    },
    input: { old_password: 'the old password', new_password: 'a new password', end_programs: true },
    output: true,
    refuses: [
      'fill_fields',
      'wrong_password',
      'invalid_password',
      'password_too_common',
      'sign_in_again',
      'proof_needed',
      'too_many_attempts',
    ],
  },
  signup: {
    tag: 'Signing in',
    summary: { en: 'Create an account', ru: 'Создать аккаунт' },
    about: {
      en: '`consents` are all documents of `sign_up_documents` with the hashes of what the person was shown; version, time and address are kept. Without the field nothing is recorded.',
      ru: '`consents` — все документы из `sign_up_documents` с хешами того, что человек видел; версия, время и адрес сохраняются. Без этого поля ничего не записывается.',
    },
    input: {
      username: 'roadrunner',
      email: 'road@example.com',
      password: 'a long password',
      referral_id: '4f1c09ab22de',
      consents: [
        {
          document: 'terms',
          sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        },
      ],
    },
    output: true,
    refuses: [
      'consents_outdated',
      'fill_fields',
      'invalid_username',
      'username_like_link',
      'invalid_email',
      'invalid_password',
      'password_too_common',
      'username_taken',
      'email_taken',
      'too_many_attempts',
    ],
  },
  signin: {
    tag: 'Signing in',
    summary: { en: 'Sign in', ru: 'Войти' },
    about: {
      en: 'With a username or an e-mail address. Returns a session token as text, valid for 30 days after its last use. With two-factor authentication the answer is `second_factor_needed` with a ticket for `signin_second_step`.',
      ru: 'По логину или адресу почты. Возвращает токен сессии текстом; он действует 30 дней после последнего использования. С двухфакторной аутентификацией ответ — `second_factor_needed` с билетом для `signin_second_step`.',
    },
    input: { username: 'roadrunner', password: 'a long password' },
    output: 'wHe8gPd0aJo6iTzRkQxYMZt9cV1yKf5mNq3uXb7rLs2',
    refuses: ['invalid_credentials', 'account_blocked', 'second_factor_needed', 'too_many_attempts'],
  },
  signout: {
    tag: 'Signing in',
    summary: { en: 'End this session', ru: 'Завершить эту сессию' },
    input: {},
    output: true,
    refuses: [],
  },
  telegram_code_signin: {
    tag: 'Signing in',
    summary: { en: 'Sign in with a code from the Telegram bot', ru: 'Войти по коду из бота в Telegram' },
    about: {
      en: 'Six digits, valid for five minutes and a single use.',
      ru: 'Шесть цифр, действуют пять минут и только один раз.',
    },
    input: { p_code: '482913' },
    output: 'wHe8gPd0aJo6iTzRkQxYMZt9cV1yKf5mNq3uXb7rLs2',
    refuses: [
      'telegram_code_missing',
      'telegram_code_invalid',
      'telegram_code_unknown',
      'account_blocked',
      'second_factor_needed',
      'too_many_attempts',
    ],
  },
  confirm_email: {
    tag: 'Signing in',
    summary: { en: 'Confirm an e-mail address', ru: 'Подтвердить почту' },
    input: { confirmation_token: 'the token from the e-mail' },
    output: true,
    refuses: ['invalid_confirmation_token', 'too_many_attempts'],
  },
  resend_confirmation: {
    tag: 'Signing in',
    summary: {
      en: 'Send the e-mail with the confirmation link again',
      ru: 'Отправить письмо со ссылкой подтверждения ещё раз',
    },
    about: {
      en: 'Links of earlier e-mails end. A mailbox gets three letters an hour at most.',
      ru: 'Ссылки из прежних писем перестают работать. На один адрес уходит не больше трёх писем в час.',
    },
    input: {},
    output: true,
    refuses: ['no_email', 'email_confirmed_already', 'too_many_attempts'],
  },
  request_password_reset: {
    tag: 'Signing in',
    summary: { en: 'Request a password reset e-mail', ru: 'Запросить письмо для нового пароля' },
    about: {
      en: 'The answer is the same whether the address is known or not.',
      ru: 'Ответ один и тот же, известен адрес или нет.',
    },
    input: { email: 'road@example.com' },
    output: true,
    refuses: ['invalid_email', 'too_many_attempts'],
  },
  reset_account_password: {
    tag: 'Signing in',
    summary: {
      en: 'Set a new password with the token from the e-mail',
      ru: 'Задать новый пароль по токену из письма',
    },
    input: {
      reset_token: 'the token from the e-mail',
      new_password: 'a new password',
      end_programs: true,
    },
    output: true,
    refuses: ['invalid_reset_token', 'invalid_password', 'password_too_common', 'too_many_attempts'],
  },
} as const satisfies { [N in Name]?: Description<N> }
