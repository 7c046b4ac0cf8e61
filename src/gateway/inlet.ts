/** One socket read by pulling: whoever needs bytes asks for them, and what is not wanted yet stays in the kernel. */

import type { Socket } from 'node:net'

/** Nothing came in time. */
export class InletTimeout extends Error {}

/** How much may wait here before the socket is paused. Reading on until then is how a vanished peer is noticed. */
const HELD_BYTES = 64 * 1024

interface Waiter {
  resolve: (chunk: Buffer | null) => void
  reject: (fault: Error) => void
  timer: NodeJS.Timeout | null
}

export class Inlet {
  readonly socket: Socket
  /** The peer has sent its FIN, and everything before it has been read. */
  ended = false
  fault: Error | null = null
  #queue: Buffer[] = []
  #heldBytes = 0
  #waiter: Waiter | null = null
  readonly #onData = (chunk: Buffer) => this.#arrived(chunk)
  readonly #onEnd = () => this.#finished(null)
  readonly #onError = (fault: Error) => this.#finished(fault)
  readonly #onClose = () => this.#finished(this.ended ? null : new Error('the connection was closed'))

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  /** The next bytes, or null at the end of the stream. Rejects when the connection broke or `timeoutMs` passed. */
  read(timeoutMs?: number): Promise<Buffer | null> {
    const chunk = this.#queue.shift()
    if (chunk !== undefined) {
      this.#heldBytes -= chunk.length
      if (this.#heldBytes < HELD_BYTES && this.socket.isPaused()) this.socket.resume()
      return Promise.resolve(chunk)
    }
    if (this.fault !== null) return Promise.reject(this.fault)
    if (this.ended) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      const timer =
        timeoutMs === undefined
          ? null
          : setTimeout(() => this.#settle()?.reject(new InletTimeout('nothing came in time')), timeoutMs)
      this.#waiter = { resolve, reject, timer }
    })
  }

  /** Puts bytes back, to be read next. */
  unread(chunk: Buffer): void {
    if (chunk.length === 0) return
    this.#queue.unshift(chunk)
    this.#heldBytes += chunk.length
  }

  /** Whether bytes are at hand without waiting. */
  get waiting(): boolean {
    return this.#queue.length > 0
  }

  /** Hands the socket over: paused, with all bytes that were read from it and not used. */
  release(): Buffer {
    this.socket.pause()
    this.socket.off('data', this.#onData)
    this.socket.off('end', this.#onEnd)
    this.socket.off('error', this.#onError)
    this.socket.off('close', this.#onClose)
    const rest = Buffer.concat(this.#queue)
    this.#queue = []
    return rest
  }

  #settle(): Waiter | null {
    const waiter = this.#waiter
    this.#waiter = null
    if (waiter?.timer) clearTimeout(waiter.timer)
    return waiter
  }

  #arrived(chunk: Buffer): void {
    const waiter = this.#settle()
    if (waiter !== null) {
      waiter.resolve(chunk)
      return
    }
    this.#queue.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes >= HELD_BYTES) this.socket.pause()
  }

  #finished(fault: Error | null): void {
    if (fault === null) this.ended = true
    else this.fault ??= fault
    const waiter = this.#settle()
    if (fault === null) waiter?.resolve(null)
    else waiter?.reject(fault)
  }
}
