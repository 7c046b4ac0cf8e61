/**
 * Writing to a socket and knowing, to the byte, what the kernel took.
 *
 * A write's callback comes when all of it is with the kernel. When the connection dies before, part of the last write
 * may have gone out; libuv knows how much is left in `writeQueueSize`, which Node exposes on the handle only. Where
 * that is missing the whole write counts as unsent: the customer is never charged too much.
 */

import type { Socket } from 'node:net'

interface Handle {
  writeQueueSize?: number
}

function handleOf(socket: Socket): Handle | null {
  return '_handle' in socket && typeof socket._handle === 'object' ? socket._handle : null
}

export class Outlet {
  readonly socket: Socket
  readonly #handle: Handle | null
  /** Bytes written whose callback has not come. */
  #inflight = 0
  /** What libuv had left of them when last looked at. A failed write leaves no other trace of its rest. */
  #leftBytes = 0
  #failed = false

  constructor(socket: Socket) {
    this.socket = socket
    this.#handle = handleOf(socket)
  }

  get inflight(): number {
    return this.#inflight
  }

  /** Writes; `flushed` is called once the kernel has all of it. A failure is heard through the socket's 'close'. */
  write(chunk: Buffer, flushed: () => void): void {
    this.#inflight += chunk.length
    this.socket.write(chunk, (fault) => {
      if (fault) {
        this.#failed = true
        return
      }
      this.#inflight -= chunk.length
      flushed()
    })
    this.#leftBytes = this.#handle?.writeQueueSize ?? this.#inflight
  }

  /** Bytes written that the kernel will never get, once the socket is dead. Call it when the socket breaks. */
  unsentBytes(): number {
    if (this.#inflight === 0) return 0
    const queued = this.#failed ? this.#leftBytes : (this.#handle?.writeQueueSize ?? this.#inflight)
    return Math.min(this.#inflight, Math.max(queued, 0))
  }
}
