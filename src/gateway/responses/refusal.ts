/** Refusals and failures: what the gateway answers when a request is turned down or cannot be served. */

/** Reply codes of RFC 1928 section 6. */
export const SOCKS_REPLY = {
  granted: 0,
  failure: 1,
  forbidden: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  refused: 5,
  timedOut: 6,
  commandUnsupported: 7,
  addressUnsupported: 8,
} as const

export interface RefusalParts {
  status: 400 | 402 | 403 | 405 | 407 | 408 | 429 | 431 | 500 | 501 | 502 | 503 | 504 | 505
  code: string
  sentence: string
  /** The error type of RFC 9209 section 2.3. */
  error: string
  /** The nearest reply of RFC 1928. */
  reply: number
  retryAfterSeconds?: number
  /** The connection ends with the response: a further request would get the same one. */
  closes?: true
  /** What the exit answered when the exit failed, for the request's record. */
  exit?: { status: number | null; word: string | null }
}

/** Thrown where a request is turned down or cannot be served; each protocol translates it once. */
export class ProxyRefusal extends Error {
  readonly parts: RefusalParts
  constructor(parts: RefusalParts) {
    super(`${parts.code}: ${parts.sentence}`)
    this.parts = parts
  }
}

const { failure, forbidden } = SOCKS_REPLY
const DENIED = { error: 'http_request_denied', reply: forbidden }
const MALFORMED = { error: 'http_request_error', reply: failure }
const INTERNAL = { error: 'proxy_internal_error', reply: failure }
const UPSTREAM = { error: 'connection_terminated', reply: failure }

/** The error type and the SOCKS5 reply that mostly belong to a status. */
const DEFAULTS: Record<RefusalParts['status'], Pick<RefusalParts, 'error' | 'reply'>> = {
  400: MALFORMED,
  402: DENIED,
  403: DENIED,
  405: { error: 'http_request_denied', reply: failure },
  407: DENIED,
  408: MALFORMED,
  429: DENIED,
  431: MALFORMED,
  500: INTERNAL,
  501: MALFORMED,
  502: UPSTREAM,
  503: INTERNAL,
  504: UPSTREAM,
  505: MALFORMED,
}

type Extra = Partial<Omit<RefusalParts, 'status' | 'code' | 'sentence'>>

/** The parts of a refusal; `extra` replaces what the status implies. */
export function refusalParts(
  status: RefusalParts['status'],
  code: string,
  sentence: string,
  extra: Extra = {},
): RefusalParts {
  return { status, code, sentence, ...DEFAULTS[status], ...extra }
}

export function refusal(
  status: RefusalParts['status'],
  code: string,
  sentence: string,
  extra: Extra = {},
): ProxyRefusal {
  return new ProxyRefusal(refusalParts(status, code, sentence, extra))
}
