/**
 * A tunnel by SOCKS5:
 *
 *     client → admission → target → exit → relay → meter → report
 */

import { Trace } from './records/trace.ts'
import { socksReplies } from '#contract/gateway/refusals'
import { NOT_CONNECTED } from './session.reports.ts'
import type { GatewayClient, Session } from './session.ts'
import type { SocketReader } from './sockets/reader.ts'
import { writeUnmetered } from './sockets/writer.ts'
import { authenticate, endHandshake, readFromClient } from './socks/handshake.ts'
import {
  CONNECT_COMMAND,
  parseSocksRequest,
  printReply,
  SocksFault,
  type SocksRequest,
} from './socks/messages.ts'
import type { Stages } from './stages.ts'
import { printTarget, targetAt } from './targets/target.ts'
import { startTunnel, stopWithClient } from './tunnel.ts'

/** Serves one SOCKS5 connection; resolves when its tunnel is open or the connection is closed. */
export async function serveSocks5(
  stages: Stages,
  client: GatewayClient,
  reader: SocketReader,
): Promise<void> {
  const { admission, reports } = stages
  const deadline = performance.now() + stages.limits.handshakeMs
  const trace = new Trace('socks5')
  let session: Session | null = null
  try {
    // client → admission
    session = await authenticate<Session>({
      reader,
      deadline,
      prefersNone: client.slot !== null,
      admit: (presented) => admission.admit(client, presented, trace),
      refusalOf: (error) => reports.refusalOf(error, trace),
    })
    if (session !== null) await serveRequest(stages, session, reader, deadline)
  } catch (error) {
    session?.end()
    if (!(error instanceof SocksFault)) throw error
    endHandshake(reader, error.reply === null ? null : printReply(error.reply))
  }
}

async function serveRequest(
  { targets, reports }: Stages,
  session: Session,
  reader: SocketReader,
  deadline: number,
): Promise<void> {
  const request = await readFromClient(reader, parseSocksRequest, deadline)
  if (request === null) {
    reader.socket.destroy()
    reports.ended(session, NOT_CONNECTED)
    return
  }
  const unsupported = unsupportedReply(request)
  if (unsupported !== null) {
    endHandshake(reader, printReply(unsupported))
    reports.ended(session, NOT_CONNECTED)
    return
  }
  const stopWatching = stopWithClient(reader, session)
  try {
    // → target → exit
    const target = targetAt(request.host ?? '', request.port)
    const { handed } = await targets.open(session, target, 1)
    stopWatching()
    writeUnmetered(reader.socket, printReply(socksReplies.granted))

    // → relay → meter → report
    startTunnel(session, reports, { client: reader, target: handed, name: printTarget(target) })
  } catch (error) {
    stopWatching()
    reports.ended(session, NOT_CONNECTED)
    if (session.isStopped) reader.socket.destroy()
    else endHandshake(reader, printReply(reports.refusalOf(error, session.trace).reply))
  }
}

/** The reply to a command or an address type that is not supported; null: both are. */
function unsupportedReply(request: SocksRequest): number | null {
  if (request.command !== CONNECT_COMMAND) return socksReplies.commandUnsupported
  return request.host === null ? socksReplies.addressUnsupported : null
}
