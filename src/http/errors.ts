import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '#contract/language'
import { type RefusalCode, refusals, sentence } from '#contract/refusals'
import { isDatabaseAway } from '#db'
import { memoized } from '#lib/memo'
import { Refusal } from '#lib/refusal'
import { limitHeaders, PaceRefusal } from './admission/pace.ts'
import { noteRefused } from './security.log.ts'

/**
 * The language of the answer: of `ru` and `en`, the one with the greatest weight in Accept-Language (RFC 9110
 * section 12.5.4), the first of them at equal weights, otherwise Russian. Not the negotiator package: it
 * prefers `ru` to an earlier `en-US` of the same weight, and reads headers of any length.
 */
export const languageOf = (acceptLanguage: string | undefined): Language =>
  languageIn((acceptLanguage ?? '').slice(0, 200))

const languageIn = memoized(1000, (field: string): Language => {
  const wanted = field
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const quality = parameters
        .map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1])
        .find((text) => text !== undefined)
      return { language: tag.slice(0, 2).toLowerCase(), quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ language, quality }) => (language === 'ru' || language === 'en') && quality > 0)
  const best = wanted.reduce<{ language: string; quality: number } | null>(
    (chosen, next) => (chosen === null || next.quality > chosen.quality ? next : chosen),
    null,
  )
  return best?.language === 'en' ? 'en' : 'ru'
})

export interface ErrorBody {
  code: string
  message: string
  details?: Record<string, unknown>
}

/**
 * The body of a refusal: a field has its own code if there is one (`invalid_email`), else `invalid_<field>`
 * with the general sentence.
 */
function bodyOf(refusal: Refusal, language: Language): ErrorBody {
  const { field } = refusal.details
  let code: string = refusal.code
  let text = sentence(refusal.code, language, refusal.details)
  if ((refusal.code === 'invalid_field' || refusal.code === 'missing_field') && typeof field === 'string') {
    code = `invalid_${field}`
    if (refusal.code === 'invalid_field' && code in refusals)
      text = sentence(code as RefusalCode, language, refusal.details)
  }
  const hasDetails = Object.keys(refusal.details).length > 0
  return { code, message: text, ...(hasDetails ? { details: refusal.details } : {}) }
}

/** Errors of the framework, as refusals. */
const byFastifyCode: Record<string, RefusalCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
}

function asRefusal(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error
  const coded = error as { code?: unknown; statusCode?: unknown }
  const known = typeof coded.code === 'string' ? byFastifyCode[coded.code] : undefined
  if (known !== undefined) return new Refusal(known)
  if (isUploadCutOff(coded, request)) return new Refusal('request_timeout')
  if (isDatabaseAway(error)) {
    request.log.error({ err: error }, 'the database cannot be reached')
    return new Refusal('temporarily_unavailable', {}, 5)
  }
  if (typeof coded.statusCode === 'number' && coded.statusCode < 500) return new Refusal('malformed_json')
  request.log.error({ err: error }, 'a call failed')
  return new Refusal('internal_error', { request_id: request.id })
}

/**
 * Whether the client closed the connection before its body had arrived. Node.js gives that error the code of
 * a broken database connection; unlike for that one, no handler has run before the body is complete.
 */
function isUploadCutOff({ code }: { code?: unknown }, { raw }: FastifyRequest): boolean {
  return code === 'ECONNRESET' && raw.complete === false
}

/** Converts every thrown value to the error shape of the API; refusals are serialised only here. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = asRefusal(error, request)
  noteRefused(request, refusal.code)
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds))
  // An answer to an API token states the limit of its calls, unless another limit has refused the call.
  if (refusal instanceof PaceRefusal && reply.hasHeader('x-ratelimit-limit'))
    reply.headers(limitHeaders(refusal.state))
  if (refusal.code === 'unauthorized' || refusal.code === 'view_ended')
    reply.header('www-authenticate', 'Bearer')
  return reply
    .status(refusal.status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(bodyOf(refusal, languageOf(request.headers['accept-language']))))
}
