/** An HTTP client's connection: one request after the other, each forwarded or turned into a tunnel. */

import { performance } from 'node:perf_hooks'
import { admit } from './admission/admission.ts'
import { bodyReader } from './http/body.ts'
import { carry, endWithClient } from './tunnel.ts'
import { endSession, noteRefusal, openTarget, refusalOf, type Engine, type Visitor } from './engine.ts'
import { forward } from './http.request.ts'
import { HeadFault } from './http/head.ts'
import { InletBroken, InletTimeout, type Inlet } from './sockets/reader.ts'
import { lingeringClose } from './sockets/close.ts'
import { writeFree } from './sockets/writer.ts'
import {
  connectAnswer,
  optionsAnswer,
  ProxyRefusal,
  refusalAnswer,
  SOCKS_REPLY,
  type RefusalParts,
} from './responses/refusal.ts'
import { type HttpRequest, RequestReader } from './forwarding/request.ts'
import { answersItself } from './forwarding/rewrite.ts'
import { Sender } from './metering/metered.writer.ts'
import { parseAuthority, printTarget } from './targets/target.ts'
import { Trace } from './records/trace.ts'
import type { Upstream } from './forwarding/target.connection.ts'

/** A body this small is read and thrown away so that the connection stays usable after a refusal. */
const MOST_DRAINED_BYTES = 64 * 1024

/** What became of the connection: ready for the next request, at its end, or somebody else's. */
export type Next = 'keep' | 'close' | 'taken'

/** A client's connection over HTTP. */
export class HttpClient {
  readonly engine: Engine
  readonly visitor: Visitor
  readonly inlet: Inlet
  /** The connection to the last target, for the next request to the same one. */
  upstream: Upstream | null = null
  /** The request that is being forwarded; it hears of the end of the connection. */
  exchange: { clientGone(): void } | null = null
  #sender: Sender | null = null

  constructor(engine: Engine, visitor: Visitor, inlet: Inlet) {
    this.engine = engine
    this.visitor = visitor
    this.inlet = inlet
  }

  /** Made when it is asked for: a tunnel needs none. */
  get sender(): Sender {
    if (this.#sender === null) {
      this.#sender = new Sender(this.inlet.socket)
      this.inlet.socket.on('close', () => this.exchange?.clientGone())
    }
    return this.#sender
  }
}

function headRefusal(fault: HeadFault): RefusalParts {
  return {
    status: fault.status,
    code: 'bad_request',
    sentence: fault.message,
    error: 'http_request_error',
    reply: SOCKS_REPLY.failure,
  }
}

/** Reads away the body of a refused request; false when it is too long for that, or not to be expected at all. */
async function drainBody(client: HttpClient, request: HttpRequest): Promise<boolean> {
  const { framing } = request
  if (framing.kind === 'none') return true
  if (request.bodyBegun || framing.kind !== 'length' || framing.length > MOST_DRAINED_BYTES) return false
  if (request.head.fields.some((field) => field.key === 'expect')) return false
  const reader = bodyReader(framing, { lenient: false })
  for (;;) {
    const chunk = await client.inlet.read(client.engine.limits.headMs).catch(() => null)
    if (chunk === null || reader === null) return false
    const { used, done } = reader.take(chunk)
    if (!done) continue
    client.inlet.unread(chunk.subarray(used))
    return true
  }
}

/** Answers a request with a refusal; nothing that follows its head is ever taken for a request unless its end is sure. */
export async function refuse(client: HttpClient, request: HttpRequest, parts: RefusalParts): Promise<Next> {
  const connect = request.head.method === 'CONNECT'
  // Bytes behind a CONNECT were meant for its tunnel, not for us.
  const sure = connect ? !client.inlet.waiting : await drainBody(client, request)
  const keep =
    sure &&
    request.keepAlive &&
    request.head.version === '1.1' &&
    parts.closes !== true &&
    !client.engine.stopping
  const answer = refusalAnswer(parts, {
    requestId: request.trace.id,
    close: !keep,
    withoutBody: request.head.method === 'HEAD',
  })
  const sent = await client.sender.sendFree(answer)
  return keep && sent === 'sent' ? 'keep' : 'close'
}

