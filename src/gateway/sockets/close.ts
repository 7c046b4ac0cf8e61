/** Closing sockets so that the peer receives all written bytes, or detects that it did not. */

import { RawSocket } from './raw.socket.ts'
import { type AnySocket, type ByteSource, type Receiver, sourceOf } from './source.ts'

const PEER_CLOSE_MS = 2000
const MOST_DISCARDED_BYTES = 4 * 1024 * 1024

/** Reads and discards until the peer closes, within bounds. */
class Discarder implements Receiver {
  readonly #source: ByteSource
  readonly #timer: NodeJS.Timeout
  #bytes = 0

  constructor(source: ByteSource) {
    this.#source = source
    this.#timer = setTimeout(() => source.socket.destroy(), PEER_CLOSE_MS)
    this.#timer.unref()
  }

  received(_buffer: Buffer, bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > MOST_DISCARDED_BYTES) this.#source.stop()
  }

  ended(): void {
    this.#source.socket.destroySoon()
  }

  closed(): void {
    clearTimeout(this.#timer)
  }
}

/**
 * Ends the socket after the written bytes, and destroys it when the peer has closed or 2 s have passed. A
 * socket that is closed while the peer still sends answers with RST, and an RST makes the peer's kernel drop
 * what its program has not read yet: charged bytes, or the response with the refusal.
 */
export function closeGracefully(socket: AnySocket): void {
  if (socket.destroyed) return
  const source = sourceOf(socket)
  source.receiver = new Discarder(source)
  socket.end()
  source.start()
  // The peer's FIN may have been read before: only the last bytes of this side are waited for then.
  if (socket.readableEnded) socket.destroySoon()
}

/**
 * Closes a socket of which both ends have been read. The kernel sends what it has, and the FIN after it, for
 * a closed socket too: one step instead of an end and a close. TLS has to send its own end.
 */
export function closeEnded(socket: AnySocket): void {
  if (socket instanceof RawSocket && socket.writableLength === 0) socket.destroy()
  else socket.destroySoon()
}
