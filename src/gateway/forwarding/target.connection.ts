/** The target's side of a forwarded request: its connection, the heads of its responses, and its failures. */

import type { Credentials } from '../admission/credentials.ts'
import type { ExitTargeting } from '../exits/choice.ts'
import type { ExitConnection } from '../exits/connect.ts'
import { HeadCollector } from '../http/head.collector.ts'
import { headToKeep, parseResponseHead, type ResponseHead } from '../http/head.ts'
import { MeteredWriter } from '../metering/metered.writer.ts'
import { type ProxyRefusal, refusal } from '../responses/refusal.ts'
import { type Activity, ConnectionClosed, ReadTimeout, SocketReader } from '../sockets/reader.ts'
import { type AnySocket, ignoreErrors } from '../sockets/source.ts'
import { readAfterReset } from '../sockets/writer.ts'
import { printTarget, type Target } from '../targets/target.ts'
import { RewriteCache } from './rewrite.cache.ts'

/** Targets send longer heads than clients: cookies, policies. */
const MOST_HEAD_BYTES = 64 * 1024

/** The reason why an exchange ended early. */
export type BreakReason = 'client_failed' | 'target_failed' | 'no_traffic' | 'idle' | 'cut' | 'ended'

/** An exchange ended early. */
export class ExchangeBroken extends Error {
  readonly reason: BreakReason
  constructor(reason: BreakReason) {
    super(reason)
    this.reason = reason
  }
}

/** The target closed the connection before it responded. */
export function targetClosed(): ProxyRefusal {
  return refusal('target_closed', 'the target closed the connection')
}

/** The target's response is not HTTP. */
export function badResponse(): ProxyRefusal {
  return refusal('bad_answer', 'the target did not answer in proper HTTP')
}

/** The cause of an error that was thrown while a target was responding. */
export function causeOf(error: unknown): unknown {
  if (error instanceof ConnectionClosed) return new ExchangeBroken('target_failed')
  if (!(error instanceof ReadTimeout)) return error
  return refusal('target_timeout', 'the target did not answer in time')
}

/** The purpose for which a kept connection may be reused: the same target, by the same line. */
export interface Purpose {
  target: Target
  line: { account: { access: bigint }; credentials: Credentials | null; targeting: ExitTargeting }
}

function isSamePurpose(one: Purpose, other: Purpose): boolean {
  if (one.line.account.access !== other.line.account.access) return false
  if (one.target !== other.target && printTarget(one.target) !== printTarget(other.target)) return false
  const mine = one.line.credentials
  const theirs = other.line.credentials
  // The settings of a port, and what the owner decides about a line, may have changed since.
  if (!isSameTargeting(one.line.targeting, other.line.targeting)) return false
  if (mine === null || theirs === null) return mine === theirs
  return mine === theirs || (mine.username === theirs.username && mine.digest.equals(theirs.digest))
}

function isSameTargeting(one: ExitTargeting, other: ExitTargeting): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** Waits for a response. */
export interface ResponseListener extends Activity {
  /** The target sent part of a head. */
  responding(): void
}

/** A connection to a target; kept for the next request of the same client to the same target. */
export class TargetConnection {
  readonly socket: AnySocket
  readonly reader: SocketReader
  readonly writer: MeteredWriter
  /** The exit it goes through. */
  readonly via: ExitConnection
  readonly rewrites = new RewriteCache()
  #purpose: Purpose
  #lastHead: ResponseHead | null = null
  /** Collects an incomplete head; null: none has begun. */
  #collector: HeadCollector | null = null

  constructor(via: ExitConnection, purpose: Purpose) {
    const { socket, ended, early } = via.handed
    ignoreErrors(socket)
    // A target may answer, and close the connection, before it has read all of the request.
    readAfterReset(socket)
    this.socket = socket
    this.reader = new SocketReader(socket)
    this.reader.unread(early)
    if (ended) this.reader.isEnded = true
    this.writer = new MeteredWriter(socket)
    this.via = via
    this.#purpose = purpose
  }

  /**
   * Whether it can carry a request for this purpose: it is open, and the target has sent no unrequested
   * bytes.
   */
  serves(purpose: Purpose): boolean {
    const { isEnded, isClosed, hasBytes } = this.reader
    const isReady = !isEnded && !isClosed && !hasBytes && !this.writer.isBroken
    if (!isReady || !isSamePurpose(this.#purpose, purpose)) return false
    // Comparing with the same objects is faster.
    this.#purpose = purpose
    return true
  }

  /**
   * The next bytes of the response, or null at its end. Traffic in either direction, such as the request's
   * body, restarts the timeout. Rejects with an error that `causeOf` classifies.
   */
  read(timeoutMs: number, activity: Activity): Promise<Buffer | null> {
    return this.reader.read(timeoutMs, activity)
  }

  /** The next head of the response. Throws HeadFault, and what `read` throws. */
  async readHead(timeoutMs: number, listener: ResponseListener): Promise<ResponseHead> {
    for (;;) {
      const head = this.headIn(await this.read(timeoutMs, listener), listener)
      if (head !== null) return head
    }
  }

  /** The head that these bytes complete, as `read` returned them; null: more of it is to be read. */
  headIn(chunk: Buffer | null, listener: ResponseListener): ResponseHead | null {
    if (chunk === null) throw new ExchangeBroken('target_failed')
    listener.responding()
    const collector = this.#collector ?? new HeadCollector({ limitBytes: MOST_HEAD_BYTES, bareLf: true })
    const bytes = collector.push(chunk)
    this.#collector = bytes === null ? collector : null
    if (bytes === null) return null
    this.reader.unread(collector.rest)
    const head = parseResponseHead(bytes, this.#lastHead)
    this.#lastHead = headToKeep(head)
    return head
  }

  /** Closes the connection, and gives back the charge of unsent bytes. */
  drop(): void {
    this.writer.abandon()
    this.socket.destroy()
  }
}
