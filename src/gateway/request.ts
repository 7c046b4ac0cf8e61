/** Reading requests: one head after the other from a client's connection, and what each says of itself. */

import { performance } from 'node:perf_hooks'
import { HeadCollector } from './collector.ts'
import { parseBasic, presentedAs, type Presented } from './credentials.ts'
import type { Limits } from './engine.ts'
import { requestFraming, type Framing } from './framing.ts'
import { connectionOptions, parseRequestHead, type Field, type RequestHead } from './head.ts'
import { InletTimeout, type Inlet } from './inlet.ts'
import { ProxyRefusal, SOCKS_REPLY } from './refuse.ts'
import type { Forwarding } from './rewrite.ts'
import { Trace } from './trace.ts'

export interface HttpRequest {
  trace: Trace
  head: RequestHead
  framing: Framing
  presented: Presented
  /** The client can take another request on this connection. */
  keepAlive: boolean
  /** Part of its body may have been read: where the next request begins is not sure any more. */
  bodyBegun: boolean
  /** Where it goes, once that is read; null before, and with CONNECT. */
  forwarding: Forwarding | null
}

function wantsKeepAlive(head: RequestHead): boolean {
  const options = connectionOptions(head.fields)
  if (options.includes('close')) return false
  return head.version === '1.1' || options.includes('keep-alive')
}

function presentedIn(head: RequestHead): Presented {
  let given: Field | null = null
  for (const field of head.fields) {
    if (field.key !== 'proxy-authorization') continue
    if (given !== null) return 'unreadable'
    given = field
  }
  return given === null ? 'none' : presentedAs(parseBasic(given.value))
}

function requestOf(bytes: Buffer, last: HttpRequest | null): HttpRequest {
  const head = parseRequestHead(bytes, last?.head)
  const like = last?.head.fields === head.fields && last.head.version === head.version ? last : null
  return {
    trace: new Trace(head.method === 'CONNECT' ? 'connect' : 'http'),
    head,
    framing: like?.framing ?? requestFraming(head),
    presented: like?.presented ?? presentedIn(head),
    keepAlive: like?.keepAlive ?? wantsKeepAlive(head),
    bodyBegun: false,
    forwarding: last?.head === head ? last.forwarding : null,
  }
}

/** The bytes of a head of which the first have come; null when the client is gone or falls silent before it begins. */
async function restOfHead(
  inlet: Inlet,
  limits: Limits,
  { collector, silentUntil }: { collector: HeadCollector; silentUntil: number },
): Promise<Buffer | null> {
  let isBegun = collector.begun
  let deadline = isBegun ? performance.now() + limits.headMs : silentUntil
  for (;;) {
    let chunk: Buffer | null
    try {
      chunk = await inlet.read(Math.max(1, deadline - performance.now()))
    } catch (fault) {
      if (!(fault instanceof InletTimeout) || !isBegun) return null
      throw new ProxyRefusal({
        status: 408,
        code: 'request_timeout',
        sentence: 'the head of the request did not come in time',
        error: 'http_request_error',
        reply: SOCKS_REPLY.failure,
      })
    }
    if (chunk === null) return null
    const head = collector.push(chunk)
    if (head !== null) return head
    if (!isBegun && collector.begun) {
      isBegun = true
      deadline = performance.now() + limits.headMs
    }
  }
}

/**
 * The next request of a connection; null when there is none. `before` is null for the first one; `last` in it is the one
 * before, when that was served: what hangs on the fields alone is not worked out again. Throws what to answer to
 * something that is no proper request.
 */
export async function nextRequest(
  inlet: Inlet,
  limits: Limits,
  before: { last: HttpRequest | null } | null,
): Promise<HttpRequest | null> {
  const silentMs = before === null ? limits.silentMs : limits.keepAliveMs
  const silentUntil = performance.now() + silentMs
  let chunk: Buffer | null
  try {
    chunk = await inlet.read(silentMs)
  } catch {
    // Silent for too long, or gone.
    return null
  }
  if (chunk === null) return null
  const collector = new HeadCollector({ limitBytes: limits.headBytes, bareLf: false })
  const bytes = collector.push(chunk) ?? (await restOfHead(inlet, limits, { collector, silentUntil }))
  if (bytes === null) return null
  inlet.unread(collector.rest)
  return requestOf(bytes, before?.last ?? null)
}
