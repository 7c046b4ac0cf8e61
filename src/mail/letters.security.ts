/** The letters about sign-ins and security settings. */
import { momentIn } from '#contract/amounts'
import { countryName } from '#contract/countries'
import type { Language } from '#contract/language'
import type { SecurityEvent } from '#contract/account-security/rules'
import type { LetterContext, Writer } from './letter.ts'

const securityPage = ({ publicUrl }: LetterContext) => new URL('/account?tab=changePass', publicUrl).href

export const newSignIn: Writer<'new_sign_in'> = ({ device, ip, country, at }, context) => {
  const { brand } = context
  const href = securityPage(context)
  const facts = (
    language: Language,
    labels: { when: string; device: string; ip: string; country: string },
  ) => [
    { label: labels.when, value: momentIn(at, language) },
    ...(device === null ? [] : [{ label: labels.device, value: device }]),
    { label: labels.ip, value: ip },
    ...(country === null ? [] : [{ label: labels.country, value: countryName(country, language) }]),
  ]
  return {
    ru: () => ({
      subject: `Вход с нового устройства — ${brand}`,
      preview: 'Если это были вы, ничего делать не нужно.',
      heading: 'Вход с нового устройства',
      paragraphs: [
        'В ваш аккаунт вошли (или подтвердили в нём, что это вы) с устройства, из сети или из страны, которых раньше не было. Если это были вы, ничего делать не нужно.',
      ],
      facts: facts('ru', { when: 'Когда', device: 'Устройство', ip: 'Адрес', country: 'Страна' }),
      button: { label: 'Посмотреть сеансы', href },
      notes: [
        'Если это были не вы, завершите чужой сеанс и смените пароль на вкладке «Безопасность». Там же эти письма выключаются.',
      ],
    }),
    en: () => ({
      subject: `Sign-in from a new device — ${brand}`,
      preview: 'If it was you, no action is needed.',
      heading: 'Sign-in from a new device',
      paragraphs: [
        'Someone signed in to your account, or proved to be its owner, from a new device, network or country. If it was you, no action is needed.',
      ],
      facts: facts('en', { when: 'When', device: 'Device', ip: 'Address', country: 'Country' }),
      button: { label: 'See the sessions', href },
      notes: [
        'If it was not you, end that session and change your password on the Security tab. You can turn these e-mails off there too.',
      ],
    }),
  }
}

