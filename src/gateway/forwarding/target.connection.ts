/** The target's side of a forwarded request: its connection, reading its answer, and what its failures are called. */

import type { Socket } from 'node:net'
import { ignoreErrors } from '../exits/dial.ts'
import { HeadCollector } from '../http/head.collector.ts'
import { headToKeep, parseResponseHead, type ResponseHead } from '../http/head.ts'
import { type Activity, Inlet, InletBroken, InletTimeout } from '../sockets/reader.ts'
import { ProxyRefusal, SOCKS_REPLY } from '../responses/refusal.ts'
import type { RelayReason } from '../relay.ts'
import { Repeats } from './rewrite.cache.ts'
import { isSameUse, type Use } from './reuse.ts'
import { Sender } from '../metering/metered.writer.ts'
import type { WayOut } from '../exits/connect.ts'

/** Targets send longer heads than clients: cookies, policies. */
const MOST_HEAD_BYTES = 64 * 1024

/** Why an exchange ended before its end. */
export class Broken extends Error {
  readonly reason: RelayReason
  constructor(reason: RelayReason) {
    super(reason)
    this.reason = reason
  }
}

function failed(code: string, sentence: string, error: string, status: 502 | 504): ProxyRefusal {
  return new ProxyRefusal({ status, code, sentence, error, reply: SOCKS_REPLY.failure })
}

/** The target broke off before its answer. */
export function targetClosed(): ProxyRefusal {
  return failed('target_closed', 'the target closed the connection', 'http_response_incomplete', 502)
}

/** What the target said is not HTTP. */
export function badAnswer(): ProxyRefusal {
  return failed('bad_answer', 'the target did not answer in proper HTTP', 'http_protocol_error', 502)
}

/** What to make of a fault that came up while a target was answering. */
export function faultOf(thrown: unknown): unknown {
  if (thrown instanceof InletBroken) return new Broken('target_failed')
  if (!(thrown instanceof InletTimeout)) return thrown
  return failed('target_timeout', 'the target did not answer in time', 'http_response_timeout', 504)
}

/** Who waits for an answer. */
export interface Hearing extends Activity {
  heard(): void
}

/** A connection to a target; kept for the next request of the same client to the same target. */
export class Upstream {
  readonly socket: Socket
  readonly inlet: Inlet
  readonly sender: Sender
  /** How it got there: by which exit, leaving where. */
  readonly way: WayOut
  readonly repeats = new Repeats()
  readonly #use: Use
  #lastHead: ResponseHead | null = null
  /** Of a head of which not all is here. */
  #collector: HeadCollector | null = null

  /** `use` says what it may be used for. */
  constructor(way: WayOut, use: Use) {
    const { socket, ended, early } = way.side
    ignoreErrors(socket)
    this.socket = socket
    this.inlet = new Inlet(socket)
    this.inlet.unread(early)
    if (ended) this.inlet.ended = true
    this.sender = new Sender(socket)
    this.way = way
    this.#use = use
  }

  /** Whether a request for this use may be sent on it: it is open, and the target has said nothing unasked. */
  serves(use: Use): boolean {
    const { ended, fault, waiting } = this.inlet
    return !ended && fault === null && !waiting && !this.sender.broken && isSameUse(this.#use, use)
  }

  /**
   * The next bytes of the answer, or null at its end. While something goes either way, a request's body above all, the
   * target is not late. Rejects with what `faultOf` explains.
   */
  read(patienceMs: number, activity: Activity): Promise<Buffer | null> {
    return this.inlet.read(patienceMs, activity)
  }

  /** The next head of the answer. `exchange` hears of every piece of it. Throws HeadFault besides what `read` does. */
  async readHead(patienceMs: number, exchange: Hearing): Promise<ResponseHead> {
    for (;;) {
      const head = this.headIn(await this.read(patienceMs, exchange), exchange)
      if (head !== null) return head
    }
  }

  /** The head that a piece of the answer, as `read` gives it, completes; null: more of it is to be read. */
  headIn(chunk: Buffer | null, exchange: Hearing): ResponseHead | null {
    if (chunk === null) throw new Broken('target_failed')
    exchange.heard()
    const collector = this.#collector ?? new HeadCollector({ limitBytes: MOST_HEAD_BYTES, bareLf: true })
    const bytes = collector.push(chunk)
    this.#collector = bytes === null ? collector : null
    if (bytes === null) return null
    this.inlet.unread(collector.rest)
    const head = parseResponseHead(bytes, this.#lastHead)
    this.#lastHead = headToKeep(head)
    return head
  }

  /** Ends the connection; what has not left is given back. */
  drop(): void {
    this.sender.abandon()
    this.socket.destroy()
  }
}
