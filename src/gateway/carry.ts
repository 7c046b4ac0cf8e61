/** A tunnel that is granted: relay it, keep it known while it lasts, and close its account at the end. */

import type { Socket } from 'node:net'
import { endSession, type Engine } from './engine.ts'
import type { Inlet } from './inlet.ts'
import { relay, type RelaySide } from './relay.ts'
import type { Session } from './tunnels.ts'

/** While a target is being dialled the client may go away; then nobody dials any more. */
export function endWithClient(inlet: Inlet, session: Session): () => void {
  const gone = () => session.stop('cut')
  inlet.socket.on('close', gone)
  return () => inlet.socket.off('close', gone)
}

/** A socket that was read through an inlet, as the relay takes it. */
export function handOver(inlet: Inlet): RelaySide {
  const { socket, ended } = inlet
  return { socket, ended, early: inlet.release() }
}

/** A socket nobody has read yet, as the relay takes it. */
export function untouched(socket: Socket): RelaySide {
  return { socket, ended: false, early: Buffer.alloc(0) }
}

/** Relays between the client and an open target until either is done; both sockets are closed then. */
export async function carry(
  engine: Engine,
  session: Session,
  ends: { inlet: Inlet; target: RelaySide; name: string },
): Promise<void> {
  session.charge.countRequest()
  const relaying = relay({ client: handOver(ends.inlet), target: ends.target, charge: session.charge })
  session.activeAt = () => relaying.activeAt
  session.onStop = (reason) => relaying.stop(reason)
  if (session.signal.aborted) relaying.stop('cut')
  const end = await relaying.ended
  endSession(engine, session, { target: ends.name, ...end })
}
