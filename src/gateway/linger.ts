/**
 * Closing so that the last bytes arrive. A socket closed while the peer still sends answers with RST, and an RST
 * makes the peer's kernel drop what it has not read yet: paid bytes, or the answer that says what was wrong.
 * So: FIN first, then read and discard until the peer closes too, within bounds.
 */

import type { Socket } from 'node:net'

const LINGER_MS = 2000
const MOST_DISCARDED_BYTES = 4 * 1024 * 1024

/** Ends the socket after what was written, and destroys it when the peer has closed or 2 s have passed. */
export function lingeringClose(socket: Socket): void {
  if (socket.destroyed) return
  let discarded = 0
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  timer.unref()
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MOST_DISCARDED_BYTES) socket.pause()
  })
  socket.on('end', () => socket.destroySoon())
  socket.on('close', () => clearTimeout(timer))
  socket.end()
  socket.resume()
  // The peer's FIN may have come before: then there is nothing to wait for but our own last bytes.
  if (socket.readableEnded) socket.destroySoon()
}
