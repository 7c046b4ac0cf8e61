/** The introduction of the OpenAPI document, and the components its calls refer to. */
import { isRefusalCode, refusals } from '../refusals.ts'

export const introduction = `Programs can do everything the site does: list locations, generate proxy lines, read balances and statistics, buy traffic.

**Authentication.** Send the API token of your account as \`Authorization: Bearer tpr_…\`. It is in the account under API; \`rotate_reseller_token\` replaces it at once. Keep it on servers: it can spend your money and read your proxy passwords.

**Limits.** 20 calls per second, in bursts of up to 60. The header \`x-ratelimit-remaining\` of every answer says how many are left; calls beyond the limit are refused with 429 and \`retry-after\` in seconds. Calls without a token: 30 per second from one address, in bursts of up to 300.

**Errors** are \`{"code", "message", "details"}\`. Programs should evaluate \`code\`; \`message\` is a sentence for users in the language of \`Accept-Language\` (\`ru\`, the default, or \`en\`). Quote the \`x-request-id\` of the answer to support.

**Retries.** Calls that move money or traffic accept an \`Idempotency-Key\`: a call repeated with the same key and body after a lost connection is executed once.

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
      description: 'A session token, as returned by `signin` and `telegram_code_signin`.',
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
    RequestId: { description: 'Quote it to support.', schema: { type: 'string', format: 'uuid' } },
    InvoiceId: { description: 'The number of the invoice.', schema: { type: 'string' } },
    RetryAfter: { description: 'Seconds to wait.', schema: wholeNumber },
    RateLimit: { description: 'The size of a burst after a pause.', schema: wholeNumber },
    RateLimitRemaining: { description: 'Calls left at the moment.', schema: wholeNumber },
    RateLimitReset: { description: 'Seconds until the full burst is available again.', schema: wholeNumber },
  },
  schemas: {
    Error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: {
          type: 'string',
          description: 'For programs. A missing or invalid field is `invalid_<field>`.',
          examples: Object.keys(refusals).filter(isRefusalCode).slice(0, 6),
        },
        message: { type: 'string', description: 'A sentence for the user, in the requested language.' },
        details: { type: 'object', description: 'Further data for programs, such as the name of the field.' },
      },
    },
  },
}
