/** The refusals common to all calls: rules of HTTP and JSON, rate limits, idempotency. */
export const httpRefusals = {
  malformed_json: {
    status: 400,
    ru: 'Тело запроса — не JSON. Проверьте кавычки и запятые.',
    en: 'The body is not valid JSON. Check the quotes and commas.',
  },
  unknown_field: {
    status: 422,
    ru: 'Поле «{field}» здесь не предусмотрено. Уберите его.',
    en: 'The field “{field}” is not allowed here. Remove it.',
  },
  missing_field: { status: 422, ru: 'Не хватает поля «{field}».', en: 'The field “{field}” is missing.' },
  invalid_field: {
    status: 422,
    ru: 'Поле «{field}» заполнено неверно.',
    en: 'The field “{field}” is not valid.',
  },
  body_too_large: {
    status: 413,
    ru: 'Запрос больше 64 КиБ. Отправьте его частями.',
    en: 'The request is larger than 64 KiB. Send it in parts.',
  },
  malformed_request: {
    status: 400,
    ru: 'Это не HTTP-запрос. Проверьте, чем он отправлен.',
    en: 'This is not a valid HTTP request. Check the client that sent it.',
  },
  headers_too_large: {
    status: 431,
    ru: 'Заголовки запроса или его адрес слишком длинные. Сократите их.',
    en: 'The request headers or the URL are too long. Shorten them.',
  },
  request_timeout: {
    status: 408,
    ru: 'Запрос пришёл не полностью. Отправьте его ещё раз.',
    en: 'The request arrived incomplete. Send it again.',
  },
  unsupported_media_type: {
    status: 415,
    ru: 'Отправьте тело как application/json.',
    en: 'Send the body as application/json.',
  },
  not_found: { status: 404, ru: 'Такого адреса нет.', en: 'There is nothing at this address.' },
  method_not_allowed: {
    status: 405,
    ru: 'Этот вызов делается методом {allowed}.',
    en: 'Use {allowed} for this call.',
  },
  too_many_requests: {
    status: 429,
    ru: 'Слишком много запросов. Повторите через {seconds} с.',
    en: 'Too many requests. Try again in {seconds} s.',
  },
  idempotency_key_reused: {
    status: 409,
    ru: 'Этот Idempotency-Key уже использован с другим запросом. Возьмите новый.',
    en: 'This Idempotency-Key has already been used with a different request. Use a new one.',
  },
  idempotency_key_busy: {
    status: 409,
    ru: 'Запрос с этим Idempotency-Key ещё выполняется. Повторите через секунду.',
    en: 'The request with this Idempotency-Key is still running. Try again in a second.',
  },
  invalid_idempotency_key: {
    status: 422,
    ru: 'Idempotency-Key — от 1 до 255 видимых символов ASCII.',
    en: 'An Idempotency-Key must be 1 to 255 visible ASCII characters.',
  },
  stored_answer_unreadable: {
    status: 409,
    ru: 'Запрос с этим Idempotency-Key уже выполнен, но его ответ больше нельзя прочитать. Посмотрите, что изменилось.',
    en: 'The request with this Idempotency-Key has been executed, but its answer can no longer be read. Look up what it changed.',
  },
  internal_error: {
    status: 500,
    ru: 'У нас сбой. Деньги и трафик не тронуты. Повторите позже, номер запроса: {request_id}.',
    en: 'Something went wrong on our side. Your money and traffic are unchanged. Try again later; request ID: {request_id}.',
  },
  temporarily_unavailable: {
    status: 503,
    ru: 'База данных сейчас недоступна. Ничего не потеряно, повторите через минуту.',
    en: 'The database is unavailable right now. Nothing has been lost; try again in a minute.',
  },
  unauthorized: {
    status: 401,
    ru: 'Войдите в аккаунт: сессия закончилась или не начиналась.',
    en: 'Sign in: your session has ended or has not started.',
  },
} as const