async function serveConnect(client: HttpClient, request: HttpRequest): Promise<Next> {
  const { engine, inlet, visitor } = client
  if (request.framing.kind !== 'none') throw new HeadFault(400, 'a CONNECT has no body')
  const admitted = admit(engine, visitor, request.presented, request.trace)
  const session = admitted instanceof Promise ? await admitted : admitted
  const stopWatching = endWithClient(inlet, session)
  const nowhere = { target: '', reason: 'refused', upBytes: 0, downBytes: 0 } as const
  try {
    const target = parseAuthority(request.head.target, null)
    const { side } = await openTarget(engine, session, target, 1)
    stopWatching()
    writeFree(inlet.socket, connectAnswer(session.applied))
    carry(engine, session, { inlet, target: side, name: printTarget(target) })
    return 'taken'
  } catch (fault) {
    stopWatching()
    endSession(engine, session, nowhere)
    if (session.stopped) return 'close'
    throw fault
  }
}

/** OPTIONS that may go no further asks what this proxy itself can do (RFC 9110 section 7.6.2). */
async function answerOptions(client: HttpClient, request: HttpRequest): Promise<Next> {
  const session = await admit(client.engine, client.visitor, request.presented, request.trace)
  endSession(client.engine, session, { target: '', reason: 'done', upBytes: 0, downBytes: 0 })
  const keep = (await drainBody(client, request)) && request.keepAlive && !client.engine.stopping
  const sent = await client.sender.sendFree(optionsAnswer(request.trace.id, !keep))
  return keep && sent === 'sent' ? 'keep' : 'close'
}

/** Throws what to answer. */
function serveRequest(client: HttpClient, request: HttpRequest): Promise<Next> {
  if (request.head.method === 'CONNECT') return serveConnect(client, request)
  if (answersItself(request.head)) return answerOptions(client, request)
  if (request.head.method === 'TRACE') {
    throw new ProxyRefusal({
      status: 405,
      code: 'method_not_allowed',
      sentence: 'TRACE is not forwarded',
      error: 'http_request_denied',
      reply: SOCKS_REPLY.failure,
    })
  }
  return forward(client, request)
}

async function answerFault(client: HttpClient, request: HttpRequest, fault: unknown): Promise<Next> {
  if (!(fault instanceof HeadFault))
    return await refuse(client, request, refusalOf(client.engine, fault, request.trace))
  await refuse(client, request, noteRefusal(client.engine, headRefusal(fault), request.trace))
  return 'close'
}

/** The answer to something that is no proper request: its end is not known, so the connection ends with it. */
async function answerBadHead(client: HttpClient, fault: unknown): Promise<void> {
  const trace = new Trace('http')
  const parts =
    fault instanceof HeadFault
      ? noteRefusal(client.engine, headRefusal(fault), trace)
      : refusalOf(client.engine, fault, trace)
  const answer = refusalAnswer(parts, { requestId: trace.id, close: true, withoutBody: false })
  await client.sender.sendFree(answer)
}

const isGone = (fault: unknown) => fault instanceof InletTimeout || fault instanceof InletBroken

/** Serves one HTTP connection; resolves when it is over. `setBusy` is told when a request is under way. */
export async function serveHttp(
  engine: Engine,
  visitor: Visitor,
  inlet: Inlet,
  setBusy: (busy: boolean) => void,
): Promise<void> {
  const client = new HttpClient(engine, visitor, inlet)
  const reader = new RequestReader(inlet, engine.limits)
  const { silentMs, keepAliveMs } = engine.limits
  let next: Next = 'keep'
  for (let first = true; next === 'keep' && !(engine.stopping && !first); first = false) {
    const patienceMs = first ? silentMs : keepAliveMs
    const silentUntil = performance.now() + patienceMs
    let request: HttpRequest | null
    // Few steps of a kept connection's request are worth a promise: each costs as much as reading its head.
    try {
      const chunk = await inlet.read(patienceMs)
      const begun = chunk === null ? null : reader.begin(chunk, silentUntil)
      request = begun instanceof Promise ? await begun : begun
    } catch (fault) {
      if (!isGone(fault)) await answerBadHead(client, fault)
      break
    }
    if (request === null) break
    setBusy(true)
    try {
      next = await serveRequest(client, request)
      reader.served(request)
    } catch (fault) {
      next = await answerFault(client, request, fault)
    }
    // A tunnel is busy until it ends.
    if (next !== 'taken') setBusy(false)
  }
  client.upstream?.drop()
  if (next === 'taken') return
  inlet.release()
  lingeringClose(inlet.socket)
}
