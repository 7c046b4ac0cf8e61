/** The introduction of the OpenAPI document, and the components its calls refer to. */
import type { Language } from '../language.ts'
import type { Texts } from '../docs.ts'

export const introduction: Texts = {
  en: `Programs can do everything the site does: list locations, generate proxy lines, read balances and statistics, buy traffic.

**Authentication.** Send the API token of your account as \`Authorization: Bearer tpr_…\`. It is in the account under API; \`rotate_reseller_token\` replaces it at once. Keep it on servers: it can spend your money and read your proxy passwords.

**Limits.** 20 calls per second, in bursts of up to 60, and 40 tokens of cost per second, in bursts of up to 400; more by agreement. The header \`ratelimit\` of every answer says how much of each is left, \`x-ratelimit-remaining\` how many calls are; calls beyond the limit are refused with 429 and \`retry-after\` in seconds. Calls without a token: 30 per second from one address, in bursts of up to 300.

**Errors** are \`{"code", "message", "details"}\`. Programs should evaluate \`code\`; \`message\` is a sentence for users in the language of \`Accept-Language\` (\`ru\`, the default, or \`en\`). Each call has one method; another is 405 \`method_not_allowed\` with the right one in \`Allow\`. Quote the \`x-request-id\` of the answer to support.

**Retries.** Calls that change something accept an \`Idempotency-Key\`: a call repeated with the same key and body after a lost connection is executed once, and its answer then has the header \`idempotency-replayed: true\`.

**Traffic numbers.** A value under 10 with a decimal point is GB, any other value is MB (1 GB = 1000 MB = 10⁹ bytes): 5000 is 5 GB, 0.0053 is 5.3 MB, 12345.6 is 12.3456 GB.`,
  ru: `Программа может всё, что может сайт: получать списки стран и городов, создавать прокси, читать остатки и статистику, покупать трафик.

**Авторизация.** Отправляйте токен API аккаунта в заголовке \`Authorization: Bearer tpr_…\`. Токен — в аккаунте на вкладке API; \`rotate_reseller_token\` сразу заменяет его новым. Держите токен на серверах: с ним можно тратить ваши деньги и читать пароли прокси.

**Пределы.** 20 вызовов в секунду, подряд не больше 60, и 40 единиц цены в секунду, подряд не больше 400; больше — по договорённости. Заголовок \`ratelimit\` каждого ответа говорит, сколько осталось от каждого предела, \`x-ratelimit-remaining\` — сколько осталось вызовов; лишние вызовы отклоняются с кодом 429 и \`retry-after\` в секундах. Вызовы без токена: 30 в секунду с одного адреса, подряд не больше 300.

**Ошибки** — это \`{"code", "message", "details"}\`. Программа должна смотреть на \`code\`; \`message\` — фраза для человека на языке из \`Accept-Language\` (\`ru\`, по умолчанию, или \`en\`). У каждого вызова один метод; на другой приходит 405 \`method_not_allowed\`, а нужный назван в \`Allow\`. Обращаясь в поддержку, назовите \`x-request-id\` из ответа.

**Повторы.** Вызовы, которые что-то меняют, принимают \`Idempotency-Key\`: вызов, повторённый с тем же ключом и телом после обрыва связи, выполнится один раз, а в ответе на повтор будет заголовок \`idempotency-replayed: true\`.

**Числа трафика.** Значение меньше 10 с десятичной точкой — гигабайты, любое другое — мегабайты (1 ГБ = 1000 МБ = 10⁹ байт): 5000 — это 5 ГБ, 0.0053 — 5,3 МБ, 12345.6 — 12,3456 ГБ.`,
}

