/** What the gateway itself answers: refusals and failures, over HTTP (with RFC 9209 Proxy-Status) and over SOCKS5. */

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
  status: 400 | 402 | 403 | 405 | 407 | 408 | 413 | 429 | 431 | 500 | 501 | 502 | 503 | 504 | 505
  code: string
  sentence: string
  /** The error type of RFC 9209 section 2.3. */
  error: string
  /** The nearest reply of RFC 1928. */
  reply: number
  retryAfterSeconds?: number
  /** The connection ends with the answer: nothing that could follow would be answered otherwise. */
  closes?: true
  /** What the exit said when it is the exit that failed: kept for whoever asks why. */
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

const REASONS: Record<RefusalParts['status'], string> = {
  400: 'Bad Request',
  402: 'Payment Required',
  403: 'Forbidden',
  405: 'Method Not Allowed',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  413: 'Content Too Large',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
}

/** A structured-field string (RFC 8941): printable ASCII with `"` and `\` escaped. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`
}

/** RFC 9209 section 2.3: what the next hop answered. */
function receivedStatus({ exit }: RefusalParts): string {
  return exit?.status == null ? '' : `; received-status=${exit.status}`
}

function detailsOf({ code, sentence, exit }: RefusalParts): string {
  const said = exit?.word == null ? '' : ` (exit: ${exit.word})`
  return `${code}: ${sentence}${said}`
}

/** Any other method is forwarded too; these are the ones that people ask for. */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, CONNECT'

/** What this proxy itself answers to OPTIONS. */
export function optionsAnswer(requestId: string, close: boolean): Buffer {
  const lines = [
    'HTTP/1.1 204 No Content',
    `Allow: ${METHODS}`,
    'Proxy-Status: turnpike',
    `X-Request-Id: ${requestId}`,
    ...(close ? ['Connection: close'] : []),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}

/** A refusal as a whole HTTP answer. Nothing the client sent is ever echoed but what the sentence itself names. */
export function refusalAnswer(
  parts: RefusalParts,
  options: { requestId: string; close: boolean; withoutBody: boolean },
): Buffer {
  const body = `${parts.code}: ${parts.sentence}\n`
  const lines = [
    `HTTP/1.1 ${parts.status} ${REASONS[parts.status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Proxy-Status: turnpike; error=${parts.error}${receivedStatus(parts)}; details=${quoted(detailsOf(parts))}`,
    `X-Request-Id: ${options.requestId}`,
  ]
  if (parts.status === 407) lines.push('Proxy-Authenticate: Basic realm="turnpike", charset="UTF-8"')
  if (parts.status === 405) lines.push(`Allow: ${METHODS}`)
  if (parts.retryAfterSeconds !== undefined) lines.push(`Retry-After: ${parts.retryAfterSeconds}`)
  if (options.close) lines.push('Connection: close')
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${options.withoutBody ? '' : body}`)
}

/** What is told of a request that is served. */
export interface Applied {
  requestId: string
  multiplier: 1 | 2
  session: string | null
  /** Where it leaves; null: not known. */
  country: string | null
  /** Charged bytes, as far as this process knows: see `Purse.balance`. */
  balance: number | null
  /** The line in our own grammar, when it was written in somebody else's. */
  understood: string | null
}

/** The largest integer of a structured field (RFC 8941 section 3.3.1). */
const LARGEST_INTEGER = 999_999_999_999_999

/** Our member of Proxy-Status (RFC 9209) for what is served. */
export function proxyStatus(applied: Applied): string {
  const { multiplier, country, session, balance, understood, requestId } = applied
  let text = `turnpike; multiplier=${multiplier}`
  // A country's code is a token, and an id of ours needs no escaping; the others may hold what a token may not.
  if (country !== null) text += `; country=${country}`
  if (session !== null) text += `; session=${quoted(session)}`
  if (balance !== null) text += `; balance=${Math.min(Math.trunc(balance), LARGEST_INTEGER)}`
  if (understood !== null) text += `; understood=${quoted(understood)}`
  return `${text}; request-id="${requestId}"`
}

/** The head that answers a granted CONNECT: what was applied, as far as it is known. */
export function connectAnswer(applied: Applied): Buffer {
  const { requestId, multiplier, country, session } = applied
  const status = `Proxy-Status: ${proxyStatus(applied)}\r\nX-Request-Id: ${requestId}\r\n`
  let head = `HTTP/1.1 200 Connection established\r\n${status}X-Turnpike-Multiplier: ${multiplier}\r\n`
  if (country !== null) head += `X-Turnpike-Country: ${country}\r\n`
  if (session !== null) head += `X-Turnpike-Session: ${session}\r\n`
  return Buffer.from(`${head}\r\n`)
}
