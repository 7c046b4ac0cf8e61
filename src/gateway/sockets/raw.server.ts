/** Listening servers that make raw sockets of their connections. */

import type { Server } from 'node:net'
import { RawSocket } from './raw.socket.ts'
import type { Handle } from './tcp.handle.ts'

const KEEP_ALIVE_SECONDS = 60

interface ListeningHandle {
  setNoDelay(on: boolean): void
  setKeepAlive(on: boolean, seconds: number): void
  onconnection: (error: number, handle: Handle | undefined) => void
}

/**
 * Makes a listening server pass raw sockets to `accept`; throws where Node lacks the interface. `divert` may
 * take a handle before a socket is made of it.
 */
export function acceptRaw(
  server: Server,
  accept: (socket: RawSocket) => void,
  divert?: (handle: Handle) => boolean,
): void {
  const { _handle: listening } = server as unknown as { _handle: ListeningHandle | null }
  const ordinary = listening?.onconnection
  if (!listening || typeof ordinary !== 'function') throw new Error('a server has no onconnection here')
  // Accepted sockets inherit these, without a call for each. The kernel's keep-alive notices a client that
  // vanished, the idle timeout of a tunnel a target that did.
  listening.setNoDelay(true)
  listening.setKeepAlive(true, KEEP_ALIVE_SECONDS)
  listening.onconnection = function onConnection(this: ListeningHandle, error, handle) {
    if (error !== 0 || handle === undefined) {
      ordinary.call(this, error, handle)
      return
    }
    if (divert?.(handle) !== true) accept(new RawSocket(handle))
  }
}
