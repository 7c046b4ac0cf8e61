/** Reads the requests of a client's connection, one head after the other. */

import { performance } from 'node:perf_hooks'
import { parseBasic, presentedAs, type Presented } from '../admission/credentials.ts'
import { requestFraming, type Framing } from '../http/framing.ts'
import { HeadCollector } from '../http/head.collector.ts'
import {
  connectionOptions,
  headToKeep,
  parseRequestHead,
  type Field,
  type RequestHead,
} from '../http/head.ts'
import { Trace } from '../records/trace.ts'
import { refusal } from '../responses/refusal.ts'
import { ReadTimeout, type SocketReader } from '../sockets/reader.ts'
import { type Forwarding, sameAuthority } from './rewrite.ts'

export interface HttpRequest {
  trace: Trace
  head: RequestHead
  framing: Framing
  presented: Presented
  /** The client accepts another response on this connection. */
  keepAlive: boolean
  /** Part of its body may have been read, so the start of the next request is not certain. */
  bodyBegun: boolean
  /** Its target, once parsed; null before, and with CONNECT. */
  forwarding: Forwarding | null
}

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a request may be sent again over a new connection, when a kept one turns out to be closed. */
export function isRepeatable({ head, framing }: Pick<HttpRequest, 'head' | 'framing'>): boolean {
  return framing.kind === 'none' && REPEATABLE.has(head.method)
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
  const same = last?.head.fields === head.fields && last.head.version === head.version ? last : null
  return {
    trace: new Trace(head.method === 'CONNECT' ? 'connect' : 'http'),
    head,
    framing: same?.framing ?? requestFraming(head),
    presented: same?.presented ?? presentedIn(head),
    keepAlive: same?.keepAlive ?? wantsKeepAlive(head),
    bodyBegun: false,
    forwarding: sameAuthority(head, last?.forwarding ?? null),
  }
}

/**
 * Reads the requests of one connection. Values derived from the fields alone are reused while the fields are
 * the same.
 */
export class RequestReader {
  /** The last request that was served. */
  #last: HttpRequest | null = null
  readonly #reader: SocketReader
  readonly #limits: { headBytes: number; headMs: number }

  constructor(reader: SocketReader, limits: { headBytes: number; headMs: number }) {
    this.#reader = reader
    this.#limits = limits
  }

  /** The request was served: the next one may be like it. */
  served(request: HttpRequest): void {
    this.#last = headToKeep(request.head) === null ? null : request
  }

  /**
   * The request that begins with these bytes. Null when the client closed the connection, or sent nothing of
   * a head until `silentUntil`. Throws a HeadFault, or the refusal of a head that is not complete in time.
   */
  begin(chunk: Buffer, silentUntil: number): HttpRequest | Promise<HttpRequest | null> {
    const collector = new HeadCollector({ limitBytes: this.#limits.headBytes, bareLf: false })
    const bytes = collector.push(chunk)
    return bytes === null ? this.#continue(collector, silentUntil) : this.#request(bytes, collector)
  }

  #request(bytes: Buffer, collector: HeadCollector): HttpRequest {
    this.#reader.unread(collector.rest)
    return requestOf(bytes, this.#last)
  }

  async #continue(collector: HeadCollector, silentUntil: number): Promise<HttpRequest | null> {
    const { headMs } = this.#limits
    let isBegun = collector.begun
    let deadline = isBegun ? performance.now() + headMs : silentUntil
    for (;;) {
      let chunk: Buffer | null
      try {
        chunk = await this.#reader.read(Math.max(1, deadline - performance.now()))
      } catch (error) {
        if (!(error instanceof ReadTimeout) || !isBegun) return null
        throw refusal('request_timeout', 'the head of the request did not come in time')
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
