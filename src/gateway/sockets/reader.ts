/** One socket read by pulling: whoever needs bytes asks for them, and what is not wanted yet stays in the kernel. */

import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { drop, type Due, expect, type Waiting } from './deadline.ts'
import { sourceOf, type Reader, type Source } from './source.ts'

/** Nothing came in time. */
export class InletTimeout extends Error {}

/** The connection broke, or was closed from here. */
export class InletBroken extends Error {}

/** When the last byte went either way, in monotonic milliseconds. */
export interface Activity {
  readonly activeAt: number
}

/** How much may wait here before the socket is paused. Reading on until then is how a vanished peer is noticed. */
const HELD_BYTES = 64 * 1024

const NOTHING: Buffer = Buffer.alloc(0)
/** Of the many connections that are never ahead of their reader; nothing is ever put into it. */
const NO_MORE: Buffer[] = []

function copyOf(buffer: Buffer, bytes: number): Buffer {
  const copy = Buffer.allocUnsafe(bytes)
  buffer.copy(copy, 0, 0, bytes)
  return copy
}

export class Inlet implements Reader, Waiting {
  readonly socket: Socket
  /** The peer has sent its FIN, and everything before it has been read. */
  ended = false
  fault: InletBroken | null = null
  /** Called when the connection is no more; a FIN is not that yet. */
  onBroken: (() => void) | null = null
  readonly #source: Source
  /** The next bytes, and what waits behind them: mostly nothing does. */
  #first: Buffer | null = null
  #more: Buffer[] = NO_MORE
  #heldBytes = 0
  #resolve: ((chunk: Buffer | null) => void) | null = null
  #reject: ((fault: Error) => void) | null = null
  /** Among those whose deadline is at the same tick. */
  place = -1
  /** Those whose deadline is the wait's; null: it has none. */
  #due: Due | null = null
  #timeoutMs = 0
  #activity: Activity | null = null

  constructor(socket: Socket) {
    this.socket = socket
    this.#source = sourceOf(socket)
    this.#source.reader = this
    this.#source.start()
  }

  /**
   * The next bytes, or null at the end of the stream. Rejects with InletBroken, and with InletTimeout when `timeoutMs`
   * passed, or so long since the last of the `activity` elsewhere.
   */
  read(timeoutMs?: number, activity: Activity | null = null): Promise<Buffer | null> {
    const chunk = this.take()
    if (chunk !== null) return Promise.resolve(chunk)
    if (this.fault !== null) return Promise.reject(this.fault)
    if (this.ended) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      if (timeoutMs === undefined) return
      this.#due = expect(this, timeoutMs)
      this.#timeoutMs = timeoutMs
      this.#activity = activity
    })
  }

  /** What is at hand already, or null. */
  take(): Buffer | null {
    const chunk = this.#first
    if (chunk === null) return null
    this.#first = this.#more.length === 0 ? null : (this.#more.shift() ?? null)
    if (this.#heldBytes >= HELD_BYTES && this.#heldBytes - chunk.length < HELD_BYTES) this.#source.start()
    this.#heldBytes -= chunk.length
    return chunk
  }

  /** Puts bytes back, to be read next. */
  unread(chunk: Buffer): void {
    if (chunk.length === 0) return
    if (this.#first !== null) this.#more = [this.#first, ...this.#more]
    this.#first = chunk
    this.#heldBytes += chunk.length
  }

  /** Whether bytes are at hand without waiting. */
  get waiting(): boolean {
    return this.#first !== null
  }

  /** Hands the socket over: paused, with all bytes that were read from it and not used. */
  release(): Buffer {
    this.#source.stop()
    this.#source.reader = null
    const rest = this.#first === null ? NOTHING : Buffer.concat([this.#first, ...this.#more])
    this.#first = null
    this.#more = NO_MORE
    return rest
  }

  late(): void {
    const leftMs = this.#activity === null ? 0 : this.#activity.activeAt + this.#timeoutMs - performance.now()
    if (leftMs > 0) {
      this.#due = expect(this, leftMs)
      return
    }
    const reject = this.#reject
    this.#settle()
    reject?.(new InletTimeout('nothing came in time'))
  }

  arrived(buffer: Buffer, bytes: number, lasting: boolean): void {
    const chunk = lasting ? buffer.subarray(0, bytes) : copyOf(buffer, bytes)
    if (this.#resolve !== null) {
      const resolve = this.#resolve
      this.#settle()
      resolve(chunk)
      return
    }
    if (this.#first === null) this.#first = chunk
    else this.#wait(chunk)
    this.#heldBytes += bytes
    if (this.#heldBytes >= HELD_BYTES) this.#source.stop()
  }

  #wait(chunk: Buffer): void {
    if (this.#more === NO_MORE) this.#more = [chunk]
    else this.#more.push(chunk)
  }

  finished(): void {
    this.ended = true
    const resolve = this.#resolve
    this.#settle()
    resolve?.(null)
  }

  broke(fault: Error | null): void {
    this.onBroken?.()
    if (fault === null && this.ended) {
      this.finished()
      return
    }
    this.fault ??= new InletBroken(fault?.message ?? 'the connection was closed', { cause: fault })
    const reject = this.#reject
    this.#settle()
    reject?.(this.fault)
  }

  #settle(): void {
    this.#resolve = null
    this.#reject = null
    this.#activity = null
    if (this.#due !== null) drop(this, this.#due)
    this.#due = null
  }
}