/** What happened, as a heading and a sentence, for the bot too. */
const events: Record<Language, Record<SecurityEvent, readonly [heading: string, text: string]>> = {
  ru: {
    totp_added: ['Добавлено приложение с кодами', 'Теперь при входе нужен и код из приложения.'],
    totp_removed: ['Приложение с кодами удалено', 'Коды из него больше не подходят.'],
    passkey_added: ['Добавлен ключ доступа', 'С ним можно войти в аккаунт без пароля.'],
    passkey_removed: ['Ключ доступа удалён', 'Войти с ним больше нельзя.'],
    recovery_codes_renewed: ['Новые запасные коды', 'Прежние запасные коды больше не подходят.'],
    recovery_code_used: [
      'Использован запасной код',
      'Им заменили второй фактор. Каждый код подходит один раз.',
    ],
    password_changed: [
      'Пароль изменён',
      'Остальные сеансы завершены. Токен API, секретные ссылки, пароли прокси, пользователи прокси и белый список остались прежними.',
    ],
    password_changed_programs_ended: [
      'Пароль изменён',
      'Остальные сеансы завершены, токен API и секретные ссылки отозваны. Пароли прокси, пользователи прокси и белый список остались прежними.',
    ],
    sign_in_letters_off: [
      'Письма о входах выключены',
      'О входах с новых устройств больше не сообщается письмом. Включить их можно на вкладке «Безопасность».',
    ],
    api_token_made: [
      'Создан токен API',
      'С ним программы действуют от имени аккаунта, пока токен не отзовут. Новый пароль аккаунта его не отменяет.',
    ],
    api_token_renewed: ['Токен API заменён', 'Прежний токен больше не подходит.'],
    preset_link_made: [
      'Создана секретная ссылка на список прокси',
      'Кто знает ссылку, получает строки с паролем прокси, пока её не отзовут. Новый пароль аккаунта её не отменяет.',
    ],
    team_member_invited: [
      'Отправлено приглашение в команду',
      'Кто его примет, сможет работать в вашем аккаунте в пределах своей роли. Отозвать его можно на вкладке «Команда».',
    ],
    team_member_joined: [
      'В команде новый участник',
      'Приглашение принято: участник может работать в вашем аккаунте в пределах своей роли. Убрать его можно на вкладке «Команда».',
    ],
    team_role_changed: [
      'Изменена роль участника команды',
      'Она уже действует во всех его сеансах. Роли видны на вкладке «Команда».',
    ],
    email_change_asked: [
      'Просьба сменить почту',
      'В вашем аккаунте указали другую почту. Она начнёт действовать, когда её подтвердят по ссылке; пока ничего не изменилось.',
    ],
    email_changed: ['Почта изменена', 'Теперь этот адрес — почта вашего аккаунта.'],
    email_restored: [
      'Прежняя почта возвращена',
      'Смена почты отменена по ссылке из письма. Все сеансы завершены, Telegram отвязан, старый пароль и ключ API больше не подходят. Проверьте, кто есть в команде аккаунта.',
    ],
    telegram_linked: [
      'Привязан Telegram',
      'К аккаунту привязали Telegram: бот показывает баланс, тратит его и даёт коды для входа.',
    ],
    telegram_unlinked: [
      'Telegram отвязан',
      'Бот больше не показывает этот аккаунт и не даёт кодов для входа.',
    ],
    factors_reset: [
      'Двухфакторная защита снята',
      'Поддержка убрала второй фактор. Для входа снова достаточно пароля; настройте защиту заново.',
    ],
  },
  en: {
    totp_added: [
      'An authenticator app was added',
      'From now on, signing in also requires a code from the app.',
    ],
    totp_removed: ['The authenticator app was removed', 'Its codes no longer work.'],
    passkey_added: ['A passkey was added', 'You can sign in with it without the password.'],
    passkey_removed: ['A passkey was removed', 'You can no longer sign in with it.'],
    recovery_codes_renewed: ['New recovery codes', 'The earlier recovery codes no longer work.'],
    recovery_code_used: [
      'A recovery code was used',
      'It was used in place of the second factor. Each code works once.',
    ],
    password_changed: [
      'The password was changed',
      'All other sessions have ended. The API token, secret links, proxy passwords, proxy users and the whitelist are as before.',
    ],
    password_changed_programs_ended: [
      'The password was changed',
      'All other sessions have ended; the API token and secret links were revoked. Proxy passwords, proxy users and the whitelist are as before.',
    ],
    sign_in_letters_off: [
      'E-mails about sign-ins were turned off',
      'You are no longer told of sign-ins from new devices. You can turn these e-mails on again on the Security tab.',
    ],
    api_token_made: [
      'An API token was created',
      'With it, programs act in the name of the account until it is revoked. A new account password does not end it.',
    ],
    api_token_renewed: ['The API token was replaced', 'The earlier token no longer works.'],
    preset_link_made: [
      'A secret link to a proxy list was created',
      'Whoever knows the link gets lines with the proxy password until it is revoked. A new account password does not end it.',
    ],
    team_member_invited: [
      'An invitation to the team was sent',
      'Whoever accepts it can work in your account within their role. You can revoke it on the Team tab.',
    ],
    team_member_joined: [
      'The team has a new member',
      'An invitation was accepted: the member can work in your account within their role. You can remove them on the Team tab.',
    ],
    team_role_changed: [
      'The role of a team member was changed',
      'It already applies to all their sessions. The roles are on the Team tab.',
    ],
    email_change_asked: [
      'A change of e-mail was requested',
      'A different e-mail address was entered in your account. It takes effect once it is confirmed by a link; until then, nothing changes.',
    ],
    email_changed: ['The e-mail address was changed', 'This is now the e-mail address of your account.'],
    email_restored: [
      'The earlier e-mail address was restored',
      'The change was undone with the link in an e-mail. All sessions have ended and Telegram is unlinked; the old password and the API token no longer work. Check who is on the team of the account.',
    ],
    telegram_linked: [
      'Telegram was linked',
      'A Telegram account was linked: the bot can show and spend the balance and give sign-in codes.',
    ],
    telegram_unlinked: [
      'Telegram was unlinked',
      'The bot no longer shows this account or gives sign-in codes for it.',
    ],
    factors_reset: [
      'Two-factor authentication was removed',
      'Support has removed the second factor. The password alone is now enough to sign in; please set up a second factor again.',
    ],
  },
}

/** The heading and the sentence of a change, for the bot too. */
export const securityWords = (event: SecurityEvent, language: Language) => events[language][event]

export const securityChanged: Writer<'security_changed'> = ({ event, ip, at }, context) => {
  const { brand } = context
  const href = securityPage(context)
  const facts = (language: Language, labels: { when: string; ip: string }) => [
    { label: labels.when, value: momentIn(at, language) },
    ...(ip === null ? [] : [{ label: labels.ip, value: ip }]),
  ]
  const [headingRu, textRu] = events.ru[event]
  const [headingEn, textEn] = events.en[event]
  return {
    ru: () => ({
      subject: `${headingRu} — ${brand}`,
      preview: textRu,
      heading: headingRu,
      paragraphs: [textRu, 'Если это были вы, ничего делать не нужно.'],
      facts: facts('ru', { when: 'Когда', ip: 'Адрес' }),
      button: { label: 'Открыть настройки безопасности', href },
      notes: [
        'Если это были не вы, смените пароль и завершите остальные сеансы, а если войти не получается, напишите в поддержку. Эти письма приходят всегда.',
      ],
    }),
    en: () => ({
      subject: `${headingEn} — ${brand}`,
      preview: textEn,
      heading: headingEn,
      paragraphs: [textEn, 'If it was you, no action is needed.'],
      facts: facts('en', { when: 'When', ip: 'Address' }),
      button: { label: 'Open the security settings', href },
      notes: [
        'If it was not you, change your password and end all other sessions; if you cannot sign in, contact support. These e-mails are always sent.',
      ],
    }),
  }
}
