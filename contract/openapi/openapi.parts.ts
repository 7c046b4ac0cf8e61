/** What the OpenAPI document says once: how to begin, and the parts its calls refer to. */
import { isRefusalCode, refusals } from '../refusals.ts'

export const introduction = `Everything the site does, a program can do: list places, make proxy lines, read balances and statistics, buy traffic.

**Authentication.** Send the API token of your account as \`Authorization: Bearer tpr_…\`. You find it in the account under API; \`rotate_reseller_token\` replaces it at once. Keep it on servers: it spends your money and reads your proxy passwords.

**Limits.** 20 calls a second, up to 60 at once. Every answer says what is left in \`x-ratelimit-remaining\`; a call too many is refused with 429 and \`retry-after\` in seconds. Calls that need no token: 30 a second from one address, up to 300 at once.

**Errors** are \`{"code", "message", "details"}\`. Programs go by \`code\`; \`message\` is a sentence for people in the language of \`Accept-Language\` (\`ru\`, the default, or \`en\`). Tell support the \`x-request-id\` of the answer.

**Repeats.** Calls that move money or traffic take an \`Idempotency-Key\`: repeat a call with the same key and body after a lost connection, and it is done once.

**Traffic numbers.** A value under 10 with a decimal point is GB, any other value is MB (1 GB = 1000 MB = 10⁹ bytes): 5000 is 5 GB, 0.0053 is 5.3 MB, 12345.6 is 12.3456 GB.`

const wholeNumber = { type: 'integer', minimum: 0 }

export const components = {
  securitySchemes: {
    apiToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'The API token of the account, `tpr_…`.',
    },
    session: {
      type: 'http',
      scheme: 'bearer',
      description: 'A session token, as `signin` and `telegram_code_signin` answer it.',
    },
  },
  parameters: {
    AcceptLanguage: {
      name: 'Accept-Language',
      in: 'header',
      description: 'The language of names and messages: `ru` (default) or `en`.',
      schema: { type: 'string' },
      example: 'en',
    },
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        '1 to 255 visible ASCII characters, kept for 24 hours. The same key and body get the same answer; the same key with another body is refused.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: String.raw`^[\x21-\x7e]+$` },
    },
  },
  headers: {
    RequestId: { description: 'Tell it to support.', schema: { type: 'string', format: 'uuid' } },
    InvoiceId: { description: 'The number of the invoice.', schema: { type: 'string' } },
    RetryAfter: { description: 'Seconds to wait.', schema: wholeNumber },
    RateLimit: { description: 'Calls an API token may make at once after a rest.', schema: wholeNumber },
    RateLimitRemaining: { description: 'Calls it may make at once now.', schema: wholeNumber },
    RateLimitReset: { description: 'Seconds until the whole allowance is back.', schema: wholeNumber },
  },
  schemas: {
    Error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: {
          type: 'string',
          description: 'What programs go by. A field that is missing or wrong is `invalid_<field>`.',
          examples: Object.keys(refusals).filter(isRefusalCode).slice(0, 6),
        },
        message: { type: 'string', description: 'A sentence for the person, in the language asked for.' },
        details: { type: 'object', description: 'Facts for the program, such as the field.' },
      },
    },
  },
}
