/** A tunnel that is granted: relay it, keep it known while it lasts, and close its account at the end. */

import { endSession, type Engine } from './engine.ts'
import type { Inlet } from './sockets/reader.ts'
import { relay, type RelaySide } from './relay.ts'
import type { Session } from './sessions.ts'

/** While a target is being dialled the client may go away; then nobody dials any more. */
export function endWithClient(inlet: Inlet, session: Session): () => void {
  inlet.onBroken = () => session.stop('cut')
  return () => (inlet.onBroken = null)
}

/** A socket that was read through an inlet, as the relay takes it. */
export function handOver(inlet: Inlet): RelaySide {
  const { socket, ended } = inlet
  return { socket, ended, early: inlet.release() }
}

/**
 * Relays between the client and an open target until either is done; both sockets are closed then, the session is
 * ended, and `onEnd` is called. An open tunnel keeps nothing in memory but this: whoever made it does not wait for it.
 */
export function carry(
  engine: Engine,
  session: Session,
  ends: {
    inlet: Inlet
    target: RelaySide
    name: string
    /** What was passed on, and is paid for, before the relay began. */
    before?: { upBytes: number; downBytes: number }
  },
  onEnd?: () => void,
): void {
  session.charge.countRequest()
  const { name, before } = ends
  const relaying = relay({
    client: handOver(ends.inlet),
    target: ends.target,
    charge: session.charge,
    onEnd: ({ reason, upBytes, downBytes }) => {
      endSession(engine, session, {
        target: name,
        reason,
        upBytes: upBytes + (before?.upBytes ?? 0),
        downBytes: downBytes + (before?.downBytes ?? 0),
      })
      onEnd?.()
    },
  })
  session.opened(relaying)
  if (session.stopped) relaying.stop('cut')
}
