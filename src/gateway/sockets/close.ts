/**
 * Closing so that the last bytes arrive. A socket closed while the peer still sends answers with RST, and an RST
 * makes the peer's kernel drop what it has not read yet: paid bytes, or the answer that says what was wrong.
 * So: FIN first, then read and discard until the peer closes too, within bounds.
 */

import type { Socket } from 'node:net'
import { sourceOf, type Reader, type Source } from './source.ts'

const LINGER_MS = 2000
const MOST_DISCARDED_BYTES = 4 * 1024 * 1024

class Discarding implements Reader {
  readonly #source: Source
  readonly #timer: NodeJS.Timeout
  #discarded = 0

  constructor(source: Source) {
    this.#source = source
    this.#timer = setTimeout(() => source.socket.destroy(), LINGER_MS)
    this.#timer.unref()
  }

  arrived(_buffer: Buffer, bytes: number): void {
    this.#discarded += bytes
    if (this.#discarded > MOST_DISCARDED_BYTES) this.#source.stop()
  }

  finished(): void {
    this.#source.socket.destroySoon()
  }

  broke(): void {
    clearTimeout(this.#timer)
  }
}

/** Ends the socket after what was written, and destroys it when the peer has closed or 2 s have passed. */
export function lingeringClose(socket: Socket): void {
  if (socket.destroyed) return
  const source = sourceOf(socket)
  source.reader = new Discarding(source)
  socket.end()
  source.start()
  // The peer's FIN may have come before: then there is nothing to wait for but our own last bytes.
  if (socket.readableEnded) socket.destroySoon()
}
