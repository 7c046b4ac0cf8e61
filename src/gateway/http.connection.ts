/** An HTTP connection: one request after the other, each forwarded or turned into a tunnel. */

import { performance } from 'node:perf_hooks'
import { type HttpRequest, RequestReader } from './forwarding/request.ts'
import { isForThisProxy } from './forwarding/rewrite.ts'
import { HeadFault } from './http/head.ts'
import { discardBody, headRefusal, HttpClient, type Next, refuse } from './http.client.ts'
import { forward } from './http.request.ts'
import { serveConnect } from './http.tunnel.ts'
import { Trace } from './records/trace.ts'
import { refusal } from './responses/refusal.ts'
import { optionsResponse, refusalResponse } from './responses/responses.ts'
import type { GatewayClient } from './session.ts'
import { closeGracefully } from './sockets/close.ts'
import { ConnectionClosed, ReadTimeout, type SocketReader } from './sockets/reader.ts'
import type { Stages } from './stages.ts'

/** An OPTIONS that may not be forwarded asks what this proxy itself supports (RFC 9110 section 7.6.2). */
async function answerOptions(client: HttpClient, request: HttpRequest): Promise<Next> {
  const { admission, reports, sessions } = client.stages
  const session = await admission.admit(client.client, request.presented, request.trace)
  reports.ended(session, { target: '', reason: 'done', upBytes: 0, downBytes: 0 })
  const keep = (await discardBody(client, request)) && request.keepAlive && !sessions.isDraining
  const result = await client.writer.writeUncharged(optionsResponse(request.trace.id, !keep))
  return keep && result === 'sent' ? 'keep' : 'close'
}

/** Throws the refusal. */
function serveRequest(client: HttpClient, request: HttpRequest): Promise<Next> {
  if (request.head.method === 'CONNECT') return serveConnect(client, request)
  if (isForThisProxy(request.head)) return answerOptions(client, request)
  if (request.head.method === 'TRACE') throw refusal('method_not_allowed', 'TRACE is not forwarded')
  return forward(client, request)
}

async function answerError(client: HttpClient, request: HttpRequest, error: unknown): Promise<Next> {
  const { reports } = client.stages
  if (!(error instanceof HeadFault))
    return await refuse(client, request, reports.refusalOf(error, request.trace))
  await refuse(client, request, reports.refused(headRefusal(error), request.trace))
  return 'close'
}

/** Answers an invalid request: its end is not known, so the connection ends with the response. */
async function answerBadHead(client: HttpClient, error: unknown): Promise<void> {
  const { reports } = client.stages
  const trace = new Trace('http')
  const parts =
    error instanceof HeadFault ? reports.refused(headRefusal(error), trace) : reports.refusalOf(error, trace)
  const response = refusalResponse(parts, { requestId: trace.id, close: true, withoutBody: false })
  await client.writer.writeUncharged(response)
}

const isClientGone = (error: unknown) => error instanceof ReadTimeout || error instanceof ConnectionClosed

/**
 * Serves one HTTP connection; resolves when it is closed, or a tunnel. `setBusy` is called when a request
 * begins or ends.
 */
export async function serveHttp(
  stages: Stages,
  gatewayClient: GatewayClient,
  reader: SocketReader,
  setBusy: (busy: boolean) => void,
): Promise<void> {
  const client = new HttpClient(stages, gatewayClient, reader)
  const requests = new RequestReader(reader, stages.limits)
  const { silentMs, keepAliveMs } = stages.limits
  let next: Next = 'keep'
  for (let isFirst = true; next === 'keep' && (isFirst || !stages.sessions.isDraining); isFirst = false) {
    const patienceMs = isFirst ? silentMs : keepAliveMs
    const silentUntil = performance.now() + patienceMs
    let request: HttpRequest | null
    // On a kept connection each await costs as much as parsing a head, so there are few.
    try {
      const chunk = reader.take() ?? (await reader.read(patienceMs))
      const begun = chunk === null ? null : requests.begin(chunk, silentUntil)
      request = begun instanceof Promise ? await begun : begun
    } catch (error) {
      if (!isClientGone(error)) await answerBadHead(client, error)
      break
    }
    if (request === null) break
    setBusy(true)
    try {
      next = await serveRequest(client, request)
      requests.served(request)
    } catch (error) {
      next = await answerError(client, request, error)
    }
    // A tunnel is busy until it ends.
    if (next !== 'taken') setBusy(false)
  }
  client.target?.drop()
  if (next === 'taken') return
  reader.release()
  closeGracefully(reader.socket)
}
