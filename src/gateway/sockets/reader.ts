/** Reading a socket on request: other bytes mostly stay in the kernel. */

import { performance } from 'node:perf_hooks'
import { clearDeadline, type DeadlineTick, type Expiring, setDeadline } from './deadline.ts'
import { type AnySocket, type ByteSource, type Receiver, sourceOf } from './source.ts'

/** Nothing was received in time. */
export class ReadTimeout extends Error {}

/** The connection failed, or was closed on this side. */
export class ConnectionClosed extends Error {}

/** When the last byte was transferred in either direction, in monotonic milliseconds. */
export interface Activity {
  readonly activeAt: number
}

/** A paused socket, as it is passed between stages. */
export interface HandedSocket {
  socket: AnySocket
  /** Bytes that were read and not used. */
  early: Buffer
  /** Its FIN has been read. */
  ended: boolean
}

const NOTHING: Buffer = Buffer.alloc(0)

/** A socket of which nothing has been read. */
export function unreadSocket(socket: AnySocket): HandedSocket {
  return { socket, early: NOTHING, ended: false }
}

/**
 * Bytes that may wait here before the socket is paused. Reading on until then notices a peer that has
 * vanished.
 */
const MOST_BUFFERED_BYTES = 64 * 1024

/** Shared by the many connections whose peer never sends ahead; never changed. */
const NO_MORE: Buffer[] = []

function copyOf(buffer: Buffer, bytes: number): Buffer {
  const copy = Buffer.allocUnsafe(bytes)
  buffer.copy(copy, 0, 0, bytes)
  return copy
}

export class SocketReader implements Receiver, Expiring {
  readonly socket: AnySocket
  /** The peer's FIN has been received, and everything before it was read. */
  isEnded = false
  /** The connection failed, or was closed on this side: nothing more can be read. */
  isClosed = false
  /** Called when the connection is closed; a FIN alone does not close it. */
  onClosed: (() => void) | null = null
  readonly #source: ByteSource
  /** The next bytes, and the bytes waiting behind them, usually none. */
  #first: Buffer | null = null
  #more: Buffer[] = NO_MORE
  #bufferedBytes = 0
  #resolve: ((result: unknown) => void) | null = null
  /** Receives the bytes of the pending read as they arrive; null: the read takes a copy of the next bytes. */
  #accept: ((chunk: Buffer, stable: boolean) => unknown) | null = null
  #reject: ((error: Error) => void) | null = null
  index = -1
  /** The deadline of the pending read; null: it has none. */
  #deadline: DeadlineTick | null = null
  #timeoutMs = 0
  #activity: Activity | null = null
  /** The error of the connection; null: it has not failed. */
  #failure: Error | null = null

  constructor(socket: AnySocket) {
    this.socket = socket
    this.#source = sourceOf(socket)
    this.#source.receiver = this
    this.#source.start()
  }

  /**
   * The next bytes, or null at the end of the stream. Rejects with ConnectionClosed, and with ReadTimeout
   * when `timeoutMs` have passed since the call, and since the last `activity` when that is given.
   */
  read(timeoutMs?: number, activity: Activity | null = null): Promise<Buffer | null> {
    const chunk = this.take()
    if (chunk !== null) return Promise.resolve(chunk)
    return this.#wait(null, timeoutMs, activity)
  }

  /**
   * Gives bytes to `accept` as they are received, without a copy, for as long as that returns null; resolves
   * with its other result, or with null at the end of the stream. Bytes that are not `stable` are valid until
   * it returns. Rejects like `read`, and with what `accept` throws.
   */
  async pass<T extends {}>(
    accept: (chunk: Buffer, stable: boolean) => T | null,
    timeoutMs: number,
    activity: Activity,
  ): Promise<T | null> {
    for (let chunk = this.take(); chunk !== null; chunk = this.take()) {
      const result = accept(chunk, true)
      if (result !== null) return result
    }
    return await this.#wait(accept, timeoutMs, activity)
  }

