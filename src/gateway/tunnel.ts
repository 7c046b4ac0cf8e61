/** An open tunnel: relay → meter → report. */

import { Relay } from './relay.ts'
import type { SessionReports } from './session.reports.ts'
import type { Session } from './session.ts'
import type { HandedSocket, SocketReader } from './sockets/reader.ts'

/**
 * Cancels the preparation of a tunnel when the client closes the connection. The returned function stops
 * watching the client.
 */
export function stopWithClient(reader: SocketReader, session: Session): () => void {
  reader.onClosed = () => session.stop('cut')
  return () => (reader.onClosed = null)
}

/**
 * Relays between the client and an open target until either is done; both sockets are closed then, the
 * session is ended, and `onEnd` is called. The caller does not wait for it, so that an open tunnel keeps
 * nothing else in memory.
 */
export function startTunnel(
  session: Session,
  reports: Pick<SessionReports, 'ended'>,
  ends: {
    client: SocketReader
    target: HandedSocket
    /** The target's name in the log. */
    name: string
    /** Charged bytes that were relayed before. */
    before?: { upBytes: number; downBytes: number }
  },
  onEnd?: () => void,
): void {
  session.charge.countRequest()
  const { client, target, name, before } = ends
  const relay = new Relay({
    client: client.handOver(),
    target,
    charge: session.charge,
    onEnd: ({ reason, upBytes, downBytes }) => {
      reports.ended(session, {
        target: name,
        reason,
        upBytes: upBytes + (before?.upBytes ?? 0),
        downBytes: downBytes + (before?.downBytes ?? 0),
      })
      onEnd?.()
    },
  })
  session.opened(relay)
  if (session.stopReason !== null) relay.stop(session.stopReason)
}
