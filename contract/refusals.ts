/**
 * Every refusal the HTTP API knows: its status and its sentence in both languages.
 *
 * A sentence says what happened and what to do. `{name}` is filled from the refusal's details. A refusal that is
 * not in this table cannot be thrown: `Refusal` takes only these codes.
 */
import { buyingRefusals } from './refusals.buying.ts'
import { gatewayRefusals } from './refusals.gateway.ts'

interface Sentence {
  status: number
  ru: string
  en: string
}

const refuse = (status: number, ru: string, en: string): Sentence => ({ status, ru, en })

export const refusals = {
  // The request itself
  malformed_json: refuse(
    400,
    'Тело запроса — не JSON. Проверьте кавычки и запятые.',
    'The body is not JSON. Check its quotes and commas.',
  ),
  unknown_field: refuse(
    422,
    'Поле «{field}» здесь не предусмотрено. Уберите его.',
    'There is no field “{field}” here. Remove it.',
  ),
  missing_field: refuse(422, 'Не хватает поля «{field}».', 'The field “{field}” is missing.'),
  invalid_field: refuse(422, 'Поле «{field}» заполнено неверно.', 'The field “{field}” is not valid.'),
  body_too_large: refuse(
    413,
    'Запрос больше 64 КиБ. Отправьте его частями.',
    'The request is over 64 KiB. Send it in parts.',
  ),
  malformed_request: refuse(
    400,
    'Это не HTTP-запрос. Проверьте, чем он отправлен.',
    'This is not an HTTP request. Check what sent it.',
  ),
  headers_too_large: refuse(
    431,
    'Заголовки запроса или его адрес слишком длинные. Сократите их.',
    'The headers of the request, or its address, are too long. Shorten them.',
  ),
  request_timeout: refuse(
    408,
    'Запрос пришёл не полностью. Отправьте его ещё раз.',
    'The request did not arrive in full. Send it again.',
  ),
  unsupported_media_type: refuse(
    415,
    'Отправьте тело как application/json.',
    'Send the body as application/json.',
  ),
  not_found: refuse(404, 'Такого адреса нет.', 'There is nothing at this address.'),
  method_not_allowed: refuse(
    405,
    'Этот вызов делается методом {allowed}.',
    'This call is made with {allowed}.',
  ),
  not_built_yet: refuse(501, 'Этот вызов ещё не готов.', 'This call is not built yet.'),
  too_many_requests: refuse(
    429,
    'Слишком много запросов. Повторите через {seconds} с.',
    'Too many requests. Try again in {seconds} s.',
  ),
  idempotency_key_reused: refuse(
    409,
    'Этот Idempotency-Key уже использован с другим запросом. Возьмите новый.',
    'This Idempotency-Key was used with another request. Take a new one.',
  ),
  idempotency_key_busy: refuse(
    409,
    'Запрос с этим Idempotency-Key ещё выполняется. Повторите через секунду.',
    'The request with this Idempotency-Key is still running. Try again in a second.',
  ),
  invalid_idempotency_key: refuse(
    422,
    'Idempotency-Key — от 1 до 255 видимых символов ASCII.',
    'An Idempotency-Key is 1 to 255 visible ASCII characters.',
  ),
  internal_error: refuse(
    500,
    'У нас сбой. Деньги и трафик не тронуты. Повторите позже, номер запроса: {request_id}.',
    'Something failed on our side. No money or traffic was touched. Try again later; request number {request_id}.',
  ),
  temporarily_unavailable: refuse(
    503,
    'База данных сейчас недоступна. Ничего не потеряно, повторите через минуту.',
    'The database cannot be reached right now. Nothing is lost; try again in a minute.',
  ),

  // Who is asking
  unauthorized: refuse(
    401,
    'Войдите в аккаунт: сессия закончилась или не начиналась.',
    'Sign in: there is no session, or it has ended.',
  ),
  invalid_credentials: refuse(403, 'Логин или пароль не подходят.', 'The login or the password is wrong.'),
  account_blocked: refuse(
    403,
    'Аккаунт заблокирован. Напишите в поддержку.',
    'This account is blocked. Write to support.',
  ),
  too_many_attempts: refuse(
    429,
    'Слишком много попыток. Повторите через {minutes} мин.',
    'Too many attempts. Try again in {minutes} min.',
  ),

  not_for_reseller_token: refuse(
    403,
    'Этот вызов не делается токеном API. Войдите в аккаунт на сайте.',
    'An API token cannot make this call. Sign in on the site.',
  ),

  // Signing up
  fill_fields: refuse(422, 'Заполните все поля.', 'Fill in all the fields.'),
  invalid_username: refuse(
    422,
    'Логин — больше 6 символов, без пробелов и знака @.',
    'A username has more than 6 characters, no spaces and no @.',
  ),
  invalid_email: refuse(
    422,
    'Проверьте почту: нужен адрес вида name@example.com.',
    'Check the e-mail: an address like name@example.com is needed.',
  ),
  invalid_password: refuse(422, 'Пароль — больше 6 символов.', 'A password has more than 6 characters.'),
  password_too_common: refuse(
    422,
    'Такой пароль есть у многих, и его подбирают первым. Придумайте другой.',
    'Many people have this password, and it is guessed first. Choose another.',
  ),
  username_taken: refuse(
    409,
    'Этот логин занят. Выберите другой.',
    'This username is taken. Choose another.',
  ),
  email_taken: refuse(
    409,
    'На эту почту уже есть аккаунт. Войдите или укажите другую.',
    'There is an account with this e-mail already. Sign in, or use another.',
  ),
  wrong_password: refuse(403, 'Текущий пароль не подходит.', 'The current password is wrong.'),
  invalid_confirmation_token: refuse(
    422,
    'Ссылка подтверждения уже использована или устарела.',
    'This confirmation link was used before or has expired.',
  ),
  invalid_reset_token: refuse(
    422,
    'Ссылка для нового пароля уже использована или устарела. Запросите новую.',
    'This link for a new password was used before or has expired. Ask for a new one.',
  ),
  telegram_code_missing: refuse(400, 'Некорректный запрос', 'The request has no code'),
  telegram_code_invalid: refuse(422, 'Неверный код', 'Wrong code'),
  telegram_code_unknown: refuse(404, 'Код не найден', 'Code not found'),
  telegram_link_invalid: refuse(
    422,
    'Ссылка для привязки устарела или неполная. Возьмите новую в аккаунте на сайте.',
    'This link has expired or is not complete. Take a new one from your account on the site.',
  ),
  telegram_link_taken: refuse(
    409,
    'К этому аккаунту уже привязан другой Telegram.',
    'This account is linked to another Telegram already.',
  ),
  telegram_has_account: refuse(
    409,
    'У этого Telegram уже есть свой аккаунт, и он не пуст. Чтобы объединить аккаунты, напишите в поддержку.',
    'This Telegram has an account of its own, and it is not empty. To join the two, write to support.',
  ),

  ...buyingRefusals,

  // Proxies
  unknown_provider: refuse(404, 'Поставщика «{provider}» нет.', 'There is no provider “{provider}”.'),
  no_traffic: refuse(
    402,
    'В этом пуле закончился трафик. Купите ещё, и строки снова заработают.',
    'There is no traffic left in this pool. Buy more and the lines work again.',
  ),
  no_subuser: refuse(
    409,
    'Вы ещё не покупали трафик этого пула. После первой покупки здесь появятся логин и пароль.',
    'You have not bought traffic of this pool yet. The login and password come with the first purchase.',
  ),
  invalid_quantity: refuse(
    422,
    'Количество строк — целое число от 1 до 10 000.',
    'The number of lines is a whole number from 1 to 10,000.',
  ),
  invalid_sessionttl: refuse(
    422,
    'Время сессии — целое число минут от 0 до 10 000.',
    'The session time is a whole number of minutes from 0 to 10,000.',
  ),
  invalid_anonymous: refuse(422, 'Анонимность — true или false.', 'Anonymity is true or false.'),
  unknown_location: refuse(422, 'В этом пуле нет: {names}.', 'This pool does not have: {names}.'),
  contradictory_targeting: refuse(
    422,
    'Эти настройки противоречат друг другу: {names}.',
    'These settings contradict each other: {names}.',
  ),
  too_many_slots: refuse(
    422,
    'Строк без пароля может быть не больше {limit} на пул.',
    'There can be at most {limit} lines without a password per pool.',
  ),

  // Whitelist
  invalid_ip: refuse(
    422,
    'Нужен публичный адрес IPv4: четыре числа от 0 до 255 через точку. Адреса частных и служебных сетей не подходят.',
    'A public IPv4 address is needed: four numbers from 0 to 255 with dots. Addresses of private and special networks will not do.',
  ),
  no_pool_access: refuse(403, 'Сначала купите трафик этого пула.', 'Buy traffic of this pool first.'),
  ip_taken: refuse(
    409,
    'Этот адрес в этом пуле подтвердил другой клиент. Строки с логином и паролем с него работают.',
    'Another customer has proven this address in this pool. Lines with a login and password work from it.',
  ),
  whitelist_full: refuse(
    422,
    'В белом списке не больше {limit} адресов. Удалите лишний.',
    'The whitelist holds at most {limit} addresses. Remove one.',
  ),
  ...gatewayRefusals,

  // What the operator says
  banner_not_found: refuse(404, 'Такого баннера нет.', 'There is no such banner.'),
} as const satisfies Record<string, Sentence>

export type RefusalCode = keyof typeof refusals

export const isRefusalCode = (text: string): text is RefusalCode => Object.hasOwn(refusals, text)

/** The sentence of a refusal in a language, its placeholders filled; an unknown placeholder stays visible. */
export function sentence(
  code: RefusalCode,
  language: 'ru' | 'en',
  details: Record<string, unknown> = {},
): string {
  return refusals[code][language].replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = details[name]
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : whole
  })
}
