/** Reading requests: one head after the other from a client's connection, and what each says of itself. */

import { performance } from 'node:perf_hooks'
import { HeadCollector } from '../http/head.collector.ts'
import { parseBasic, presentedAs, type Presented } from '../admission/credentials.ts'
import type { Limits } from '../engine.ts'
import { requestFraming, type Framing } from '../http/framing.ts'
import { connectionOptions, headToKeep, parseRequestHead, type Field, type RequestHead } from '../http/head.ts'
import { InletTimeout, type Inlet } from '../sockets/reader.ts'
import { ProxyRefusal, SOCKS_REPLY } from '../responses/refusal.ts'
import { type Forwarding, sameAuthority } from './rewrite.ts'
import { Trace } from '../records/trace.ts'

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
    forwarding: sameAuthority(head, last?.forwarding ?? null),
  }
}

/** Reads the requests of one connection. What hangs on the fields alone is not worked out again when they are the same. */
export class RequestReader {
  /** The last request that was served. */
  #last: HttpRequest | null = null
  readonly #inlet: Inlet
  readonly #limits: Limits

  constructor(inlet: Inlet, limits: Limits) {
    this.#inlet = inlet
    this.#limits = limits
  }

  /** The request was served: the next one may be like it. */
  served(request: HttpRequest): void {
    this.#last = headToKeep(request.head) === null ? null : request
  }

  /**
   * The request that begins with these bytes. Null when the client is gone, or falls silent before its head
   * begins. Throws what to answer to what is no proper request.
   */
  begin(chunk: Buffer, silentUntil: number): HttpRequest | Promise<HttpRequest | null> {
    const collector = new HeadCollector({ limitBytes: this.#limits.headBytes, bareLf: false })
    const bytes = collector.push(chunk)
    return bytes === null ? this.#rest(collector, silentUntil) : this.#request(bytes, collector)
  }

  #request(bytes: Buffer, collector: HeadCollector): HttpRequest {
    this.#inlet.unread(collector.rest)
    return requestOf(bytes, this.#last)
  }

  async #rest(collector: HeadCollector, silentUntil: number): Promise<HttpRequest | null> {
    const { headMs } = this.#limits
    let isBegun = collector.begun
    let deadline = isBegun ? performance.now() + headMs : silentUntil
    for (;;) {
      let chunk: Buffer | null
      try {
        chunk = await this.#inlet.read(Math.max(1, deadline - performance.now()))
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
      const bytes = collector.push(chunk)
      if (bytes !== null) return this.#request(bytes, collector)
      if (!isBegun && collector.begun) {
        isBegun = true
        deadline = performance.now() + headMs
      }
    }
  }
}
