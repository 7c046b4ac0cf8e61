/** Refusals and failures: the gateway's answers when a request is refused or cannot be served. */
import type { ProxyCode } from '#contract/refusals/proxy'

/** Reply codes of RFC 1928 section 6. */
export const SOCKS_REPLY = {
  granted: 0,
  failure: 1,
  forbidden: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  refused: 5,
  commandUnsupported: 7,
  addressUnsupported: 8,
} as const

export interface RefusalParts {
  status: 400 | 402 | 403 | 405 | 407 | 408 | 414 | 429 | 431 | 500 | 501 | 502 | 503 | 504 | 505
  code: ProxyCode
  sentence: string
  /** The error type of RFC 9209 section 2.3. */
  error: string
  /** The closest reply of RFC 1928. */
  reply: number
  retryAfterSeconds?: number
  /** The connection ends with the response: a further request would get the same one. */
  closes?: true
  /** The exit's answer when the exit failed, for the request's record. */
  exit?: { status: number | null; word: string | null }
}

/** Thrown where a request is refused or cannot be served; each protocol translates it once. */
export class ProxyRefusal extends Error {
  readonly parts: RefusalParts
  constructor(parts: RefusalParts) {
    super(`${parts.code}: ${parts.sentence}`)
    this.parts = parts
  }
}

/** The error type and the SOCKS5 reply that mostly belong to a status. */
function defaultsOf(status: RefusalParts['status']): Pick<RefusalParts, 'error' | 'reply'> {
  const { failure, forbidden } = SOCKS_REPLY
  if (status === 402 || status === 403 || status === 407 || status === 429)
    return { error: 'http_request_denied', reply: forbidden }
  if (status === 405) return { error: 'http_request_denied', reply: failure }
  if (status === 500 || status === 503) return { error: 'proxy_internal_error', reply: failure }
  if (status === 502 || status === 504) return { error: 'connection_terminated', reply: failure }
  return { error: 'http_request_error', reply: failure }
}

type Extra = Partial<Omit<RefusalParts, 'status' | 'code' | 'sentence'>>

/** The parts of a refusal; `extra` replaces what the status implies. */
export function refusalParts(
  status: RefusalParts['status'],
  code: ProxyCode,
  sentence: string,
  extra: Extra = {},
): RefusalParts {
  return { status, code, sentence, ...defaultsOf(status), ...extra }
}

export function refusal(
  status: RefusalParts['status'],
  code: ProxyCode,
  sentence: string,
  extra: Extra = {},
): ProxyRefusal {
  return new ProxyRefusal(refusalParts(status, code, sentence, extra))
}
