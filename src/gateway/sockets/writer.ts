/**
 * Writing to a socket and knowing, to the byte, what the kernel took.
 *
 * A socket of our own is written to by its descriptor: the kernel says at once how much it took, and only the rest, if
 * there is one, waits in the stream. Any other socket is written to as a stream; that says when all of a write is with
 * the kernel. When the connection dies before, part of the last write may have gone out; libuv knows how much is left
 * in `writeQueueSize`, which Node exposes on the handle only. Where that is missing the whole write counts as unsent:
 * the customer is never charged too much.
 */

import { writeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { RawSocket } from './raw.socket.ts'

interface Handle {
  writeQueueSize?: number
}

function handleOf(socket: Socket): Handle | null {
  return '_handle' in socket && typeof socket._handle === 'object' ? socket._handle : null
}

/** Who hears that the kernel has the rest of a write too. */
export interface Flushing {
  flushed(bytes: number): void
}

export class Outlet {
  readonly socket: Socket
  readonly #handle: Handle | null
  /** -1: the socket cannot be written to directly. */
  readonly #descriptor: number
  /** Bytes in the stream whose callback has not come. */
  #inflight = 0
  /** What libuv had left of them when last looked at. A failed write leaves no other trace of its rest. */
  #leftBytes = 0
  #failed = false

  constructor(socket: Socket) {
    this.socket = socket
    this.#handle = handleOf(socket)
    this.#descriptor = socket instanceof RawSocket ? socket.descriptor : -1
  }

  get inflight(): number {
    return this.#inflight
  }

  /**
   * Writes the first `bytes` of the buffer; gives how many the kernel has already. `writer.flushed` is called once it has
   * the rest too. A failure is heard through the socket's 'close'.
   */
  write(buffer: Buffer, bytes: number, lasting: boolean, writer: Flushing): number {
    const taken = this.#direct(buffer, bytes)
    if (taken === bytes) return taken
    const part = taken === 0 && bytes === buffer.length ? buffer : buffer.subarray(taken, bytes)
    const rest = lasting ? part : Buffer.from(part)
    this.#inflight += rest.length
    this.socket.write(rest, (fault) => {
      if (fault) {
        this.#failed = true
        return
      }
      this.#inflight -= rest.length
      writer.flushed(rest.length)
    })
    this.#leftBytes = this.#handle?.writeQueueSize ?? this.#inflight
    return taken
  }

  /** Bytes written that the kernel will never get, once the socket is dead. Call it when the socket breaks. */
  unsentBytes(): number {
    if (this.#inflight === 0) return 0
    const queued = this.#failed ? this.#leftBytes : (this.#handle?.writeQueueSize ?? this.#inflight)
    return Math.min(this.#inflight, Math.max(queued, 0))
  }

  #direct(buffer: Buffer, bytes: number): number {
    return writeDirectly(this.socket, this.#descriptor, buffer, bytes)
  }
}

/** How many bytes the kernel took at once; none while others wait before them. */
function writeDirectly(socket: Socket, descriptor: number, buffer: Buffer, bytes: number): number {
  if (descriptor < 0 || socket.writableLength > 0 || socket.destroyed || socket.writableEnded) return 0
  try {
    return writeSync(descriptor, buffer, 0, bytes)
  } catch {
    // Full, or broken: the stream waits for the one, and reports the other.
    return 0
  }
}

/** Writes what nobody pays for, and what is not waited for. */
export function writeFree(socket: Socket, bytes: Buffer): void {
  const descriptor = socket instanceof RawSocket ? socket.descriptor : -1
  const taken = writeDirectly(socket, descriptor, bytes, bytes.length)
  if (taken < bytes.length) socket.write(bytes.subarray(taken))
}
