/** The HTTP responses that the gateway makes itself, with RFC 9209 Proxy-Status. */

import { STATUS_CODES } from 'node:http'
import type { RefusalParts } from './refusal.ts'

/** A structured-field string (RFC 8941): printable ASCII with `"` and `\` escaped. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`
}

/** RFC 9209 section 2.3: the status that the next hop answered. */
function receivedStatus({ exit }: RefusalParts): string {
  return exit?.status == null ? '' : `; received-status=${exit.status}`
}

function detailsOf({ code, sentence, exit }: RefusalParts): string {
  const said = exit?.word == null ? '' : ` (exit: ${exit.word})`
  return `${code}: ${sentence}${said}`
}

let dateSecond = 0
let dateText = ''

/** The present time as an HTTP date (RFC 9110 section 5.6.7). */
export function httpDate(nowMs = Date.now()): string {
  const second = Math.floor(nowMs / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(nowMs).toUTCString()
  }
  return dateText
}

/** The usual ones; any other method is forwarded as well. */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, CONNECT'

/** The response to an OPTIONS for the proxy itself. */
export function optionsResponse(requestId: string, close: boolean): Buffer {
  const lines = [
    'HTTP/1.1 204 No Content',
    `Date: ${httpDate()}`,
    `Allow: ${METHODS}`,
    'Proxy-Status: turnpike',
    `X-Request-Id: ${requestId}`,
    ...(close ? ['Connection: close'] : []),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}

/**
 * A refusal as a whole response. It repeats nothing that the client sent, except what the sentence itself
 * names.
 */
export function refusalResponse(
  parts: RefusalParts,
  options: { requestId: string; close: boolean; withoutBody: boolean },
): Buffer {
  const body = `${parts.code}: ${parts.sentence}\n`
  const lines = [
    `HTTP/1.1 ${parts.status} ${STATUS_CODES[parts.status]}`,
    `Date: ${httpDate()}`,
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

/** The settings applied to a request that is served. */
export interface Applied {
  requestId: string
  multiplier: 1 | 2
  session: string | null
  /** The country of the exit; null: not known. */
  country: string | null
  /** Charged bytes, according to this process: see `HeldLease.balance`. */
  balance: number | null
  /** The line in Turnpike's grammar, when it was written in another seller's. */
  understood: string | null
}

/** The largest integer of a structured field (RFC 8941 section 3.3.1). */
const LARGEST_INTEGER = 999_999_999_999_999

/** The gateway's member of Proxy-Status (RFC 9209) for a request that is served. */
export function proxyStatus(applied: Applied): string {
  const { multiplier, country, session, balance, understood, requestId } = applied
  let text = `turnpike; multiplier=${multiplier}`
  // A country code is a token, and a request id needs no escaping; the other values may contain anything.
  if (country !== null) text += `; country=${country}`
  if (session !== null) text += `; session=${quoted(session)}`
  if (balance !== null) text += `; balance=${Math.min(Math.trunc(balance), LARGEST_INTEGER)}`
  if (understood !== null) text += `; understood=${quoted(understood)}`
  return `${text}; request-id="${requestId}"`
}

/** The response to a granted CONNECT, as latin1. */
export function connectResponse(applied: Applied): string {
  const { requestId, multiplier, country, session } = applied
  const status = `Proxy-Status: ${proxyStatus(applied)}\r\nX-Request-Id: ${requestId}\r\n`
  let head = `HTTP/1.1 200 Connection established\r\n${status}X-Turnpike-Multiplier: ${multiplier}\r\n`
  if (country !== null) head += `X-Turnpike-Country: ${country}\r\n`
  if (session !== null) head += `X-Turnpike-Session: ${session}\r\n`
  return `${head}\r\n`
}