  #wait<T>(
    accept: ((chunk: Buffer, stable: boolean) => T | null) | null,
    timeoutMs: number | undefined,
    activity: Activity | null,
  ): Promise<T | null> {
    if (this.isClosed) return Promise.reject(this.#closedError())
    if (this.isEnded) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      this.#resolve = resolve as (result: unknown) => void
      this.#accept = accept
      this.#reject = reject
      if (timeoutMs === undefined) return
      this.#deadline = setDeadline(this, timeoutMs)
      this.#timeoutMs = timeoutMs
      this.#activity = activity
    })
  }

  /** Bytes that are buffered here, or null. */
  take(): Buffer | null {
    const chunk = this.#first
    if (chunk === null) return null
    this.#first = this.#more.length === 0 ? null : (this.#more.shift() ?? null)
    const isResumed =
      this.#bufferedBytes >= MOST_BUFFERED_BYTES && this.#bufferedBytes - chunk.length < MOST_BUFFERED_BYTES
    if (isResumed) this.#source.start()
    this.#bufferedBytes -= chunk.length
    return chunk
  }

  /** Puts bytes back, to be read next. */
  unread(chunk: Buffer): void {
    if (chunk.length === 0) return
    if (this.#first !== null) this.#more = [this.#first, ...this.#more]
    this.#first = chunk
    this.#bufferedBytes += chunk.length
  }

  /** Whether bytes are buffered here. */
  get hasBytes(): boolean {
    return this.#first !== null
  }

  /** Stops reading permanently; returns the bytes that were read and not used. */
  release(): Buffer {
    this.#source.stop()
    this.#source.receiver = null
    const rest = this.#first === null ? NOTHING : Buffer.concat([this.#first, ...this.#more])
    this.#first = null
    this.#more = NO_MORE
    return rest
  }

  /** Passes the socket to the next stage, which reads it from here on. */
  handOver(): HandedSocket {
    return { socket: this.socket, ended: this.isEnded, early: this.release() }
  }

  expired(): void {
    const leftMs = this.#activity === null ? 0 : this.#activity.activeAt + this.#timeoutMs - performance.now()
    if (leftMs > 0) {
      this.#deadline = setDeadline(this, leftMs)
      return
    }
    const reject = this.#reject
    this.#settle()
    reject?.(new ReadTimeout('nothing was received in time'))
  }

  received(buffer: Buffer, bytes: number, stable: boolean): void {
    if (this.#accept !== null) {
      this.#acceptNow(this.#accept, buffer.subarray(0, bytes), stable)
      return
    }
    const chunk = stable ? buffer.subarray(0, bytes) : copyOf(buffer, bytes)
    if (this.#resolve !== null) {
      const resolve = this.#resolve
      this.#settle()
      resolve(chunk)
      return
    }
    if (this.#first === null) this.#first = chunk
    else if (this.#more === NO_MORE) this.#more = [chunk]
    else this.#more.push(chunk)
    this.#bufferedBytes += bytes
    if (this.#bufferedBytes >= MOST_BUFFERED_BYTES) this.#source.stop()
  }

  #acceptNow(accept: (chunk: Buffer, stable: boolean) => unknown, chunk: Buffer, stable: boolean): void {
    const resolve = this.#resolve
    const reject = this.#reject
    try {
      const result = accept(chunk, stable)
      if (result === null) return
      this.#settle()
      resolve?.(result)
    } catch (error) {
      this.#settle()
      reject?.(error as Error)
    }
  }

  ended(): void {
    this.isEnded = true
    const resolve = this.#resolve
    this.#settle()
    resolve?.(null)
  }

  closed(error: Error | null): void {
    this.onClosed?.()
    if (error === null && this.isEnded) {
      this.ended()
      return
    }
    if (!this.isClosed) this.#failure = error
    this.isClosed = true
    const reject = this.#reject
    this.#settle()
    reject?.(this.#closedError())
  }

  /**
   * Made only for a read: most connections are closed while nothing is read, and an error costs as much as
   * parsing a head.
   */
  #closedError(): ConnectionClosed {
    const error = this.#failure
    return new ConnectionClosed(error?.message ?? 'the connection was closed', { cause: error })
  }

  #settle(): void {
    this.#resolve = null
    this.#reject = null
    this.#accept = null
    this.#activity = null
    if (this.#deadline !== null) clearDeadline(this, this.#deadline)
    this.#deadline = null
  }
}

/**
 * Reads one message of a handshake, in any number of pieces; null when the stream ends before. `parse`
 * returns null while bytes are missing. Bytes behind the message stay in the reader. Rejects like `read`,
 * until `deadline` (monotonic milliseconds), and with the errors of `parse`.
 */
export async function readMessage<T extends { used: number }>(
  reader: SocketReader,
  parse: (bytes: Buffer) => T | null,
  deadline: number,
): Promise<T | null> {
  let bytes: Buffer = NOTHING
  for (;;) {
    const chunk = await reader.read(Math.max(1, deadline - performance.now()))
    if (chunk === null) return null
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    const message = parse(bytes)
    if (message === null) continue
    reader.unread(bytes.subarray(message.used))
    return message
  }
}
