/**
 * All refusals of the API, in both languages: what happened and what to do; `{name}` is replaced by a detail.
 */
import type { Language } from './language.ts'
import { amountRefusals } from './refusals/amounts.ts'
import { deskRefusals } from './refusals/desk.ts'
import { gatewayRefusals } from './refusals/gateway.ts'
import { payoutRefusals } from './refusals/payouts.ts'
import { presetRefusals } from './refusals/presets.ts'
import { securityRefusals } from './refusals/security.ts'
import { siteRefusals } from './refusals/site.ts'
import { moveRefusals } from './refusals/moves.ts'
import { userRefusals } from './refusals/users.ts'
import { whitelistRefusals } from './refusals/whitelist.ts'

interface Sentence {
  status: number
  ru: string
  en: string
}

const refuse = (status: number, ru: string, en: string): Sentence => ({ status, ru, en })

export const refusals = {
  malformed_json: refuse(
    400,
    'Тело запроса — не JSON. Проверьте кавычки и запятые.',
    'The body is not valid JSON. Check the quotes and commas.',
  ),
  unknown_field: refuse(
    422,
    'Поле «{field}» здесь не предусмотрено. Уберите его.',
    'The field “{field}” is not allowed here. Remove it.',
  ),
  missing_field: refuse(422, 'Не хватает поля «{field}».', 'The field “{field}” is missing.'),
  invalid_field: refuse(422, 'Поле «{field}» заполнено неверно.', 'The field “{field}” is not valid.'),
  body_too_large: refuse(
    413,
    'Запрос больше 64 КиБ. Отправьте его частями.',
    'The request is larger than 64 KiB. Send it in parts.',
  ),
  malformed_request: refuse(
    400,
    'Это не HTTP-запрос. Проверьте, чем он отправлен.',
    'This is not a valid HTTP request. Check the client that sent it.',
  ),
  headers_too_large: refuse(
    431,
    'Заголовки запроса или его адрес слишком длинные. Сократите их.',
    'The request headers or the URL are too long. Shorten them.',
  ),
  request_timeout: refuse(
    408,
    'Запрос пришёл не полностью. Отправьте его ещё раз.',
    'The request arrived incomplete. Send it again.',
  ),
  unsupported_media_type: refuse(
    415,
    'Отправьте тело как application/json.',
    'Send the body as application/json.',
  ),
  not_found: refuse(404, 'Такого адреса нет.', 'There is nothing at this address.'),
  method_not_allowed: refuse(405, 'Этот вызов делается методом {allowed}.', 'Use {allowed} for this call.'),
  too_many_requests: refuse(
    429,
    'Слишком много запросов. Повторите через {seconds} с.',
    'Too many requests. Try again in {seconds} s.',
  ),
  idempotency_key_reused: refuse(
    409,
    'Этот Idempotency-Key уже использован с другим запросом. Возьмите новый.',
    'This Idempotency-Key has already been used with a different request. Use a new one.',
  ),
  idempotency_key_busy: refuse(
    409,
    'Запрос с этим Idempotency-Key ещё выполняется. Повторите через секунду.',
    'The request with this Idempotency-Key is still running. Try again in a second.',
  ),
  invalid_idempotency_key: refuse(
    422,
    'Idempotency-Key — от 1 до 255 видимых символов ASCII.',
    'An Idempotency-Key must be 1 to 255 visible ASCII characters.',
  ),
  internal_error: refuse(
    500,
    'У нас сбой. Деньги и трафик не тронуты. Повторите позже, номер запроса: {request_id}.',
    'Something went wrong on our side. Your money and traffic are unchanged. Try again later; request ID: {request_id}.',
  ),
  temporarily_unavailable: refuse(
    503,
    'База данных сейчас недоступна. Ничего не потеряно, повторите через минуту.',
    'The database is unavailable right now. Nothing has been lost; try again in a minute.',
  ),

  // Authentication
  unauthorized: refuse(
    401,
    'Войдите в аккаунт: сессия закончилась или не начиналась.',
    'Sign in: your session has ended or has not started.',
  ),
  invalid_credentials: refuse(403, 'Логин или пароль не подходят.', 'The username or password is incorrect.'),
  account_blocked: refuse(
    403,
    'Аккаунт заблокирован. Напишите в поддержку.',
    'This account is blocked. Contact support.',
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

  // Accounts
  fill_fields: refuse(422, 'Заполните все поля.', 'Fill in all the fields.'),
  invalid_username: refuse(
    422,
    'Логин — больше 6 символов, без пробелов и знака @.',
    'A username must have more than 6 characters, without spaces or @.',
  ),
  username_like_link: refuse(
    422,
    'Логин похож на ссылку или адрес. Уберите из него «http», косые черты, двоеточия и точки перед буквами.',
    'The username looks like a link or an address. Leave out “http”, slashes, colons, and dots before letters.',
  ),
  invalid_email: refuse(
    422,
    'Проверьте почту: нужен адрес вида name@example.com.',
    'Enter a valid e-mail address, such as name@example.com.',
  ),
  invalid_password: refuse(
    422,
    'Пароль — больше 6 символов.',
    'A password must have more than 6 characters.',
  ),
  password_too_common: refuse(
    422,
    'Это очень распространённый пароль, его подбирают первым. Придумайте другой.',
    'This password is very common and easy to guess. Choose another one.',
  ),
  username_taken: refuse(
    409,
    'Этот логин занят. Выберите другой.',
    'This username is taken. Choose another one.',
  ),
  email_taken: refuse(
    409,
    'На эту почту уже есть аккаунт. Войдите или укажите другую.',
    'An account with this e-mail address already exists. Sign in or use another address.',
  ),
  wrong_password: refuse(403, 'Текущий пароль не подходит.', 'The current password is incorrect.'),
  invalid_confirmation_token: refuse(
    422,
    'Ссылка подтверждения уже использована или устарела.',
    'This confirmation link has already been used or has expired.',
  ),
  invalid_reset_token: refuse(
    422,
    'Ссылка для нового пароля уже использована или устарела. Запросите новую.',
    'This password reset link has already been used or has expired. Request a new one.',
  ),
  telegram_code_missing: refuse(400, 'Некорректный запрос', 'The request has no code'),
  telegram_code_invalid: refuse(422, 'Неверный код', 'Wrong code'),
  telegram_code_unknown: refuse(404, 'Код не найден', 'Code not found'),
  sign_in_again: refuse(
    403,
    'Для этого войдите заново: вход должен быть не старше 10 минут.',
    'Sign in again to do this: your last sign-in must be no more than 10 minutes old.',
  ),
  download_link_invalid: refuse(
    410,
    'Ссылка на файл уже использована или истекла. Запросите новую.',
    'This download link has already been used or has expired. Request a new one.',
  ),
  telegram_link_invalid: refuse(
    422,
    'Ссылка для привязки устарела или неполная. Возьмите новую в аккаунте на сайте.',
    'This link has expired or is incomplete. Get a new one from your account on the site.',
  ),
  telegram_link_taken: refuse(
    409,
    'К этому аккаунту уже привязан другой Telegram.',
    'This account is already linked to another Telegram account.',
  ),
  telegram_has_account: refuse(
    409,
    'У этого Telegram уже есть свой аккаунт, и он не пуст. Чтобы объединить аккаунты, напишите в поддержку.',
    'This Telegram account already has an account here, and it is not empty. Contact support to merge the two.',
  ),

  ...securityRefusals,

  // Buying
  ...amountRefusals,
  invalid_pool: refuse(422, 'Такого пула нет.', 'There is no such pool.'),
  invalid_payment_method: refuse(422, 'Такого способа оплаты нет.', 'There is no such payment method.'),
  top_up_unavailable: refuse(
    409,
    'Автопополнение этим способом оплаты сейчас не подключено.',
    'Automatic top-up is not available with this payment method right now.',
  ),
  saved_method_not_found: refuse(
    404,
    'Такого сохранённого способа оплаты нет: возможно, он уже удалён.',
    'There is no such saved payment method; it may have been removed already.',
  ),
  too_many_saved_methods: refuse(
    409,
    'Сохранено уже {limit} способов оплаты. Удалите ненужный.',
    'You already have {limit} saved payment methods. Remove one first.',
  ),
  top_up_too_small: refuse(
    422,
    'Покупать нужно не меньше, чем порог: иначе одного пополнения не хватит, чтобы подняться над ним.',
    'Buy at least as much as the threshold: otherwise one top-up will not bring you above it.',
  ),
  top_up_bound_too_low: refuse(
    422,
    'Предел на месяц меньше одного пополнения. Укажите хотя бы {least} $.',
    'The monthly limit is less than one top-up. Enter at least ${least}.',
  ),
  consent_outdated: refuse(
    409,
    'Условия изменились, пока вы их читали: прочитайте новые и согласитесь ещё раз. Ничего не списано.',
    'The terms changed while you were reading them. Read the new ones and agree again. Nothing was charged.',
  ),
  payment_method_unavailable: refuse(
    501,
    'Этот способ оплаты сейчас не работает. Выберите другой.',
    'This payment method is currently unavailable. Choose another one.',
  ),
  unknown_currency: refuse(
    422,
    'Валюты «{currency}» среди доступных нет.',
    'The currency “{currency}” is not available.',
  ),
  payment_failed: refuse(
    502,
    'Платёжная система не ответила. Деньги не списаны. Попробуйте ещё раз.',
    'The payment system did not respond. No money was taken. Try again.',
  ),
  receipt_email_required: refuse(
    422,
    'Для этого способа оплаты нужен e-mail, на который придёт чек (поле «{field}»). Укажите его и повторите.',
    'This payment method needs an e-mail address for the receipt (the field “{field}”). Enter it and try again.',
  ),
  invalid_receipt_email: refuse(
    422,
    'На такой e-mail чек не отправить: нужен адрес латиницей и без опечаток.',
    'A receipt cannot be sent to this e-mail address: use Latin letters, and check it for typos.',
  ),
  promocode_invalid: refuse(
    422,
    'Промокода нет, или он истёк, или закончился, или не подходит к этому количеству.',
    'The promo code does not exist, has expired, has been used up, or does not apply to this amount.',
  ),
  promocode_pool: refuse(
    422,
    'Этот промокод не действует для этого пула.',
    'This promo code does not work for this pool.',
  ),
  promocode_first_purchase: refuse(
    422,
    'Этот промокод — только для первой покупки, а у вас уже есть оплаченная.',
    'This promo code is for a first purchase only, and you have already made one.',
  ),
  promocode_person_limit: refuse(
    422,
    'Вы уже использовали этот промокод столько раз, сколько можно: {limit}.',
    'You have already used this promo code the maximum number of times: {limit}.',
  ),
  promocode_used: refuse(409, 'Вы уже использовали этот промокод.', 'You have already used this promo code.'),
  insufficient_referral_balance: refuse(
    402,
    'На реферальном балансе {balance} $, а нужно {cost} $.',
    'Your referral balance is ${balance}, but ${cost} is needed.',
  ),
  too_many_open_invoices: refuse(
    409,
    'У вас уже {limit} неоплаченных счетов, больше нельзя. Оплатите один из них или подождите: первый закроется через {minutes} мин.',
    'You already have {limit} unpaid invoices, the maximum. Pay one of them, or wait: the first one closes in {minutes} min.',
  ),
  invoice_not_found: refuse(404, 'Такого счёта нет.', 'There is no such invoice.'),
  document_not_found: refuse(404, 'Такого документа у счёта нет.', 'The invoice has no such document.'),
  buyer_name_missing: refuse(422, 'Укажите название или имя покупателя.', 'Enter the buyer’s name.'),
  buyer_details_letters: refuse(
    422,
    'В поле «{field}» есть знаки, которых нет в шрифте документа. Напишите его латиницей или кириллицей.',
    'The field “{field}” contains characters that cannot be printed in documents. Use Latin or Cyrillic letters.',
  ),
  invoice_not_refundable: refuse(
    409,
    'Счёт в состоянии «{state}»: вернуть можно только оплаченный.',
    'Only a paid invoice can be refunded; this one is {state}.',
  ),
  nothing_unused: refuse(
    409,
    'От трафика этого счёта ничего не осталось: он израсходован, подарен или обменян. По «неиспользованному» возвращать нечего.',
    'Nothing is left of the traffic of this invoice: it was used, given away or exchanged. There is nothing “unused” to refund.',
  ),
  invalid_webhook_signature: refuse(
    401,
    'Подпись уведомления не сходится.',
    'The signature of the notification is invalid.',
  ),

  // Proxies
  unknown_provider: refuse(404, 'Поставщика «{provider}» нет.', 'There is no provider “{provider}”.'),
  no_traffic: refuse(
    402,
    'В этом пуле закончился трафик. Купите ещё, и строки снова заработают.',
    'This pool has no traffic left. Buy more and the lines will work again.',
  ),
  no_subuser: refuse(
    409,
    'Вы ещё не покупали трафик этого пула. После первой покупки здесь появятся логин и пароль.',
    'You have not bought traffic for this pool yet. You get its login and password with your first purchase.',
  ),
  no_day_cap: refuse(
    409,
    'У этого пула нет дневного лимита: поднимать нечего.',
    'This pool has no daily limit, so there is nothing to raise.',
  ),
  token_unreadable: refuse(
    409,
    'Токен больше нельзя показать. Старый работает, пока вы не выпустите новый.',
    'The token can no longer be shown. It keeps working until you replace it with a new one.',
  ),
  proxy_password_unreadable: refuse(
    409,
    'Пароль прокси этого пула больше нельзя показать. Уже выданные строки работают. Чтобы получить новые, сбросьте пароль на вкладке «Безопасность».',
    'The proxy password of this pool can no longer be shown. Lines you already have keep working. To get new ones, reset the password on the Security tab.',
  ),
  invalid_quantity: refuse(
    422,
    'Количество строк — целое число от 1 до 10 000.',
    'The number of lines must be a whole number from 1 to 10,000.',
  ),
  invalid_sessionttl: refuse(
    422,
    'Время сессии — целое число минут от 0 до 10 000.',
    'The session time must be a whole number of minutes from 0 to 10,000.',
  ),
  invalid_anonymous: refuse(422, 'Анонимность — true или false.', 'Anonymity must be true or false.'),
  unknown_location: refuse(422, 'В этом пуле нет: {names}.', 'This pool does not include: {names}.'),
  contradictory_targeting: refuse(
    422,
    'Эти настройки противоречат друг другу: {names}.',
    'These settings contradict each other: {names}.',
  ),
  too_many_slots: refuse(
    422,
    'Строк без пароля может быть не больше {limit} на пул.',
    'A pool can have at most {limit} lines without a password.',
  ),

  ...whitelistRefusals,
  ...gatewayRefusals,
  ...moveRefusals,
  ...payoutRefusals,
  ...userRefusals,
  ...presetRefusals,

  ...siteRefusals,
  ...deskRefusals,
} as const satisfies Record<string, Sentence>

export type RefusalCode = keyof typeof refusals

export const isRefusalCode = (text: string): text is RefusalCode => Object.hasOwn(refusals, text)

/** The sentence of a refusal with its placeholders replaced; placeholders without a detail stay visible. */
export function sentence(
  code: RefusalCode,
  language: Language,
  details: Record<string, unknown> = {},
): string {
  return refusals[code][language].replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = details[name]
    return ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : whole
  })
}
