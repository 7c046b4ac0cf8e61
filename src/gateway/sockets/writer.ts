/**
 * Writing to a socket while knowing, to the byte, what the kernel accepted.
 *
 * A raw socket is written to by its file descriptor: the result of the write is the number of bytes accepted,
 * and only the rest waits in its handle. Any other socket is written to as a stream, which reports when the
 * kernel has accepted a whole write. When the connection fails before that, part of the last write may have
 * been sent; libuv has the remainder as `writeQueueSize`, which Node exposes on the handle only. Where that
 * is missing the whole write counts as unsent: the customer is never charged too much.
 */

import { writeSync } from 'node:fs'
import { countCopied } from './bulk.ts'
import { RawSocket } from './raw.socket.ts'
import type { AnySocket } from './source.ts'

interface Handle {
  writeQueueSize?: number
}

function handleOf(socket: AnySocket): Handle | null {
  if (socket instanceof RawSocket) return socket.handle
  return '_handle' in socket && typeof socket._handle === 'object' ? socket._handle : null
}

export interface FlushListener {
  /** The kernel has accepted the rest of a write. */
  flushed(bytes: number): void
  /** The write failed: the kernel will never accept the rest. */
  writeFailed(): void
}

/** Lets what the peer sent before it reset the connection be read after a write has failed. */
export function readAfterReset(socket: AnySocket): void {
  if (socket instanceof RawSocket) socket.readsAfterReset = true
}

export class SocketWriter {
  readonly socket: AnySocket
  readonly #handle: Handle | null
  /** -1: the socket cannot be written to directly. */
  readonly #descriptor: number
  /** Bytes given to the socket whose callback has not been called. */
  #pending = 0
  /** The remainder in libuv after the last write. A failed write leaves no other trace of its rest. */
  #queued = 0
  #failed = false

  constructor(socket: AnySocket) {
    this.socket = socket
    this.#handle = handleOf(socket)
    this.#descriptor = socket instanceof RawSocket ? socket.descriptor : -1
  }

  /** Bytes that were written and not yet accepted by the kernel, as far as known. */
  get pending(): number {
    return this.#pending
  }

  /**
   * Writes the first `bytes` of the buffer; returns how many the kernel has accepted. `listener.flushed` is
   * called once it has the rest, `listener.writeFailed` when it fails; the socket is destroyed then, except
   * after `readAfterReset`.
   */
  write(buffer: Buffer, bytes: number, stable: boolean, listener: FlushListener): number {
    const accepted = writeDirectly(this.socket, this.#descriptor, buffer, bytes)
    if (accepted === bytes) return accepted
    const part = accepted === 0 && bytes === buffer.length ? buffer : buffer.subarray(accepted, bytes)
    const rest = stable ? part : Buffer.from(part)
    const copied = stable ? 0 : rest.length
    this.#pending += rest.length
    countCopied(copied)
    this.socket.write(rest, (error) => {
      countCopied(-copied)
      if (error) {
        this.#failed = true
        listener.writeFailed()
        return
      }
      this.#pending -= rest.length
      listener.flushed(rest.length)
    })
    // When a write fails at once, nothing is queued and nothing was accepted.
    const isDead = this.socket.errored !== null || this.socket.destroyed
    this.#queued = isDead ? this.#pending : (this.#handle?.writeQueueSize ?? this.#pending)
    this.#failed ||= isDead
    return accepted
  }

  /**
   * Bytes that the kernel will never get. Read when the socket has failed, or right before it is destroyed.
   */
  unsentBytes(): number {
    if (this.#pending === 0) return 0
    const queued = this.#failed ? this.#queued : (this.#handle?.writeQueueSize ?? this.#pending)
    return Math.min(this.#pending, Math.max(queued, 0))
  }
}

/** The number of bytes that the kernel accepts immediately; none while others wait before them. */
function writeDirectly(socket: AnySocket, descriptor: number, buffer: Buffer, bytes: number): number {
  if (descriptor < 0 || socket.writableLength > 0 || socket.destroyed || socket.writableEnded) return 0
  try {
    return writeSync(descriptor, buffer, 0, bytes)
  } catch {
    // The kernel's buffer is full or the connection is broken: the write by the socket then waits, or reports
    // the error.
    return 0
  }
}

/** Writes latin1 text that is neither charged nor awaited. */
export function writeUnmetered(socket: AnySocket, text: string): void {
  const accepted = writeTextDirectly(socket, text)
  if (accepted < text.length) socket.write(Buffer.from(text.slice(accepted), 'latin1'))
}

function writeTextDirectly(socket: AnySocket, text: string): number {
  if (!(socket instanceof RawSocket) || socket.writableLength > 0 || !socket.writable) return 0
  try {
    return writeSync(socket.descriptor, text, null, 'latin1')
  } catch {
    return 0
  }
}