/** The short texts of the document that belong to no call. */
export const words = {
  done: { en: 'Done', ru: 'Выполнено' },
  etag: { en: 'Of the bytes', ru: 'Отпечаток байтов' },
  provider: {
    en: 'A provider of exits. `gateway` adds up all of them.',
    ru: 'Поставщик выходных узлов. `gateway` — все вместе.',
  },
  traffic: {
    en: 'Under 10 with a decimal point: GB. Otherwise: MB.',
    ru: 'Меньше 10 с десятичной точкой — ГБ, иначе — МБ.',
  },
  apiToken: { en: 'The API token of the account, `tpr_…`.', ru: 'Токен API аккаунта, `tpr_…`.' },
  session: {
    en: 'A session token, as returned by `signin` and `telegram_code_signin`.',
    ru: 'Токен сессии, который возвращают `signin` и `telegram_code_signin`.',
  },
  acceptLanguage: {
    en: 'The language of names and messages: `ru` (default) or `en`.',
    ru: 'Язык названий и сообщений: `ru` (по умолчанию) или `en`.',
  },
  idempotencyKey: {
    en: '1 to 255 visible ASCII characters, kept for 24 hours. The same key and body get the same answer, with the header `idempotency-replayed: true`; the same key with another body is refused. A refused call does not use its key up.',
    ru: 'От 1 до 255 видимых символов ASCII, хранится 24 часа. На тот же ключ с тем же телом приходит тот же ответ с заголовком `idempotency-replayed: true`; тот же ключ с другим телом отклоняется. Отклонённый вызов ключ не тратит.',
  },
  requestId: { en: 'Quote it to support.', ru: 'Назовите его, обращаясь в поддержку.' },
  invoiceId: { en: 'The number of the invoice.', ru: 'Номер счёта.' },
  retryAfter: { en: 'Seconds to wait.', ru: 'Сколько секунд подождать.' },
  rateLimit: {
    en: 'The size of a burst after a pause.',
    ru: 'Сколько вызовов можно сделать подряд после паузы.',
  },
  rateLimitRemaining: { en: 'Calls left at the moment.', ru: 'Сколько вызовов осталось сейчас.' },
  rateLimitPolicies: {
    en: 'Each limit in force: `q` calls or tokens in `w` seconds.',
    ru: 'Все действующие пределы: `q` вызовов или единиц за `w` секунд.',
  },
  rateLimitStates: {
    en: 'What is left of each limit (`r`), and the seconds until all of it is available again (`t`).',
    ru: 'Сколько осталось от каждого предела (`r`) и через сколько секунд он снова будет доступен целиком (`t`).',
  },
  rateLimitReset: {
    en: 'Seconds until the full burst is available again.',
    ru: 'Через сколько секунд снова будет доступно всё.',
  },
  code: {
    en: 'For programs. A missing or invalid field is `invalid_<field>`.',
    ru: 'Для программ. Пропущенное или неверное поле — `invalid_<поле>`.',
  },
  message: {
    en: 'A sentence for the user, in the requested language.',
    ru: 'Фраза для человека на запрошенном языке.',
  },
  details: {
    en: 'Further data for programs, such as the name of the field.',
    ru: 'Дополнительные данные для программ, например имя поля.',
  },
  license: { en: 'Rules of {brand}', ru: 'Правила {brand}' },
} as const satisfies Record<string, Texts>

const wholeNumber = { type: 'integer', minimum: 0 }

/** The components that calls refer to, in one language. `codes`: all codes of refusals. */
export function components(language: Language, codes: readonly string[]) {
  const text = (name: keyof typeof words) => words[name][language]
  const number = (name: keyof typeof words) => ({ description: text(name), schema: wholeNumber })
  return {
    securitySchemes: {
      apiToken: { type: 'http', scheme: 'bearer', description: text('apiToken') },
      session: { type: 'http', scheme: 'bearer', description: text('session') },
    },
    parameters: {
      AcceptLanguage: {
        name: 'Accept-Language',
        in: 'header',
        description: text('acceptLanguage'),
        schema: { type: 'string' },
        example: language,
      },
      IdempotencyKey: {
        name: 'Idempotency-Key',
        in: 'header',
        description: text('idempotencyKey'),
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: String.raw`^[\x21-\x7e]+$` },
      },
    },
    headers: {
      RequestId: { description: text('requestId'), schema: { type: 'string', format: 'uuid' } },
      InvoiceId: { description: text('invoiceId'), schema: { type: 'string' } },
      RetryAfter: number('retryAfter'),
      RateLimit: number('rateLimit'),
      RateLimitRemaining: number('rateLimitRemaining'),
      RateLimitReset: number('rateLimitReset'),
      RateLimitPolicies: {
        description: text('rateLimitPolicies'),
        schema: { type: 'string', examples: ['"calls";q=60;w=3, "cost";q=400;w=10'] },
      },
      RateLimitStates: {
        description: text('rateLimitStates'),
        schema: { type: 'string', examples: ['"calls";r=59;t=1, "cost";r=395;t=1'] },
      },
    },
    schemas: {
      ErrorCode: { type: 'string', description: text('code'), enum: codes },
      Error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { $ref: '#/components/schemas/ErrorCode' },
          message: { type: 'string', description: text('message') },
          details: { type: 'object', description: text('details') },
        },
      },
    },
  }
}
